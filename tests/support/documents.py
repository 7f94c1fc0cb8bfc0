# SPDX-License-Identifier: Apache-2.0
"""Documents of results as src/measure/document_text.hpp writes them: a line for each result."""
import json


def document_text(document):
    """Returns JSON: a line for each member, and for each object of a list of objects."""
    def line(value):
        return json.dumps(value, separators=(",", ":"))

    members = []
    for name, value in document.items():
        if isinstance(value, list) and value and all(isinstance(each, dict) for each in value):
            text = "[\n" + ",\n".join(map(line, value)) + "\n]"
        else:
            text = line(value)
        members.append(f"{line(name)}: {text}")
    return "{\n" + ",\n".join(members) + "\n}\n"
