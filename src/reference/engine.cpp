// SPDX-License-Identifier: Apache-2.0
// The engine `reference`: widens every transform to long double, transforms it, and rounds once.
#include <unistd.h>  // sysconf

#include <algorithm>  // all_of, any_of
#include <bit>        // has_single_bit
#include <cstring>    // memset
#include <limits>     // numeric_limits
#include <memory>     // make_unique
#include <new>        // bad_alloc
#include <string>

#include "backend/backend.hpp"        // engine, call
#include "programs/program.hpp"       // program
#include "reference/axis.hpp"         // axis, mirror_rows
#include "reference/ends.hpp"         // ends
#include "reference/filter_bank.hpp"  // filter_bank
#include "reference/queue.hpp"        // queue, first_byte
#include "reference/real_axis.hpp"    // real_axis
#include "request/resolved.hpp"       // resolved_spec, factor_of, points_of
#include "text/formatted.hpp"         // formatted, joined
#include "wingbeat/error.hpp"         // device_error

namespace wingbeat::reference {
namespace {

/// Returns the result of `work`; if memory runs out, throws an error that names the request.
template <class Work>
auto within_memory(const plan_spec& spec, Work work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    throw device_error(
        formatted("memory for {} values in long double ran out; transform fewer at a time",
                  joined(spec.lengths, "x")));
  }
}

class plan final : public backend::call {
 public:
  explicit plan(const request::resolved_spec& request) : request_(request) {
    const auto sign = request.kind.is_forward ? direction::forward : direction::inverse;
    for (std::size_t a = 0; a < spec_.lengths.size(); ++a) {
      const std::size_t n = spec_.lengths[a];
      if (request.kind.is_real_to_real()) {
        const request::traits& kind = request.kind_of_axis(a);
        real_axes_.emplace_back(kind, n, spec_.orthogonalize);
        if (!spec_.multiplier.is_given()) continue;
        undoing_axes_.emplace_back(request::traits_of(kind.opposite), n, false);
      } else {
        axes_.emplace_back(n, sign);
      }
    }
  }

  [[nodiscard]] std::size_t traffic_bytes() const noexcept override {
    return request_.moved_in() + request_.moved_out();
  }

  [[nodiscard]] std::string explain() const override {
    if (request_.kind.is_real_to_real()) {
      std::string kinds;
      for (std::size_t a = 0; a < spec_.lengths.size(); ++a) {
        kinds += formatted("{}{}", a == 0 ? "" : " x ", request_.kind_of_axis(a).name);
      }
      return formatted(
          "{} of length {}{}: the sums that define them, parts of one DFT of each line, "
          "in long double, rounded once to {}",
          kinds, joined(spec_.lengths, "x"),
          spec_.multiplier.is_given() ? ", times the multiplier, and back" : "",
          name_of(request_.out.stored));
    }
    const auto is_short = [](const axis& along) { return along.is_by_definition(); };
    const auto is_binary = [](std::size_t n) { return std::has_single_bit(n); };
    const auto has_chirp = [](const axis& along) { return along.is_by_chirp(); };
    const bool has_digits = !std::all_of(spec_.lengths.begin(), spec_.lengths.end(), is_binary);
    const bool is_all = std::all_of(axes_.begin(), axes_.end(), is_short);
    const bool is_any = std::any_of(axes_.begin(), axes_.end(), is_short);
    const char* const stages = has_digits ? "digit reversal and a stage for each prime factor"
                                          : "bit reversal and radix-2 stages";
    const auto algorithm = is_all   ? std::string{"the sum that defines it"}
                           : is_any ? formatted("sums along short axes, {} along long", stages)
                                    : std::string{stages};
    const bool is_chirped = std::any_of(axes_.begin(), axes_.end(), has_chirp);
    return formatted("{} of length {}: {}{} in long double, rounded once to {}",
                     name_of(spec_.kind), joined(spec_.lengths, "x"), algorithm,
                     is_chirped ? ", prime factors above 100 by Bluestein's chirp" : "",
                     name_of(request_.out.stored));
  }

  void enqueue(backend::queue& /*on*/, const backend::run& given) const override {
    within_memory(spec_, [&] {
      const ends memory{request_, given};
      if (spec_.store.clears_output) std::memset(first_byte(given.out), 0, spec_.store.out_bytes);
      const long double scale = request::factor_of(spec_);
      row<long double> points(request::points_of(spec_));
      for (std::size_t number = 0; number < spec_.batch; ++number) {
        memory.load(first_byte(given.in), number, points);
        transform_all(points, real_axes_);
        if (spec_.multiplier.is_given()) {
          memory.multiply(number, points);
          transform_all(points, undoing_axes_);
        }
        memory.store(points, scale, first_byte(given.out), number);
      }
    });
  }

 private:
  /// Transforms every axis, the last one last, because there a half spectrum becomes real numbers.
  void transform_all(row<long double>& points, const std::vector<real_axis>& real_axes) const {
    std::size_t stride = points.size();
    for (std::size_t a = 0; a < spec_.lengths.size(); ++a) {
      stride /= spec_.lengths[a];
      if (request_.kind.is_real_to_real()) {
        real_axes[a](points, stride);
        continue;
      }
      const bool is_last = a + 1 == axes_.size();
      if (is_last && request_.kind.in == request::domain::hermitian) {
        mirror_rows(points, spec_.lengths[a]);
      }
      axes_[a](points, stride);
    }
  }

  request::resolved_spec request_;
  const plan_spec& spec_ = request_.spec;
  std::vector<axis> axes_;
  std::vector<real_axis> real_axes_;     ///< Used instead for transforms from reals to reals.
  std::vector<real_axis> undoing_axes_;  ///< Used after a multiplier.
};

class engine final : public backend::engine {
 public:
  [[nodiscard]] std::vector<device_info> devices() const override {
    device_info processor;
    processor.runs_on = wingbeat::engine::reference;
    processor.name = "textbook algorithms, long double";
    processor.architecture = "scalar";
    processor.version = formatted("{}-bit significand", std::numeric_limits<long double>::digits);
    processor.memory_bytes = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                             static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    return {processor};
  }

  [[nodiscard]] std::string why_absent() const override { return {}; }

  [[nodiscard]] std::shared_ptr<backend::queue> open(const device_info& device) const override {
    backend::require_only_device(device);
    return std::make_shared<queue>(device);
  }

  [[nodiscard]] std::optional<programs::program> realise(
      const std::shared_ptr<backend::queue>&, const backend::step_request& step) const override {
    programs::program steps;
    if (const auto* const bank = std::get_if<backend::bank_request>(&step)) {
      steps.add(std::make_shared<const filter_bank>(*bank));
      return steps;
    }
    const auto* const transform = std::get_if<request::resolved_spec>(&step);
    if (transform == nullptr) return std::nullopt;
    steps.add(
        within_memory(transform->spec, [&] { return std::make_shared<const plan>(*transform); }));
    return steps;
  }
};

}  // namespace
}  // namespace wingbeat::reference

namespace wingbeat::backend {

const engine& reference_engine() {
  // Never destroyed: objects with static storage may use it in their destructors.
  static const auto& instance = *std::make_unique<const reference::engine>().release();
  return instance;
}

}  // namespace wingbeat::backend
