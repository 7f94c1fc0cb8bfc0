// SPDX-License-Identifier: Apache-2.0
// Searching an image for many templates, keeping reductions over the templates in place of a map
// for each: the largest score of every place and which template had it, mean and variance of its
// scores, and how many scores pass a threshold.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint32_t, uint64_t
#include <memory>   // unique_ptr
#include <string>
#include <vector>

#include "wingbeat/buffer.hpp"       // buffer_view
#include "wingbeat/convolution.hpp"  // extent
#include "wingbeat/plan.hpp"         // precision
#include "wingbeat/queue.hpp"        // queue

namespace wingbeat {

/// The description of a search. Images and templates are real, of two axes.
struct search_spec {
  std::vector<std::size_t> image;      ///< {height, width}
  std::vector<std::size_t> templates;  ///< Of each: {height, width}.
  extent mode = extent::valid;         ///< Which places have a score.
  precision real = precision::fp32;
  /// Scores are correlation coefficients, from -1 to 1: of the template and of the part of the
  /// image under it, each without its mean and divided by its norm; 0 where either is constant.
  /// Outside the image are zeros. Otherwise scores are plain correlations.
  bool is_normalised = false;
  bool keeps_sums = false;            ///< For `mean` and `variance`.
  bool keeps_counts = false;          ///< For `counts`.
  double threshold = 0;               ///< Of `counts`: scores above it are counted.
  std::size_t templates_at_once = 1;  ///< Of one `add` at most.
};

/// A place of an image that looks like a template.
struct peak {
  double score = 0;
  std::uint64_t number = 0;  ///< Of the template, counted from 0 over all calls of `add`.
  std::size_t y = 0, x = 0;  ///< Indices of the map in the search's mode.
};

/// Returns the `most` highest peaks with scores of at least `least`, no two of them closer than
/// `distance` in both y and x; the higher one stays, of equals the first. Highest first.
/// scores, numbers: [y][x], `width` values a row.
[[nodiscard]] std::vector<peak> peaks_of(const std::vector<float>& scores,
                                         const std::vector<std::uint32_t>& numbers,
                                         std::size_t width, std::size_t most, double least,
                                         std::size_t distance);

/// Accumulates scores over a stream of templates. Not for several threads at once. All device
/// memory that it needs is its own; `add` queues and returns.
class template_search {
 public:
  /// Throws `plan_error` or `device_error`.
  template_search(const queue& on, search_spec spec);
  template_search(template_search&&) noexcept;
  template_search& operator=(template_search&&) noexcept;
  ~template_search();

  [[nodiscard]] const search_spec& spec() const;
  [[nodiscard]] const std::vector<std::size_t>& result() const;  ///< {height, width} of a map.
  [[nodiscard]] std::string explain() const;

  /// Takes the image to search and forgets all scores. image: [y][x]. A normalised search waits for
  /// the queue, because it sums the image's windows on the host in fp64.
  void begin(queue& on, buffer_view image);

  /// Queues the scores of `count` templates. templates: [template][y][x].
  void add(queue& on, buffer_view templates, std::size_t count);

  /// Returns how many templates were added since `begin`.
  [[nodiscard]] std::size_t added() const;

  // These wait for the queue. [y][x], packed. Before a template was added, scores are lowest.
  [[nodiscard]] std::vector<float> scores(queue& on) const;  ///< The largest of each place.
  [[nodiscard]] std::vector<std::uint32_t> numbers(queue& on) const;  ///< Which template had it; of
                                                                      ///< equals the first.
  [[nodiscard]] std::vector<float> mean(queue& on) const;
  [[nodiscard]] std::vector<float> variance(queue& on) const;  ///< Of all, not of a sample.
  [[nodiscard]] std::vector<std::uint32_t> counts(queue& on) const;

  /// Returns peaks of the largest scores; see `peaks_of`.
  [[nodiscard]] std::vector<peak> peaks(queue& on, std::size_t most, double least,
                                        std::size_t distance) const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace wingbeat
