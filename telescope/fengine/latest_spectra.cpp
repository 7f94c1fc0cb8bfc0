// SPDX-License-Identifier: Apache-2.0
#include "fengine/latest_spectra.hpp"

#include <algorithm>  // max, min
#include <cmath>      // log10
#include <utility>    // move

#include "channelising/arithmetic/quantise.hpp"  // complex_bytes, load_complex
#include "channelising/spec.hpp"                 // channel_hz, channel_width_hz, channels_per_point

namespace wingbeat::fengine {
namespace {

constexpr std::size_t max_points = 1024;  ///< More channels are averaged.
constexpr std::size_t max_spectra = 16;   ///< Per heap.
constexpr std::chrono::milliseconds interval{500};

}  // namespace

latest_spectra::latest_spectra(std::string stream, channeliser_spec bank, double period_s)
    : stream_(std::move(stream)),
      bank_(std::move(bank)),
      stale_after_s_(std::max(1.0, 2 * period_s)) {}

void latest_spectra::offer(const channelised_heap& heap) {
  const clock::time_point time = clock::now();
  if (time < next_) return;
  next_ = time + interval;
  const std::size_t n_pols = bank_.polarisations,
                    n_bytes = channelising::complex_bytes(bank_.output);
  const std::size_t group = channelising::channels_per_point(bank_.channels, max_points);
  const std::size_t n_points = bank_.channels / group;
  const std::size_t n_spectra = std::min(heap.n_spectra, max_spectra);
  const std::size_t spectra_per_heap = heap.bytes.size() / (bank_.channels * n_pols * n_bytes);
  // 0 dBFS is a phasor of full scale.
  const bool has_full_scale = channelising::is_integer(bank_.output);
  const double full_scale_db =
      has_full_scale ? 20 * std::log10(double{channelising::limit_of(bank_.output)}) : 0;
  std::vector<control::monitored_spectrum> result;
  for (std::size_t pol = 0; pol < n_pols; ++pol) {
    const double width = channelising::channel_width_hz(bank_);
    const double middle_of_group = static_cast<double>(group - 1) / 2;
    control::monitored_spectrum& spectrum = result.emplace_back();
    spectrum.stream = stream_;
    spectrum.units = has_full_scale ? "dBFS" : "dB";
    spectrum.stale_after_s = stale_after_s_;
    spectrum.pol = pol;
    spectrum.first_hz = channelising::channel_hz(bank_, 0) + middle_of_group * width;
    spectrum.step_hz = static_cast<double>(group) * width;
    for (std::size_t point = 0; point < n_points; ++point) {
      double power = 0;
      for (std::size_t channel = point * group; channel < (point + 1) * group; ++channel) {
        for (std::size_t s = 0; s < n_spectra; ++s) {
          const std::size_t offset = ((channel * spectra_per_heap + s) * n_pols + pol) * n_bytes;
          power += std::norm(
              channelising::load_complex(heap.bytes.subspan(offset, n_bytes), bank_.output));
        }
      }
      const double mean = power / static_cast<double>(group * std::max<std::size_t>(n_spectra, 1));
      spectrum.power_db.push_back(std::round(1000 * std::log10(mean) - 100 * full_scale_db) / 100);
    }
  }
  const std::lock_guard lock{mutex_};
  ++sequence_;
  measured_at_ = time;
  for (auto& spectrum : result) spectrum.sequence = sequence_;
  spectra_ = std::move(result);
}

std::vector<control::monitored_spectrum> latest_spectra::spectra() const {
  const clock::time_point time = clock::now();
  const std::lock_guard lock{mutex_};
  auto shown = spectra_;
  for (auto& spectrum : shown) {
    spectrum.age_s = std::chrono::duration<double>(time - measured_at_).count();
  }
  return shown;
}

}  // namespace wingbeat::fengine
