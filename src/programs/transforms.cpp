// SPDX-License-Identifier: Apache-2.0
#include "programs/transforms.hpp"

#include <algorithm>  // any_of
#include <bit>        // bit_floor
#include <utility>    // move

#include "arrays/order.hpp"               // order_of_axes
#include "planner/pieces.hpp"             // pieces_of, plane_of
#include "planner/placement.hpp"          // placed
#include "programs/convolved_rows.hpp"    // program_of_rows
#include "programs/planned_pieces.hpp"    // planned_piece, array_sides, program_of
#include "programs/prepared_program.hpp"  // transform_forward
#include "programs/real_blocks.hpp"       // program_of_blocks
#include "request/resolved.hpp"           // resolved_spec, factor_of
#include "text/formatted.hpp"             // formatted
#include "text/reject.hpp"                // reject
#include "tuning/tuning.hpp"              // for_device
#include "wingbeat/good_length.hpp"       // is_good_length

namespace wingbeat::programs {
namespace {

using arrays::array;
using planner::axis_request;
using planner::body;
using planner::piece;

/// Returns the kind of row that pairs of an axis form on one side.
planner::row row_of(request::domain values) {
  using planner::row;
  return values == request::domain::hermitian ? row::half_spectrum : row::complex_row;
}

/// Returns whether rows of reals are transformed as complex rows of half the length.
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
  /// Returns the piece of the last two axes as a plane, if there is one.
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
    axis.transform_row = transform_forward;
    axis.is_whole = spec_.store.row_outputs > 0 ||
                    (request_.is_gathered && axis.source == planner::row::half_spectrum);
    return axis;
  }

  /// Returns the number of transforms of axis a in one call.
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
    // Rows between passes are packed; the layout decides for the first pass.
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
    axis.has_functors = spec_.load.is_given() || spec_.store.is_given();
    axis.is_plain = are_neighbours && !axis.has_functors;
    axis.is_of_reals = is_single && request_.kind.has_half_spectrum();
    axis.is_computed = request_.are_functors_dense;
    std::vector<piece> pieces = cut_of(axis);
    if (pieces.size() == 1) pieces.front().may_pair_rows = may_pair;
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      pieces_.push_back({pieces[i], a, i == 0, i + 1 == pieces.size()});
    }
  }

  /// Returns whether two rows of reals (or of their bins) of one transform may form one complex
  /// row: they are even in number, not pairs of reals, and without functors, which see single rows.
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
  /// Returns the number of columns side by side along axis a: of the last axis, or of the batch.
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

program chosen_program(const request::resolved_spec& request, const device_info& device,
                       const tuning::architecture& data) {
  const array_sides sides{request, have_paired_rows(request, device, data)};
  const auto pieces = piece_chooser{request, sides, device, data}.take();
  return program_of(request, sides, pieces, nullptr, device, data);
}

/// Returns whether a program is one pass that has whole rows in local memory on the way out.
bool holds_rows(const program& steps) {
  const std::vector<pass> passes = steps.passes();
  if (passes.size() != 1 || !passes.front().is_whole()) return false;
  const planner::tile_shape& shape = passes.front().shape();
  const bool is_row = shape.makes == body::real_row || shape.makes == body::transform;
  return is_row && shape.stage_out && !shape.is_cluster();
}

/// Refuses rows that no workgroup holds whole, and names a length of rows that one does.
void refuse_rows(plan_spec spec, const device_info& device, const tuning::architecture& data) {
  const std::size_t refused = spec.lengths.front();
  std::size_t& length = spec.lengths.front();
  std::string advice = "let the store take elements";
  for (length = std::bit_floor(refused - 1); length > 1; length /= 2) {
    if (!holds_rows(chosen_program(spec, device, data))) continue;
    advice = formatted("choose length {}, or {}", length, advice);
    break;
  }
  reject("store.row_outputs is {} and no workgroup of {} holds a whole row of length {}; {}",
         spec.store.row_outputs, device.name, refused, advice);
}

}  // namespace

bool holds_whole_rows(const request::resolved_spec& request, const device_info& device) {
  return holds_rows(chosen_program(request, device, tuning::for_device(device)));
}

program make_program(const request::resolved_spec& request, const device_info& device) {
  return make_program(request, device, tuning::for_device(device));
}

program make_program(const request::resolved_spec& request, const device_info& device,
                     const tuning::architecture& data) {
  program result = chosen_program(request, device, data);
  if (request.spec.store.row_outputs > 0 && !holds_rows(result)) {
    refuse_rows(request.spec, device, data);
  }
  return result;
}

namespace {

/// Returns the one pass of `diagonal_rows`; nothing if no workgroup takes a row.
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

std::optional<program> launches_of(const backend::step_request& step, const device_info& device) {
  if (const auto* const transform = std::get_if<request::resolved_spec>(&step)) {
    if (transform->kind.is_real_to_real()) return program_of_blocks(*transform, device);
    return make_program(*transform, device);
  }
  if (const auto* const spectra = std::get_if<backend::spectra_of_rows>(&step)) {
    return program_of_rows(*spectra, device);
  }
  if (const auto* const correlation = std::get_if<backend::correlation_of_rows>(&step)) {
    return program_of_rows(*correlation, device);
  }
  if (const auto* const diagonal = std::get_if<backend::diagonal_rows>(&step)) {
    return diagonal_program(diagonal->rows, device, tuning::for_device(device));
  }
  const auto* const convolution = std::get_if<backend::convolution_of_rows>(&step);
  if (convolution == nullptr) return std::nullopt;
  return program_of_rows(*convolution, device);
}

}  // namespace wingbeat::programs
