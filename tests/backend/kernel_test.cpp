// SPDX-License-Identifier: Apache-2.0
// What a compiler reads of a kernel's source, and what stands for it in the cache.
#include "backend/kernel.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "backend/device_sources.hpp"  // device_sources_digest, flatten

namespace {

using ::testing::HasSubstr;
using namespace wingbeat::backend;

TEST(kernel_source, is_flattened_for_the_compiler_and_keyed_by_what_is_embedded) {
  const kernel_source a{
      .text = "#include \"wingbeat/device/direction.hpp\"\n", .entry = "k", .path = "k.cl"};
  EXPECT_EQ(a.full_text(), flatten(a.text, a.path));
  EXPECT_THAT(a.key_text(), HasSubstr(device_sources_digest()));
  EXPECT_THAT(a.key_text(), HasSubstr(a.text));
  kernel_source b = a;
  b.path = "other.cl";
  EXPECT_NE(a.key_text(), b.key_text()) << "messages differ";
  b = a;
  b.text += "int a;\n";
  EXPECT_NE(a.key_text(), b.key_text());
}

TEST(kernel_source, has_no_key_where_a_compiler_may_read_files) {
  const kernel_source a{.text = "%:include <a>\n", .entry = "k", .path = "k.cl"};
  EXPECT_EQ(a.key_text(), "");
}

TEST(kernel_source, states_its_local_memory_where_it_is_to_be_held_to_it) {
  kernel_source a{.text = "int a;", .entry = "k", .scratch_bytes = 64, .path = "k.cl"};
  EXPECT_EQ(a.full_text(), flatten(a.text, a.path));
  a.states_scratch = true;
  EXPECT_EQ(a.full_text(), "#define WINGBEAT_SCRATCH_BYTES 64\n" + flatten(a.text, a.path));
  kernel_source b = a;
  b.scratch_bytes = 32;
  EXPECT_NE(a.key_text(), b.key_text()) << "one of them may not compile";
  b = a;
  b.states_scratch = false;
  EXPECT_NE(a.key_text(), b.key_text());
}

TEST(kernel_source, without_a_path_is_complete) {
  const kernel_source complete{.text = "int a;", .entry = "k"};
  EXPECT_EQ(complete.full_text(), "int a;");
  EXPECT_EQ(complete.key_text(), "int a;");
}

}  // namespace
