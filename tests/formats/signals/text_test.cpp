// SPDX-License-Identifier: Apache-2.0
// Laws: what is written reads back bit for bit; every malformed line is refused by its number.
#include "formats/signals/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <complex>
#include <random>

#include "formats/message.hpp"           // message_of
#include "formats/temporary_folder.hpp"  // temporary_folder

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using wingbeat::formats::signal;  // not <csignal>'s
using complex = std::complex<double>;

std::string refusal(std::string_view content) {
  return message_of([&] { (void)read_text(content, "in.txt"); });
}

TEST(text, reads_one_real_number_a_line) {
  const auto read = read_text("1\n-2.5\n+3e-2\n.5\n4.", "in.txt");
  EXPECT_THAT(read.samples, ElementsAre(1.0, -2.5, 0.03, 0.5, 4.0));
  EXPECT_TRUE(read.is_real);
  EXPECT_FALSE(read.is_single_precision);
  EXPECT_EQ(read.n_rows, 1u);
  EXPECT_EQ(read.row_length, 5u);
  EXPECT_EQ(read.sample_rate_hz, 0);
}

TEST(text, reads_two_columns_with_every_separator) {
  const auto read = read_text("1 2\n3\t4\n5,6\n7 , 8\n  9   -10  \n", "in.txt");
  EXPECT_THAT(read.samples, ElementsAre(complex{1, 2}, complex{3, 4}, complex{5, 6}, complex{7, 8},
                                        complex{9, -10}));
  EXPECT_FALSE(read.is_real);
}

TEST(text, skips_comments_and_blank_lines) {
  const auto read = read_text("# head\n\n  \n1 # one\n\t# more\n2\n#", "in.txt");
  EXPECT_THAT(read.samples, ElementsAre(1.0, 2.0));
}

TEST(text, separates_rows_by_blank_lines) {
  for (const char* content :
       {"1\n2\n\n3\n4\n\n5\n6\n", "\n \t\n1\n2\n\n\n \n3\n4\n\r\n5\n6\n\n\n"}) {
    const auto read = read_text(content, "in.txt");
    EXPECT_THAT(read.samples, ElementsAre(1.0, 2.0, 3.0, 4.0, 5.0, 6.0)) << content;
    EXPECT_EQ(read.n_rows, 3u) << content;
    EXPECT_EQ(read.row_length, 2u) << content;
  }
  const auto complex_rows = read_text("1 2\n\n3 4\n", "in.txt");
  EXPECT_THAT(complex_rows.samples, ElementsAre(complex{1, 2}, complex{3, 4}));
  EXPECT_EQ(complex_rows.n_rows, 2u);
}

TEST(text, reads_one_row_around_comments) {
  const auto read =
      read_text("# head\n\n1\n# between\n2 # beside\n  # row 1\n# row x\n3\n\n# end\n", "in");
  EXPECT_EQ(read.n_rows, 1u);
  EXPECT_EQ(read.row_length, 3u);
  EXPECT_FALSE(read.is_table);
}

TEST(text, begins_rows_at_their_headings) {
  const auto one = read_text("# row 0\n1\n2\n", "in.txt");
  EXPECT_EQ(one.n_rows, 1u);
  EXPECT_TRUE(one.is_table);
  const auto two = read_text("# row 0\n1\n2\n# row 1\n3\n4\n", "in.txt");  // no blank line
  EXPECT_EQ(two.n_rows, 2u);
  EXPECT_EQ(two.row_length, 2u);
}

TEST(text, refuses_rows_of_unequal_length_with_their_line) {
  EXPECT_THAT(refusal("1\n2\n\n3\n4\n5\n\n# end\n"),
              StartsWith("in.txt: line 6 ends a row of 3 samples but the first row has 2; give"));
  EXPECT_THAT(refusal("1 0\n2 0\n\n3 0"), HasSubstr("line 4 ends a row of 1 sample but the first"));
}

TEST(text, accepts_windows_line_ends_and_a_byte_order_mark) {
  const auto read = read_text(
      "\xEF\xBB\xBF"
      "1\r\n\r\n2\r\n",
      "in.txt");
  EXPECT_THAT(read.samples, ElementsAre(1.0, 2.0));
}

TEST(text, reads_numbers_at_the_ends_of_the_range) {
  const auto read = read_text("1.7976931348623157e308\n5e-324\n-0\n", "in.txt");
  EXPECT_EQ(read.samples[0], std::numeric_limits<double>::max());
  EXPECT_EQ(read.samples[1], std::numeric_limits<double>::denorm_min());
  EXPECT_TRUE(std::signbit(read.samples[2].real()));
}

TEST(text, refuses_a_word_with_its_line) {
  EXPECT_THAT(refusal("1\n\n# c\nhello\n"),
              StartsWith("in.txt: line 4 has 'hello' where a number"));
  EXPECT_THAT(refusal("1 x"), HasSubstr("line 1 has 'x'"));
  for (const char* word : {"0x10", "1..2", "--1", "+-1", "+", "1e", "1f", "(1,2)", "1;2", "1\r2",
                           "1'000", "e5", "-"}) {
    EXPECT_THAT(refusal(word), HasSubstr("where a number should be")) << word;
  }
}

TEST(text, shows_unprintable_and_long_words_safely) {
  EXPECT_THAT(refusal(std::string_view{"\x1b[2J\0", 5}), HasSubstr("'?[2J?'"));
  const auto message = refusal(std::string(1000, 'x'));
  EXPECT_THAT(message, HasSubstr(std::string(40, 'x') + "...'"));
}

TEST(text, refuses_three_columns) {
  EXPECT_THAT(refusal("1 2\n1 2 3\n"), HasSubstr("line 2 has more than two columns"));
  EXPECT_THAT(refusal("1,2,3"), HasSubstr("line 1 has more than two columns"));
}

TEST(text, refuses_a_comma_without_its_number) {
  for (const char* line : {"1,", ",1", ",", "1,,2", "1 , , 2", "1,2,"}) {
    EXPECT_THAT(refusal(line), HasSubstr("line 1 lacks a number beside a comma")) << line;
  }
}

TEST(text, refuses_what_may_have_decimal_commas) {
  for (const char* content : {"1,5", "0,5\n-1,25\n+3,0\n", "1.000,5\n0,5\n", "1,5e-3\n2,5E3\n",
                              "# samples\n1,5\n", "1,5\n# complex\n2,5\n"}) {
    EXPECT_THAT(refusal(content), HasSubstr("a decimal comma, one between thousands, or two"))
        << content;
  }
  for (const char* content : {"1,000.5", "1,000.5\n-12,345.25\n999,000\n", "1,000.5e3"}) {
    EXPECT_THAT(refusal(content), HasSubstr("one between thousands, or two columns; write numbers"))
        << content;
  }
  for (const char* content : {"1 000.5", "1 234.5\n-12 345.25\n999 100\n", "5 100\n5 050\n"}) {
    EXPECT_THAT(refusal(content), HasSubstr("one between thousands, or two columns; write numbers"))
        << content;
  }
  EXPECT_THAT(refusal("# x\n\n1,5\n"), HasSubstr("as line 3 has"));
}

TEST(text, reads_two_columns_that_are_no_halves) {
  for (const char* content : {"1,-5",
                              "1.0,5",
                              "1,5.0",
                              "1, 5",
                              "1 ,5",
                              "1e0,5",
                              "0.125,5",
                              "1,5\n1 5",
                              "1,5\n.5,5",
                              "1234,567.5",
                              "0,50.25",
                              "# complex\n1,000.5",
                              "# complex\n1,5",
                              "# re,im\n1,5",
                              "# the parts re im\n\n1,5",
                              "1,2\n1,2\n-1,-2\n",
                              "5 100\n12 345",
                              "001 050",
                              "1\t000.5",
                              "1  000.5",
                              "1 000.5\n1.0 000.5",
                              "1 50.5",
                              "1 -234.5",
                              "1 0.125",
                              "# complex\n1 000.5"}) {
    EXPECT_FALSE(read_text(content, "in.txt").is_real) << content;
  }
}

TEST(text, reads_complex_numbers_as_python_writes_them) {
  // numpy.savetxt of [1+2j, -0.5-3e-5j], NumPy 2.4, and as NumPy before 1.16 wrote the second.
  const auto written = read_text(
      " (1.000000000000000000e+00+2.000000000000000000e+00j)\n"
      " (-5.000000000000000000e-01-3.000000000000000000e-05j)\n"
      " (-5.000000000000000000e-01+-3.000000000000000000e-05j)\n"
      "1+2j\r\n(1e+2-2e-3j)  # as printed\n",
      "in.txt");
  EXPECT_THAT(written.samples,
              ElementsAre(complex{1, 2}, complex{-0.5, -3e-5}, complex{-0.5, -3e-5}, complex{1, 2},
                          complex{100, -0.002}));
  EXPECT_FALSE(written.is_real);
  for (const char* content : {"(1+2j) (3+4j)", "(1+2)", "2j", "(1+j)", "1+2i3j"}) {
    EXPECT_THAT(refusal(content), HasSubstr("where a number should be")) << content;
  }
}

TEST(text, tells_times_from_real_parts) {
  const auto may_have_times = [](const std::string& head, double step, int n, double bend = 0) {
    std::string content = head;
    for (int i = 0; i < n; ++i) {
      content += std::to_string(0.25 + step * i + (i == 3 ? bend : 0)) + " 1.5\n";
    }
    return read_text(content, "in.txt").may_have_times;
  };
  EXPECT_TRUE(may_have_times("", 0.001, 8));
  EXPECT_TRUE(may_have_times("", 0.001, 100, 0.00005));
  EXPECT_FALSE(may_have_times("# complex\n", 0.001, 8));
  std::string marked;
  for (int i = 0; i < 8; ++i) marked += "(" + std::to_string(i) + "e+00+1e+00j)\n";
  EXPECT_FALSE(read_text(marked, "in.txt").may_have_times);
  EXPECT_FALSE(may_have_times("", 0.001, 7));
  EXPECT_FALSE(may_have_times("", 0.001, 8, 0.0005));
  EXPECT_FALSE(may_have_times("", -0.001, 8));
  EXPECT_FALSE(may_have_times("", 0, 8));
}

TEST(text, refuses_nan_and_infinity) {
  for (const char* word : {"nan", "NaN", "-nan", "inf", "-Inf", "infinity"}) {
    EXPECT_THAT(refusal(std::string("0\n") + word),
                HasSubstr("line 2 has " + std::string(word) + "; every sample must be a finite"));
  }
}

TEST(text, refuses_numbers_beyond_double_precision) {
  for (const char* word : {"1e309", "-1e309", "1e-400", "1e999999999999"}) {
    EXPECT_THAT(refusal(word), HasSubstr("which double precision cannot hold")) << word;
  }
}

TEST(text, refuses_mixed_columns_naming_both_lines) {
  EXPECT_THAT(refusal("# c\n1 2\n3\n"), HasSubstr("line 3 has 1 column but line 2 has 2"));
  EXPECT_THAT(refusal("1\n2 3\n"), HasSubstr("line 2 has 2 columns but line 1 has 1"));
}

TEST(text, refuses_a_file_without_samples) {
  for (const char* content : {"", "\n\n", "# only\n# comments", " \t\r\n"}) {
    EXPECT_THAT(refusal(content), StartsWith("in.txt: holds no samples")) << content;
  }
}

TEST(text, refuses_huge_lines) {
  EXPECT_THAT(refusal("1\n" + std::string(65537, '0') + "\n"), HasSubstr("line 2 is 65537 char"));
  EXPECT_NO_THROW((void)read_text("1 #" + std::string(1 << 20, 'c') + "\n", "in.txt"));
}

signal noise(bool is_real, bool is_single_precision) {
  std::mt19937_64 bits(7);
  const auto next = [&] {
    for (;;) {
      const auto value = is_single_precision
                             ? std::bit_cast<float>(static_cast<std::uint32_t>(bits()))
                             : std::bit_cast<double>(static_cast<std::uint64_t>(bits()));
      if (std::isfinite(value)) return static_cast<double>(value);
    }
  };
  signal result;
  for (int i = 0; i < 20000; ++i) {
    const double re = next();
    result.samples.emplace_back(re, is_real ? 0 : next());
  }
  result.row_length = result.samples.size();
  result.is_real = is_real;
  result.is_single_precision = is_single_precision;
  return result;
}

// Compares floats as floats: from -O2 on, g++ 12.2 drops the rounding of a complex<double> to
// complex<float> and back, however it is spelled.
bool is_same(complex a, complex b, bool is_single_precision) {
  if (!is_single_precision) return a == b;
  return static_cast<float>(a.real()) == static_cast<float>(b.real()) &&
         static_cast<float>(a.imag()) == static_cast<float>(b.imag());
}

std::string written(void (*write)(atomic_file&, const signal&), const signal& what) {
  const temporary_folder folder;
  atomic_file file(folder.path() / "out");
  write(file, what);
  file.commit();
  return folder.read("out");
}

TEST(text, round_trips_bit_for_bit) {
  for (const bool is_real : {true, false}) {
    for (const bool is_single : {true, false}) {
      const auto original = noise(is_real, is_single);
      const auto read = read_text(written(write_text, original), "out");
      ASSERT_EQ(read.samples.size(), original.samples.size());
      EXPECT_EQ(read.is_real, is_real);
      for (std::size_t i = 0; i < read.samples.size(); ++i) {
        ASSERT_TRUE(is_same(read.samples[i], original.samples[i], is_single)) << i;
      }
    }
  }
}

// 7.038531e-26 names one float, but read as double and then rounded it gives its neighbour.
TEST(text, writes_single_precision_that_survives_double_rounding) {
  signal one{.samples = {std::bit_cast<float>(0x15AE43FDu)}, .row_length = 1};
  one.is_single_precision = true;
  const auto read = read_text(written(write_text, one), "out");
  EXPECT_EQ(std::bit_cast<std::uint32_t>(static_cast<float>(read.samples[0].real())), 0x15AE43FDu);
}

TEST(text, refuses_headings_of_rows_without_samples) {
  EXPECT_THAT(refusal("# row 0\n# row 1\n1\n2\n"), HasSubstr("the one before has no samples"));
  EXPECT_THAT(refusal("# row 0\n1\n# row 1\n\n"),
              HasSubstr("ends with the heading of a row without samples"));
}

TEST(text, writes_rows_one_after_another) {
  const signal rows{.samples = {1.0, 2.0, 3.0, 4.0}, .n_rows = 2, .row_length = 2};
  EXPECT_EQ(written(write_text, rows), "# row 0\n1\n2\n\n# row 1\n3\n4\n");
}

TEST(text, writes_the_heading_of_a_single_row_of_a_table) {
  signal row{.samples = {1.0, 2.0}, .row_length = 2};
  EXPECT_EQ(written(write_text, row), "1\n2\n");
  row.is_table = true;
  EXPECT_EQ(written(write_text, row), "# row 0\n1\n2\n");
}

TEST(csv, names_its_columns) {
  signal row{.samples = {{1, 2}, {0.1, -0.0}}, .row_length = 2, .is_real = false};
  EXPECT_EQ(written(write_csv, row), "index,re,im\n0,1,2\n1,0.1,-0\n");
  row.n_rows = 2;
  row.row_length = 1;
  EXPECT_EQ(written(write_csv, row), "row,index,re,im\n0,0,1,2\n1,0,0.1,-0\n");
  row.samples.resize(1);
  row.n_rows = 1;
  row.is_table = true;
  EXPECT_EQ(written(write_csv, row), "row,index,re,im\n0,0,1,2\n");
}

}  // namespace
