// SPDX-License-Identifier: Apache-2.0
#include "backend/host/rows/line_strips.hpp"

#include <algorithm>  // fill_n, min
#include <cmath>      // log2
#include <complex>
#include <string>

#include "backend/host/aligned.hpp"               // aligned_up, aligned_start_of
#include "backend/host/axes/ends.hpp"             // tile_end, stored_as
#include "backend/host/line_kernels.hpp"          // lane_lines
#include "backend/host/rows/mixed_chain.hpp"      // has_radices
#include "backend/host/rows/row_method.hpp"       // kernels_of, line_kernels_of
#include "backend/host/rows/strip_transform.hpp"  // strip_transform
#include "programs/reductions.hpp"                // reduced, roots_of
#include "request/traits.hpp"                     // traits_of
#include "text/formatted.hpp"                     // formatted
#include "wingbeat/roots.hpp"                     // root

namespace wingbeat::backend::host {
namespace {

using device::functors::line_numbers;
using programs::reduction;

/// The longest lines that are convolved side by side: sixteen of fp32, dct2 of 1,031 and 2,039
/// points, took 0.53 and 0.83 of the time that rows take, of 3,001 and 4,093 1.02 and 1.12.
constexpr std::size_t longest_chirped = 2048;

/// Returns the points of the inner transform as complex rows: half of an even number of reals.
std::size_t rows_of(const reduction& chosen) {
  const bool is_packed = chosen.inner != transform::forward && chosen.length % 2 == 0;
  return is_packed ? chosen.length / 2 : chosen.length;
}

/// One side of the lines in memory.
template <class Real>
class line_end {
 public:
  line_end(const kernels<Real>& kernel_set, const line_numbers& given, precision real)
      : numbers(given),
        type_(stored_as(real)),
        elements_(kernel_set,
                  {.type = type_, .length = valid(), .valid = {0, valid()}, .stride = given.stride},
                  given.loops[0].stride, nullptr, nullptr) {}

  [[nodiscard]] std::size_t valid() const { return numbers.end - numbers.first; }
  [[nodiscard]] std::size_t bytes() const {
    return valid() * (type_ == stored::own ? sizeof(Real) : 2);
  }
  /// Returns whether elements of `count` lines from `first` on are neighbours, in kernels' numbers.
  [[nodiscard]] bool are_beside(std::size_t first, std::size_t count) const {
    return type_ == stored::own && numbers.loops[0].stride == 1 && run_at(first, count) == count;
  }
  /// Returns where element `origin` of a line is.
  [[nodiscard]] Real* line_at(std::byte* memory, std::size_t line) const {
    return reinterpret_cast<Real*>(memory) + numbers.offset_of(line);
  }
  /// Move the elements in memory of `count` lines from `first` on to or from a tile.
  void fetch(std::byte* memory, std::size_t first, std::size_t count, Real* tile,
             std::size_t width) const {
    by_runs(memory, first, count, [&](const begin_of_end& begin, std::size_t n, std::size_t lane) {
      elements_.fetch(begin, n, {width, 1}, tile + lane, 1);
    });
  }
  void put(const Real* tile, std::size_t width, std::size_t first, std::size_t count,
           std::byte* memory) const {
    by_runs(memory, first, count, [&](const begin_of_end& begin, std::size_t n, std::size_t lane) {
      elements_.put(tile + lane, {width, 1}, n, begin, 1);
    });
  }

  line_numbers numbers;

 private:
  /// Returns how many lines from `line` on, at most `count`, follow each other evenly.
  [[nodiscard]] std::size_t run_at(std::size_t line, std::size_t count) const {
    const std::size_t n = numbers.loops[0].count;
    return numbers.depth <= 1 ? count : std::min(count, n - line % n);
  }
  template <class Work>
  void by_runs(std::byte* memory, std::size_t first, std::size_t count, const Work& work) const {
    const std::size_t begin = (numbers.first - numbers.origin) * numbers.stride;
    for (std::size_t lane = 0, n = 0; lane < count; lane += n) {
      n = run_at(first + lane, count - lane);
      work(begin_of_end{memory, numbers.offset_of(first + lane) + begin}, n, lane);
    }
  }

  stored type_;
  tile_end<Real> elements_;
};

template <class Real>
class line_strips final : public backend::call {
 public:
  using stage = void (*)(const lane_lines<Real>&);

  line_strips(const kernels<Real>& kernel_set, const lines_of_reals& request,
              const reduction& chosen, stage load, stage store)
      : load_(load),
        store_(store),
        kind_(request::traits_of(request.kind)),
        in_(kernel_set, request.in, request.in_stored),
        out_(kernel_set, request.out, request.out_stored),
        count_(request.count),
        width_(static_cast<std::size_t>(kernel_set.width)),
        chosen_(chosen),
        columns_(kernel_set, rows_of(chosen), width_),
        scale_(static_cast<Real>(request.factor * chosen.factor)),
        roots_(programs::roots_of<Real>(chosen)) {
    const auto n = static_cast<double>(chosen.length);
    n_threads_ = thread_pool::shared().threads_for(n * static_cast<double>(count_) * std::log2(n));
    if (rows_of(chosen) == chosen.length) return;
    for (std::size_t k = 0; k <= chosen.length / 4; ++k) {
      packing_.push_back(std::complex<Real>(root(k, chosen.length)));
    }
    if (chosen.inner == transform::forward_from_real) scale_ /= 2;  // see line_kernel
  }

  [[nodiscard]] std::size_t workspace_bytes() const noexcept override {
    return slot_bytes() * std::min<std::size_t>(n_tiles(), n_threads_) + alignment_bytes;
  }
  [[nodiscard]] std::size_t traffic_bytes() const noexcept override {
    return count_ * (in_.bytes() + out_.bytes());
  }
  [[nodiscard]] std::string explain() const override {
    return formatted("lines of {} reals side by side, {}\n{}", kind_.name, chosen_.description,
                     columns_.explain());
  }
  void enqueue(queue&, const backend::run& given) const override {
    std::byte* const scratch = aligned_start_of(given.workspace);
    const auto share = [&](std::size_t begin, std::size_t end, unsigned index) {
      for (std::size_t tile = begin; tile < end; ++tile) {
        run_tile(tile * width_, start_of(given.in), start_of(given.out),
                 reinterpret_cast<Real*>(scratch + index * slot_bytes()));
      }
    };
    thread_pool::shared().share(n_tiles(), limits.tiles_per_thread * n_threads_, n_threads_, share);
  }

 private:
  [[nodiscard]] std::size_t n_tiles() const noexcept { return (count_ + width_ - 1) / width_; }
  [[nodiscard]] std::size_t column_reals() const noexcept { return 2 * width_ * rows_of(chosen_); }
  /// A thread's memory: columns, the strip's scratch, and lines on their way to or from the
  /// columns.
  [[nodiscard]] std::size_t slot_bytes() const noexcept {
    const std::size_t n_lanes = std::max(in_.valid(), out_.valid()) * width_;
    return aligned_up((column_reals() + columns_.scratch_reals() + n_lanes) * sizeof(Real));
  }

  void run_tile(std::size_t first, std::byte* in, std::byte* out, Real* slot) const {
    const std::size_t n = std::min(width_, count_ - first);
    Real* const scratch = slot + column_reals();
    Real* const lanes = scratch + columns_.scratch_reals();
    fetch(first, n, in, slot, lanes);
    strip<Real> work;
    work.in = work.out = slot;
    work.in_pitch = work.out_pitch = width_;
    work.scratch = scratch;
    work.scale = scale_;
    work.is_swapped = chosen_.inner == transform::inverse_to_real;
    columns_.run(work);
    put(first, n, slot, lanes, out);
  }

  [[nodiscard]] lane_lines<Real> lines_of(const line_numbers& numbers, Real* slot) const {
    return {.length = numbers.length,
            .origin = numbers.origin,
            .first = numbers.first,
            .end = numbers.end,
            .is_reversed = numbers.is_reversed,
            .is_alternating = numbers.is_alternating,
            .has_first_edge = numbers.has_first_edge,
            .has_last_edge = numbers.has_last_edge,
            .edge = static_cast<Real>(numbers.edge),
            .roots = reinterpret_cast<const Real*>(roots_.bytes.data()),
            .tile = slot,
            .points = chosen_.length,
            .packing = reinterpret_cast<const Real*>(packing_.data())};
  }
  /// Lines whose elements in memory stand in `lanes`.
  [[nodiscard]] lane_lines<Real> moved(lane_lines<Real> lines, Real* lanes) const {
    lines.in = lines.out = lanes;
    lines.pitch = width_;
    lines.origin = lines.first;
    return lines;
  }

  void fetch(std::size_t first, std::size_t n, std::byte* in, Real* slot, Real* lanes) const {
    lane_lines<Real> lines = lines_of(in_.numbers, slot);
    if (n == width_ && in_.are_beside(first, n)) {
      lines.in = in_.line_at(in, first);
      lines.pitch = in_.numbers.stride;
      return load_(lines);
    }
    if (n < width_) std::fill_n(lanes, in_.valid() * width_, Real{0});
    in_.fetch(in, first, n, lanes, width_);
    load_(moved(lines, lanes));
  }

  void put(std::size_t first, std::size_t n, Real* slot, Real* lanes, std::byte* out) const {
    lane_lines<Real> lines = lines_of(out_.numbers, slot);
    if (n == width_ && out_.are_beside(first, n)) {
      lines.out = out_.line_at(out, first);
      lines.pitch = out_.numbers.stride;
      return store_(lines);
    }
    store_(moved(lines, lanes));
    out_.put(lanes, width_, first, n, out);
  }

  stage load_, store_;
  const request::traits& kind_;
  line_end<Real> in_, out_;
  std::size_t count_, width_;
  reduction chosen_;
  strip_transform<Real> columns_;
  Real scale_;
  programs::constant roots_;
  std::vector<std::complex<Real>> packing_;  ///< See lane_lines.
  unsigned n_threads_ = 1;
};

template <class Real>
std::shared_ptr<const backend::call> made(const named_set& set, const lines_of_reals& request) {
  const kernels<Real>& kernel_set = kernels_of<Real>(set);
  std::shared_ptr<const backend::call> result;
  const bool fill_lanes = 4 * request.count >= 3 * static_cast<std::size_t>(kernel_set.width);
  programs::reduced(request::traits_of(request.kind), request.in.length,
                    [&](const reduction& chosen, auto functor) {
                      const std::size_t rows = rows_of(chosen);
                      const bool is_short = rows <= limits.longest_wide_strip &&
                                            programs::fine_bits_of(chosen.roots) == 0;
                      const bool fits = rows > 1 && (has_radices(rows) || rows <= longest_chirped);
                      if (!fill_lanes || !is_short || !fits) return;
                      const line_kernel<decltype(functor), Real>& kernel =
                          line_kernels_of<Real>(set);
                      result = std::make_shared<const line_strips<Real>>(
                          kernel_set, request, chosen, kernel.load, kernel.store);
                    });
  return result;
}

}  // namespace

std::shared_ptr<const backend::call> make_line_strips(const named_set& kernel_set,
                                                      const lines_of_reals& request) {
  if (request.real == precision::fp64) {
    return made<double>(kernel_set, request);
  }
  return made<float>(kernel_set, request);
}

}  // namespace wingbeat::backend::host
