// SPDX-License-Identifier: Apache-2.0
#include "cli/recording_filter.hpp"

#include <algorithm>  // min
#include <utility>    // move
#include <vector>

#include "cli/choose.hpp"              // fp64_option
#include "cli/progress.hpp"            // rate_bar
#include "convolving/convolver.hpp"    // require_finite_result
#include "convolving/geometry.hpp"     // wanted_of_full
#include "wingbeat/stream_filter.hpp"  // stream_filter

namespace wingbeat::cli {
namespace {

constexpr std::size_t block_frames = std::size_t{1} << 16;

/// One filter for each channel, and the range of results still to be given.
template <class Real>
class block_filter {
 public:
  /// `parts`: 2 where samples are complex, whose real and imaginary parts are filtered alike.
  block_filter(const queue& on, const formats::signal& taps, std::size_t n_channels,
               std::size_t parts, index_range kept, precision real, const frame_sink& sink)
      : kept_(kept), real_(real), sink_(sink) {
    for (std::size_t c = 0; c < n_channels * parts; ++c) {
      const std::size_t row = taps.n_rows > 1 ? c / parts : 0;
      std::vector<Real> values(taps.row_length);
      for (std::size_t i = 0; i < values.size(); ++i) {
        values[i] = static_cast<Real>(taps.samples[row * values.size() + i].real());
      }
      filters_.emplace_back(on, values);
    }
  }

  void add(std::span<const double> frames) {
    const std::size_t n_channels = filters_.size();
    std::vector<std::vector<Real>> results;
    std::vector<Real> samples(frames.size() / n_channels);
    for (std::size_t c = 0; c < n_channels; ++c) {
      for (std::size_t i = 0; i < samples.size(); ++i) {
        samples[i] = static_cast<Real>(frames[i * n_channels + c]);
      }
      results.push_back(filters_[c].push(samples));
    }
    give(results);
  }

  void finish() {
    std::vector<std::vector<Real>> results;
    for (auto& filter : filters_) results.push_back(filter.flush());
    give(results);
  }

 private:
  /// Passes the results that the mode keeps, equally many of each channel, to the sink.
  void give(const std::vector<std::vector<Real>>& results) {
    const std::size_t n = results.front().size();
    const std::size_t begin = std::min(kept_.first, n), count = std::min(kept_.end, n) - begin;
    kept_ = {kept_.first - begin, kept_.end - std::min(kept_.end, n)};
    std::vector<double> frames(count * results.size());
    for (std::size_t c = 0; c < results.size(); ++c) {
      for (std::size_t i = 0; i < count; ++i) {
        frames[i * results.size() + c] = results[c][begin + i];
      }
    }
    convolving::require_finite_result<double>(frames, real_, fp64_option);
    if (!frames.empty()) sink_(frames);
  }

  std::vector<stream_filter<Real>> filters_;
  index_range kept_;  ///< Among the results to come.
  precision real_;
  const frame_sink& sink_;
};

template <class Real>
void filter_blocks(block_filter<Real> filter, formats::sample_reader& recording,
                   std::optional<std::size_t> channel) {
  const std::size_t n_frames = recording.shape().row_length;
  rate_bar bar{"filter", "sample"};
  for (std::size_t first = 0; first < n_frames; first += block_frames) {
    bar.show(first, static_cast<double>(first) / static_cast<double>(n_frames));
    filter.add(recording.read(first, std::min(block_frames, n_frames - first), channel));
  }
  filter.finish();
}

}  // namespace

double recording_filter_bytes(const formats::signal& shape, std::size_t n_taps) {
  const auto channels = static_cast<double>(shape.n_rows * (shape.is_real ? 1 : 2));
  return channels *
         (16 * 8 * static_cast<double>(block_frames) + 64 * 8 * static_cast<double>(n_taps));
}

void filter_recording(const queue& on, formats::sample_reader& recording,
                      const formats::signal& taps, const recording_filter_spec& spec,
                      const frame_sink& sink) {
  const formats::signal& shape = recording.shape();
  const std::size_t n_channels = spec.channel ? 1 : shape.n_rows, parts = shape.is_real ? 1 : 2;
  const index_range kept = convolving::wanted_of_full(shape.row_length, taps.row_length, spec.mode);
  if (spec.real == precision::fp64) {
    block_filter<double> filter{on, taps, n_channels, parts, kept, spec.real, sink};
    return filter_blocks(std::move(filter), recording, spec.channel);
  }
  block_filter<float> filter{on, taps, n_channels, parts, kept, spec.real, sink};
  filter_blocks(std::move(filter), recording, spec.channel);
}

}  // namespace wingbeat::cli
