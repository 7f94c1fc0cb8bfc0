// SPDX-License-Identifier: Apache-2.0
// What does a bloom of a photograph take, beside the same work by cuFFT: split pixels into padded
// planes with their border mirrored, transform, multiply, transform back, join pixels? RGB in fp16,
// a kernel of 256 x 256, fp32 and fp16 between launches; their results are compared.
//     blur_photograph results.json [width height kernel]..      as 1920 1080 256
#include <fmt/format.h>

#include <algorithm>  // max
#include <cmath>      // abs
#include <cstdint>    // uint16_t
#include <cstdio>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <utility>  // move
#include <vector>

#include "backend/backend.hpp"           // queue::copy
#include "bench/launches.hpp"            // launches
#include "bench/smooth_lengths.hpp"      // smooth_length
#include "convolving/image_request.hpp"  // planes_of
#include "measure/document_text.hpp"     // write_document
#include "measure/rounds.hpp"            // queued_run, take_turns
#include "peers/cufft.hpp"               // cufft
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

constexpr int n_rounds = 9;
constexpr std::size_t n_colours = 3;

/// Kernels of the unfused chain: a thread takes one number, so that each moves what it must.
constexpr const char* unfused_text = R"(
#include "wingbeat/device/complex.hpp"
#include "wingbeat/device/half.hpp"
using namespace wingbeat::device;
/// Index n of an axis of `count`, mirrored at its ends.
WINGBEAT_FN int mirrored_in(int n, int count) {
  const int at = n < 0 ? -1 - n : n;
  return at < count ? at : 2 * count - 1 - at;
}
WINGBEAT_KERNEL(256)
void split(WINGBEAT_GLOBAL const half_float* pixels, size pixels_at, WINGBEAT_GLOBAL float* planes,
           size planes_at, unsigned h, unsigned w, unsigned p, unsigned q, unsigned taps
           WINGBEAT_SCRATCH_PARAMETER) {
  const size i = group::index() * 256 + group::thread();
  if (i >= size(p) * q * 3) return;
  const int x = int(i % q), y = int(i / q % p);
  const size c = i / q / p;
  float value = 0.0f;
  const int before = int(taps / 2);
  if (y < int(h + taps - 1) && x < int(w + taps - 1)) {
    const int from_y = mirrored_in(y - before, int(h)), from_x = mirrored_in(x - before, int(w));
    value = float(pixels[pixels_at + (size(from_y) * w + from_x) * 3 + c]);
  }
  planes[planes_at + i] = value;
}
WINGBEAT_KERNEL(256)
void multiply(WINGBEAT_GLOBAL const complex<float>* kernel, size kernel_at,
              WINGBEAT_GLOBAL complex<float>* planes, size planes_at, size count, float scale
              WINGBEAT_SCRATCH_PARAMETER) {
  const size i = group::index() * 256 + group::thread();
  if (i >= 3 * count) return;
  planes[planes_at + i] = scaled(planes[planes_at + i] * kernel[kernel_at + i % count], scale);
}
WINGBEAT_KERNEL(256)
void join(WINGBEAT_GLOBAL const float* planes, size planes_at, WINGBEAT_GLOBAL half_float* pixels,
          size pixels_at, unsigned h, unsigned w, unsigned p, unsigned q, unsigned first
          WINGBEAT_SCRATCH_PARAMETER) {
  const size i = group::index() * 256 + group::thread();
  if (i >= size(h) * w * 3) return;
  const size c = i % 3, x = i / 3 % w, y = i / 3 / w;
  pixels[pixels_at + i] = half_float(planes[planes_at + (c * p + y + first) * q + x + first]);
}
)";

/// The same by cuFFT, whose planes are padded to lengths that it transforms quickly.
class unfused {
 public:
  unfused(const queue& on, std::size_t height, std::size_t width, std::size_t taps)
      : on_(on),
        h_(height),
        w_(width),
        taps_(taps),
        p_(smooth_length(height + taps - 1)),
        q_(smooth_length(width + taps - 1)),
        planes_{on, n_colours * p_ * q_ * 4},
        bins_{on, n_colours * bins() * 8},
        kernel_bins_{on, bins() * 8},
        forward_{on, plan_of(n_colours, transform::forward_from_real)},
        inverse_{on, plan_of(n_colours, transform::inverse_to_real)},
        kernel_forward_{on, plan_of(1, transform::forward_from_real)},
        split_{on, kernel_of("split", {reads(2), writes(4), counts(), counts(), counts(), counts(),
                                       counts()})},
        multiply_{
            on, kernel_of("multiply", {reads(8), writes(8), kernel_parameter::value<std::size_t>(),
                                       kernel_parameter::value<float>()})},
        join_{on, kernel_of("join", {reads(4), writes(2), counts(), counts(), counts(), counts(),
                                     counts()})} {}

  /// Takes a kernel whose values sum to 1.
  void prepare(const std::vector<float>& taps) {
    std::vector<float> padded(p_ * q_);
    for (std::size_t i = 0; i < taps.size(); ++i) padded[i / taps_ * q_ + i % taps_] = taps[i];
    planes_.write(padded.data(), padded.size() * 4);
    kernel_forward_.run(planes_.view(), kernel_bins_.view());
  }
  void run(buffer_view pixels, buffer_view out) {
    const std::size_t count = n_colours * p_ * q_;
    split_.enqueue(
        on_, blocks(count),
        {pixels, planes_.view(), number(h_), number(w_), number(p_), number(q_), number(taps_)});
    forward_.run(planes_.view(), bins_.view());
    multiply_.enqueue(
        on_, blocks(n_colours * bins()),
        {kernel_bins_.view(), bins_.view(), bins(), 1.0F / static_cast<float>(p_ * q_)});
    inverse_.run(bins_.view(), planes_.view());
    join_.enqueue(
        on_, blocks(n_colours * h_ * w_),
        {planes_.view(), out, number(h_), number(w_), number(p_), number(q_), number(taps_ - 1)});
  }
  [[nodiscard]] std::vector<std::size_t> padded() const { return {p_, q_}; }

 private:
  [[nodiscard]] std::size_t bins() const { return p_ * (q_ / 2 + 1); }
  [[nodiscard]] plan_spec plan_of(std::size_t batch, transform kind) const {
    return {.lengths = {p_, q_}, .batch = batch, .kind = kind};
  }
  static std::size_t blocks(std::size_t n) { return (n + 255) / 256; }
  static unsigned number(std::size_t n) { return static_cast<unsigned>(n); }
  static kernel_parameter reads(std::size_t bytes) { return kernel_parameter::input(bytes); }
  static kernel_parameter writes(std::size_t bytes) { return kernel_parameter::output(bytes); }
  static kernel_parameter counts() { return kernel_parameter::value<unsigned>(); }
  static kernel_spec kernel_of(const char* entry, std::vector<kernel_parameter> parameters) {
    return {
        .text = unfused_text, .entry = entry, .threads = 256, .parameters = std::move(parameters)};
  }

  queue on_;
  std::size_t h_, w_, taps_, p_, q_;
  buffer planes_, bins_, kernel_bins_;
  peers::cufft forward_, inverse_, kernel_forward_;
  kernel split_, multiply_, join_;
};

/// Values in [0, 1) as fp16 bits: exact, as multiples of 2^-10.
std::vector<std::uint16_t> photograph(std::size_t count) {
  std::mt19937 bits{1};
  std::vector<std::uint16_t> pixels(count);
  for (std::uint16_t& each : pixels) each = static_cast<std::uint16_t>(0x3800 | (bits() & 0x3ff));
  return pixels;
}

/// Returns the largest difference of results in [0.5, 1), in units of their last place.
int difference_of(const buffer& a, const buffer& b) {
  std::vector<std::uint16_t> x(a.size_bytes() / 2), y(x.size());
  a.read(x.data(), a.size_bytes());
  b.read(y.data(), b.size_bytes());
  int worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    worst = std::max(worst, std::abs(int(x[i]) - int(y[i])));
  return worst;
}

struct kernel_values {
  std::vector<float> values;
  double peak;  ///< No value is larger.
};

/// Returns noise whose sum is 1.
kernel_values noisy_kernel(std::size_t count) {
  std::vector<float> kernel(count);
  std::mt19937 bits{2};
  double sum = 0;
  for (float& each : kernel) sum += each = static_cast<float>(bits() >> 8) * 0x1p-24F;
  for (float& each : kernel) each = static_cast<float>(each / sum);
  return {std::move(kernel), 1 / sum};
}

image_convolution_spec bloom_of(std::size_t width, std::size_t height, std::size_t taps,
                                precision between, double kernel_peak) {
  return {.height = height,
          .width = width,
          .channels = n_colours,
          .kernel_height = taps,
          .kernel_width = taps,
          .outside = border::mirror,
          .stored = precision::fp16,
          .between = between,
          .image_peak = between == precision::fp16 ? 1.0 : 0.0,
          .kernel_peak = between == precision::fp16 ? kernel_peak : 0};
}

nlohmann::ordered_json measured(queue& on, std::size_t width, std::size_t height, std::size_t taps,
                                precision between) {
  const auto [kernel, peak] = noisy_kernel(taps * taps);
  const image_convolution_spec spec = bloom_of(width, height, taps, between, peak);
  const image_convolution bloom{on, spec};
  const auto pixels = photograph(height * width * n_colours);
  buffer in{on, bloom.image_bytes()}, weights{on, bloom.kernel_bytes()};
  in.write(pixels.data(), in.size_bytes());
  weights.write(kernel.data(), weights.size_bytes());
  const buffer spectra{on, bloom.spectra_bytes()}, out{on, bloom.output_bytes()};
  const buffer other{on, bloom.output_bytes()};
  const buffer workspace{on, std::max<std::size_t>(bloom.workspace_bytes(), 16)};
  bloom.prepare(on, weights.view(), spectra.view());
  unfused by_cufft{on, height, width, taps};
  by_cufft.prepare(kernel);
  const std::size_t moved = bloom.traffic_bytes();
  const buffer copied{on, moved / 2}, target{on, moved / 2};
  std::vector<measure::timed_run> runs{
      measure::queued_run(on, "copy", [&] { on.impl()->copy(target.view(), copied.view()); }),
      measure::queued_run(
          on, "fused",
          [&] { bloom.enqueue(on, spectra.view(), in.view(), out.view(), workspace.view()); }),
      measure::queued_run(on, "cufft", [&] { by_cufft.run(in.view(), other.view()); })};
  const std::size_t n_whole = runs.size();
  const bench::launches alone{
      on,
      convolving::planes_of(spec),
      n_colours,
      {.in = in.view(), .out = out.view(), .workspace = {}, .filter = spectra.view()}};
  alone.add(runs);
  measure::take_turns(runs, n_rounds);
  const int difference = difference_of(out, other);
  const double us = 1e6 * runs[1].median_s(), peer_us = 1e6 * runs[2].median_s();
  const double copy_us = 1e6 * runs[0].median_s();
  const int most = between == precision::fp16 ? 4 : 1;
  fmt::print(
      "{}x{}, {}x{} taps, {} between launches: {:.1f} us, cuFFT {:.1f} us, {:.2f} times; a copy of "
      "its bytes "
      "{:.1f} us; off by {} units of fp16{}\n{}",
      width, height, taps, taps, name_of(between), us, peer_us, peer_us / us, copy_us, difference,
      difference <= most ? "" : "  WRONG", bloom.explain());
  nlohmann::ordered_json row{{"width", width},
                             {"height", height},
                             {"taps", taps},
                             {"between", name_of(between)},
                             {"padded", bloom.padded()},
                             {"cufft_padded", by_cufft.padded()},
                             {"bytes", moved},
                             {"fused_us", us},
                             {"cufft_us", peer_us},
                             {"ratio", peer_us / us},
                             {"copy_of_the_bytes_us", copy_us},
                             {"difference_units", difference}};
  alone.report({runs.begin() + static_cast<std::ptrdiff_t>(n_whole), runs.end()}, row);
  return row;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 5) throw plan_error("give FILE.json, then width, height and taps");
  queue on{first_device(engine::cuda)};
  nlohmann::ordered_json document{{"device", on.device().name},
                                  {"driver", on.device().version},
                                  {"cufft", peers::cufft::version()}};
  const auto number = [&](int i) { return std::stoul(argv[i]); };
  for (int i = 2; i + 2 < argc; i += 3) {
    for (const precision between : {precision::fp32, precision::fp16}) {
      document["rows"].push_back(measured(on, number(i), number(i + 1), number(i + 2), between));
    }
  }
  measure::write_document(argv[1], document);
  return 0;
} catch (const std::exception& failed) {
  std::fprintf(stderr, "blur_photograph: %s\n", failed.what());
  return 3;
}
