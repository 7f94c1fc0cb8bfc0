// SPDX-License-Identifier: Apache-2.0
// What a search of one image for many templates is asked for, and what scores templates on one of
// its queues.
#pragma once

#include <cstddef>  // size_t
#include <functional>
#include <memory>  // unique_ptr
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "wingbeat/queue.hpp"            // queue
#include "wingbeat/template_search.hpp"  // search_spec, search_state, template_search

namespace wingbeat::searching {

/// Some templates in their order, [template][y][x], or their half spectra; see `search_spec::form`.
struct template_batch {
  std::vector<double> samples = {};
  std::size_t first = 0;  ///< The number of the first one.
  std::size_t count = 0;  ///< 0: there are no more.
};

/// Scores of one template, [y][x]: floats unless they were computed in fp64.
using score_samples = std::variant<std::vector<float>, std::vector<double>>;

struct search_request {
  search_spec search;       ///< `templates_at_once` is how many a queue takes at a time, too.
  bool is_masked = false;   ///< Pixels of the image that are NaN are not there.
  double min_valid = 0.5;   ///< Of a template's pixels, in a masked search.
  bool keeps_state = true;  ///< False: only the maps of templates are wanted.
  /// Takes the map of each template, `height` times `width` scores, in the templates' order, which
  /// is kept on one queue only; empty: no maps are wanted. Not for half spectra.
  std::function<void(std::size_t height, std::size_t width, score_samples map)> take_map = {};
  /// What messages advise where scores exceed fp32.
  std::string fp64_name = "real fp64";
};

/// Returns how many reals a template of a batch has.
[[nodiscard]] inline std::size_t reals_of_template(const search_spec& spec) {
  const std::size_t width = spec.templates[1];
  return spec.templates[0] * (spec.form == operand_form::values ? width : 2 * (width / 2 + 1));
}

/// Scores templates in an image on one queue. Not for several threads at once.
class scorer {
 public:
  virtual ~scorer() = default;

  /// Takes the image to search, [y][x], and forgets all scores.
  virtual void begin(std::span<const double> image) = 0;
  /// Forgets all scores and keeps the image.
  virtual void restart() = 0;
  virtual void add(const template_batch& batch) = 0;
  /// Returns what was kept; no arrays where nothing is.
  [[nodiscard]] virtual search_state state() = 0;
  [[nodiscard]] virtual std::string explain() const = 0;

  /// Returns the search that takes arrays of the queue's device; null for scorers that read pixels.
  [[nodiscard]] virtual template_search* on_device() { return nullptr; }
};

/// Returns a scorer that keeps all in memory of the queue's device, planned.
[[nodiscard]] std::unique_ptr<scorer> plain_scorer(const queue& on, const search_request& request);

/// Returns one that leaves out pixels that are not there; see its formulas.
[[nodiscard]] std::unique_ptr<scorer> masked_scorer(const queue& on, const search_request& request);

}  // namespace wingbeat::searching
