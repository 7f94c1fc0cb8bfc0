// SPDX-License-Identifier: Apache-2.0
// Files are spelled out byte by byte, as NumPy writes them.
#include "formats/signals/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <bit>
#include <complex>
#include <cstdint>
#include <limits>

#include "formats/message.hpp"           // as_bytes, little_endian, message_of
#include "formats/temporary_folder.hpp"  // temporary_folder

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using wingbeat::formats::signal;  // not <csignal>'s
using complex = std::complex<double>;

std::string npy(std::string header, std::string data, int major = 1) {
  header += '\n';
  return std::string("\x93NUMPY") + static_cast<char>(major) + '\0' +
         little_endian(header.size(), major == 1 ? 2 : 4) + header + data;
}

std::string describe(std::string descr, std::string shape, std::string fortran = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + fortran + ", 'shape': " + shape + ", }";
}

std::string f4(float value) {
  return little_endian(std::bit_cast<std::uint32_t>(value), 4);
}
std::string f8(double value) {
  return little_endian(std::bit_cast<std::uint64_t>(value), 8);
}
std::string reversed(std::string text) {
  return {text.rbegin(), text.rend()};
}

signal read(const std::string& content) {
  return open_npy(std::make_shared<byte_source>(as_bytes(content), "in.npy"))->read_all({});
}

std::string refusal(const std::string& content) {
  return message_of([&] { (void)read(content); });
}

// numpy.save of numpy.array([1+2j, -0.5-3j], dtype='complex64'), NumPy 1.24, all 144 bytes.
TEST(npy, reads_what_numpy_wrote) {
  std::string file = "\x93NUMPY\x01";
  file += std::string("\0\x76\0", 3);
  file += "{'descr': '<c8', 'fortran_order': False, 'shape': (2,), }";
  file += std::string(60, ' ') + '\n';
  file += std::string("\0\0\x80\x3f\0\0\0\x40\0\0\0\xbf\0\0\x40\xc0", 16);
  ASSERT_EQ(file.size(), 144u);
  const auto result = read(file);
  EXPECT_THAT(result.samples, ElementsAre(complex{1, 2}, complex{-0.5, -3}));
  EXPECT_FALSE(result.is_real);
  EXPECT_TRUE(result.is_single_precision);
}

TEST(npy, reads_every_type_in_both_byte_orders) {
  struct example {
    const char* kind;
    std::string re, im;
  };
  for (const auto& [kind, re, im] :
       {example{"f4", f4(1.5f), ""}, example{"f8", f8(1.5), ""}, example{"c8", f4(1.5f), f4(-2)},
        example{"c16", f8(1.5), f8(-2)}}) {
    const auto little = read(npy(describe(std::string("<") + kind, "(1,)"), re + im));
    const auto big =
        read(npy(describe(std::string(">") + kind, "(1,)"), reversed(re) + reversed(im)));
    EXPECT_EQ(little.samples[0], complex(1.5, im.empty() ? 0 : -2)) << kind;
    EXPECT_EQ(big.samples, little.samples) << kind;
    EXPECT_EQ(little.is_real, im.empty()) << kind;
    EXPECT_EQ(little.is_single_precision, re.size() == 4) << kind;
  }
}

/// Returns the lowest bytes of a number, little-endian.
std::string low_bytes(std::uint64_t number, std::size_t n_bytes) {
  std::string bytes;
  for (std::size_t i = 0; i < n_bytes; ++i) bytes += static_cast<char>(number >> (8 * i) & 0xFFu);
  return bytes;
}

TEST(npy, reads_integers_as_real_numbers_in_both_byte_orders) {
  struct example {
    const char* kind;
    std::uint64_t bits;
    double value;
    bool is_single_precision;
  };
  for (const auto& [kind, bits, value, is_single_precision] :
       {example{"b1", 1, 1, true}, example{"u1", 255, 255, true}, example{"i1", 255, -1, true},
        example{"u2", 65535, 65535, true}, example{"i2", 0x8000, -32768, true},
        example{"f2", 0x3E00, 1.5, true}, example{"u4", 0xFFFFFFFF, 4294967295.0, false},
        example{"i4", 0xFEFFFFFF, -16777217.0, false},
        example{"u8", std::uint64_t{1} << 53 | 1, 9007199254740992.0, false},
        example{"i8", ~std::uint64_t{0}, -1, false}}) {
    const auto n_bytes = static_cast<std::size_t>(kind[1] - '0');
    const std::string data = low_bytes(bits, n_bytes);
    for (const auto& [order, content] :
         {std::pair{std::string{"<"}, data}, {">", reversed(data)}}) {
      const auto result = read(npy(describe(order + kind, "(1,)"), content));
      EXPECT_THAT(result.samples, ElementsAre(value)) << order << kind;
      EXPECT_TRUE(result.is_real);
      EXPECT_EQ(result.is_single_precision, is_single_precision) << kind;
    }
    if (n_bytes == 1) {
      EXPECT_THAT(read(npy(describe("|" + std::string{kind}, "(1,)"), data)).samples,
                  ElementsAre(value));
    }
  }
  EXPECT_THAT(refusal(npy(describe("<f2", "(1,)"), low_bytes(0x7C00, 2))), HasSubstr("infin"));
}

TEST(npy, reads_two_dimensions_as_rows_in_both_orders) {
  const std::string data = f4(1) + f4(2) + f4(3) + f4(4) + f4(5) + f4(6);
  const auto rows = read(npy(describe("<f4", "(2, 3)"), data));
  EXPECT_EQ(rows.n_rows, 2u);
  EXPECT_EQ(rows.row_length, 3u);
  EXPECT_THAT(rows.samples, ElementsAre(1, 2, 3, 4, 5, 6));
  const auto columns = read(npy(describe("<f4", "(2, 3)", "True"), data));
  EXPECT_THAT(columns.samples, ElementsAre(1, 3, 5, 2, 4, 6));
}

TEST(npy, reads_long_integers_of_python_2) {
  const auto file = npy(describe("<f4", "(2L, 1L)"), f4(1) + f4(2));
  EXPECT_THAT(read(file).samples, ElementsAre(1.0, 2.0));
  EXPECT_THAT(read(npy(describe("<f4", "(2L,)"), f4(1) + f4(2))).samples, ElementsAre(1.0, 2.0));
  EXPECT_THAT(refusal(npy(describe("<f4", "(2LL,)"), f4(1) + f4(2))), HasSubstr("a comma"));
}

TEST(npy, reads_versions_two_and_three_and_any_key_order) {
  for (const int major : {2, 3}) {
    EXPECT_THAT(read(npy(describe("<f4", "(1,)"), f4(7), major)).samples, ElementsAre(7));
  }
  const std::string header = "{\"shape\":(1,),\"fortran_order\":True,\"descr\":\"<f8\"}";
  EXPECT_THAT(read(npy(header, f8(7))).samples, ElementsAre(7));
}

TEST(npy, refuses_what_is_no_npy_file) {
  EXPECT_THAT(refusal("1\n2\n"), HasSubstr("in.npy: does not start with NumPy's magic"));
  EXPECT_THAT(refusal("\x93NUM"), HasSubstr("does not start with"));
  EXPECT_THAT(refusal(npy(describe("<f4", "(1,)"), f4(1), 4)), HasSubstr("version 4.0"));
  auto minor = npy(describe("<f4", "(1,)"), f4(1));
  minor[7] = 1;
  EXPECT_THAT(refusal(minor), HasSubstr("version 1.1"));
}

TEST(npy, refuses_every_truncation) {
  for (const int major : {1, 2}) {
    const std::string whole = npy(describe("<f4", "(2,)"), f4(1) + f4(2), major);
    for (std::size_t n = 0; n < whole.size(); ++n)
      EXPECT_FALSE(refusal(whole.substr(0, n)).empty());
    EXPECT_THAT(refusal(whole.substr(0, 20)), HasSubstr("ends inside its .npy header"));
    EXPECT_THAT(refusal(whole.substr(0, whole.size() - 1)),
                HasSubstr("truncated: its header claims 1 x 2 samples of 4 bytes but 7 bytes"));
  }
}

TEST(npy, refuses_trailing_bytes) {
  EXPECT_THAT(refusal(npy(describe("<f4", "(1,)"), f4(1) + "x")), HasSubstr("has 1 bytes after"));
}

TEST(npy, refuses_other_types) {
  for (const char* descr :
       {"<i16", "|i2", "<f16", "<U8", "|f4", "=f4", "=i4", "f4", "", "<", "<M8", "<c4"}) {
    EXPECT_THAT(refusal(npy(describe(descr, "(1,)"), f8(0))), HasSubstr("convert it with astype"))
        << descr;
  }
  EXPECT_THAT(refusal(npy(describe("|O", "(1,)"), "\x80\x04.")), HasSubstr("Python objects"));
  const std::string record = "{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }";
  EXPECT_THAT(refusal(npy(record, f4(1))), HasSubstr("records of several fields"));
}

TEST(npy, refuses_other_dimensions) {
  EXPECT_THAT(refusal(npy(describe("<f4", "()"), f4(1))), HasSubstr("has 0 dimensions"));
  EXPECT_THAT(refusal(npy(describe("<f4", "(1, 1, 1)"), f4(1))), HasSubstr("has 3 dimensions"));
  for (const char* shape : {"(0,)", "(0, 4)", "(4, 0)"}) {
    EXPECT_THAT(refusal(npy(describe("<f4", shape), "")), HasSubstr("has no samples")) << shape;
  }
}

// Each product overflows 64 bits or wraps to a small number; nothing may be allocated.
TEST(npy, refuses_absurd_shapes) {
  for (const char* shape :
       {"(9223372036854775807,)", "(4294967296, 4294967296)", "(4611686018427387904, 4)",
        "(4611686018427387905,)", "(1, 18446744073709551615)", "(18446744073709551615, 1)"}) {
    EXPECT_THAT(refusal(npy(describe("<f4", shape), f4(1))), HasSubstr("is truncated")) << shape;
  }
  EXPECT_THAT(refusal(npy(describe("<f4", "(99999999999999999999,)"), "")),
              HasSubstr("longer than any memory"));
}

TEST(npy, refuses_headers_that_are_not_the_literal) {
  for (const char* header :
       {"{'descr' '<f4'}", "{'descr': '<f4}", "{'descr': f4}", "{'descr': __import__('os')}"}) {
    EXPECT_THAT(refusal(npy(header, "")), HasSubstr("in its .npy header where")) << header;
  }
  for (const char* shape : {"(1)", "(1 2)", "(,)", "(-1,)", "[1]", "(1.0,)", "(1,", "1"}) {
    EXPECT_THAT(refusal(npy(describe("<f4", shape), "")), HasSubstr(".npy header where")) << shape;
  }
  for (const char* order : {"0", "true", "'F'", ""}) {
    EXPECT_THAT(refusal(npy(describe("<f4", "(1,)", order), "")), HasSubstr("True or False"));
  }
  EXPECT_THAT(refusal(npy("{}", "")), HasSubstr("lacks 'descr'"));
  EXPECT_THAT(refusal(npy("{'descr': '<f4', 'fortran_order': False}", "")),
              HasSubstr("lacks 'shape'"));
}

TEST(npy, refuses_nan_and_infinity_with_their_place) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const double inf = std::numeric_limits<double>::infinity();
  EXPECT_THAT(refusal(npy(describe("<f4", "(2, 2)"), f4(1) + f4(2) + f4(3) + f4(nan))),
              HasSubstr("sample 1 of row 1 is NaN"));
  EXPECT_THAT(refusal(npy(describe("<c16", "(1,)"), f8(1) + f8(-inf))),
              HasSubstr("sample 0 of row 0 is infinite"));
}

TEST(npy, round_trips_bit_for_bit) {
  for (const bool is_real : {true, false}) {
    for (const bool is_single : {true, false}) {
      for (const std::size_t n_rows : {1, 3}) {
        const double part = is_single ? static_cast<double>(0.1f) : 0.1;
        signal original;
        original.n_rows = n_rows;
        original.row_length = 4;
        for (std::size_t i = 0; i < 4 * n_rows; ++i) {
          original.samples.emplace_back(part * static_cast<double>(i == 0 ? 1 : 1 << i),
                                        is_real ? 0.0 : -part);
        }
        original.is_real = is_real;
        original.is_single_precision = is_single;
        const temporary_folder folder;
        write_signal(folder.path() / "out.npy", original);
        const auto again = read_signal(folder.path() / "out.npy");
        EXPECT_EQ(again.samples, original.samples);
        EXPECT_EQ(again.n_rows, n_rows);
        EXPECT_EQ(again.is_real, is_real);
        EXPECT_EQ(again.is_single_precision, is_single);
      }
    }
  }
}

TEST(npy, writes_the_bytes_that_numpy_writes) {
  const temporary_folder folder;
  signal one{.samples = {{1, 2}}, .row_length = 1, .is_real = false};
  write_signal(folder.path() / "out.npy", one);
  const std::string expected = describe("<c16", "(1,)");
  const std::string file = folder.read("out.npy");
  EXPECT_EQ(file.size(), 128u + 16u);
  EXPECT_EQ(file.substr(0, 10), std::string("\x93NUMPY\x01\0\x76\0", 10));
  EXPECT_EQ(file.substr(10, expected.size()), expected);
  EXPECT_EQ(file[127], '\n');
  EXPECT_EQ(file.substr(128), f8(1) + f8(2));
}

}  // namespace
