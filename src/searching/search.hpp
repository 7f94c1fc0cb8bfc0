// SPDX-License-Identifier: Apache-2.0
// A search of one image for many templates, which it deals to several queues.
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

/// A search. Not thread-safe. It merges the scores of its queues; if their devices round alike, the
/// result has the same bits as on one queue.
class search {
 public:
  /// Plans on each queue. Throws `plan_error` for contradictory requests, and as `template_search`
  /// does.
  search(const std::vector<queue>& queues, search_request request);

  /// Takes the image to search, [y][x], and forgets all scores. Throws as `template_search` does.
  void begin(std::span<const double> image);
  /// The same for an image in memory of the only queue's device, if no pixels are missing and no
  /// maps are taken. Its magnitudes are not checked.
  void begin(queue& on, buffer_view image);
  /// Forgets all scores and keeps the image.
  void restart();

  /// Deals templates to the queues until the source has no more, and returns their number. report:
  /// called by one thread at a time, with the number done. Throws as `require_kept` and
  /// `convolving::require_numbers` do, or the first exception of a queue or of the source. After
  /// that only some templates are scored, and all calls are refused until `begin` or `restart`.
  std::size_t add(const template_source& source,
                  const std::function<void(std::size_t n_done)>& report = {});
  /// Queues templates in memory of the only queue's device, as `template_search` takes them.
  void add(queue& on, buffer_view templates, std::size_t count, std::size_t first);

  /// Returns whether `require_kept` checks templates: for plain scores that are kept.
  [[nodiscard]] bool judges_templates() const { return image_norm_ != 0 && request_.keeps_state; }

  /// Throws `plan_error` for templates whose scores, at most the product of both norms, could
  /// exceed fp32, in which they are kept, or fall below its normal numbers; in an fp32 search also
  /// if the inverse transform could exceed fp32 before it is scaled. Coefficients are kept whatever
  /// their magnitude. Infinite or NaN values pass; their scores are NaN.
  void require_kept(const template_batch& batch) const;

  /// Returns what all queues kept; without arrays if nothing was.
  [[nodiscard]] search_state state() const;
  [[nodiscard]] std::string explain() const;

  [[nodiscard]] const search_request& request() const { return request_; }
  [[nodiscard]] const std::vector<std::size_t>& result() const { return result_; }
  [[nodiscard]] std::size_t added() const { return added_; }

 private:
  void require_whole() const;
  [[nodiscard]] template_search& on_device() const;
  /// Returns a batch, checked and scaled into range.
  [[nodiscard]] template_batch checked(template_batch batch) const;

  search_request request_;
  std::vector<std::size_t> result_;  ///< {height, width} of a map.
  std::vector<std::unique_ptr<scorer>> scorers_;
  double image_norm_ = 0;  ///< Norm of the image for plain scores; 0: unknown.
  std::size_t added_ = 0;
  bool is_whole_ = true;
};

}  // namespace wingbeat::searching
