// SPDX-License-Identifier: Apache-2.0
#include "wingbeat/orientation_search.hpp"

#include <algorithm>  // clamp, max, min
#include <bit>        // bit_width
#include <cmath>      // ldexp, sqrt
#include <utility>    // exchange, move

#include "arrays/view_part.hpp"      // part_of
#include "backend/backend.hpp"       // queue
#include "convolving/projector.hpp"  // projector
#include "convolving/scores.hpp"     // require_numbers
#include "text/formatted.hpp"        // formatted, joined
#include "text/moved_from.hpp"       // require_owned
#include "text/reject.hpp"           // reject, reject_if
#include "views/views.hpp"           // view_owner

namespace wingbeat {
namespace {

using convolving::projector;

/// Templates of one run on a GPU: more gain nothing, because the kept arrays, which a run reads and
/// writes once, are then a twentieth of what it moves.
constexpr std::size_t templates_of_run = 104;

void require_valid(const orientation_spec& spec) {
  if (spec.image.size() != 2) {
    reject("image has the lengths {{{}}}; give {{height, width}}", joined(spec.image, ", "));
  }
  const std::size_t least = std::min(spec.image[0], spec.image[1]);
  if (spec.box < 4 || spec.box % 2 != 0 || spec.box > least || spec.box > 4096) {
    reject(
        "box is {} for an image of {}; give an even edge from 4 to 4096 that is at most "
        "either length",
        spec.box, joined(spec.image, "x"));
  }
  if (spec.filters == 0 || spec.filters > 65536) {
    reject("filters is {}; choose from 1 to 65536", spec.filters);
  }
  if (spec.volume != precision::fp32 && spec.volume != precision::fp16) {
    reject("volume is {}; choose fp32 or fp16", name_of(spec.volume));
  }
}

/// Returns the unit of sums: squares of scores of mean square 16 add up exactly.
double sum_unit_of(std::size_t n_scores) {
  const int digits = 53 - 4 - static_cast<int>(std::bit_width(n_scores));
  return std::ldexp(1.0, -std::clamp(digits / 2, 0, 16));
}

search_spec scores_of(const orientation_spec& spec, std::size_t templates,
                      const device_info& device) {
  const bool is_at_once = device.is_gpu && device.has_int64_atomics;
  search_spec request{
      .image = spec.image,
      .templates = {spec.box, spec.box},
      .mode = extent::valid,
      .keeps_sums = spec.keeps_sums,
      .sum_unit = spec.keeps_sums && device.has_fp64 ? sum_unit_of(spec.most_scores) : 0,
      .table_threshold = spec.table_threshold,
      .table_capacity = spec.table_capacity,
      .histogram = spec.histogram,
      .templates_at_once = is_at_once ? std::min(templates, templates_of_run) : 1,
      .pads_runs = true,
      .between = spec.between,
      .image_peak = spec.image_peak};
  if (spec.between == precision::fp16) {
    // A row of n values has bins up to sqrt(n) times its norm, as if each value were this.
    const double norm =
        std::sqrt(static_cast<double>(spec.image[0]) * static_cast<double>(spec.image[1]));
    request.template_peak = norm / std::sqrt(static_cast<double>(spec.box));
  }
  return request;
}

std::size_t chosen_at_once(const orientation_spec& spec, const device_info& device) {
  if (spec.orientations_at_once != 0) return spec.orientations_at_once;
  return device.is_gpu ? std::max<std::size_t>(templates_of_run / spec.filters, 1) : 1;
}

}  // namespace

struct orientation_search::impl {
  impl(const queue& on, orientation_spec given)
      : spec(std::move(given)),
        own("search", on.device()),
        projections(on, spec, spec.orientations_at_once),
        scores(on, scores_of(spec, spec.orientations_at_once * spec.filters, on.device())),
        templates(on, run_templates() * projections.template_bytes()) {
    on.impl()->reserve(projections.workspace_bytes());
  }

  /// Returns the templates that a run's memory holds: whole runs of the scores.
  [[nodiscard]] std::size_t run_templates() const {
    const std::size_t at_once = scores.spec().templates_at_once;
    const std::size_t count = spec.orientations_at_once * spec.filters;
    return (count + at_once - 1) / at_once * at_once;
  }

  [[nodiscard]] std::size_t device_bytes() const {
    return projections.device_bytes() + templates.size_bytes() + axes.size_bytes() +
           scores.device_bytes();
  }

  void require(const queue& on, std::string_view name, buffer_view view, std::size_t bytes) const {
    own.require_queue(*on.impl());
    own.require_operand({name, view, bytes},
                        {"a real", sizeof(float), sizeof(float), sizeof(float)}, *on.impl());
  }
  void require_spectra() const {
    if (has_volume && has_filters) return;
    reject("a search has no templates before its {}; call {} first",
           has_volume ? "filters" : "volume", has_volume ? "set_filters" : "set_volume");
  }

  void upload(queue& on, std::span<const plane_axes> rotations) {
    const std::size_t bytes = rotations.size_bytes();
    if (axes.size_bytes() < bytes) axes = buffer{on, bytes};
    on.impl()->write(part_of(axes.view(), 0, bytes), rotations.data());
  }
  [[nodiscard]] buffer_view axes_from(std::size_t first, std::size_t count) const {
    return part_of(axes.view(), first * sizeof(plane_axes), count * sizeof(plane_axes));
  }

  void add(queue& on, std::span<const plane_axes> rotations, std::size_t first) {
    own.require_queue(*on.impl());
    require_spectra();
    if (rotations.empty()) reject("0 rotations were added; give at least 1");
    if (first >= convolving::no_template / spec.filters ||
        rotations.size() > convolving::no_template / spec.filters) {
      reject(
          "{} rotations from {} on have numbers of templates beyond {}; give "
          "fewer rotations or filters",
          rotations.size(), first, convolving::no_template);
    }
    upload(on, rotations);
    for (std::size_t done = 0; done < rotations.size();) {
      const std::size_t count = std::min(rotations.size() - done, spec.orientations_at_once);
      projections.enqueue(on, axes_from(done, count), count, templates.view());
      scores.add(on, templates.view(), count * spec.filters, (first + done) * spec.filters);
      done += count;
      if (spec.table_threshold && scores.listed(on) > spec.table_capacity / 2) drain(on);
    }
    added += rotations.size();
  }

  void drain(queue& on) { table.append(scores.take_table(on)); }

  void forget() {
    added = 0;
    table = {};
  }

  orientation_spec spec;
  view_owner own;
  projector projections;
  template_search scores;
  buffer templates, axes;
  score_table table;  ///< What was taken from the device.
  std::size_t added = 0;
  bool has_volume = false, has_filters = false;
};

orientation_search::orientation_search(const queue& on, orientation_spec spec) {
  require_valid(spec);
  const device_info& device = on.device();
  const bool is_chosen = spec.orientations_at_once == 0, is_bounded = spec.max_bytes != 0;
  spec.orientations_at_once = chosen_at_once(spec, device);
  if (spec.max_bytes == 0) spec.max_bytes = device.memory_bytes / 10 * 9;
  impl_ = std::make_unique<impl>(on, spec);
  while (is_chosen && spec.orientations_at_once > 1 && impl_->device_bytes() > spec.max_bytes) {
    const double part =
        static_cast<double>(spec.max_bytes) / static_cast<double>(impl_->device_bytes());
    const auto fewer =
        static_cast<std::size_t>(part * static_cast<double>(spec.orientations_at_once));
    spec.orientations_at_once = std::clamp<std::size_t>(fewer, 1, spec.orientations_at_once - 1);
    impl_.reset();
    impl_ = std::make_unique<impl>(on, spec);
  }
  reject_if(
      is_chosen && is_bounded && impl_->device_bytes() > spec.max_bytes,
      "max_bytes is {} and one orientation at a time takes {} of the device; give so many, or "
      "smaller images",
      spec.max_bytes, impl_->device_bytes());
}
orientation_search::orientation_search(orientation_search&&) noexcept = default;
orientation_search& orientation_search::operator=(orientation_search&&) noexcept = default;
orientation_search::~orientation_search() = default;

const orientation_spec& orientation_search::spec() const {
  return require_owned(impl_, "search").spec;
}
const std::vector<std::size_t>& orientation_search::result() const {
  return require_owned(impl_, "search").scores.result();
}
std::size_t orientation_search::device_bytes() const {
  return require_owned(impl_, "search").device_bytes();
}
std::size_t orientation_search::added() const {
  return require_owned(impl_, "search").added;
}

std::string orientation_search::explain() const {
  const impl& mine = require_owned(impl_, "search");
  return formatted(
             "search over orientations of a volume of {0}^3, {1} orientations with {2} "
             "filters at once; {3} bytes of device memory\n"
             "slices of {0} x {4} bins, a launch; their scales, a launch; projections:\n",
             mine.spec.box, mine.spec.orientations_at_once, mine.spec.filters, mine.device_bytes(),
             mine.spec.box / 2 + 1) +
         mine.projections.explain() + mine.scores.explain();
}

void orientation_search::begin(queue& on, buffer_view image) {
  impl& mine = require_owned(impl_, "search");
  mine.scores.begin(on, image);
  mine.forget();
}

void orientation_search::restart(queue& on) {
  impl& mine = require_owned(impl_, "search");
  mine.scores.restart(on);
  mine.forget();
}

void orientation_search::set_volume(queue& on, buffer_view spectrum) {
  impl& mine = require_owned(impl_, "search");
  const std::size_t bytes = mine.projections.volume_bytes();
  mine.require(on, "spectrum", spectrum, bytes);
  mine.projections.set_volume(on, part_of(spectrum, 0, bytes));
  mine.has_volume = true;
}

void orientation_search::set_filters(queue& on, buffer_view filters) {
  impl& mine = require_owned(impl_, "search");
  const std::size_t bytes = mine.projections.filters_bytes();
  mine.require(on, "filters", filters, bytes);
  mine.projections.set_filters(on, part_of(filters, 0, bytes));
  mine.has_filters = true;
}

void orientation_search::add(queue& on, std::span<const plane_axes> rotations, std::size_t first) {
  require_owned(impl_, "search").add(on, rotations, first);
}

void orientation_search::project(queue& on, const plane_axes& rotation, buffer_view out) {
  impl& mine = require_owned(impl_, "search");
  const std::size_t bytes = mine.spec.filters * mine.projections.template_bytes();
  mine.require(on, "memory of projections", out, bytes);
  mine.require_spectra();
  mine.upload(on, {&rotation, 1});
  mine.projections.enqueue(on, mine.axes_from(0, 1), 1, mine.templates.view());
  on.impl()->copy(part_of(out, 0, bytes), part_of(mine.templates.view(), 0, bytes));
}

search_state orientation_search::state(queue& on) const {
  return require_owned(impl_, "search").scores.state(on);
}

score_table orientation_search::take_table(queue& on) {
  impl& mine = require_owned(impl_, "search");
  mine.drain(on);
  return std::exchange(mine.table, {});
}

}  // namespace wingbeat
