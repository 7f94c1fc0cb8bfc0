// SPDX-License-Identifier: Apache-2.0
// Formats are told by content and chosen by name; no file, however it lies, takes memory beyond the
// limit. Operator new is replaced to see that.
#include "formats/images/image.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>  // max
#include <cstdlib>    // free, malloc
#include <limits>
#include <new>

#include "formats/files/npy_header.hpp"   // npy_prefix
#include "formats/images/bytes.hpp"       // grey_image, message_of, samples_of
#include "formats/images/format.hpp"      // entry_of
#include "formats/images/reader.hpp"      // open_images
#include "formats/images/tiff_bytes.hpp"  // tiff, tiff_page
#include "formats/temporary_folder.hpp"   // temporary_folder
#include "support/read_images.hpp"        // read_images

namespace {
std::size_t largest_allocation = 0;
}

// Not inlined: else the compiler sees `free` of what `new` returned.
[[gnu::noinline]] void* operator new(std::size_t n_bytes) {
  largest_allocation = std::max(largest_allocation, n_bytes);
  if (void* const memory = std::malloc(n_bytes == 0 ? 1 : n_bytes)) return memory;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* memory) noexcept {
  std::free(memory);
}
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

std::string refusal(const std::string& content, std::size_t limit_bytes) {
  return message_of([&] { (void)read_by(open_images, content, "in", limit_bytes); });
}

TEST(image, is_told_by_its_content_and_written_by_its_name) {
  const temporary_folder folder;
  const auto image = grey_image(2, 2, {0, 1, 2, 255});
  for (const char* name : {"a.npy", "a.mrc", "a.MRCS", "a.fits", "a.tif", "a.TIFF", "a.png"}) {
    const std::string_view ending = entry_of(name).endings[0];
    const bool is_png = ending == ".png";
    if ((is_png || ending == ".tif") && !has_image_libraries()) continue;
    const auto range = write_images(folder.path() / name, image);
    EXPECT_EQ(range.has_value(), is_png) << name;
    if (ending == ".fits" && !has_cfitsio()) continue;
    std::filesystem::rename(folder.path() / name, folder.path() / "nameless");
    EXPECT_EQ(samples_of(read_images(folder.path() / "nameless")), samples_of(image)) << name;
  }
}

TEST(image, refuses_other_names) {
  for (const char* name : {"a", "a.gif", "a.npz", ".png"}) {
    EXPECT_THAT(
        message_of<wingbeat::plan_error>([&] { (void)entry_of(name); }),
        HasSubstr("must end in .npy, .png, .jpg, .jpeg, .tif, .tiff, .fits, .fit, .h5, .hdf5, "
                  ".mrc or .mrcs"))
        << name;
  }
}

TEST(image, refuses_other_files) {
  EXPECT_THAT(refusal("GIF89a", 1 << 20),
              HasSubstr("a GIF image, no file of .npy, .png, .jpg, .tif, .fits, .h5 or .mrc"));
  EXPECT_THAT(refusal(std::string(5000, '\0'), 1 << 20),
              HasSubstr("is a file that starts with '" + std::string(8, '?') + "'"));
  const temporary_folder folder;
  EXPECT_THAT(message_of([&] { (void)read_images(folder.path() / "absent.png"); }),
              HasSubstr("cannot be opened"));
}

TEST(image, refuses_options_that_mean_nothing_and_shapes_that_lie) {
  const temporary_folder folder;
  const auto message = [&](const char* name, const image_stack& stack,
                           const image_write_options& options) {
    return message_of<wingbeat::plan_error>(
        [&] { (void)write_images(folder.path() / name, stack, options); });
  };
  const auto image = grey_image(1, 1, {1});
  EXPECT_THAT(message("a.npy", image, {.type = number_type::float16}),
              HasSubstr("cannot write fp16"));
  EXPECT_THAT(message("a.tif", image, {.type = number_type::float64}),
              HasSubstr("a.tif, which holds fp32, 8 bits or 16 bits"));
  EXPECT_THAT(message("a.jpg", image, {.type = number_type::uint16}), HasSubstr("holds 8 bits"));
  EXPECT_THAT(message("a.mrc", image, {.range = value_range{0, 1}}), HasSubstr("without a range"));
  image_stack two = grey_image(1, 1, {1, 2});
  two.n_images = 2;
  EXPECT_THAT(message("a.png", two, {}),
              HasSubstr("cannot hold 2 images of 1 channel; write .npy, .tif, .fits, .h5 or .mrc"));
  EXPECT_THAT(message("a.tif", two, {.type = number_type::uint8}),
              HasSubstr("must be the same for all of them"));
  two.n_images = 1;
  two.n_channels = 2;
  EXPECT_THAT(message("a.jpg", two, {}), HasSubstr("write .npy, .png or .tif"));
  EXPECT_THAT(message("a.npy", grey_image(1, 2, {1}), {}),
              HasSubstr("cannot write 1 samples as 1 image(s) of 1 x 2 pixels"));
  EXPECT_THAT(message("a.npy", grey_image(0, 0, {}), {}), HasSubstr("cannot write 0 samples"));
  image_stack five = grey_image(1, 1, {1, 2, 3, 4, 5});
  five.n_channels = 5;
  EXPECT_THAT(message("a.tif", five, {}), HasSubstr("give 1 to 4 channels"));
  EXPECT_EQ(folder.n_files(), 0);
}

TEST(image, is_not_written_where_floats_cannot_hold_it) {
  const temporary_folder folder;
  image_stack image = grey_image(1, 2, {});
  image.samples = std::vector<double>{1, 1e39};
  for (const char* name : {"a.npy", "a.mrc", "a.fits"}) {
    EXPECT_THAT(message_of([&] { (void)write_images(folder.path() / name, image); }),
                HasSubstr("cannot hold the sample 1e+39"));
  }
  EXPECT_EQ(folder.n_files(), 0);
  image.samples = std::vector<double>{std::numeric_limits<double>::infinity(), 0.1};
  write_images(folder.path() / "a.npy", image);
  EXPECT_THAT(samples_of(read_images(folder.path() / "a.npy")),
              ElementsAre(std::numeric_limits<double>::infinity(), 0.1f));
}

TEST(image, hands_samples_on_as_floats_or_doubles) {
  EXPECT_THAT(to_floats(std::vector<double>{0.1}), ElementsAre(0.1f));
  EXPECT_THAT(to_doubles(std::vector<float>{0.1f}), ElementsAre(static_cast<double>(0.1f)));
  std::vector<float> floats = {1, 2};
  const float* const address = floats.data();
  EXPECT_EQ(to_floats(std::move(floats)).data(), address);
}

TEST(image, takes_no_more_memory_than_the_limit) {
  constexpr std::size_t limit_bytes = 1 << 16;
  std::string mrc(1024, '\0');
  for (const std::size_t offset : {0u, 4u, 8u}) mrc.replace(offset, 4, "\xFF\xFF\xFF\x7F");
  mrc[12] = 2;
  mrc.replace(208, 6, "MAP DD");
  auto tile = tiff_page(1, 1, {"a"});
  tile.fields[tiff_tag::tile_width] = tile.fields[tiff_tag::tile_height] = {4, {1 << 14}};
  std::vector<std::string> bombs = {mrc, npy_prefix("<f8", {1ull << 40, 1ull << 40}),
                                    npy_prefix("|u1", {1 << 20, 1 << 10, 2, 4}),
                                    npy_prefix("<f4", {1 << 7, 1 << 6})};
  if (has_image_libraries()) {
    bombs.push_back(tiff({tiff_page(1 << 20, 1 << 20, {"a"})}));
    bombs.push_back(tiff({tile}));
    bombs.push_back(
        std::string("\x89PNG\r\n\x1A\n\0\0\0\rIHDR\0\0\xFF\xFF\0\0\xFF\xFF\10\0\0\0\0", 29) +
        std::string("\x8B\x7C\x6F\x5D", 4));
  }
  for (const std::string& bomb : bombs) {
    largest_allocation = 0;
    EXPECT_FALSE(refusal(bomb, limit_bytes).empty());
    EXPECT_LE(largest_allocation, limit_bytes) << bomb.substr(0, 6);
  }
  // The check sees what it is for: an honest file takes what its samples need.
  largest_allocation = 0;
  const std::string honest = npy_prefix("|u1", {64, 64}) + std::string(4096, 'a');
  EXPECT_EQ(samples_of(read_by(open_images, honest, "in", limit_bytes)).size(), 4096u);
  EXPECT_GE(largest_allocation, 4096 * sizeof(float));
}

}  // namespace
