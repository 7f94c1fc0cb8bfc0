// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/short_time_stream.hpp"

#include <algorithm>  // max, min

#include "text/moved_from.hpp"                  // require_owned
#include "text/reject.hpp"                      // reject_if
#include "wingbeat/buffer.hpp"                  // buffer
#include "wingbeat/device/functors/border.hpp"  // continued_axis, pixel_of

namespace wingbeat {
namespace {

using device::functors::continued_axis;
using device::functors::pixel_of;

template <class Value>
constexpr sample_type type_of() {
  if (std::is_same_v<Value, double>) return sample_type::fp64;
  if (std::is_same_v<Value, std::complex<float>>) return sample_type::complex_fp32;
  if (std::is_same_v<Value, std::complex<double>>) return sample_type::complex_fp64;
  return sample_type::fp32;
}

/// Returns the transform of one group: a row of the samples of all its frames.
template <class Value>
short_time_spec group_of(short_time_spec spec, std::size_t group) {
  reject_if(group == 0, "group is 0; give the number of frames that are computed at once");
  reject_if(spec.edge == border::repeat,
            "edge is repeat, and the samples before the first are the last ones, which a stream "
            "does not know; give another edge");
  reject_if(spec.is_ragged || spec.features.range != 0 || spec.features.are_averaged,
            "frames depend on the whole signal by is_ragged, features.range or "
            "features.are_averaged, and a stream has a part of it; leave them out");
  reject_if(spec.window.empty(), "the window is empty; give a stream its weights");
  spec.samples = type_of<Value>();
  spec.length = (group - 1) * spec.hop + spec.n_fft;
  spec.batch = 1;
  spec.before = 0;
  spec.edge = border::zero;
  spec.slack = -static_cast<std::ptrdiff_t>(spec.n_fft);
  spec.has_inverse = spec.has_gradients = false;
  return spec;
}

}  // namespace

template <class Value>
struct short_time_stream<Value>::impl {
  queue on;
  short_time_spec spec;
  std::size_t group;
  short_time plan;
  buffer in, out;
  std::vector<Value> waiting = {};  ///< From the first sample of the next frame on.
  std::vector<Value> ends = {};     ///< Of the signal, as many as an edge may repeat.
  std::size_t n_samples = 0, n_frames = 0;
  bool has_begun = false;  ///< The samples before the first are in `waiting`.

  impl(const queue& device_queue, const short_time_spec& given, std::size_t frames)
      : on(device_queue),
        spec(given),
        group(frames),
        plan(on, group_of<Value>(given, frames)),
        in(on, plan.sample_bytes()),
        out(on, plan.result_bytes()) {}

  [[nodiscard]] std::size_t numbers() const { return out.size_bytes() / sizeof(real) / group; }
  /// Returns the samples at one end of the signal from which its edge is made.
  [[nodiscard]] std::size_t reach() const {
    const auto behind = static_cast<std::ptrdiff_t>(spec.n_fft - spec.before) + spec.slack;
    return std::max({spec.before, spec.n_fft, static_cast<std::size_t>(std::max(behind, {}))}) + 1;
  }
  /// Returns the samples from the first of a group to the last that it or the next one needs.
  [[nodiscard]] std::size_t extent() const { return std::max(plan.spec().length, step()); }
  [[nodiscard]] std::size_t step() const { return group * spec.hop; }
  /// Returns the samples from the first of a group on until `push` computes it, at most. The first
  /// group waits for the samples before the signal; each, until its last frame is sure to exist.
  [[nodiscard]] std::size_t latency() const {
    const auto until_sure = static_cast<std::ptrdiff_t>(step() - spec.hop + spec.before);
    return std::max({extent(), spec.before + reach(),
                     static_cast<std::size_t>(std::max(until_sure - spec.slack, {}))});
  }

  /// Returns the samples `first` .. of the signal continued beyond its ends, of which `known`, from
  /// `known_at` on, are there.
  [[nodiscard]] std::vector<Value> continued(std::ptrdiff_t first, std::size_t count,
                                             const std::vector<Value>& known,
                                             std::size_t known_at) const {
    std::vector<Value> samples(count);
    const continued_axis axis{spec.edge, n_samples, first, count};
    for (std::size_t i = 0; i < count; ++i) {
      const std::size_t place = pixel_of(axis, i);
      if (place < n_samples) samples[i] = known.at(place - known_at);
    }
    return samples;
  }

  /// Puts the samples before the first in their place, once those that they repeat are there.
  void begin() {
    const std::vector<Value> before =
        continued(-static_cast<std::ptrdiff_t>(spec.before), spec.before, waiting, 0);
    waiting.insert(waiting.begin(), before.begin(), before.end());
    has_begun = true;
  }

  void take(std::span<const Value> samples) {
    waiting.insert(waiting.end(), samples.begin(), samples.end());
    n_samples += samples.size();
    ends.insert(ends.end(), samples.begin(), samples.end());
    if (ends.size() > reach()) {
      ends.erase(ends.begin(), ends.end() - static_cast<std::ptrdiff_t>(reach()));
    }
  }

  /// Returns the frames of so many groups, whose samples wait.
  std::vector<real> frames_of(std::size_t n_groups) {
    std::vector<real> results(n_groups * group * numbers());
    for (std::size_t i = 0; i < n_groups; ++i) {
      in.write(waiting.data() + i * step(), in.size_bytes());
      plan.enqueue(on, in.view(), out.view());
      out.read(results.data() + i * group * numbers(), out.size_bytes());
    }
    n_frames += n_groups * group;
    const auto n_done = static_cast<std::ptrdiff_t>(n_groups * step());
    waiting.erase(waiting.begin(), waiting.begin() + n_done);
    return results;
  }

  std::vector<real> push(std::span<const Value> samples) {
    take(samples);
    if (!has_begun && n_samples >= reach()) begin();
    if (!has_begun || waiting.size() < extent()) return {};
    // Frames that a longer signal has too.
    const std::size_t sure = (spec.frames_of(n_samples) - n_frames) / group;
    return frames_of(std::min((waiting.size() - extent()) / step() + 1, sure));
  }

  std::vector<real> flush() {
    std::vector<real> results;
    if (n_samples > 0) {
      if (!has_begun) begin();
      const std::size_t wanted = spec.frames_of(n_samples), left = wanted - n_frames;
      const std::size_t n_groups = (left + group - 1) / group;
      // The signal continued as far as frames reach, then zeros for the rest of the last group.
      const std::size_t end = wanted == 0 ? 0 : (wanted - 1) * spec.hop + spec.n_fft;
      const std::size_t behind = std::max(end, spec.before + n_samples) - spec.before - n_samples;
      const std::vector<Value> beyond =
          continued(static_cast<std::ptrdiff_t>(n_samples), behind, ends, n_samples - ends.size());
      waiting.insert(waiting.end(), beyond.begin(), beyond.end());
      waiting.resize(std::max(waiting.size(), n_groups * step() + extent()));
      results = frames_of(n_groups);
      results.resize(left * numbers());
    }
    waiting.clear();
    ends.clear();
    n_samples = n_frames = 0;
    has_begun = false;
    return results;
  }
};

template <class Value>
short_time_stream<Value>::short_time_stream(const queue& on, const short_time_spec& spec,
                                            std::size_t group)
    : impl_(std::make_unique<impl>(on, spec, group)) {}
template <class Value>
short_time_stream<Value>::short_time_stream(short_time_stream&&) noexcept = default;
template <class Value>
short_time_stream<Value>& short_time_stream<Value>::operator=(short_time_stream&&) noexcept =
    default;
template <class Value>
short_time_stream<Value>::~short_time_stream() = default;

template <class Value>
std::size_t short_time_stream<Value>::numbers() const {
  return require_owned(impl_, "short_time_stream").numbers();
}
template <class Value>
std::size_t short_time_stream<Value>::latency() const {
  return require_owned(impl_, "short_time_stream").latency();
}
template <class Value>
std::vector<typename short_time_stream<Value>::real> short_time_stream<Value>::push(
    std::span<const Value> samples) {
  return require_owned(impl_, "short_time_stream").push(samples);
}
template <class Value>
std::vector<typename short_time_stream<Value>::real> short_time_stream<Value>::flush() {
  return require_owned(impl_, "short_time_stream").flush();
}

template class short_time_stream<float>;
template class short_time_stream<double>;
template class short_time_stream<std::complex<float>>;
template class short_time_stream<std::complex<double>>;

}  // namespace wingbeat
