// SPDX-License-Identifier: Apache-2.0
#include "backend/host/rows/line_strips.hpp"

#include <algorithm>  // fill_n, min
#include <cmath>      // log2
#include <complex>
#include <string>

#include "backend/host/aligned.hpp"               // aligned_up, aligned_start_of
#include "backend/host/axes/passes.hpp"           // stored_as
#include "backend/host/line_kernels.hpp"          // lane_lines
#include "backend/host/rows/mixed_chain.hpp"      // has_radices
#include "backend/host/rows/strip_transform.hpp"  // strip_transform
#include "backend/host/thread_pool.hpp"           // thread_pool
#include "backend/host/thresholds.hpp"            // limits
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

/// Returns the rows of complex numbers that an inner transform takes: half as many as reals.
std::size_t rows_of(const reduction& chosen) {
  const bool is_packed = chosen.inner != transform::forward && chosen.length % 2 == 0;
  return is_packed ? chosen.length / 2 : chosen.length;
}

/// One side of the lines in memory.
struct line_end {
  line_numbers numbers;
  stored type;
  std::size_t number_bytes;

  [[nodiscard]] std::size_t valid() const { return numbers.end - numbers.first; }
  /// Returns whether lines from `first` on follow each other evenly, `count` of them.
  [[nodiscard]] bool is_run(std::size_t first, std::size_t count) const {
    return numbers.depth <= 1 || first % numbers.loops[0].count + count <= numbers.loops[0].count;
  }
  [[nodiscard]] bool is_beside(std::size_t first, std::size_t count) const {
    return type == stored::own && numbers.loops[0].stride == 1 && is_run(first, count);
  }
  [[nodiscard]] bool are_rows(std::size_t first, std::size_t count) const {
    return type == stored::own && numbers.stride == 1 && is_run(first, count);
  }
  /// Returns where element `origin` of a line is.
  template <class Byte>
  [[nodiscard]] Byte* line_at(Byte* memory, std::size_t line) const {
    return memory + numbers.offset_of(line) * number_bytes;
  }
  /// Returns where its first element in memory is.
  template <class Byte>
  [[nodiscard]] Byte* at(Byte* memory, std::size_t line) const {
    return line_at(memory, line) + (numbers.first - numbers.origin) * numbers.stride * number_bytes;
  }
  /// Calls work(rectangle, line, lane) for `count` lines from `first` on, in runs.
  template <class Work>
  void by_runs(std::size_t first, std::size_t count, std::size_t width, const Work& work) const {
    for (std::size_t lane = 0; lane < count;) {
      const std::size_t line = first + lane;
      const auto& [n, line_stride] = numbers.loops[0];
      const std::size_t run =
          numbers.depth <= 1 ? count - lane : std::min(count - lane, n - line % n);
      rectangle shape{.type = type};
      if (line_stride < numbers.stride) {
        shape.n_runs = valid(), shape.run_length = run;
        shape.memory_run = numbers.stride, shape.memory_step = line_stride;
        shape.tile_run = width, shape.tile_step = 1;
      } else {
        shape.n_runs = run, shape.run_length = valid();
        shape.memory_run = line_stride, shape.memory_step = numbers.stride;
        shape.tile_run = 1, shape.tile_step = width;
      }
      work(shape, line, lane);
      lane += run;
    }
  }
};

template <class Real>
lane_lines<Real> lanes_of(const line_numbers& numbers) {
  return {.length = numbers.length,
          .origin = numbers.origin,
          .first = numbers.first,
          .end = numbers.end,
          .is_reversed = numbers.is_reversed,
          .is_alternating = numbers.is_alternating,
          .has_first_edge = numbers.has_first_edge,
          .has_last_edge = numbers.has_last_edge,
          .edge = static_cast<Real>(numbers.edge)};
}

template <class Real>
class line_strips final : public backend::call {
 public:
  using stage = void (*)(const lane_lines<Real>&);

  line_strips(const kernels<Real>& kernel_set, const line_kernels<Real>& line_set,
              const lines_of_reals& request, const reduction& chosen, stage load, stage store)
      : kernels_(kernel_set),
        lines_(line_set),
        load_(load),
        store_(store),
        kind_(request::traits_of(request.kind)),
        in_(end_of(request.in, request.in_stored)),
        out_(end_of(request.out, request.out_stored)),
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
    return count_ * (in_.valid() * in_.number_bytes + out_.valid() * out_.number_bytes);
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
  static line_end end_of(const line_numbers& numbers, precision type) {
    const stored given = stored_as(type);
    return {numbers, given, given == stored::own ? sizeof(Real) : 2};
  }
  [[nodiscard]] std::size_t n_tiles() const noexcept { return (count_ + width_ - 1) / width_; }
  [[nodiscard]] std::size_t column_reals() const noexcept { return 2 * width_ * rows_of(chosen_); }
  /// Of columns, the lines on their way to them, and the strip's own.
  [[nodiscard]] std::size_t slot_bytes() const noexcept {
    const std::size_t n_lanes = std::max(in_.valid(), out_.valid()) * width_;
    return aligned_up((column_reals() + columns_.scratch_reals() + n_lanes) * sizeof(Real));
  }

  void run_tile(std::size_t first, const std::byte* in, std::byte* out, Real* slot) const {
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

  [[nodiscard]] lane_lines<Real> lines_of(const line_end& end, Real* slot) const {
    lane_lines<Real> lines = lanes_of<Real>(end.numbers);
    lines.roots = reinterpret_cast<const Real*>(roots_.bytes.data());
    lines.tile = slot;
    lines.points = chosen_.length;
    lines.packing = reinterpret_cast<const Real*>(packing_.data());
    return lines;
  }

  void fetch(std::size_t first, std::size_t n, const std::byte* in, Real* slot, Real* lanes) const {
    lane_lines<Real> lines = lines_of(in_, slot);
    if (n == width_ && in_.is_beside(first, n)) {
      lines.in = reinterpret_cast<const Real*>(in_.line_at(in, first));
      lines.pitch = in_.numbers.stride;
      return load_(lines);
    }
    if (n == width_ && in_.are_rows(first, n)) {
      lines_.gather({reinterpret_cast<const Real*>(in_.at(in, first)), lanes,
                     in_.numbers.loops[0].stride, in_.valid()});
    } else {
      if (n < width_) std::fill_n(lanes, in_.valid() * width_, Real{0});
      in_.by_runs(first, n, width_,
                  [&](const rectangle& shape, std::size_t line, std::size_t lane) {
                    kernels_.gather(shape, in_.at(in, line), lanes + lane);
                  });
    }
    lines.in = lanes;
    lines.pitch = width_;
    lines.origin = lines.first;
    load_(lines);
  }

  void put(std::size_t first, std::size_t n, Real* slot, Real* lanes, std::byte* out) const {
    lane_lines<Real> lines = lines_of(out_, slot);
    if (n == width_ && out_.is_beside(first, n)) {
      lines.out = reinterpret_cast<Real*>(out_.line_at(out, first));
      lines.pitch = out_.numbers.stride;
      return store_(lines);
    }
    lines.out = lanes;
    lines.pitch = width_;
    lines.origin = lines.first;
    store_(lines);
    if (n == width_ && out_.are_rows(first, n)) {
      return lines_.scatter({lanes, reinterpret_cast<Real*>(out_.at(out, first)),
                             out_.numbers.loops[0].stride, out_.valid()});
    }
    out_.by_runs(first, n, width_, [&](const rectangle& shape, std::size_t line, std::size_t lane) {
      kernels_.scatter(shape, lanes + lane, out_.at(out, line));
    });
  }

  kernels<Real> kernels_;
  line_kernels<Real> lines_;
  stage load_, store_;
  const request::traits& kind_;
  line_end in_, out_;
  std::size_t count_, width_;
  reduction chosen_;
  strip_transform<Real> columns_;
  Real scale_;
  programs::constant roots_;
  std::vector<std::complex<Real>> packing_;  ///< See lane_lines.
  unsigned n_threads_ = 1;
};

template <class Real>
std::shared_ptr<const backend::call> made(const kernels<Real>& kernel_set,
                                          const line_kernels<Real>& line_set,
                                          const lines_of_reals& request) {
  std::shared_ptr<const backend::call> result;
  const bool fill_lanes = 4 * request.count >= 3 * static_cast<std::size_t>(kernel_set.width);
  programs::reduced(request::traits_of(request.kind), request.in.length,
                    [&](const reduction& chosen, auto functor) {
                      const std::size_t rows = rows_of(chosen);
                      const bool is_short = rows <= limits.longest_wide_strip &&
                                            programs::fine_bits_of(chosen.roots) == 0;
                      const bool fits = rows > 1 && (has_radices(rows) || rows <= longest_chirped);
                      if (!fill_lanes || !is_short || !fits) return;
                      const line_kernel<decltype(functor), Real>& kernel = line_set;
                      result = std::make_shared<const line_strips<Real>>(
                          kernel_set, line_set, request, chosen, kernel.load, kernel.store);
                    });
  return result;
}

}  // namespace

std::shared_ptr<const backend::call> make_line_strips(const named_set& kernel_set,
                                                      const lines_of_reals& request) {
  if (request.real == precision::fp64) {
    return made<double>(kernel_set.kernels->fp64, kernel_set.lines->fp64, request);
  }
  return made<float>(kernel_set.kernels->fp32, kernel_set.lines->fp32, request);
}

}  // namespace wingbeat::backend::host
