// SPDX-License-Identifier: Apache-2.0
// Searches an image for projections of a volume at many orientations, as 2D template matching in
// electron cryo-microscopy does: slices through the volume's spectrum, times filters such as the
// contrast transfer function at several defoci, become templates on the device.
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <memory>   // unique_ptr
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "wingbeat/buffer.hpp"           // buffer_view
#include "wingbeat/plan.hpp"             // precision
#include "wingbeat/queue.hpp"            // queue
#include "wingbeat/template_search.hpp"  // search_state, score_table

namespace wingbeat {

/// The description of a search over orientations. A template is the inverse transform of a slice
/// times a filter, without the mean of its edge, scaled so that in an image of white noise of
/// variance 1 / (height width) its scores have variance 1:
///
///     T[ky][kx] = -slice(ky, kx) filter[ky][kx],  T[0][0] = 0
///     p = inverse of T, shifted so that the volume's centre is at [n/2][n/2]; e = mean of its edge
///     template = (p - e) sqrt(height width / v), where v is the variance of p - e padded with
///     zeros to the image, times height width
///
/// with v = sum of (p - e - m)^2 + (height - n) (width - n) m^2, m = -e (n^2 / (height width))^2.
///
///     orientation_search search{queue, {.image = {4096, 4096}, .box = 512, .filters = 13}};
///     search.begin(queue, image.view());
///     search.set_volume(queue, spectrum.view());
///     search.set_filters(queue, filters.view());
///     search.add(queue, rotations, 0);
///     const search_state found = search.state(queue);
struct orientation_spec {
  std::vector<std::size_t> image = {};  ///< {height, width}
  std::size_t box = 0;      ///< Edge n of the volume, even, at most either length of the image.
  std::size_t filters = 1;  ///< Filters that each slice is multiplied by.
  bool has_complex_filters = false;    ///< Filters are complex, otherwise real.
  precision volume = precision::fp32;  ///< How the volume's spectrum is stored: fp32 or fp16.
  /// The type of spectra and workspace of the correlations, as in `search_spec`; fp16 needs the
  /// image's peak.
  std::optional<precision> between = {};
  double image_peak = 0;
  bool keeps_sums = true;                ///< For `score_map::mean` and `score_map::variance`.
  std::size_t orientations_at_once = 0;  ///< Of one run, each with all filters. 0: chosen.
  std::size_t max_bytes = 0;  ///< Device memory that the choice may take; 0: most of the device's.
  /// About how many scores a place has in all, rotations times filters: by it scores are rounded
  /// before they are summed, to multiples of 2^-12 for 2^25 of them, so that the sums do not depend
  /// on the order: see `search_spec::sum_unit`.
  std::size_t most_scores = std::size_t{1} << 25;
  /// Every score above it is kept in a table; on the device at most `table_capacity` of them, which
  /// `add` takes after each run that leaves less than half of it. Empty: no table.
  std::optional<double> table_threshold = {};
  std::size_t table_capacity = std::size_t{1} << 22;
  score_bins histogram = {};  ///< As in `search_spec`.
};

/// The first two columns of a rotation that turns vectors (x, y, z) of the projection's plane into
/// the volume's: {xx, xy, yx, yy, zx, zy}, so that bin (kx, ky) is read at (xx kx + xy ky, ..).
/// They may be scaled and sheared, by a microscope's anisotropic magnification.
using plane_axes = std::array<float, 6>;

/// Keeps scores of projections; numbers of templates are rotation times `filters` plus filter. Not
/// for several threads at once. All device memory beside the image is its own. Functions throw
/// `plan_error` for calls out of order or of wrong sizes, and `device_error`.
class orientation_search {
 public:
  orientation_search(const queue& on, orientation_spec spec);
  orientation_search(orientation_search&&) noexcept;
  orientation_search& operator=(orientation_search&&) noexcept;
  ~orientation_search();

  /// With what was chosen in `orientations_at_once`.
  [[nodiscard]] const orientation_spec& spec() const;
  [[nodiscard]] const std::vector<std::size_t>& result() const;  ///< {height, width} of a map.
  [[nodiscard]] std::size_t device_bytes() const;  ///< All device memory of the search.
  [[nodiscard]] std::string explain() const;

  /// Takes the image, fp32 [y][x], and forgets all scores.
  void begin(queue& on, buffer_view image);
  void restart(queue& on);

  /// Takes the spectrum of the volume, complex fp32 [z][y][x] of n, n and n/2 + 1 bins: `rfftn`
  /// with the zero frequency of z and y at n/2, of a volume whose centre is at its corner.
  void set_volume(queue& on, buffer_view spectrum);
  /// Takes filters, fp32 [filter][ky][kx] of n and n/2 + 1 bins in the order of `rfft2`.
  void set_filters(queue& on, buffer_view filters);

  /// Queues the scores of all filters at these rotations, numbers `first` and following.
  void add(queue& on, std::span<const plane_axes> rotations, std::size_t first);
  [[nodiscard]] std::size_t added() const;  ///< Rotations since `begin`.

  /// Writes the templates of one rotation, fp32 [filter][y][x].
  void project(queue& on, const plane_axes& rotation, buffer_view out);

  [[nodiscard]] search_state state(queue& on) const;  ///< Waits for the queue.

  /// Returns the table of scores since the last call, or since `begin`. Waits.
  [[nodiscard]] score_table take_table(queue& on);

 private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

}  // namespace wingbeat
