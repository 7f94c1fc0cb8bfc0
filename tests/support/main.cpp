// SPDX-License-Identifier: Apache-2.0
// Runs the tests of a folder, or with --source=<path>_test.cpp those of one file; exit code 77,
// which CTest shows as skipped, where none could run.
#include <gtest/gtest.h>

#include <cstdio>   // fprintf
#include <cstdlib>  // getenv
#include <string>
#include <string_view>

/// For the address sanitizer: PoCL 3.1 keeps 16 bytes for each device until the process ends.
extern "C" const char* __lsan_default_suppressions();
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libpocl";
}

namespace {

/// Returns the filter of GoogleTest for the tests that stand in a file which ends in `source`.
std::string filter_of(std::string_view source) {
  std::string filter;
  const auto& tests = *::testing::UnitTest::GetInstance();
  for (int s = 0; s < tests.total_test_suite_count(); ++s) {
    const auto& suite = *tests.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const auto& test = *suite.GetTestInfo(t);
      if (!std::string_view{test.file()}.ends_with(source)) continue;
      filter += std::string{suite.name()} + "." + test.name() + ":";
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  ::testing::InitGoogleTest(&argc, argv);
  constexpr std::string_view option = "--source=";
  if (argc == 2 && std::string_view{argv[1]}.starts_with(option)) {
    const std::string filter = filter_of("/tests/" + std::string{argv[1] + option.size()});
    if (filter.empty() || GTEST_FLAG_GET(filter) != "*") {
      std::fprintf(stderr, "%s: no test is of that file, or a filter is given too\n", argv[1]);
      return 2;
    }
    GTEST_FLAG_SET(filter, filter);
  } else if (argc > 1) {
    std::fprintf(stderr, "%s is no option; --source=<path>_test.cpp or GoogleTest's\n", argv[1]);
    return 2;
  }
  const int failed = RUN_ALL_TESTS();
  const auto& tests = *::testing::UnitTest::GetInstance();
  if (tests.test_to_run_count() == 0 && std::getenv("GTEST_TOTAL_SHARDS") == nullptr) {
    std::fprintf(stderr, "%s: no test matches the filter; --gtest_list_tests names them\n",
                 GTEST_FLAG_GET(filter).c_str());
    return 2;
  }
  constexpr int skipped = 77;
  const bool has_run = tests.test_to_run_count() > tests.skipped_test_count();
  return failed != 0 || has_run ? failed : skipped;
}
