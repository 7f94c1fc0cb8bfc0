// SPDX-License-Identifier: Apache-2.0
// Convolutions of images with cuFFT: kernels that pad and crop around its transforms, and one that
// multiplies. Each thread takes one number, so that the kernels move no more bytes than necessary.
#pragma once

#include "bench/question.hpp"
#include "peers/cufft.hpp"  // cufft

namespace wingbeat::bench {

/// Height and width.
struct lengths {
  std::size_t y = 0, x = 0;

  [[nodiscard]] std::size_t area() const { return y * x; }
  [[nodiscard]] std::vector<std::size_t> list() const { return {y, x}; }
};

/// Returns the least even number from `least` on whose prime factors are 2, 3, 5 and 7.
inline std::size_t smooth_length(std::size_t least) {
  for (std::size_t n = least + least % 2;; n += 2) {
    std::size_t rest = n;
    for (const std::size_t prime : {2, 3, 5, 7}) {
      while (rest % prime == 0) rest /= prime;
    }
    if (rest == 1) return n;
  }
}

inline constexpr const char* multiply_text = R"(
#include "wingbeat/device/complex.hpp"
using namespace wingbeat::device;
WINGBEAT_KERNEL(256)
void multiply(WINGBEAT_GLOBAL const complex<float>* spectrum, size spectrum_at,
              WINGBEAT_GLOBAL complex<float>* planes, size planes_at, size count, size all,
              float re, float im WINGBEAT_SCRATCH_PARAMETER) {
  const size i = group::index() * 256 + group::thread();
  if (i >= all) return;
  const complex<float> z = planes[planes_at + i];
  planes[planes_at + i] = complex<float>{re * z.re, im * z.im} * spectrum[spectrum_at + i % count];
}
)";

/// Planes of reals, transformed, multiplied by one spectrum and transformed back.
class unfused_planes {
 public:
  unfused_planes(const queue& on, lengths padded, std::size_t count)
      : padded_(padded),
        count_(count),
        values_{on, count * padded.area() * 4},
        bins_{on, count * n_bins() * 8},
        spectrum_{on, n_bins() * 8},
        forward_{on, plan_of(count, transform::forward_from_real)},
        inverse_{on, plan_of(count, transform::inverse_to_real)},
        of_one_{on, plan_of(1, transform::forward_from_real)},
        multiply_{on, multiply_text, "multiply", "i8 o8 z z f f"} {}

  [[nodiscard]] const lengths& padded() const { return padded_; }
  [[nodiscard]] buffer& values() { return values_; }

  /// Makes the spectrum of the first plane.
  void prepare() { of_one_.run(values_.view(), spectrum_.view()); }

  /// Multiplies all planes, or their conjugated bins, by the spectrum.
  void run(bool conjugates) {
    const float scale = 1.0F / static_cast<float>(padded_.area());
    forward_.run(values_.view(), bins_.view());
    multiply_.enqueue(count_ * n_bins(), {spectrum_.view(), bins_.view(), n_bins(),
                                          count_ * n_bins(), scale, conjugates ? -scale : scale});
    inverse_.run(bins_.view(), values_.view());
  }

 private:
  [[nodiscard]] std::size_t n_bins() const { return padded_.y * (padded_.x / 2 + 1); }
  [[nodiscard]] plan_spec plan_of(std::size_t batch, transform kind) const {
    return {.lengths = padded_.list(), .batch = batch, .kind = kind};
  }

  lengths padded_;
  std::size_t count_;
  buffer values_, bins_, spectrum_;
  peers::cufft forward_, inverse_, of_one_;
  number_kernel multiply_;
};

}  // namespace wingbeat::bench
