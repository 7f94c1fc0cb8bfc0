// SPDX-License-Identifier: Apache-2.0
#include "programs/transforms.hpp"

#include <algorithm>  // any_of, max
#include <stdexcept>  // logic_error
#include <utility>    // move

#include "arrays/order.hpp"              // arrays_of_passes, order_of_axes
#include "formatted.hpp"                 // formatted
#include "planner/convolved_pieces.hpp"  // convolution_of
#include "planner/pieces.hpp"            // pieces_of, plane_of
#include "planner/placement.hpp"         // placed
#include "programs/real_blocks.hpp"      // program_of_blocks
#include "request/resolved.hpp"          // resolved_spec, factor_of, points_of
#include "tuning/tuning.hpp"             // for_device
#include "wingbeat/error.hpp"            // plan_error
#include "wingbeat/good_length.hpp"      // is_good_length

namespace wingbeat::programs {
namespace {

using arrays::array;
using planner::axis_request;
using planner::body;
using planner::piece;

/// A piece, and the axes it works on: one, or the two of a plane, of which this is the slower.
struct planned_piece {
  piece chosen;
  std::size_t axis = 0;
  bool begins = true;  ///< The first piece of its axis.
  bool ends = true;    ///< The last.

  /// Returns whether it writes the places of the axis that it reads, and no others.
  [[nodiscard]] bool keeps_places() const {
    // A chirp's outer pieces have N points on one side and M on the other.
    const bool is_padded = chosen.is_padded() && (begins || ends);
    return (begins && ends) || (chosen.is_in_place() && !is_padded);
  }
};

/// Both sides of a request as passes take them. Rows of reals are transformed as complex ones of
/// half the length where that can be; others, as those of an odd length, are complex ones whose
/// imaginary parts are 0.
struct array_sides {
  array_sides(const request::resolved_spec& request, bool may_pair)
      : in(may_pair ? arrays::as_pairs(request.in) : request.in),
        out(may_pair ? arrays::as_pairs(request.out) : request.out) {}

  array in, out;

  /// Returns whether one side has pairs of reals.
  [[nodiscard]] bool have_pairs() const {
    return in.elements_are == arrays::element::pair || out.elements_are == arrays::element::pair;
  }
};

/// Returns what an axis of pairs is on one side.
planner::row row_of(request::domain values) {
  using planner::row;
  return values == request::domain::hermitian ? row::half_spectrum : row::complex_row;
}

/// Returns whether rows of reals are transformed as complex ones of half the length.
bool have_paired_rows(const request::resolved_spec& request, const device_info& device,
                      const tuning::architecture& data) {
  const std::size_t reals = request.spec.lengths.back();
  if (!request.kind.is_real() || reals % 2 != 0) return false;
  const axis_request pairs{.total = reals / 2,
                           .stored = request.spec.real,
                           .source = row_of(request.kind.in),
                           .sink = row_of(request.kind.out)};
  return pairs.total == 1 || is_good_length(pairs.total) ||
         !planner::radix_pieces_of(pairs, data, device).empty();
}

/// Chooses the pieces of a request, in order.
class piece_chooser {
 public:
  piece_chooser(const request::resolved_spec& request, const array_sides& sides,
                const device_info& device, const tuning::architecture& data)
      : request_(request),
        spec_(request.spec),
        sides_(sides),
        in_(sides.in),
        device_(device),
        data_(data) {
    const std::optional<piece> plane = find_plane();
    for (const arrays::axis_span& axes :
         arrays::order_of_axes(sides.in, sides.out, plane ? 2 : 1)) {
      if (axes.count == 2) {
        pieces_.push_back({*plane, axes.first});
      } else {
        add_axis(axes.first);
      }
    }
  }

  [[nodiscard]] std::vector<planned_piece> take() { return std::move(pieces_); }

 private:
  /// Of the last two axes, if there is one for them.
  [[nodiscard]] std::optional<piece> find_plane() const {
    const std::size_t n_axes = spec_.lengths.size();
    if (n_axes < 2) return std::nullopt;
    const auto& rows = in_.axes[n_axes - 2];
    const auto& columns = in_.axes[n_axes - 1];
    const bool is_plain = !in_.is_real() && !sides_.out.is_real() && columns.stride == 1 &&
                          !rows.is_limited && !columns.is_limited && sides_.out.is_whole();
    if (!is_plain) return std::nullopt;
    return plane_of(rows.length, request_of(n_axes - 1), data_, device_);
  }

  [[nodiscard]] axis_request request_of(std::size_t a) const {
    axis_request axis;
    axis.stored = spec_.real;
    if (sides_.have_pairs() && a + 1 == spec_.lengths.size()) {
      axis.source = row_of(request_.kind.in);
      axis.sink = row_of(request_.kind.out);
    }
    axis.total = spec_.lengths[a] / (axis.has_half_spectrum() ? 2 : 1);
    axis.is_forward = request_.kind_of_axis(a).computes_forward();
    axis.transforms = transforms_of(a);
    axis.is_whole = request_.is_gathered && axis.source == planner::row::half_spectrum;
    return axis;
  }

  /// Returns how many transforms of axis a one call makes.
  [[nodiscard]] std::size_t transforms_of(std::size_t a) const {
    std::size_t count = spec_.batch;
    for (std::size_t b = 0; b < spec_.lengths.size(); ++b) {
      if (b != a) count *= std::min(request_.in.axes[b].length, request_.out.axes[b].length);
    }
    return count;
  }

  void add_axis(std::size_t a) {
    const std::size_t last = spec_.lengths.size() - 1;
    axis_request axis = request_of(a);
    // Real rows between passes are packed; of the first pass the layout decides.
    const std::size_t densest = in_.axes[last].stride;
    const bool is_dense = in_.axes[a].stride <= densest && !has_closer_batch(in_.axes[a].stride);
    axis.is_row = a == last && (!pieces_.empty() || is_dense || axis.has_half_spectrum());
    if (!axis.is_row) axis.columns = columns_beside(a);
    axis.are_lines = request_.lines > 1;
    if (axis.are_lines) axis.columns = request_.lines;
    const bool may_pair = axis.is_row && may_pair_rows(a);
    const bool is_single = a == last && !sides_.have_pairs() && !may_pair;
    if (is_single && request_.kind.has_half_spectrum()) {
      axis.bins = request::count_of(request::domain::hermitian, axis.total);
    }
    const bool are_neighbours =
        axis.is_row && in_.axes[a].stride == 1 && sides_.out.axes[a].stride == 1;
    axis.is_plain = are_neighbours && !spec_.load.is_given() && !spec_.store.is_given();
    axis.is_of_reals = is_single && request_.kind.has_half_spectrum();
    std::vector<piece> pieces = cut_of(axis);
    if (pieces.size() == 1) pieces.front().may_pair_rows = may_pair;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      pieces_.push_back({pieces[i], a, i == 0, i + 1 == pieces.size()});
    }
  }

  /// An even number of rows of reals of one transform, or of their bins, that are not of pairs;
  /// functors see each row by itself.
  [[nodiscard]] bool may_pair_rows(std::size_t a) const {
    const bool has_functors = spec_.load.is_given() || spec_.store.is_given();
    const bool are_even = a > 0 && spec_.lengths[a - 1] % 2 == 0;
    return request_.kind.has_half_spectrum() && are_even && a + 1 == spec_.lengths.size() &&
           spec_.lengths[a] > 2 && !sides_.have_pairs() && !has_functors;
  }

  [[nodiscard]] std::vector<piece> cut_of(const axis_request& axis) const {
    if (spec_.bins == bin_order::scrambled) {
      auto scrambled = scrambled_pieces_of(axis, data_, device_);
      if (!scrambled.empty()) return scrambled;
    }
    return pieces_of(axis, data_, device_);
  }

  [[nodiscard]] bool has_closer_batch(std::size_t stride) const {
    return std::any_of(in_.batches.begin(), in_.batches.end(), [&](const arrays::batch& batch) {
      return batch.count > 1 && batch.distance < stride;
    });
  }
  /// Returns the columns that may lie side by side along axis a: of the last axis, of the batch.
  [[nodiscard]] std::size_t columns_beside(std::size_t a) const {
    const std::size_t of_axis = a + 1 == in_.axes.size() ? 1 : in_.axes.back().length;
    const bool has_batch = of_axis == 1 || in_.has_batch_inside();
    return of_axis * (has_batch ? std::size_t{spec_.batch} : 1);
  }

  const request::resolved_spec& request_;
  const plan_spec& spec_;
  const array_sides& sides_;
  const array& in_;
  const device_info& device_;
  const tuning::architecture& data_;
  std::vector<planned_piece> pieces_;
};

/// Returns the array on both sides of each piece: number i is what piece i reads, i + 1 what it
/// writes.
std::vector<array> arrays_of(const plan_spec& spec, const array_sides& sides,
                             const std::vector<planned_piece>& pieces,
                             const tuning::placement_rules& rules) {
  std::vector<arrays::pass_outline> passes;
  for (const planned_piece& each : pieces) {
    passes.push_back(
        {axes_of(each.chosen, each.axis), each.ends, each.chosen.total, each.keeps_places()});
  }
  const std::size_t bytes = 2 * bytes_of_real(arrays::common_precision(spec));
  return arrays::arrays_of_passes(spec, sides.in, sides.out, passes,
                                  {.padding = {.multiple_of_odd = rules.line_bytes / bytes,
                                               .shortest_odd = rules.shortest_padded},
                                   .may_alternate = true});
}

void require_launchable(const pass& each, const plan_spec& spec, const device_info& device) {
  if (each.shape().scratch_bytes() > device.local_memory_bytes) {
    throw plan_error(formatted(
        "partial results of {} bytes in each of {} threads do not fit {} bytes of local memory; "
        "let the store functor's be smaller",
        each.shape().partial_bytes, each.shape().threads(), device.local_memory_bytes));
  }
  constexpr std::size_t most = (std::size_t{1} << 31) - 1;  // of one launch, on CUDA
  if (each.workgroups() <= most) return;
  throw plan_error(
      formatted("batch {} of length {} needs {} workgroups and one launch takes {}; "
                "choose a smaller batch",
                std::size_t{spec.batch}, request::points_of(spec), each.workgroups(), most));
}

/// Output streams from the last pass alone, because the next pass reads the others from L2; and, as
/// measured (bench/NOTES.md, section 13), not from columns that have twiddles or write elsewhere
/// than they read.
bool may_stream(const planned_piece& each, const pass& next_pass, bool is_last) {
  const bool overwrites = next_pass.in.location == next_pass.out.location;
  return is_last && !(next_pass.shape().lanes_across && (each.chosen.prior > 1 || !overwrites));
}

/// Returns the steps before the first pass.
program cleared_output(const plan_spec& spec) {
  program result;
  if (spec.store.clears_output) result.add(clear{spec.store.out_bytes});
  return result;
}

/// Returns the passes of pieces, in order; those that convolve multiply by `filter`.
program program_of(const request::resolved_spec& request, const array_sides& sides,
                   const std::vector<planned_piece>& pieces, const spectrum_array* filter,
                   const device_info& device, const tuning::architecture& data) {
  const plan_spec& spec = request.spec;
  const auto arrays = arrays_of(spec, sides, pieces, data.placing);
  program result = cleared_output(spec);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    const body makes = pieces[i].chosen.shape.makes;
    const bool multiplies = makes == body::convolve || makes == body::line_convolve;
    pass each = placed(pieces[i].chosen,
                       {request, pieces[i].axis, pieces[i].begins, pieces[i].ends, arrays[i],
                        arrays[i + 1], data.placing, device, multiplies ? filter : nullptr});
    each.out.streams &= may_stream(pieces[i], each, i + 1 == pieces.size());
    if (i + 1 == pieces.size()) each.numbers.scale = static_cast<double>(request::factor_of(spec));
    require_launchable(each, spec, device);
    result.add(std::move(each));
  }
  for (std::size_t i = 1; i + 1 < arrays.size(); ++i) {
    if (arrays[i].location == place::output) continue;
    result.reserve(arrays[i].location, arrays[i].bytes());
  }
  return result;
}

}  // namespace

program make_program(const request::resolved_spec& request, const device_info& device) {
  return make_program(request, device, tuning::for_device(device));
}

program make_program(const request::resolved_spec& request, const device_info& device,
                     const tuning::architecture& data) {
  const array_sides sides{request, have_paired_rows(request, device, data)};
  const auto pieces = piece_chooser{request, sides, device, data}.take();
  return program_of(request, sides, pieces, nullptr, device, data);
}

namespace {

/// Throws where rows cannot be convolved as a request says: a mistake of the caller.
void require_rows(const plan_spec& spec, const spectrum_array* filter) {
  if (spec.lengths.size() != 1 || spec.kind != transform::forward) {
    throw std::logic_error("convolutions take forward transforms of one axis");
  }
  if (filter == nullptr) return;
  if (filter->distances.size() != spec.batch.counts().size()) {
    throw std::logic_error("spectra have one distance for each dimension of the batch");
  }
  const bool is_wide = spec.real == precision::fp64;
  if ((filter->stored == precision::fp64) != is_wide) {
    throw std::logic_error("spectra of fp64 meet rows of fp64 alone");
  }
}

axis_request row_of(const plan_spec& spec) {
  axis_request axis;
  axis.total = spec.lengths.front();
  axis.stored = spec.real;
  return axis;
}

std::optional<piece> row_of(const plan_spec& spec, const device_info& device,
                            const tuning::architecture& data) {
  return convolution_of(row_of(spec), data, device);
}

/// Returns the piece of a cluster; nothing where a workgroup takes rows, or no cluster does.
std::optional<piece> cluster_row_of(const plan_spec& spec, const device_info& device) {
  const tuning::architecture& data = tuning::for_device(device);
  if (device.max_cluster == 1 || row_of(spec, device, data)) return std::nullopt;
  axis_request axis = row_of(spec);
  axis.transforms = spec.batch;
  return planner::cluster_convolution_of(axis, data, device);
}

/// Returns the one pass that makes rows of a request by a piece whose spectra stay where threads
/// have them.
program program_by(const piece& row, const request::resolved_spec& request,
                   const spectrum_array* filter, const device_info& device,
                   const tuning::architecture& data) {
  return program_of(request, {request, false}, {{row}}, filter, device, data);
}

/// Returns pieces of the one axis of a request, in order.
std::vector<planned_piece> pieces_in_order(const std::vector<piece>& pieces) {
  std::vector<planned_piece> planned;
  for (const piece& each : pieces) {
    planned.push_back({each, 0, &each == &pieces.front(), &each == &pieces.back()});
  }
  return planned;
}

/// Returns the pieces of rows that are cut; none where a workgroup takes them, or nothing does.
std::vector<piece> cut_of(const plan_spec& spec, const device_info& device) {
  const tuning::architecture& data = tuning::for_device(device);
  if (row_of(spec, device, data)) return {};
  axis_request axis = row_of(spec);
  axis.transforms = spec.batch;
  return planner::cut_convolution_of(axis, data, device);
}

/// Returns the three passes that convolve rows, or without `filter` the two that make spectra.
std::optional<program> cut_program(const request::resolved_spec& request,
                                   const spectrum_array* filter, const device_info& device) {
  require_rows(request.spec, filter);
  std::vector<piece> pieces = cut_of(request.spec, device);
  if (pieces.empty()) return std::nullopt;
  if (filter == nullptr) {
    pieces.pop_back();
    pieces.back().shape.makes = body::transform;
  }
  return program_of(request, {request, false}, pieces_in_order(pieces), filter, device,
                    tuning::for_device(device));
}

program program_of_rows(const request::resolved_spec& request, body makes,
                        const spectrum_array* filter, const device_info& device,
                        const tuning::architecture& data, std::size_t turns = 0) {
  const plan_spec& spec = request.spec;
  require_rows(spec, filter);
  auto row = row_of(spec, device, data);
  if (!row) {
    throw plan_error(
        formatted("length {} does not fit a workgroup of {}; cut the signal into "
                  "blocks of a shorter length",
                  spec.lengths.front(), device.name));
  }
  row->shape.makes = makes;
  row->turns = turns;
  return program_by(*row, request, filter, device, data);
}

/// The bytes of a row, of which a workgroup that correlates holds three in registers, two rows and
/// a sum: 3/4 of those of a multiprocessor. And what a thread holds of each.
constexpr std::size_t max_correlated_bytes = std::size_t{1} << 16;
constexpr std::size_t max_correlated_thread_bytes = 128;

/// Lets a piece that convolves rows correlate them; returns false where they are too long.
bool correlates(piece& row, const device_info& device) {
  planner::tile_shape& shape = row.shape;
  if (shape.length * shape.lanes * shape.element_bytes > max_correlated_bytes) return false;
  shape.makes = body::correlate;
  row.resident = 0;
  row.fraction = 0;
  while (shape.elements_per_thread * shape.element_bytes > max_correlated_thread_bytes &&
         shape.is_in_place() && 2 * shape.threads() <= device.max_workgroup) {
    shape.elements_per_thread /= 2;
  }
  return true;
}

/// Returns the three passes that sum correlations of rows that are cut: columns of all rows, rows
/// of both whose correlations are summed, columns back.
std::optional<program> cut_correlations_of(const backend::correlation_of_rows& step,
                                           const device_info& device) {
  const tuning::architecture& data = tuning::for_device(device);
  const plan_spec& rows = step.rows;
  const std::size_t points = rows.lengths.front(), terms = 2 * step.terms;
  plan_spec columns = rows, back = rows;
  columns.batch = {rows.batch, terms};
  columns.scale = scaling::none;
  columns.factor = 1;
  columns.store = {};
  columns.valid_out = {};
  back.load = {};
  back.valid_in = {};
  back.in = {.strides = {1}, .distances = {terms * points}};
  auto pieces = cut_of(columns, device);
  if (pieces.empty() || !correlates(pieces[1], device)) return std::nullopt;
  const request::resolved_spec both{columns}, sums{back};
  program result;
  result.add(program_of(both, {both, false}, {{pieces[0]}}, nullptr, device, data),
             {place::input, place::between_a});
  result.reserve(place::between_a, both.out.bytes());
  program rest = program_of(sums, {sums, false}, pieces_in_order({pieces[1], pieces[2]}), nullptr,
                            device, data);
  pass& correlating = std::get<pass>(rest.steps.front().operation);
  correlating.numbers.terms = step.terms;
  correlating.numbers.term_distance = points;
  result.add(rest, {place::between_a, place::output});
  return result;
}

/// Returns the one pass that sums correlations; nothing where rows are too long.
std::optional<program> correlations_of(const backend::correlation_of_rows& step,
                                       const device_info& device) {
  if (step.is_cut) return cut_correlations_of(step, device);
  const tuning::architecture& data = tuning::for_device(device);
  const request::resolved_spec request{step.rows};
  require_rows(request.spec, nullptr);
  auto row = row_of(request.spec, device, data);
  if (!row || !correlates(*row, device)) return std::nullopt;
  row->turns = step.turns;
  program result = program_by(*row, request, nullptr, device, data);
  pass& launch = std::get<pass>(result.steps.back().operation);
  launch.numbers.terms = step.terms;
  launch.numbers.term_distance = launch.in.rows.elements;
  launch.numbers.in.distance = 2 * step.terms * launch.in.rows.elements;
  return result;
}

}  // namespace

namespace {

/// Returns the one pass of `diagonal_rows`; nothing where no workgroup takes a row.
std::optional<program> diagonal_program(const request::resolved_spec& request,
                                        const device_info& device,
                                        const tuning::architecture& data) {
  const plan_spec& spec = request.spec;
  axis_request pairs;
  pairs.total = spec.lengths.front() / 2;
  pairs.stored = spec.real;
  pairs.transforms = spec.batch;
  const auto row = planner::diagonal_of(pairs, data, device);
  if (!row) return std::nullopt;
  const array_sides sides{request, true};
  pass launched = placed(*row, {.request = request,
                                .axis = 0,
                                .begins = true,
                                .ends = true,
                                .from = sides.in,
                                .to = sides.out,
                                .rules = data.placing,
                                .device = device});
  launched.numbers.scale = static_cast<double>(request::factor_of(spec));
  require_launchable(launched, spec, device);
  program result = cleared_output(spec);
  result.add(std::move(launched));
  return result;
}

}  // namespace

bool can_convolve(const plan_spec& spec, const device_info& device) {
  return row_of(spec, device, tuning::for_device(device)).has_value();
}

bool can_convolve_in_cluster(const plan_spec& spec, const device_info& device) {
  return cluster_row_of(spec, device).has_value();
}

bool can_convolve_cut(const plan_spec& spec, const device_info& device) {
  return !cut_of(spec, device).empty();
}

std::size_t length_of_cut(std::size_t least, const plan_spec& spec, const device_info& device) {
  return planner::length_to_convolve(least, row_of(spec), tuning::for_device(device), device);
}

program make_convolution_program(const request::resolved_spec& rows, const spectrum_array& filter,
                                 const device_info& device) {
  return make_convolution_program(rows, filter, device, tuning::for_device(device));
}

program make_convolution_program(const request::resolved_spec& rows, const spectrum_array& filter,
                                 const device_info& device, const tuning::architecture& data) {
  return program_of_rows(rows, body::convolve, &filter, device, data);
}

program make_spectrum_program(const request::resolved_spec& rows, const device_info& device) {
  return program_of_rows(rows, body::transform, nullptr, device, tuning::for_device(device));
}

std::optional<program> launches_of(const backend::step_request& step, const device_info& device) {
  if (const auto* const transform = std::get_if<request::resolved_spec>(&step)) {
    if (transform->kind.is_real_to_real()) return program_of_blocks(*transform, device);
    return make_program(*transform, device);
  }
  if (const auto* const spectra = std::get_if<backend::spectra_of_rows>(&step)) {
    if (spectra->is_cut) return cut_program(spectra->rows, nullptr, device);
    if (!can_convolve(spectra->rows, device)) return std::nullopt;
    return program_of_rows(spectra->rows, body::transform, nullptr, device,
                           tuning::for_device(device), spectra->turns);
  }
  if (const auto* const correlation = std::get_if<backend::correlation_of_rows>(&step)) {
    return correlations_of(*correlation, device);
  }
  if (const auto* const diagonal = std::get_if<backend::diagonal_rows>(&step)) {
    return diagonal_program(diagonal->rows, device, tuning::for_device(device));
  }
  const auto* const convolution = std::get_if<backend::convolution_of_rows>(&step);
  if (convolution == nullptr) return std::nullopt;
  if (convolution->is_cut) return cut_program(convolution->rows, &convolution->spectra, device);
  if (convolution->is_long) {
    if (const auto row = cluster_row_of(convolution->rows, device)) {
      require_rows(convolution->rows, &convolution->spectra);
      return program_by(*row, convolution->rows, &convolution->spectra, device,
                        tuning::for_device(device));
    }
  }
  if (!can_convolve(convolution->rows, device)) return std::nullopt;
  program result = program_of_rows(convolution->rows, body::convolve, &convolution->spectra, device,
                                   tuning::for_device(device), convolution->turns);
  std::get<pass>(result.steps.back().operation).numbers.prefetches_filter = convolution->is_long;
  return result;
}

}  // namespace wingbeat::programs
