// SPDX-License-Identifier: Apache-2.0
// A search over orientations of a volume that several queues share, of data in this process.
#pragma once

#include <cstddef>  // size_t
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "wingbeat/orientation_search.hpp"  // orientation_search, plane_axes
#include "wingbeat/queue.hpp"               // queue
#include "wingbeat/template_search.hpp"     // search_state, score_table

namespace wingbeat::searching {

/// Not thread-safe. It merges the scores of its queues, each of which takes some rotations of a
/// call; if their devices round alike, the result has the same bits as on one queue. Functions
/// throw as those of `orientation_search`.
class shared_orientation_search {
 public:
  shared_orientation_search(const std::vector<queue>& queues, const orientation_spec& spec);

  /// Takes the image, [y][x], and forgets all scores.
  void begin(std::span<const float> image);
  void restart();
  /// As in `orientation_search`; complex numbers are two floats.
  void set_volume(std::span<const float> spectrum);
  void set_filters(std::span<const float> filters);

  /// Adds rotations, numbers `first` and following, and waits. report: called by one thread at a
  /// time, with how many are done. After an exception only some are scored, and all calls are
  /// refused until `begin` or `restart`.
  void add(std::span<const plane_axes> rotations, std::size_t first,
           const std::function<void(std::size_t n_done)>& report = {});

  /// Returns the templates of one rotation, [filter][y][x].
  [[nodiscard]] std::vector<float> project(const plane_axes& rotation);

  [[nodiscard]] search_state state() const;
  [[nodiscard]] score_table take_table();  ///< Since the last call, or since `begin`.
  [[nodiscard]] std::string explain() const;

  /// Returns the search of the first queue, for data on its device if there is no other.
  [[nodiscard]] orientation_search& first() { return takers_.front().search; }
  [[nodiscard]] const orientation_search& first() const { return takers_.front().search; }

 private:
  struct taker {
    queue on;
    orientation_search search;
  };
  void require_whole() const;
  /// Calls use(taker, view) with a copy of the numbers on each device.
  void send(std::span<const float> numbers, const std::function<void(taker&, buffer_view)>& use);

  mutable std::vector<taker> takers_;
  bool is_whole_ = true;
};

}  // namespace wingbeat::searching
