// SPDX-License-Identifier: Apache-2.0
// What searches keep of the scores of each place, and searches that run on the stream of an array.
#pragma once

#include <nanobind/stl/optional.h>
#include <nanobind/stl/vector.h>

#include <cstddef>  // size_t
#include <cstdint>  // uintptr_t
#include <mutex>
#include <optional>
#include <string>
#include <utility>  // move
#include <vector>

#include "array_library.hpp"  // array
#include "bindings.hpp"
#include "convolving/scores.hpp"      // require_numbers
#include "microscopy/detections.hpp"  // maps_of, detections_of
#include "owned_array.hpp"
#include "queues.hpp"           // queue_of
#include "searching/part.hpp"   // search_part, add_range, kind_of, source_of
#include "searching/peaks.hpp"  // located_peaks
#include "wingbeat/error.hpp"   // plan_error
#include "wingbeat/template_search.hpp"

namespace wingbeat::python {

using searching::search_part;

/// The kept scores of a search, which threads may read in turn.
class kept_scores : protected one_at_a_time {
 public:
  virtual ~kept_scores() = default;

  nb::object map(score_map kind) {
    return image_of([&] { return state().map(kind); });
  }
  nb::object numbers() {
    return image_of([&] { return state().numbers(); });
  }
  nb::object counts() {
    return image_of([&] { return state().counts; });
  }
  nb::list peaks(const searching::peak_request& request) {
    nb::list result;
    for (const auto& each : locked([&] {
           const search_state& kept = state();
           return searching::located_peaks(kept.map(score_map::largest), kept.numbers(), kept.width,
                                           request);
         })) {
      result.append(nb::make_tuple(each.score, each.number, each.y, each.x, each.y_subpixel,
                                   each.x_subpixel));
    }
    return result;
  }

  /// Returns (largest - mean) / deviation, 0 where that is 0 and without a score.
  nb::object z() {
    return image_of([&] { return microscopy::maps_of(state()).z; });
  }
  nb::list detections(const microscopy::detection_request& request) {
    nb::list result;
    for (const auto& each : locked([&] {
           return microscopy::detections_of(microscopy::maps_of(state()), state().templates,
                                            request);
         })) {
      result.append(nb::make_tuple(each.score, each.number, each.y, each.x, each.largest, each.mean,
                                   each.deviation));
    }
    return result;
  }

  /// Returns what was kept, as a part of a search for `n_templates` templates.
  [[nodiscard]] search_part part(std::size_t n_templates) {
    return locked([&] {
      if (!has_image_hash_) {
        throw plan_error(
            "a part names its image by a hash of memory of the processor; make the search of an "
            "image of numpy, with device");
      }
      search_part result = part_;
      if (!result.templates.empty() && result.templates.back().end > n_templates) {
        throw plan_error("n_templates is " + std::to_string(n_templates) + ", and template " +
                         std::to_string(result.templates.back().end - 1) +
                         " was added; give how many the whole search has");
      }
      result.n_templates = n_templates;
      result.kept = state();
      if (result.kept.sums.empty() || result.kept.sum_unit != 0) return result;
      throw plan_error(
          "sums of plain scores depend on the order in which they are added, so that this search "
          "has no parts; make it normalised, or without moments");
    });
  }

  [[nodiscard]] std::size_t added() {
    const std::lock_guard held{mutex_};
    std::size_t count = 0;
    for (const auto& [begin, end] : part_.templates) count += end - begin;
    return count;
  }
  [[nodiscard]] virtual nb::tuple shape() const = 0;

 protected:
  [[nodiscard]] virtual const search_state& state() = 0;

  /// Records which search this is, and its devices.
  void describe(const search_spec& spec, const std::vector<queue>& queues, double min_valid) {
    part_.source = searching::source_of(spec, min_valid);
    for (const queue& each : queues) part_.devices.insert(searching::kind_of(each.device()));
  }

  /// Adds `count` templates by work(number), where `number` is the first one's: `first`, or the
  /// next after the latest.
  template <class Work>
  void add_numbered(std::size_t count, std::optional<std::size_t> first, const Work& work) {
    const std::size_t number = first.value_or(next_);
    convolving::require_numbers(count, number);
    auto ranges = part_.templates;
    if (const auto twice = searching::add_range(ranges, {number, number + count})) {
      throw plan_error("template " + std::to_string(*twice) +
                       " was added before; give each template once");
    }
    work(number);
    part_.templates = std::move(ranges);
    next_ = number + count;
  }
  void forget_templates() {
    part_.templates.clear();
    next_ = 0;
  }

  search_part part_;  ///< Without `kept`.
  bool has_image_hash_ = true;

 private:
  template <class Work>
  nb::object image_of(const Work& work) {
    auto values = locked(work);
    const nb::tuple lengths = shape();
    return owned_array(std::move(values),
                       {nb::cast<std::size_t>(lengths[0]), nb::cast<std::size_t>(lengths[1])});
  }

  std::size_t next_ = 0;  ///< The number after the latest template's.
};

/// A search on queues, the first of which may have adopted a stream.
class running_search : public kept_scores {
 protected:
  running_search(queue on, std::uintptr_t stream) : on_(std::move(on)), stream_(stream) {}

  [[nodiscard]] virtual search_state read_state() = 0;
  /// Reads the state once for all maps.
  [[nodiscard]] const search_state& state() final {
    if (!kept_) kept_ = read_state();
    return *kept_;
  }

  /// Calls `work` with an array of the search's device in the order of both streams.
  template <class Work>
  void on_stream(const array& given, std::uintptr_t stream, const Work& work) {
    const device_info& device = on_.device();
    if (given.runs_on != device.runs_on ||
        (given.runs_on == engine::cuda && given.device_index != device.index)) {
      throw plan_error(
          "the array is on another device than the search; give one of its device, or "
          "a numpy array");
    }
    if (stream == stream_) return work();
    // The search has memory for one queue only.
    queue_of(given.runs_on, given.device_index, stream).wait();
    work();
    on_.wait();
  }

  queue on_;
  std::uintptr_t stream_;
  std::optional<search_state> kept_;  ///< Read since the latest template was added.
};

}  // namespace wingbeat::python
