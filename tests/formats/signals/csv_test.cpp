// SPDX-License-Identifier: Apache-2.0
#include "formats/signals/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/message.hpp"           // message_of
#include "formats/signals/signal.hpp"    // write_signal, read_signal
#include "formats/temporary_folder.hpp"  // temporary_folder

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using complex = std::complex<double>;

TEST(csv, reads_what_is_written) {
  const temporary_folder folder;
  for (const bool is_real : {true, false}) {
    for (const std::size_t n_rows : {1, 3}) {
      for (const bool is_table : {false, true}) {
        wingbeat::formats::signal signal{
            .n_rows = n_rows, .row_length = 2, .is_table = is_table, .is_real = is_real};
        for (std::size_t i = 0; i < 2 * n_rows; ++i) {
          signal.samples.emplace_back(0.1 + static_cast<double>(i), is_real ? 0 : -1e-300);
        }
        write_signal(folder.path() / "a.csv", signal);
        const wingbeat::formats::signal back = read_signal(folder.path() / "a.csv");
        EXPECT_EQ(back.samples, signal.samples);
        EXPECT_EQ(back.n_rows, n_rows);
        EXPECT_EQ(back.row_length, 2U);
        EXPECT_EQ(back.has_row_axis(), signal.has_row_axis());
        EXPECT_EQ(back.is_real, is_real);
      }
    }
  }
}

TEST(csv, refuses_what_is_out_of_place) {
  const auto refusal = [](std::string_view text) {
    return message_of([&] { static_cast<void>(read_csv(text, "a.csv")); });
  };
  EXPECT_THAT(refusal("index,re,im\n"), HasSubstr("no samples"));
  EXPECT_THAT(refusal("index,re,im\n0,1,2\n2,1,2\n"), HasSubstr("line 3 has index 2 of row 0"));
  EXPECT_THAT(refusal("index,re,im\n0,1,2\n0,1,2\n"), HasSubstr("line 3 has index 0"));
  EXPECT_THAT(refusal("index,re,im\n0,1\n"),
              HasSubstr("line 2 has 2 columns and the first 3 columns"));
  EXPECT_THAT(refusal("index,re,im\n0,1,2,3\n"),
              HasSubstr("line 2 has 4 columns and the first 3 columns"));
  EXPECT_THAT(refusal("index,re,im\n0,nan,2\n"), HasSubstr("finite"));
  EXPECT_THAT(refusal("index,re,im\n-1,1,2\n"), HasSubstr("'-1'"));
  EXPECT_THAT(refusal("row,index,re,im\n0,0,1,2\n0,1,1,2\n1,0,1,2\n"),
              HasSubstr("ends within row 1: it has 1 of 2 samples"));
  EXPECT_THAT(refusal("row,index,re,im\n0,0,1,2\n1,0,1,2\n1,1,1,2\n"), HasSubstr("1 of row 1"));
  EXPECT_THAT(refusal("row,index,re,im\n0,0,1,2\n2,0,1,2\n"), HasSubstr("index 0 of row 2"));
  EXPECT_TRUE(has_csv_heading("index,re,im,x\n"));
  EXPECT_FALSE(has_csv_heading("1,2\n"));
}

wingbeat::formats::signal column(const std::string& content, const std::string& name = "") {
  return read_csv(content, "in.csv", name);
}

TEST(csv_columns, are_chosen_by_name_and_by_number) {
  const std::string table =
      "\xEF\xBB\xBFtime,\"voltage\",z\r\n0,1.5,(1+2j)\r\n# more\r\n1,-2,3-0.5j\r\n";
  EXPECT_THAT(column(table, "voltage").samples, ElementsAre(1.5, -2));
  EXPECT_THAT(column(table, "0").samples, ElementsAre(0, 1));
  EXPECT_THAT(column(table, "z").samples, ElementsAre(complex{1, 2}, complex{3, -0.5}));
  EXPECT_FALSE(column(table, "z").is_real);
  EXPECT_THAT(column("a;b\n1;2\n", "b").samples, ElementsAre(2));
  EXPECT_THAT(column("1\t2\n3\t4\n", "1").samples, ElementsAre(2, 4)) << "no heading";
  EXPECT_THAT(column("re,im\n1,2\n").samples, ElementsAre(complex{1, 2}));
  EXPECT_THAT(column("# of a scope\n\nt,v\n1,2\n", "v").samples, ElementsAre(2));
  EXPECT_THAT(column("t;\"v, x\"\n1;2\n", "v, x").samples, ElementsAre(2));
  EXPECT_THAT(column(" t   v\n 1   2\n", "v").samples, ElementsAre(2));
  EXPECT_THAT(column("z\n1+2i\n3-4i\n").samples, ElementsAre(complex{1, 2}, complex{3, -4}));
  EXPECT_TRUE(has_csv_heading("volt\n1.5\n"));
  EXPECT_FALSE(has_csv_heading("volt\nof what\n"));
  EXPECT_FALSE(has_csv_heading("no table\n1 2\n"));
  EXPECT_THAT(column("index,re,im\n5,1,2\n", "im").samples, ElementsAre(2));
}

TEST(csv_columns, are_refused_by_line) {
  using wingbeat::plan_error;
  for (const std::string name : {"", "c", "2"}) {
    EXPECT_THAT(message_of<plan_error>([&] { (void)column("a,b\n1,2\n", name); }),
                HasSubstr("in.csv has 2 columns, a, b; choose one by --column"));
  }
  const auto refusal = [](const std::string& content) {
    return message_of([&] { (void)column(content, "a"); });
  };
  EXPECT_THAT(refusal("a,b\n1,2\n3\n"), HasSubstr("line 3 has 1 column and the first 2 columns"));
  EXPECT_THAT(refusal("a,b\nx,2\n"), HasSubstr("line 2 has 'x' where a finite number should be"));
  EXPECT_THAT(refusal("a,b\nnan,2\n"), HasSubstr("line 2 has 'nan'"));
  EXPECT_THAT(refusal("a,b\n"), HasSubstr("holds no samples"));
  EXPECT_THAT(refusal("a;b\n0,5;1\n"), HasSubstr("write it with a decimal point"));
  EXPECT_THAT(message_of<plan_error>([] { (void)column("a,a\n1,2\n", "a"); }),
              HasSubstr("in.csv has several columns a; choose one by its number from 0"));
}

}  // namespace
