// SPDX-License-Identifier: Apache-2.0
// Oracle: libraries every machine has, or lacks; what is missing is named.
#include "backend/cuda/driver.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>  // setenv

#include "wingbeat/library_folder.hpp"  // add_library_folder

namespace {

using namespace wingbeat::backend::cuda;
using ::testing::HasSubstr;

TEST(driver, names_what_it_looked_for_and_where) {
  const std::vector<std::string> nowhere{"libcuda.so.not", "/nor/here/libcuda.so.1",
                                         "/nor/here/libcuda.so.not"};
  EXPECT_EQ(open_driver(nowhere).problem,
            "none of libcuda.so.not, libcuda.so.1 could be opened from the loader's path, "
            "/nor/here");
}

TEST(driver, names_the_function_that_a_library_lacks) {
  const std::vector<std::string> wrong{"libm.so.6"};
  EXPECT_THAT(open_driver(wrong).problem, HasSubstr("libm.so.6 lacks cuGetErrorName"));
  EXPECT_THAT(open_nvrtc(wrong).problem, HasSubstr("libm.so.6 lacks nvrtcGetErrorString"));
}

TEST(driver, passes_over_a_library_that_does_not_serve) {
  auto candidates = nvrtc_candidates();
  candidates.insert(candidates.begin(), "libm.so.6");
  const auto found = open_nvrtc(candidates);
  if (!process_nvrtc().problem.empty()) GTEST_SKIP() << process_nvrtc().problem;
  EXPECT_EQ(found.problem, "");
}

TEST(driver, looks_for_nvrtc_first_in_the_folder_added_last) {
  wingbeat::add_library_folder("/brought/along");
  wingbeat::add_library_folder("/brought/later");
  const auto candidates = nvrtc_candidates();
  ASSERT_GT(candidates.size(), 6U);
  EXPECT_EQ(candidates[0], "/brought/later/libnvrtc.so.13");
  EXPECT_EQ(candidates[3], "/brought/along/libnvrtc.so.13");
  EXPECT_EQ(candidates[6], "libnvrtc.so.13");
}

TEST(driver, looks_for_nvrtc_in_the_toolkit_the_user_names) {
  setenv("CUDA_HOME", "/opt/my-cuda", 1);
  const auto candidates = nvrtc_candidates();
  unsetenv("CUDA_HOME");
  EXPECT_THAT(candidates, ::testing::Contains("/opt/my-cuda/lib64/libnvrtc.so.13"));
  EXPECT_THAT(candidates, ::testing::Contains("/usr/local/cuda/lib64/libnvrtc.so.12"));
}

}  // namespace
