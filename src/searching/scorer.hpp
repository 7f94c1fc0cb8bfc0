// SPDX-License-Identifier: Apache-2.0
// The request of a search of one image for many templates, and the interface that scores templates
// on one queue.
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

/// Consecutive templates, [template][y][x], or their half spectra; see `search_spec::form`.
struct template_batch {
  std::vector<double> samples = {};
  std::size_t first = 0;  ///< Number of the first template.
  std::size_t count = 0;  ///< 0: the end.
};

/// Scores of one template, [y][x]: floats unless they were computed in fp64.
using score_samples = std::variant<std::vector<float>, std::vector<double>>;

struct search_request {
  search_spec search;       ///< A queue also takes `templates_at_once` templates at a time.
  bool is_masked = false;   ///< NaN pixels of the image are missing.
  double min_valid = 0.5;   ///< Masked search: least present fraction of a template's pixels.
  bool keeps_state = true;  ///< False: only maps of templates are wanted.
  /// Takes the map of each template, `height` times `width` scores; in the templates' order if
  /// there is one queue. Empty: no maps are wanted. Not for half spectra.
  std::function<void(std::size_t height, std::size_t width, score_samples map)> take_map = {};
  /// The option that messages suggest for scores beyond fp32.
  std::string fp64_name = "real fp64";
};

/// Returns the number of reals in one template of a batch.
[[nodiscard]] inline std::size_t reals_of_template(const search_spec& spec) {
  const std::size_t width = spec.templates[1];
  return spec.templates[0] * (spec.form == operand_form::values ? width : 2 * (width / 2 + 1));
}

/// Scores templates in an image on one queue. Not thread-safe.
class scorer {
 public:
  virtual ~scorer() = default;

  /// Takes the image to search, [y][x], and forgets all scores.
  virtual void begin(std::span<const double> image) = 0;
  /// Forgets all scores and keeps the image.
  virtual void restart() = 0;
  virtual void add(const template_batch& batch) = 0;
  /// Returns what was kept; without arrays if nothing was.
  [[nodiscard]] virtual search_state state() = 0;
  [[nodiscard]] virtual std::string explain() const = 0;

  /// Returns the search that takes arrays of the queue's device; null if the scorer reads pixels.
  [[nodiscard]] virtual template_search* on_device() { return nullptr; }
};

/// Returns a planned scorer that keeps everything in memory of the queue's device.
[[nodiscard]] std::unique_ptr<scorer> plain_scorer(const queue& on, const search_request& request);

/// Returns a scorer for images with missing pixels; see the formulas in masked_scorer.cpp.
[[nodiscard]] std::unique_ptr<scorer> masked_scorer(const queue& on, const search_request& request);

}  // namespace wingbeat::searching
