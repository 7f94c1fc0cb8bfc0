// SPDX-License-Identifier: Apache-2.0
// A search of one image for many templates on several queues at once, each with some templates.
#pragma once

#include <cstddef>  // size_t
#include <functional>
#include <memory>  // unique_ptr
#include <span>
#include <string>
#include <vector>

#include "searching/scorer.hpp"  // scorer, search_request, template_batch
#include "wingbeat/buffer.hpp"   // buffer_view

namespace wingbeat::searching {

/// Returns the next templates, at most `max_count`. Called by one thread at a time.
using template_source = std::function<template_batch(std::size_t max_count)>;

/// Not for several threads at once. Scores of different queues are merged, so that all keep the
/// same bits as one of them alone where their devices round alike.
class search {
 public:
  /// Plans on each queue. Throws `plan_error` for requests that contradict themselves, and as
  /// `template_search` does.
  search(const std::vector<queue>& queues, search_request request);

  /// Takes the image to search, [y][x], and forgets all scores. Throws as `template_search` does.
  void begin(std::span<const double> image);
  /// The same of an image in memory of the device of the only queue, whose pixels are all there, if
  /// no maps are taken. Its magnitudes are not looked at.
  void begin(queue& on, buffer_view image);
  /// Forgets all scores and keeps the image.
  void restart();

  /// Deals templates to the queues until the source has no more, and returns how many there were.
  /// report: called by one thread at a time, with how many are done. Throws as `require_kept` and
  /// `convolving::require_numbers` do, and what one of the queues or the source threw first; then
  /// some templates are scored and some are not, and all is refused until `begin` or `restart`.
  std::size_t add(const template_source& source,
                  const std::function<void(std::size_t n_done)>& report = {});
  /// Queues templates in memory of the device of the only queue, as `template_search` takes them.
  void add(queue& on, buffer_view templates, std::size_t count, std::size_t first);

  /// Whether `require_kept` looks at templates: those of plain scores that are kept.
  [[nodiscard]] bool judges_templates() const { return image_norm_ != 0 && request_.keeps_state; }

  /// Throws `plan_error` for templates whose scores, at most the product of both norms, could
  /// exceed fp32, in which they are kept, or be below its normal numbers; in a search in fp32
  /// likewise the inverse transforms before their scale. Coefficients are kept of all magnitudes,
  /// and values that are infinite or NaN have scores that are not numbers.
  void require_kept(const template_batch& batch) const;

  /// Returns what all queues kept; no arrays where nothing is.
  [[nodiscard]] search_state state() const;
  [[nodiscard]] std::string explain() const;

  [[nodiscard]] const search_request& request() const { return request_; }
  [[nodiscard]] const std::vector<std::size_t>& result() const { return result_; }
  [[nodiscard]] std::size_t added() const { return added_; }

 private:
  void require_whole() const;
  [[nodiscard]] template_search& on_device() const;
  /// Returns a batch as it is scored.
  [[nodiscard]] template_batch checked(template_batch batch) const;

  search_request request_;
  std::vector<std::size_t> result_;  ///< {height, width} of a map.
  std::vector<std::unique_ptr<scorer>> scorers_;
  double image_norm_ = 0;  ///< Of plain scores; 0: unknown.
  std::size_t added_ = 0;
  bool is_whole_ = true;
};

}  // namespace wingbeat::searching
