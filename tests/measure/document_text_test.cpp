// SPDX-License-Identifier: Apache-2.0
// Law: the text read back is the document, and each result is a line of it.
#include "measure/document_text.hpp"

#include <gtest/gtest.h>

namespace {

using nlohmann::ordered_json;
using wingbeat::measure::document_text;

TEST(document_text, gives_each_member_and_each_result_a_line) {
  const ordered_json document{{"schema", "a/1"},
                              {"device", {{"name", "b"}, {"units", 2}}},
                              {"lengths", {1, 2, 3}},
                              {"none", ordered_json::array()},
                              {"results", {{{"n", 8}, {"s", 1e-5}}, {{"n", 16}}}}};
  const std::string text = document_text(document);
  EXPECT_EQ(text,
            "{\n\"schema\": \"a/1\",\n\"device\": {\"name\":\"b\",\"units\":2},\n"
            "\"lengths\": [1,2,3],\n\"none\": [],\n"
            "\"results\": [\n{\"n\":8,\"s\":1e-05},\n{\"n\":16}\n]\n}\n");
  EXPECT_EQ(ordered_json::parse(text), document);
}

TEST(document_text, replaces_what_is_no_text) {
  EXPECT_EQ(document_text(ordered_json{{"file", "\xFF.npy"}}),
            "{\n\"file\": \"\xEF\xBF\xBD.npy\"\n}\n");
}

}  // namespace
