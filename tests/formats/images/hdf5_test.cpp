// SPDX-License-Identifier: Apache-2.0
// Images in datasets are read back, alone and in stacks.
#include "formats/images/format.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/files/hdf5.hpp"        // has_hdf5_library
#include "formats/images/image.hpp"      // write_images
#include "formats/images/reader.hpp"     // image_reader
#include "formats/message.hpp"           // message_of
#include "formats/signals/signal.hpp"    // read_signal, write_signal
#include "formats/temporary_folder.hpp"  // temporary_folder

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(hdf5_images, come_back_alone_and_in_stacks) {
  if (!has_hdf5_library()) GTEST_SKIP() << "this build has no libhdf5";
  const temporary_folder folder;
  const auto file = folder.path() / "x.h5";
  for (const std::size_t n_images : {1, 2}) {
    image_stack stack{.n_images = n_images, .height = 2, .width = 3};
    stack.pixel_angstrom = {1, 1.5, 2};
    std::vector<float> samples;
    for (std::size_t i = 0; i < 6 * n_images; ++i) samples.push_back(static_cast<float>(i) / 3);
    stack.samples = samples;
    write_images(file, stack);
    image_reader read{file.string() + ":/images"};
    ASSERT_EQ(read.shape().n_images, n_images);
    EXPECT_EQ(read.shape().is_stack, n_images > 1);
    EXPECT_EQ(to_floats(read.read(n_images - 1, 1)),
              std::vector<float>(samples.end() - 6, samples.end()));
    EXPECT_THAT(read_signal(file.string() + ":/x").samples, ElementsAre(0, 2, 4));
    EXPECT_EQ(image_reader{file}.shape().n_images, n_images) << "axes are no images";
  }
  write_signal(file, {.samples = {1, 2}, .row_length = 2});
  EXPECT_THAT(message_of([&] { (void)image_reader{file.string() + ":/values"}; }),
              HasSubstr("has rank 1; an image has 2 axes (y, x), a stack 3"));
}

TEST(hdf5_images, of_complex_numbers_have_two_channels) {
  if (!has_hdf5_library()) GTEST_SKIP() << "this build has no libhdf5";
  const temporary_folder folder;
  write_signal(folder.path() / "x.h5", {.samples = {{1, 2}, {3, 4}, {5, 6}, {7, 8}},
                                        .n_rows = 2,
                                        .row_length = 2,
                                        .is_table = true,
                                        .is_real = false});
  image_reader read{folder.path() / "x.h5"};
  EXPECT_TRUE(read.shape().is_complex);
  EXPECT_EQ(read.shape().n_channels, 2);
  EXPECT_THAT(to_floats(read.read(0, 1)), ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

TEST(hdf5_images, are_read_of_memory) {
  if (!has_hdf5_library()) GTEST_SKIP() << "this build has no libhdf5";
  const temporary_folder folder;
  const image_stack image{.samples = std::vector<float>{1, 2}, .height = 1, .width = 2};
  write_images(folder.path() / "x.h5", image);
  const std::string content = folder.read("x.h5");
  const byte_source piped{std::as_bytes(std::span{content}), "stdin"};
  EXPECT_THAT(to_floats(open_images(piped, 1 << 20)->read(0, 1)), ElementsAre(1, 2));
}

}  // namespace
