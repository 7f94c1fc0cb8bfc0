// SPDX-License-Identifier: Apache-2.0
// What a build without libpng, libjpeg and libtiff says; skipped in all others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "formats/images/bytes.hpp"      // grey_image, message_of
#include "formats/images/image.hpp"      // write_images
#include "formats/images/reader.hpp"     // open_images
#include "formats/temporary_folder.hpp"  // temporary_folder

namespace {

using namespace wingbeat::formats;
using namespace wingbeat::test;
using ::testing::HasSubstr;

TEST(images_absent, are_refused_in_one_sentence) {
  if (has_image_libraries()) GTEST_SKIP() << "this build has the libraries";
  for (const std::string_view magic : {"\x89PNG\r\n\x1A\n", "\xFF\xD8\xFF", "II*", "MM"}) {
    std::string content(magic);
    if (magic == "II*") content += '\0';
    if (magic == "MM") content += std::string("\0*", 2);
    EXPECT_THAT(message_of<wingbeat::plan_error>(
                    [&] { (void)read_by(open_images, content, "in.png", 1 << 20); }),
                HasSubstr("in.png cannot be read: this build has no libpng, libjpeg, libtiff"));
  }
  const temporary_folder folder;
  for (const char* name : {"a.png", "a.jpg", "a.tif"}) {
    EXPECT_THAT(message_of<wingbeat::plan_error>(
                    [&] { write_images(folder.path() / name, grey_image(1, 1, {1})); }),
                HasSubstr("cannot be written"));
  }
  EXPECT_EQ(folder.n_files(), 0);
}

}  // namespace
