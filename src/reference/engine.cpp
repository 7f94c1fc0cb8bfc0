// SPDX-License-Identifier: Apache-2.0
// The engine `reference`: each row widened to long double, transformed, rounded once.
#include <fmt/core.h>
#include <unistd.h>  // sysconf

#include <cmath>   // sqrt
#include <limits>  // numeric_limits
#include <new>     // bad_alloc

#include "backend/backend.hpp"  // engine, plan
#include "reference/dft_by_definition.hpp"
#include "reference/ends.hpp"  // ends
#include "reference/iterative.hpp"
#include "reference/queue.hpp"  // queue, first_byte
#include "side.hpp"             // require_plain
#include "wingbeat/error.hpp"   // device_error

namespace wingbeat::reference {
namespace {

constexpr std::size_t longest_by_definition = 64;

direction direction_of(transform kind) {
  const bool is_forward = kind == transform::forward || kind == transform::forward_from_real;
  return is_forward ? direction::forward : direction::inverse;
}

long double scale_of(const plan_spec& what) {
  const long double n = what.lengths.front();
  switch (what.scale) {
    case scaling::none: return 1;
    case scaling::by_length: return 1 / n;
    case scaling::by_sqrt_length: return 1 / std::sqrt(n);
  }
  return 1;
}

/// Fills x from one row of input. Of a half spectrum, bins 0 and N/2 are real by contract and the
/// bins above N/2 are the conjugates of those below.
template <class Real>
void load(transform kind, const Real* from, row<long double>& x) {
  const std::size_t n = x.size();
  if (kind == transform::forward_from_real) {
    for (std::size_t j = 0; j < n; ++j) x[j] = from[j];
  } else if (kind == transform::inverse_to_real) {
    x[0] = from[0];
    x[n / 2] = from[n];
    for (std::size_t k = 1; k < n / 2; ++k) {
      x[k] = {from[2 * k], from[2 * k + 1]};
      x[n - k] = std::conj(x[k]);
    }
  } else {
    for (std::size_t j = 0; j < n; ++j) x[j] = {from[2 * j], from[2 * j + 1]};
  }
}

/// Writes one row of output: all bins, the lower half and its end, or the real parts.
template <class Real>
void store(transform kind, const row<long double>& x, long double scale, Real* to) {
  if (kind == transform::inverse_to_real) {
    for (std::size_t j = 0; j < x.size(); ++j) to[j] = static_cast<Real>(scale * x[j].real());
    return;
  }
  const std::size_t bins = kind == transform::forward_from_real ? x.size() / 2 + 1 : x.size();
  for (std::size_t k = 0; k < bins; ++k) {
    to[2 * k] = static_cast<Real>(scale * x[k].real());
    to[2 * k + 1] = static_cast<Real>(scale * x[k].imag());
  }
}

/// Returns what `work` returns; says which request was too large where memory runs out.
template <class Work>
auto within_memory(const plan_spec& what, Work work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    throw device_error(
        fmt::format("memory for a row of {} values in long double ran out; transform shorter rows",
                    what.lengths.front()));
  }
}

class plan final : public backend::plan {
 public:
  explicit plan(const plan_spec& what)
      : what_(what), length_(what.lengths.front()), scale_(scale_of(what)) {
    if (length_ <= longest_by_definition) return;
    roots_ = roots_of_unity<long double>(length_ / 2, length_, direction_of(what.kind));
  }

  [[nodiscard]] std::size_t workspace_bytes() const noexcept override { return 0; }

  [[nodiscard]] std::size_t traffic_bytes() const noexcept override {
    return input_bytes(what_) + output_bytes(what_);
  }

  [[nodiscard]] std::string explain() const override {
    return fmt::format(
        "{} of length {}: {} in long double, rounded once to {}", name_of(what_.kind), length_,
        roots_.empty() ? "the sum that defines it" : "bit reversal and radix-2 stages",
        name_of(what_.real));
  }

  void enqueue(backend::queue& on, buffer_view in, buffer_view out, buffer_view) const override {
    const auto held = on.lock();  // one run after another, as on any queue
    within_memory(
        what_, [&] { what_.real == precision::fp32 ? run<float>(in, out) : run<double>(in, out); });
  }

 private:
  template <class Real>
  void run(buffer_view in, buffer_view out) const {
    ends<Real> row_ends{what_};
    const std::size_t in_step = input_bytes(what_) / what_.batch / sizeof(Real);
    const std::size_t out_step = output_bytes(what_) / what_.batch / sizeof(Real);
    row<long double> x(length_);
    for (std::size_t r = 0; r < what_.batch; ++r) {
      // Rows that grow are written last first: where `in` is `out`, no row covers an unread one.
      const std::size_t at = out_step > in_step ? what_.batch - 1 - r : r;
      load(what_.kind, row_ends.loaded(first_byte(in), at, in_step), x);
      if (roots_.empty()) {
        x = dft_by_definition(x, direction_of(what_.kind));
      } else {
        iterative(x, roots_);
      }
      store(what_.kind, x, scale_, row_ends.to_store(first_byte(out), at, out_step));
      row_ends.store(first_byte(out), at);
    }
  }

  plan_spec what_;
  std::size_t length_;
  long double scale_;
  row<long double> roots_;  // w^0 .. w^(N/2-1); empty where the definition is summed
};

class engine final : public backend::engine {
 public:
  [[nodiscard]] std::vector<device_info> devices() const override {
    device_info here;
    here.runs_on = wingbeat::engine::reference;
    here.name = "textbook algorithms, long double";
    here.architecture = "scalar";
    here.version = fmt::format("{}-bit significand", std::numeric_limits<long double>::digits);
    here.memory_bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                        static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return {here};
  }

  [[nodiscard]] std::string why_absent() const override { return {}; }

  [[nodiscard]] std::shared_ptr<backend::queue> open(const device_info& where) const override {
    return std::make_shared<queue>(where);
  }

  [[nodiscard]] std::shared_ptr<const backend::plan> make_plan(
      const std::shared_ptr<backend::queue>&, const plan_spec& what) const override {
    require_plain(what, "engine reference");
    return within_memory(what, [&] { return std::make_shared<const plan>(what); });
  }
};

}  // namespace
}  // namespace wingbeat::reference

namespace wingbeat::backend {

const engine& reference_engine() {
  static const reference::engine the_engine;
  return the_engine;
}

}  // namespace wingbeat::backend
