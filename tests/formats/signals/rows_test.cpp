// SPDX-License-Identifier: Apache-2.0
// Law: shapes (N,), (1, N) and (M, N) survive .npy -> text -> .npy, to the last byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "formats/message.hpp"           // message_of
#include "formats/signals/signal.hpp"    // read_signal, write_signal
#include "formats/temporary_folder.hpp"  // temporary_folder

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::HasSubstr;
using wingbeat::formats::signal;  // not <csignal>'s

/// A .npy file of version 1.0 whose fp64 numbers count in thirds.
std::string npy(const std::string& shape, std::size_t n_samples, bool is_real) {
  std::string header = std::string("{'descr': '") + (is_real ? "<f8" : "<c16") +
                       "', 'fortran_order': False, 'shape': " + shape + ", }";
  header.resize(128 - 10 - 1, ' ');
  header += '\n';
  std::string file("\x93NUMPY\x01\0\x76\0", 10);
  file += header;
  for (std::size_t i = 0; i < n_samples * (is_real ? 1 : 2); ++i) {
    const double number = (static_cast<double>(i) - 5) / 3;
    file.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  return file;
}

struct shape_case {
  std::string shape;
  std::size_t n_rows, row_length;
  bool is_table;
};

const shape_case shapes[] = {{"(4,)", 1, 4, false},  {"(1,)", 1, 1, false},
                             {"(1, 4)", 1, 4, true}, {"(3, 4)", 3, 4, true},
                             {"(4, 1)", 4, 1, true}, {"(1, 1)", 1, 1, true}};

TEST(rows, survive_npy_to_text_to_npy) {
  for (const auto& [shape, n_rows, row_length, is_table] : shapes) {
    for (const bool is_real : {true, false}) {
      const temporary_folder folder;
      const std::string original = npy(shape, n_rows * row_length, is_real);
      write_signal(folder.path() / "b.txt", read_signal(folder.write("a.npy", original)));
      const signal read = read_signal(folder.path() / "b.txt");
      EXPECT_EQ(read.n_rows, n_rows) << shape;
      EXPECT_EQ(read.row_length, row_length) << shape;
      EXPECT_EQ(read.has_row_axis(), is_table) << shape;
      EXPECT_EQ(read.is_real, is_real) << shape;
      write_signal(folder.path() / "c.npy", read);
      EXPECT_EQ(folder.read("c.npy"), original) << shape;
    }
  }
}

TEST(rows, of_three_dimensions_are_refused_rather_than_joined) {
  const temporary_folder folder;
  const auto file = folder.write("a.npy", npy("(2, 3, 4)", 24, false));
  EXPECT_THAT(message_of([&] { (void)read_signal(file); }),
              HasSubstr("has 3 dimensions; give one"));
}

TEST(rows, are_numbered_in_csv) {
  const temporary_folder folder;
  for (const auto& [shape, n_rows, row_length, is_table] : shapes) {
    const auto file = folder.write("a.npy", npy(shape, n_rows * row_length, false));
    write_signal(folder.path() / "a.csv", read_signal(file));
    const std::string csv = folder.read("a.csv");
    EXPECT_EQ(csv.substr(0, csv.find('\n')), is_table ? "row,index,re,im" : "index,re,im") << shape;
    const std::string last = csv.substr(csv.rfind('\n', csv.size() - 2) + 1);
    const std::string index = std::to_string(row_length - 1) + ",";
    const std::string start = is_table ? std::to_string(n_rows - 1) + "," + index : index;
    EXPECT_EQ(last.substr(0, start.size()), start) << shape;
  }
}

}  // namespace
