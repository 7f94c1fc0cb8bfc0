// SPDX-License-Identifier: Apache-2.0
// What each format that holds stacks does with images that come one after another.
#pragma once

#include <optional>

#include "formats/images/image.hpp"  // image_samples, value_range

namespace wingbeat::formats {

/// Writes the images of one stack, whose shape it was made with.
class image_sink {
 public:
  image_sink() = default;
  image_sink(const image_sink&) = delete;
  image_sink& operator=(const image_sink&) = delete;
  virtual ~image_sink() = default;

  /// Appends the samples of the next images, one or more of them, whole.
  virtual void add(const image_samples& samples) = 0;

  /// Completes what depends on all samples, once all images were added; returns the range of a
  /// format that maps samples to numbers.
  virtual std::optional<value_range> finish() { return {}; }
};

}  // namespace wingbeat::formats
