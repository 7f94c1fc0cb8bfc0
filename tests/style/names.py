# SPDX-License-Identifier: Apache-2.0
"""Names that are no nouns: pronouns and prepositions as parameters, locals and fields.

One-line lambdas may have them, and `from` and `to` may be the two ends of a copy, in one statement.
"""

import re

REFUSED = ("of at by as with to from "
           "what where which one some all here there now it made").split()

# Names per folder, of the longest path that matches. Lower a number where you clean; add none.
ALLOWED = {
    "include/wingbeat": 1, "src/verify": 1,  # `plan_spec::where`, and what hands it on
    "tests/backend": 3, "tests/formats": 15,
}

# The keywords and operators behind which a name is used, not declared.
NO_TYPE = ("return case else throw new delete goto sizeof operator using namespace and or not"
           " co_return co_yield co_await").split()
NAME = f"(?P<name>{'|'.join(REFUSED)})"
# A type ends in a word or `>`, with `&` and `*` attached; `a * at` and `a > at` have a blank
# before.
DECLARED = re.compile(r"(?<![\w.$])(?!(?:" + "|".join(NO_TYPE) + r")\b)"
                      r"[A-Za-z_]\w*(?:<[^;{}()]*>)?[&*]*(?:\s+const)?\s+(?:\.\.\.\s*)?"
                      + NAME + r"\s*(?=[,;)={\[>]|:(?!:))")
# As in `Args&&... of`, `std::vector<int> at` whose type holds parentheses, and `(&of)[3]`.
ATTACHED = re.compile(r"(?<=[\w>)])(?:>|&&?|\*+)(?:\.\.\.)?[ \n]\s*" + NAME
                      + r"\s*(?=[,;)={\[]|:(?!:))")
ARRAY = re.compile(r"\([&*]" + NAME + r"\)\[")
BINDING = re.compile(r"\bauto\b[&\s]*\[([^\]]*)\]\s*[=:]")
ONE_LINE_LAMBDA = re.compile(r"\[[^\[\]\n]*\]\s*\((?:[^()\n]|\([^()\n]*\))*\)[\w:<>&*\s-]*?"
                             r"\{(?:[^{}\n]|\{[^{}\n]*\})*\}")


PAIR = {"from": "to", "to": "from"}


def is_end_of_copy(text, offset, name, found):
    """Whether the other of `from` and `to` is declared in the same statement."""
    begin = max(text.rfind(mark, 0, offset) for mark in ";{}")
    return any(other == PAIR[name] and begin < place and
               not re.search(r"[;{}]", text[min(place, offset):max(place, offset)])
               for place, other in found.items())


def refused_names(text):
    """Returns (offset, name) of each, in text without comments and strings."""
    blanked = ONE_LINE_LAMBDA.sub(lambda lambda_: re.sub(r"[^\n]", " ", lambda_.group()), text)
    found = {}
    for pattern in (DECLARED, ATTACHED, ARRAY):
        for match in pattern.finditer(blanked):
            found[match.start("name")] = match.group("name")
    for binding in BINDING.finditer(blanked):
        for word in re.finditer(r"\w+", binding.group(1)):
            if word.group() in REFUSED:
                found[binding.start(1) + word.start()] = word.group()
    return [(offset, name) for offset, name in sorted(found.items())
            if name not in PAIR or not is_end_of_copy(blanked, offset, name, found)]


def folder_of(path):
    """Returns the folder of ALLOWED that a path is counted in, the longest one; or its own."""
    parts = path.split("/")[:-1]
    longest = range(len(parts), 0, -1)
    return next(("/".join(parts[:n]) for n in longest if "/".join(parts[:n]) in ALLOWED),
                "/".join(parts))
