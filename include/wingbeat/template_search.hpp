// SPDX-License-Identifier: Apache-2.0
// Searches an image for many templates and keeps reductions over the templates in place of a map
// for each: at every place the largest score and its template, the mean and variance of the scores,
// and how many scores exceed a threshold.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint32_t, uint64_t
#include <memory>   // unique_ptr
#include <optional>
#include <string>
#include <vector>

#include "wingbeat/buffer.hpp"       // buffer_view
#include "wingbeat/convolution.hpp"  // extent
#include "wingbeat/plan.hpp"         // precision
#include "wingbeat/queue.hpp"        // queue

namespace wingbeat {

/// The reduction of each place's scores over all templates.
enum class score_map {
  largest,  ///< -infinity without a score.
  mean,     ///< 0 before the first template; needs `keeps_sums`.
  variance  ///< Over all scores, with their number as divisor; needs `keeps_sums`.
};

/// Bins of equal width for a histogram of scores, from `begin` to `end`. The first and the last bin
/// also count scores beyond them; NaN is in none. A score within rounding of an edge may be in
/// either bin.
struct score_bins {
  double begin = 0, end = 0;
  std::size_t count = 0;  ///< 0: no histogram.
};

/// The description of a search. Images and templates are real, of two axes, stored as `real`.
///
///     template_search search{queue, {.image = {4096, 4096}, .templates = {512, 512},
///                                    .is_normalised = true, .templates_at_once = 8}};
///     search.begin(queue, image.view());
///     for (each batch of 64 templates) search.add(queue, batch.view(), 64);
///     for (const peak& found : search.peaks(queue, 10, 0.3, 16)) ...
struct search_spec {
  std::vector<std::size_t> image = {};      ///< {height, width}
  std::vector<std::size_t> templates = {};  ///< {height, width} of each
  extent mode = extent::valid;              ///< Which places have a score.
  precision real = precision::fp32;  ///< fp32 or fp64. Largest scores are kept as floats in both.
  /// Scores are correlation coefficients, from -1 to 1, of the template and of the image's part
  /// under it, each without its mean and divided by its norm. They are compared and counted as
  /// computed; a largest score that rounding left beyond 1 is returned as 1, and summed as 1; sums
  /// are integers, whose bits do not depend on the order. A score is 0 if the template is constant,
  /// or if the part is, or varies less than the image's transform rounds: its norm is at most
  /// epsilon times that of the whole image without its mean. Outside the image are zeros. If false,
  /// scores are plain correlations.
  bool is_normalised = false;
  /// For `mean` and `variance`: plain scores are summed in fp64 where the device has it.
  bool keeps_sums = false;
  bool keeps_counts = false;  ///< For `counts`.
  double threshold = 0;       ///< Scores above it are counted in `counts`.
  /// A power of two, to multiples of which plain scores are rounded before they are summed, those
  /// beyond 2^22 of it in fp32 to fewer digits. Then sums in fp64, which the device must have, have
  /// the same bits in any order, and states are merged, while a place's sum of squares is below
  /// 2^53 squares of the unit, and in fp32 its sum over a run below 2^24 of it. 0: sums are of the
  /// scores as they are.
  double sum_unit = 0;
  /// All scores above it are kept in a table of at most `table_capacity`; see `take_table`. Empty:
  /// no table.
  std::optional<double> table_threshold = {};
  std::size_t table_capacity = std::size_t{1} << 22;  ///< 16 bytes each.
  /// Counts all scores of all templates in bins; needs a device that `has_int64_atomics`.
  score_bins histogram = {};
  /// How many templates one run of the convolution takes; `add` takes any number. Workspace grows
  /// with it. More than 1 needs a device that `has_int64_atomics`.
  std::size_t templates_at_once = 1;
  /// Runs of fewer templates are computed as whole runs, whose other templates are read and leave
  /// no trace, so that a score has the same bits however templates are dealt. The memory that `add`
  /// takes then has the bytes of whole runs.
  bool pads_runs = false;
  /// The type of spectra and workspace, and the largest magnitudes, as in `convolution_spec`. fp16
  /// needs the image's peak, and the templates' unless scores are normalised, which first makes
  /// unit templates. A score's error is then relative to the whole image: the root mean square of a
  /// coefficient's error is below 2^-8 (bf16: 2^-5) times the image's standard deviation divided by
  /// the window's; where that reaches 1, scores are 0.
  std::optional<precision> between = {};
  double image_peak = 0, template_peak = 0;
  /// What `add` takes: values, or half spectra as `operand_form` defines them, of any lengths:
  /// complex numbers [template][y][x], x from 0 to half the width. Spectra are transformed back
  /// first.
  operand_form form = operand_form::values;
};

/// A place of an image that looks like a template.
struct peak {
  double score = 0;
  std::uint64_t number = 0;  ///< Number of the template, counted from 0 over all calls of `add`.
  std::size_t y = 0, x = 0;  ///< Indices in a map of the search's mode.
};

/// A score of a table.
struct listed_score {
  std::uint32_t number = 0;  ///< Of the template.
  std::uint32_t y = 0, x = 0;
  float score = 0;
};

struct score_table {
  std::vector<listed_score> entries = {};  ///< By number, then place.
  std::uint64_t lost = 0;                  ///< Scores for which there was no room.

  /// Appends the entries of another table, behind these, and adds what it lost.
  void append(const score_table& other) {
    entries.insert(entries.end(), other.entries.begin(), other.entries.end());
    lost += other.lost;
  }
};

/// Returns the `most` highest peaks with scores of at least `least`, highest first. No two of them
/// are closer than `distance` in both y and x; the higher one stays, of equals the first. A peak
/// need not be a local maximum: a hill that is broader than `distance` has several, on its slopes.
/// NaN and -infinity are no peaks. scores, numbers: [y][x], `width` values per row. Throws
/// `plan_error` if they have other sizes.
[[nodiscard]] std::vector<peak> peaks_of(const std::vector<float>& scores,
                                         const std::vector<std::uint32_t>& numbers,
                                         std::size_t width, std::size_t most, double least,
                                         std::size_t distance);

/// Returns peaks as `peaks_of` does, of which no two are nearer than `radius` pixels (Euclid).
[[nodiscard]] std::vector<peak> separated_peaks(const std::vector<float>& scores,
                                                const std::vector<std::uint32_t>& numbers,
                                                std::size_t width, std::size_t most, double least,
                                                double radius);

/// The arrays that a search keeps, in memory of this process. Searches of one image for disjoint
/// parts of the templates, merged, keep what one search for all templates keeps: the same bits, in
/// any order, if each part is whole runs of `templates_at_once`; other parts may be rounded
/// differently. Every template of a part has the number that it has among all: see
/// `template_search::add`.
struct search_state {
  std::size_t height = 0, width = 0;  ///< Size of a map.
  std::size_t templates = 0;          ///< How many were scored.
  bool is_normalised = false;
  double sum_unit = 0;  ///< As in `search_spec`.
  /// The largest score of each place and the first template that had it, in one integer, so that
  /// merging takes the greater of two integers; 0: none. // [y][x]
  std::vector<std::uint64_t> keys = {};
  /// Sums of coefficients in units of 2^-30, as two's complement, and of their squares, in units of
  /// 2^-32, where the search is normalised and keeps sums. // [2][y][x]
  std::vector<std::uint64_t> unit_sums = {};
  std::vector<double> sums = {};              ///< As `unit_sums`, of plain scores.  // [2][y][x]
  std::vector<std::uint32_t> counts = {};     // [y][x]
  std::vector<std::uint64_t> histogram = {};  ///< Scores in each of `score_bins`.

  /// Merges the state of a search for other templates. Throws `plan_error` for states that keep
  /// other arrays, and for sums of plain scores without a `sum_unit`, whose rounding depends on the
  /// order of the templates.
  void merge(const search_state& other);

  // as the functions of `template_search`
  [[nodiscard]] std::vector<float> map(score_map kind) const;
  [[nodiscard]] std::vector<std::uint32_t> numbers() const;
  [[nodiscard]] std::vector<peak> peaks(std::size_t most, double least, std::size_t distance) const;
};

/// Accumulates scores over a stream of templates. Not for several threads at once. All device
/// memory that it needs beside the image and the templates is its own, allocated when it is made;
/// `add` queues and returns. Functions throw `plan_error` for calls out of order or of wrong sizes,
/// and `device_error`.
///
/// All queues belong to the first queue's device and context, and may alternate: queued work waits
/// for what it needs from other queues. Templates of one `add` can therefore be copied and
/// transformed on one queue while earlier ones are scored on another, with the same bits as result.
/// The first time that `begin`, `restart` or `add` is given a queue, it allocates what runs on it
/// need: memory of templates, and the workspace that `explain` states. On engines that work
/// immediately, host and reference, a second queue gains nothing.
class template_search {
 public:
  /// Throws `plan_error`, naming the field at fault, or `device_error`.
  template_search(const queue& on, search_spec spec);
  template_search(template_search&&) noexcept;
  template_search& operator=(template_search&&) noexcept;
  ~template_search();

  [[nodiscard]] const search_spec& spec() const;
  [[nodiscard]] const std::vector<std::size_t>& result() const;  ///< {height, width} of a map.

  /// Returns the bytes that `templates_at_once` templates read and write in device memory, as
  /// planned. Kept arrays count once if one launch takes all templates, otherwise for each, as if
  /// each score were the largest yet and counted. `add` also copies templates that start at an odd
  /// real.
  [[nodiscard]] std::size_t traffic_bytes() const;

  /// Returns the bytes of device memory that the search holds, workspace included.
  [[nodiscard]] std::size_t device_bytes() const;

  /// Returns what is kept, and the launches and bytes of `templates_at_once` templates, in words.
  [[nodiscard]] std::string explain() const;

  /// Takes the image to search and forgets all scores. image: [y][x]. A normalised search waits for
  /// the queue, because it sums the image's windows on the host in fp64, and throws `plan_error`
  /// where the image holds NaN or infinity.
  void begin(queue& on, buffer_view image);

  /// Forgets all scores and keeps the image, which need not be prepared again.
  void restart(queue& on);

  /// Queues the scores of `count` templates, at least 1; at most 2^32 - 1 over all calls.
  /// templates: [template][y][x], starting at a real number (spectra at a complex one). Leave them
  /// unchanged until the queue has finished the call.
  void add(queue& on, buffer_view templates, std::size_t count);

  /// The same for templates that are numbers `first` .. first + count - 1 among all; other searches
  /// take the others.
  void add(queue& on, buffer_view templates, std::size_t count, std::size_t first);

  /// Returns how many templates were added since `begin`.
  [[nodiscard]] std::size_t added() const;

  // These wait for the queue. [y][x], packed. NaN scores are never the largest. Sums of plain
  // scores include them; sums of coefficients are NaN where all scores are.

  /// Returns all that is kept, to be merged with what other searches keep.
  [[nodiscard]] search_state state(queue& on) const;

  [[nodiscard]] std::vector<float> map(queue& on, score_map kind) const;
  [[nodiscard]] std::vector<float> scores(queue& on) const { return map(on, score_map::largest); }
  [[nodiscard]] std::vector<float> mean(queue& on) const { return map(on, score_map::mean); }
  [[nodiscard]] std::vector<float> variance(queue& on) const {
    return map(on, score_map::variance);
  }

  /// Returns the number of the template with the largest score, the first of equals; 2^32 - 1 if
  /// there is none.
  [[nodiscard]] std::vector<std::uint32_t> numbers(queue& on) const;

  /// Returns how many scores of each place were above the threshold.
  [[nodiscard]] std::vector<std::uint32_t> counts(queue& on) const;

  /// Returns peaks of the largest scores; see `peaks_of`.
  [[nodiscard]] std::vector<peak> peaks(queue& on, std::size_t most, double least,
                                        std::size_t distance) const;

  /// Returns the table of scores since the last call, or since `begin`, and empties it. Waits.
  [[nodiscard]] score_table take_table(queue& on);
  /// Returns how many scores the table has found since then, with those that had no room. Waits.
  [[nodiscard]] std::size_t listed(queue& on) const;

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace wingbeat
