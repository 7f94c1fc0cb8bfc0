// SPDX-License-Identifier: Apache-2.0
// Oracle: an image continued one period after another, in both directions.
#include "wingbeat/device/functors/border.hpp"

#include <gtest/gtest.h>

#include <cstddef>  // ptrdiff_t

namespace {

using namespace wingbeat::device;
using functors::border;
using functors::continued_axis;
using functors::pixel_of;

/// Returns the pixel at index n; N where there is none.
std::ptrdiff_t pixel_at(border outside, std::ptrdiff_t n, std::ptrdiff_t image) {
  if (n >= 0 && n < image) return n;
  switch (outside) {
    case border::zero: return image;
    case border::mirror: return pixel_at(outside, n < 0 ? -1 - n : 2 * image - 1 - n, image);
    case border::repeat: return pixel_at(outside, n < 0 ? n + image : n - image, image);
    case border::clamp: return n < 0 ? 0 : image - 1;
    case border::reflect:
      return image == 1 ? 0 : pixel_at(outside, n < 0 ? -n : 2 * image - 2 - n, image);
  }
  return image;
}

template <class Index>
void expect_pixels(const continued_axis& axis) {
  for (size e = 0; e < axis.length; ++e) {
    const auto n = static_cast<std::ptrdiff_t>(e) + axis.begin;
    const auto expected = pixel_at(axis.outside, n, static_cast<std::ptrdiff_t>(axis.image));
    const Index pixel = pixel_of(axis, static_cast<Index>(e));
    // Any number from N on stands for no pixel.
    EXPECT_EQ(pixel < axis.image ? pixel : axis.image, static_cast<size>(expected))
        << "index " << n << " of " << axis.image;
  }
}

TEST(functors_border, continues_images_at_both_ends) {
  for (const border outside :
       {border::zero, border::mirror, border::repeat, border::clamp, border::reflect}) {
    for (const size image : {1, 2, 5, 7}) {
      for (const std::ptrdiff_t before : {0, 1, 5, 7, 12, 30}) {
        for (const size behind : {0, 1, 7, 23}) {
          const continued_axis axis{outside, image, -before,
                                    static_cast<size>(before) + image + behind};
          expect_pixels<unsigned>(axis);
          expect_pixels<size>(axis);
        }
      }
    }
  }
}

TEST(functors_border, continues_images_behind_their_end_alone) {
  for (const border outside :
       {border::zero, border::mirror, border::repeat, border::clamp, border::reflect}) {
    for (const size image : {1, 2, 5, 7}) {
      for (const std::ptrdiff_t begin : {1, 4, 6, 9, 31}) {
        for (const size length : {1, 3, 8, 24}) {
          expect_pixels<unsigned>({outside, image, begin, length});
          expect_pixels<size>({outside, image, begin, length});
        }
      }
    }
  }
}

TEST(functors_border, leaves_parts_of_images_as_they_are) {
  const continued_axis part{border::mirror, 9, 3, 5};
  EXPECT_TRUE(part.is_inside());
  EXPECT_FALSE(part.is_image());
  for (unsigned e = 0; e < 5; ++e) EXPECT_EQ(pixel_of(part, e), e + 3);
  EXPECT_TRUE((continued_axis{border::clamp, 9, 0, 9}.is_image()));
  EXPECT_FALSE((continued_axis{border::clamp, 9, 0, 10}.is_inside()));
}

}  // namespace
