// SPDX-License-Identifier: Apache-2.0
#include "formats/signals/csv.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/message.hpp"           // message_of
#include "formats/signals/signal.hpp"    // write_signal, read_signal
#include "formats/temporary_folder.hpp"  // temporary_folder

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::HasSubstr;

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
  EXPECT_THAT(refusal("index,re,im\n0,1\n"), HasSubstr("line 2 has too few columns"));
  EXPECT_THAT(refusal("index,re,im\n0,1,2,3\n"), HasSubstr("'2,3' where a number"));
  EXPECT_THAT(refusal("index,re,im\n0,nan,2\n"), HasSubstr("finite"));
  EXPECT_THAT(refusal("index,re,im\n-1,1,2\n"), HasSubstr("'-1'"));
  EXPECT_THAT(refusal("row,index,re,im\n0,0,1,2\n0,1,1,2\n1,0,1,2\n"),
              HasSubstr("ends within row 1: it has 1 of 2 samples"));
  EXPECT_THAT(refusal("row,index,re,im\n0,0,1,2\n1,0,1,2\n1,1,1,2\n"), HasSubstr("1 of row 1"));
  EXPECT_THAT(refusal("row,index,re,im\n0,0,1,2\n2,0,1,2\n"), HasSubstr("index 0 of row 2"));
  EXPECT_FALSE(has_csv_heading("index,re,im,x\n"));
}

}  // namespace
