// SPDX-License-Identifier: Apache-2.0
// The strongest bin of every spectrum, without the spectra: a store functor that reduces. Samples
// are weighted by a window that is another buffer in each run, with one plan. One request with both
// forms of each functor runs on every engine of this machine.
#include <atomic>
#include <bit>      // bit_cast
#include <cmath>    // cos
#include <cstdint>  // uint32_t, uint64_t
#include <cstdio>   // printf
#include <numbers>  // pi
#include <vector>

#include "wingbeat/wingbeat.hpp"

namespace {

constexpr std::size_t n = 1024, n_bins = n / 2 + 1, batch = 4;

// A power that is not negative orders as its bits do, so bits and bin together are one number whose
// maximum has both.
constexpr const char* device_text = R"(
#include "wingbeat/device/atomic.hpp"
namespace wd = wingbeat::device;

struct weighted {
  using element = float;
  struct operands { WINGBEAT_GLOBAL const float* window; float gain; };
  WINGBEAT_FN static float load(WINGBEAT_GLOBAL const float* in, operands given, wd::size row,
                                wd::size i) {
    return given.gain * given.window[i] * in[row * 1024 + i];
  }
};

struct strongest {
  using element = wd::size;
  struct partial { wd::size power_and_bin; };
  WINGBEAT_FN static partial start() { return {0}; }
  WINGBEAT_FN static void add(partial& best, wd::size, wd::size k, wd::complex<float> z) {
    const float power = z.re * z.re + z.im * z.im;
    combine(best, {wd::size(__builtin_bit_cast(unsigned, power)) << 32 | k});
  }
  WINGBEAT_FN static void combine(partial& best, partial other) {
    if (other.power_and_bin > best.power_and_bin) best = other;
  }
  WINGBEAT_FN static void finish(WINGBEAT_GLOBAL element* out, wd::size row, partial best) {
    wd::atomic_max(out + row, best.power_and_bin);
  }
};
)";

/// The request: the same for every engine.
wingbeat::plan_spec strongest_bins() {
  using namespace wingbeat;
  plan_spec spec{.lengths = {n}, .batch = batch, .kind = transform::forward_from_real};
  spec.load = {
      .in_bytes = batch * n * sizeof(float),
      .element_bytes = sizeof(float),
      .source = {device_text, "weighted"},
      .operands = {kernel_parameter::input(sizeof(float)), kernel_parameter::value<float>()}};
  spec.load.callable = [](const void* in, const host_arguments& given, std::size_t row,
                          std::size_t first, std::span<float> into) {
    const float* const samples = static_cast<const float*>(in) + row * n + first;
    const float* const window = given.memory<const float>(0) + first;
    for (std::size_t i = 0; i < into.size(); ++i) {
      into[i] = given.value<float>(1) * window[i] * samples[i];
    }
  };
  spec.store = {.out_bytes = batch * sizeof(std::uint64_t),
                .element_bytes = sizeof(std::uint64_t),
                .source = {device_text, "strongest"},
                .partial_bytes = sizeof(std::uint64_t),
                .clears_output = true};
  spec.store.callable = [](void* out, std::size_t row, std::size_t first,
                           std::span<const std::complex<float>> bins) {
    std::atomic_ref best{static_cast<std::uint64_t*>(out)[row]};
    for (std::size_t k = first; const auto z : bins) {
      const std::uint64_t bits = std::bit_cast<std::uint32_t>(std::norm(z));
      const std::uint64_t candidate = bits << 32 | k++;
      std::uint64_t seen = best;
      while (candidate > seen && !best.compare_exchange_weak(seen, candidate)) continue;
    }
  };
  return spec;
}

/// Row r holds a tone in bin 50 (r + 1).
std::vector<float> tones() {
  std::vector<float> samples(batch * n);  // [row][sample]
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double turns = static_cast<double>(50 * (i / n + 1) * i % n) / n;
    samples[i] = static_cast<float>(std::cos(2 * std::numbers::pi * turns));
  }
  return samples;
}

/// Finds the tones on one device with two windows, and returns whether each was where it is.
bool finds_tones(const wingbeat::device_info& device) {
  const wingbeat::plan_spec spec = strongest_bins();
  wingbeat::queue queue{device};
  const wingbeat::plan peaks{queue, spec};
  wingbeat::buffer in{queue, input_bytes(spec)}, out{queue, output_bytes(spec)};
  const auto samples = tones();
  in.write(samples.data(), in.size_bytes());
  std::printf("%s\n%s\n", device.name.c_str(), peaks.explain().c_str());
  bool is_found = true;
  for (const double edge : {1.0, 0.0}) {  // a rectangle, then a Hann window
    std::vector<float> weights(n);
    for (std::size_t i = 0; i < n; ++i) {
      const double turns = static_cast<double>(i) / n;
      weights[i] = static_cast<float>(0.5 + 0.5 * edge -
                                      0.5 * (1 - edge) * std::cos(2 * std::numbers::pi * turns));
    }
    wingbeat::buffer window{queue, n * sizeof(float)};
    window.write(weights.data(), window.size_bytes());
    peaks.enqueue(queue, in.view(), out.view(), {.load = {window.view(), 2.0F}});
    std::vector<std::uint64_t> best(batch);
    out.read(best.data(), out.size_bytes());
    for (std::size_t row = 0; row < batch; ++row) {
      const auto bin = static_cast<std::uint32_t>(best[row]);
      const auto power = std::bit_cast<float>(static_cast<std::uint32_t>(best[row] >> 32));
      std::printf("  row %zu: bin %u of %zu, power %.0f\n", row, bin, n_bins, double(power));
      const double amplitude = n * (0.5 + 0.5 * edge);  // the mean weight, a tone's half, gain 2
      is_found =
          is_found && bin == 50 * (row + 1) && std::abs(power / (amplitude * amplitude) - 1) < 1e-4;
    }
  }
  return is_found;
}

}  // namespace

int main() {
  bool is_found = true;
  for (const wingbeat::device_info& device : wingbeat::devices()) {
    is_found = finds_tones(device) && is_found;
  }
  return is_found ? 0 : 1;
}
