// SPDX-License-Identifier: Apache-2.0
#include "backend/host/rows/small_reals.hpp"

#include <algorithm>  // all_of, fill_n, min
#include <string>
#include <utility>  // swap
#include <vector>

#include "backend/host/aligned.hpp"          // aligned_up, start_of
#include "backend/host/line_kernels.hpp"     // line_kernels
#include "backend/host/plan.hpp"             // make_plan
#include "backend/host/rows/row_method.hpp"  // is_matrix_quickest
#include "functors/stored_number.hpp"        // with_stored
#include "request/matrix_of_reals.hpp"       // matrix_of_reals
#include "text/formatted.hpp"                // formatted, joined

namespace wingbeat::backend::host {
namespace {

using request::traits;

constexpr std::size_t longest = 16;       ///< Of each axis.
constexpr std::size_t most_points = 512;  ///< Of one transform: two tiles of them stay in L1 or L2.
constexpr std::size_t most_alone = 4096;  ///< Points of a call that asks for no threads.

/// The matrix of one axis.
template <class Real>
struct axis_matrix {
  axis_matrix(const traits& kind, std::size_t n, bool orthogonalizes, long double scale)
      : length(n), factors(n * n) {
    const request::matrix_of_reals matrix{kind, n, orthogonalizes, scale};
    terms = matrix.terms;
    const std::size_t pitch = aligned_up(n * sizeof(Real)) / sizeof(Real);
    columns.resize(n * pitch);
    for (std::size_t i = 0; i < n * n; ++i) {
      factors[i] = static_cast<Real>(matrix.factors[i]);
      columns[i % n * pitch + i / n] = factors[i];
    }
  }

  std::size_t length;
  std::vector<std::size_t> terms;
  std::vector<Real> factors, columns;  ///< See axis_product.
};

/// An element of a transform that is in memory.
struct placed_element {
  std::size_t point = 0;  ///< Its number among all points, the last axis densest.
  std::size_t unit = 0;   ///< From the transform's first.
};

/// Where the transforms of one side lie.
struct small_side {
  explicit small_side(const arrays::array& side)
      : stored(side.stored), batches(side.batches), base(0 - side.lead()) {
    std::size_t points = 1;
    for (const arrays::axis& each : side.axes) points *= each.length;
    for (std::size_t point = 0; point < points; ++point) add(side, point);
    is_whole = elements.size() == points;
  }

  /// Returns the first unit of a transform: its number runs over all batch dimensions.
  [[nodiscard]] std::size_t first_of(std::size_t number) const {
    std::size_t unit = base;  // modulo 2^64
    for (auto batch = batches.rbegin(); batch != batches.rend(); ++batch) {
      unit += number % batch->count * batch->distance;
      number /= batch->count;
    }
    return unit;
  }

  precision stored;
  std::vector<arrays::batch> batches;
  std::size_t base;
  std::vector<placed_element> elements;
  bool is_whole = false;

 private:
  void add(const arrays::array& side, std::size_t point) {
    std::size_t rest = point, unit = 0;
    for (std::size_t a = side.axes.size(); a-- > 0;) {
      const arrays::axis& along = side.axes[a];
      const std::size_t i = rest % along.length;
      rest /= along.length;
      if (i < along.valid.first || i >= along.valid.end) return;
      unit += i * along.stride;
    }
    elements.push_back({point, unit});
  }
};

template <class Real>
class small_reals final : public backend::call {
  static constexpr std::size_t lanes = transforms_beside<Real>;

 public:
  small_reals(const line_kernels<Real>& line_set, const request::resolved_spec& request)
      : kernels_(line_set),
        request_(request),
        in_(request.in),
        out_(request.out),
        points_(request::points_of(request.spec)),
        count_(request.spec.batch) {
    const plan_spec& spec = request_.spec;
    for (std::size_t a = 0; a < spec.lengths.size(); ++a) {
      matrices_.emplace_back(request_.kind_of_axis(a), spec.lengths[a], spec.orthogonalize,
                             a == 0 ? request::factor_of(spec) : 1);
    }
  }

  [[nodiscard]] std::size_t traffic_bytes() const noexcept override {
    return request_.moved_in() + request_.moved_out();
  }
  [[nodiscard]] std::string explain() const override {
    return formatted("{} of {} reals by matrices, {} transforms at once",
                     name_of(request_.spec.kind), joined(request_.spec.lengths, "x"), lanes);
  }
  void enqueue(queue&, const backend::run& given) const override {
    run_all(start_of(given.in), start_of(given.out));
  }
  [[nodiscard]] direct_run direct() const noexcept override {
    return {[](const void* prepared, const std::byte* in, std::byte* out) {
              static_cast<const small_reals*>(prepared)->run_all(in, out);
            },
            this};
  }

 private:
  void run_all(const std::byte* in, std::byte* out) const {
    const std::size_t n_tiles = (count_ + lanes - 1) / lanes;
    const auto share = [&](std::size_t begin, std::size_t end, unsigned) {
      for (std::size_t tile = begin; tile < end; ++tile) run_tile(in, out, tile * lanes);
    };
    if (count_ * points_ <= most_alone) return share(0, n_tiles, 0);
    thread_pool& pool = thread_pool::shared();
    std::size_t terms = 0;
    for (const auto& matrix : matrices_) terms += matrix.length;
    const unsigned n_threads = pool.threads_for(static_cast<double>(count_ * points_ * terms));
    pool.share(n_tiles, limits.tiles_per_thread * n_threads, n_threads, share);
  }

  /// Few transforms go one by one: lanes are elements of a line.
  void run_tile(const std::byte* in, std::byte* out, std::size_t first) const {
    alignas(alignment_bytes) Real tiles[2][most_points * lanes];
    const std::size_t n = std::min(lanes, count_ - first);
    const bool are_alone = n <= lanes / 4;
    const std::size_t together = are_alone ? 1 : n, pitch = are_alone ? 1 : lanes;
    for (std::size_t i = 0; i < n; i += together) {
      if (!in_.is_whole || together < pitch) std::fill_n(tiles[0], points_ * pitch, Real{0});
      with_stored<Real>(in_.stored, [&](auto number) {
        gather(number, in, first + i, together, tiles[0], pitch);
      });
      const Real* const done = multiply(
          are_alone ? kernels_.along_axis_of_one : kernels_.along_axis, tiles[0], tiles[1]);
      with_stored<Real>(out_.stored, [&](auto number) {
        scatter(number, done, pitch, first + i, together, out);
      });
    }
  }

  /// Multiplies all axes, from one tile to the other in turn, and returns the last one written.
  template <class Kernel>
  const Real* multiply(Kernel along_axis, Real* from, Real* to) const {
    std::size_t inside = points_;
    for (const axis_matrix<Real>& matrix : matrices_) {
      inside /= matrix.length;
      along_axis({.length = matrix.length,
                  .inside = inside,
                  .points = points_,
                  .terms = matrix.terms.data(),
                  .factors = matrix.factors.data(),
                  .columns = matrix.columns.data()},
                 from, to);
      std::swap(from, to);
    }
    return from;
  }

  template <class Stored>
  void gather(Stored, const std::byte* memory, std::size_t first, std::size_t n, Real* tile,
              std::size_t pitch) const {
    for (std::size_t lane = 0; lane < n; ++lane) {
      const auto* const numbers =
          reinterpret_cast<const Stored*>(memory) + in_.first_of(first + lane);
      for (const auto& [point, unit] : in_.elements) {
        tile[point * pitch + lane] = static_cast<Real>(numbers[unit]);
      }
    }
  }
  template <class Stored>
  void scatter(Stored, const Real* tile, std::size_t pitch, std::size_t first, std::size_t n,
               std::byte* memory) const {
    for (std::size_t lane = 0; lane < n; ++lane) {
      auto* const numbers = reinterpret_cast<Stored*>(memory) + out_.first_of(first + lane);
      for (const auto& [point, unit] : out_.elements) {
        numbers[unit] = Stored(tile[point * pitch + lane]);
      }
    }
  }

  line_kernels<Real> kernels_;
  request::resolved_spec request_;
  small_side in_, out_;
  std::size_t points_, count_;
  std::vector<axis_matrix<Real>> matrices_;
};

/// Returns whether a side is one dense row of each transform, and rows that follow each other
/// evenly.
template <class Real>
bool is_dense(const arrays::array& side) {
  const arrays::axis& row = side.axes.front();
  const bool is_own = (side.stored == precision::fp64) == (sizeof(Real) == 8) &&
                      side.stored != precision::fp16 && side.stored != precision::bf16;
  std::size_t n_loops = 0;
  for (const arrays::batch& each : side.batches) n_loops += each.count > 1 ? 1 : 0;
  return is_own && row.stride == 1 && row.valid.first == 0 && row.valid.end == row.length &&
         side.lead() == 0 && n_loops <= 1;
}

template <class Real>
std::shared_ptr<const backend::call> made(const named_set& set,
                                          const request::resolved_spec& request) {
  const plan_spec& spec = request.spec;
  if (spec.lengths.size() == 1 && is_dense<Real>(request.in) && is_dense<Real>(request.out) &&
      is_matrix_quickest<Real>(request.kind, spec.lengths[0], spec.batch,
                               kernels_of<Real>(set).width)) {
    return make_plan(set, request);
  }
  const bool is_small = std::all_of(spec.lengths.begin(), spec.lengths.end(),
                                    [](std::size_t n) { return n <= longest; });
  if (!is_small || request::points_of(spec) > most_points) return nullptr;
  return std::make_shared<const small_reals<Real>>(line_kernels_of<Real>(set), request);
}

}  // namespace

std::shared_ptr<const backend::call> make_small_reals(const named_set& set,
                                                      const request::resolved_spec& request) {
  const plan_spec& spec = request.spec;
  const bool has_functors =
      spec.load.is_given() || spec.store.is_given() || spec.multiplier.is_given();
  if (!request.kind.is_real_to_real() || has_functors) return nullptr;
  if (spec.real == precision::fp64) return made<double>(set, request);
  return made<float>(set, request);
}

}  // namespace wingbeat::backend::host
