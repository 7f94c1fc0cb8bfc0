// SPDX-License-Identifier: Apache-2.0
// An epilogue of your own behind a convolution: a blurred image's histogram, without the blurred
// image. One request with both forms of the store functor runs on every engine of this machine;
// the range of the histogram is an operand, which each run gives anew.
#include <atomic>
#include <cstdint>  // uint32_t
#include <cstdio>   // printf
#include <numeric>  // accumulate
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

constexpr std::size_t height = 60, width = 100, blur = 5, n_bins = 8;

constexpr const char* device_text = R"(
#include "wingbeat/device/atomic.hpp"
struct histogram {
  using element = unsigned;
  struct operands { float most; };
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* bins, operands given,
                                wingbeat::device::size, wingbeat::device::size, float value) {
    const int bin = int(8 * value / given.most);
    wingbeat::device::atomic_add(bins + (bin < 0 ? 0 : bin > 7 ? 7 : bin), 1u);
  }
};
)";

/// A blur whose results are counted in place of stored.
wingbeat::convolution_spec blurred_histogram() {
  using namespace wingbeat;
  convolution_spec spec{.image = {height, width}, .kernel = {blur, blur}, .mode = extent::valid};
  spec.store = {.out_bytes = n_bins * sizeof(std::uint32_t),
                .element_bytes = sizeof(std::uint32_t),
                .source = {device_text, "histogram"},
                .clears_output = true,
                .operands = {kernel_parameter::value<float>()}};
  spec.store.callable = [](void* out, const host_arguments& given, std::size_t, std::size_t,
                           std::span<const float> values) {
    for (const float value : values) {
      const int bin = static_cast<int>(8 * value / given.value<float>(0));
      std::atomic_ref{static_cast<std::uint32_t*>(out)[bin < 0 ? 0 : bin > 7 ? 7 : bin]} += 1;
    }
  };
  return spec;
}

/// Counts a ramp from 0 to 1 on one device, and returns whether each value was counted where it is.
bool counts_ramp(const wingbeat::device_info& device) {
  wingbeat::queue queue{device};
  const wingbeat::convolution blurred{queue, blurred_histogram()};
  std::vector<float> image(height * width);  // [y][x]
  for (std::size_t i = 0; i < image.size(); ++i) {
    image[i] = (static_cast<float>(i % width) + 0.25F) / width;
  }
  const std::vector<float> kernel(blur * blur, 1.0F / (blur * blur));
  wingbeat::buffer in{queue, blurred.image_bytes()}, weights{queue, blurred.kernel_bytes()};
  wingbeat::buffer spectra{queue, blurred.spectra_bytes()}, out{queue, blurred.output_bytes()};
  in.write(image.data(), in.size_bytes());
  weights.write(kernel.data(), weights.size_bytes());
  blurred.prepare(queue, in.view(), spectra.view());
  bool is_right = true;
  for (const float most : {1.0F, 2.0F}) {
    blurred.enqueue(queue, spectra.view(), weights.view(), out.view(), {most});
    std::vector<std::uint32_t> bins(n_bins);
    out.read(bins.data(), out.size_bytes());
    std::printf("%s, up to %.0f:", device.name.c_str(), double(most));
    for (const std::uint32_t count : bins) std::printf(" %u", count);
    std::printf("\n");
    // A blurred ramp is a ramp: the 96 columns from 2.25 to 97.25 hundredths, none at a bin's edge.
    const std::uint32_t n_values = (height - blur + 1) * (width - blur + 1);
    is_right = is_right && std::accumulate(bins.begin(), bins.end(), 0U) == n_values;
    is_right = is_right && bins[1] == (height - blur + 1) * (most == 1 ? 12 : 25);
    is_right = is_right && (bins[7] == 0) == (most == 2);
  }
  return is_right;
}

}  // namespace

int main() {
  bool is_right = true;
  for (const wingbeat::device_info& device : wingbeat::devices()) {
    is_right = counts_ramp(device) && is_right;
  }
  return is_right ? 0 : 1;
}
