// SPDX-License-Identifier: Apache-2.0
#include "backend/host/rows/small_reals.hpp"

#include <algorithm>  // all_of, fill_n, min
#include <cstring>    // memcpy
#include <numbers>    // sqrt2_v
#include <string>
#include <utility>  // swap
#include <vector>

#include "backend/host/aligned.hpp"      // start_of
#include "backend/host/thread_pool.hpp"  // thread_pool
#include "formatted.hpp"                 // formatted, joined
#include "stored_number.hpp"             // with_stored
#include "wingbeat/roots.hpp"            // root

namespace wingbeat::backend::host {
namespace {

using request::basis;
using request::traits;

constexpr std::size_t longest = 16;       ///< Of each axis.
constexpr std::size_t most_points = 512;  ///< Of one transform: two tiles of them stay in L1 or L2.
constexpr std::size_t most_alone = 4096;  ///< Points of a call that asks for no threads.

/// Returns the factor of x[j] in element k of a kind whose functions are no sines of half steps.
long double factor_of(const traits& kind, std::size_t j, std::size_t k, std::size_t n) {
  const std::size_t order = kind.order(n);
  const auto w = root(kind.place_in(j) * kind.place_out(k) % order, order);
  if (kind.functions == basis::cas) return w.real() - w.imag();
  const long double part = kind.functions == basis::cosine ? w.real() : -w.imag();
  return kind.is_own_mirror_in(j, n) ? part : 2 * part;
}

/// As many numbers as a cache line has.
template <class Real>
inline constexpr std::size_t lanes_of = 64 / sizeof(Real);
template <class Real>
using lane_vector [[gnu::vector_size(64)]] = Real;

/// The matrix of one axis.  [k][term]; a sine transform of half steps adds the terms of the cosine
/// transform of which signs and reversal make it, in their order, so that both have the same bits.
template <class Real>
struct axis_matrix {
  axis_matrix(const traits& kind, std::size_t n, bool orthogonalizes, long double scale)
      : length(n),
        terms(n),
        factors(n * n),
        n_vectors((n + lanes_of<Real> - 1) / lanes_of<Real>),
        columns(n * n_vectors * lanes_of<Real>) {
    const bool is_made = kind.functions == basis::sine && (kind.half_in || kind.half_out);
    const bool alternates_in = is_made && kind.half_in && !kind.half_out;
    traits cosines = kind;
    if (is_made) cosines.functions = basis::cosine;
    for (std::size_t t = 0; t < n; ++t) terms[t] = is_made && !alternates_in ? n - 1 - t : t;
    for (std::size_t row = 0; row < n; ++row) {
      const std::size_t k = alternates_in ? n - 1 - row : row;
      for (std::size_t t = 0; t < n; ++t) {
        const bool is_negative = is_made && (alternates_in ? t : row) % 2 == 1;
        long double factor = scale * factor_of(cosines, t, k, n) * (is_negative ? -1 : 1);
        if (orthogonalizes && kind.is_own_mirror_in(terms[t], n)) factor *= root_2;
        if (orthogonalizes && kind.is_own_mirror_out(row, n)) factor /= root_2;
        factors[row * n + t] = static_cast<Real>(factor);
        columns[t * n_vectors * lanes_of<Real> + row] = static_cast<Real>(factor);
      }
    }
  }

  static constexpr long double root_2 = std::numbers::sqrt2_v<long double>;
  std::size_t length;
  std::vector<std::size_t> terms;  ///< Which sample each term has.
  std::vector<Real> factors;
  std::size_t n_vectors;      ///< Of the n elements of one line.
  std::vector<Real> columns;  ///< The same, [term][k], each row in whole vectors.
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
  static constexpr std::size_t lanes = lanes_of<Real>;
  using vector = lane_vector<Real>;

 public:
  explicit small_reals(const request::resolved_spec& request)
      : request_(request),
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

  void run_tile(const std::byte* in, std::byte* out, std::size_t first) const {
    const std::size_t n = std::min(lanes, count_ - first);
    if (n <= lanes / 4) {
      for (std::size_t i = 0; i < n; ++i) run_one(in, out, first + i);
      return;
    }
    vector tiles[2][most_points];
    vector *from = tiles[0], *to = tiles[1];
    if (!in_.is_whole || n < lanes) std::fill_n(from, points_, vector{});
    with_stored<Real>(in_.stored, [&](auto number) { gather(number, in, first, n, from); });
    std::size_t inside = points_;
    for (const axis_matrix<Real>& matrix : matrices_) {
      inside /= matrix.length;
      multiply(matrix, inside, from, to);
      std::swap(from, to);
    }
    with_stored<Real>(out_.stored, [&](auto number) { scatter(number, from, first, n, out); });
  }

  /// One transform: lanes are elements of a line.
  void run_one(const std::byte* in, std::byte* out, std::size_t number) const {
    Real points[2][most_points];
    Real *from = points[0], *to = points[1];
    if (!in_.is_whole) std::fill_n(from, points_, Real{0});
    with_stored<Real>(in_.stored, [&](auto stored) {
      const auto* const numbers =
          reinterpret_cast<const decltype(stored)*>(in) + in_.first_of(number);
      for (const auto& [point, unit] : in_.elements) from[point] = static_cast<Real>(numbers[unit]);
    });
    std::size_t inside = points_;
    for (const axis_matrix<Real>& matrix : matrices_) {
      inside /= matrix.length;
      multiply_one(matrix, inside, from, to);
      std::swap(from, to);
    }
    with_stored<Real>(out_.stored, [&](auto stored) {
      auto* const numbers = reinterpret_cast<decltype(stored)*>(out) + out_.first_of(number);
      for (const auto& [point, unit] : out_.elements) {
        numbers[unit] = decltype(stored)(from[point]);
      }
    });
  }

  /// Returns the first point of a line along an axis whose points are `inside` apart.
  static std::size_t first_of(std::size_t line, std::size_t inside, std::size_t length) {
    return line / inside * inside * length + line % inside;
  }

  void multiply(const axis_matrix<Real>& matrix, std::size_t inside, const vector* from,
                vector* to) const {
    const std::size_t n = matrix.length;
    for (std::size_t line = 0; line < points_ / n; ++line) {
      const std::size_t first = first_of(line, inside, n);
      for (std::size_t k = 0; k < n; ++k) {
        vector sums{};
        for (std::size_t t = 0; t < n; ++t) {
          sums += matrix.factors[k * n + t] * from[first + matrix.terms[t] * inside];
        }
        to[first + k * inside] = sums;
      }
    }
  }
  void multiply_one(const axis_matrix<Real>& matrix, std::size_t inside, const Real* from,
                    Real* to) const {
    const std::size_t n = matrix.length;
    for (std::size_t line = 0; line < points_ / n; ++line) {
      const std::size_t first = first_of(line, inside, n);
      for (std::size_t v = 0; v < matrix.n_vectors; ++v) {
        vector sums{};
        for (std::size_t t = 0; t < n; ++t) {
          vector factors;
          std::memcpy(&factors, &matrix.columns[(t * matrix.n_vectors + v) * lanes],
                      sizeof factors);
          sums += factors * from[first + matrix.terms[t] * inside];
        }
        for (std::size_t k = v * lanes; k < std::min(n, (v + 1) * lanes); ++k) {
          to[first + k * inside] = sums[k - v * lanes];
        }
      }
    }
  }

  template <class Stored>
  void gather(Stored, const std::byte* memory, std::size_t first, std::size_t n,
              vector* tile) const {
    for (std::size_t lane = 0; lane < n; ++lane) {
      const auto* const numbers =
          reinterpret_cast<const Stored*>(memory) + in_.first_of(first + lane);
      for (const auto& [point, unit] : in_.elements) {
        tile[point][lane] = static_cast<Real>(numbers[unit]);
      }
    }
  }
  template <class Stored>
  void scatter(Stored, const vector* tile, std::size_t first, std::size_t n,
               std::byte* memory) const {
    for (std::size_t lane = 0; lane < n; ++lane) {
      auto* const numbers = reinterpret_cast<Stored*>(memory) + out_.first_of(first + lane);
      for (const auto& [point, unit] : out_.elements) {
        numbers[unit] = Stored(tile[point][lane]);
      }
    }
  }
  request::resolved_spec request_;
  small_side in_, out_;
  std::size_t points_, count_;
  std::vector<axis_matrix<Real>> matrices_;
};

}  // namespace

std::shared_ptr<const backend::call> make_small_reals(const request::resolved_spec& request) {
  const plan_spec& spec = request.spec;
  const bool is_small = std::all_of(spec.lengths.begin(), spec.lengths.end(),
                                    [](std::size_t n) { return n <= longest; });
  const bool has_functors =
      spec.load.is_given() || spec.store.is_given() || spec.multiplier.is_given();
  if (!request.kind.is_real_to_real() || !is_small || has_functors ||
      request::points_of(spec) > most_points) {
    return nullptr;
  }
  if (spec.real == precision::fp64) return std::make_shared<const small_reals<double>>(request);
  return std::make_shared<const small_reals<float>>(request);
}

}  // namespace wingbeat::backend::host
