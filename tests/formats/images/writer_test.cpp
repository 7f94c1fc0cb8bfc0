// SPDX-License-Identifier: Apache-2.0
// Images written one by one are the file that they are together.
#include "formats/images/writer.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>  // mkfifo

#include <fstream>
#include <iterator>   // istreambuf_iterator
#include <stdexcept>  // logic_error
#include <thread>

#include "formats/images/bytes.hpp"      // samples_of
#include "formats/temporary_folder.hpp"  // temporary_folder
#include "support/read_images.hpp"       // read_images
#include "wingbeat/error.hpp"            // plan_error

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::HasSubstr;

constexpr std::size_t n_images = 3, height = 2, width = 5;

/// Returns samples whose statistics are exact in any order.
std::vector<double> samples_of_image(std::size_t n) {
  std::vector<double> samples;
  for (std::size_t i = 0; i < height * width; ++i) {
    samples.push_back(static_cast<double>(i * i + 7 * n) - 9);
  }
  return samples;
}

image_stack shape() {
  return {.n_images = n_images, .height = height, .width = width};
}

image_stack whole() {
  image_stack stack = shape();
  std::vector<double> samples;
  for (std::size_t n = 0; n < n_images; ++n) {
    const auto image = samples_of_image(n);
    samples.insert(samples.end(), image.begin(), image.end());
  }
  stack.samples = samples;
  return stack;
}

void write_one_by_one(const std::filesystem::path& file, const image_write_options& options) {
  image_writer to{file, shape(), options};
  for (std::size_t n = 0; n < n_images; ++n) to.add(samples_of_image(n));
  to.commit();
}

TEST(image_writer, leaves_the_bytes_of_the_stack_written_at_once) {
  const temporary_folder folder;
  const auto check = [&](const std::string& name, const image_write_options& options) {
    write_images(folder.path() / ("whole" + name), whole(), options);
    write_one_by_one(folder.path() / ("parts" + name), options);
    EXPECT_EQ(folder.read("parts" + name), folder.read("whole" + name)) << name;
  };
  for (const char* name : {".npy", ".mrc", ".tif"}) check(name, {});
  check(".npy", {.type = number_type::float64});
  check(".npy", {.type = number_type::int32});
  check(".mrc", {.type = number_type::float16});
}

TEST(image_writer, writes_whole_numbers_as_int32) {
  const temporary_folder folder;
  write_one_by_one(folder.path() / "n.npy", {.type = number_type::int32});
  EXPECT_THAT(folder.read("n.npy"), HasSubstr("'descr': '<i4'"));
  EXPECT_EQ(samples_of(read_images(folder.path() / "n.npy")), to_doubles(whole().samples));
  for (const char* name : {"n.mrc", "n.tif"}) {
    EXPECT_THROW(write_one_by_one(folder.path() / name, {.type = number_type::int32}),
                 wingbeat::plan_error);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / name));
  }
}

TEST(image_writer, leaves_statistics_out_where_a_pipe_takes_images_one_by_one) {
  const temporary_folder folder;
  const auto pipe = folder.path() / "pipe.mrc";
  ASSERT_EQ(::mkfifo(pipe.c_str(), 0600), 0);
  std::string content;
  std::thread reader{[&] {
    std::ifstream from{pipe, std::ios::binary};
    content.assign(std::istreambuf_iterator<char>{from}, {});
  }};
  write_one_by_one(pipe, {});
  reader.join();
  write_images(folder.path() / "whole.mrc", whole());
  const std::string expected = folder.read("whole.mrc");
  ASSERT_EQ(content.size(), expected.size());
  EXPECT_EQ(content.substr(1024), expected.substr(1024));
  constexpr std::size_t min_at = 76;
  float least = 0, largest = 0;
  content.copy(reinterpret_cast<char*>(&least), 4, min_at);
  content.copy(reinterpret_cast<char*>(&largest), 4, min_at + 4);
  EXPECT_LT(largest, least) << "not determined";
}

TEST(image_writer, leaves_no_file_of_some_of_the_images) {
  const temporary_folder folder;
  for (const char* name : {"a.npy", "a.mrc", "a.tif"}) {
    {
      image_writer to{folder.path() / name, shape()};
      to.add(samples_of_image(0));
      EXPECT_THROW(to.commit(), std::logic_error);
      EXPECT_THROW(to.add(std::vector<float>{1}), std::logic_error) << "no whole image";
      EXPECT_THROW(to.add(whole().samples), std::logic_error) << "more than its shape says";
    }
    EXPECT_FALSE(std::filesystem::exists(folder.path() / name));
  }
}

}  // namespace
