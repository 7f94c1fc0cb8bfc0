// SPDX-License-Identifier: Apache-2.0
#include "support/plan_check.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>  // fill_n, max, min
#include <cmath>      // ldexp, sqrt
#include <complex>
#include <cstdint>  // uint64_t
#include <memory>   // make_shared
#include <optional>
#include <vector>

#include "request/resolved.hpp"           // resolved_spec
#include "support/numbered_functors.hpp"  // numbered_multiplier
#include "verify/agreement.hpp"           // compare
#include "verify/elements.hpp"            // place_of
#include "verify/guarded.hpp"             // guarded, bytes
#include "verify/judge.hpp"               // reference_output
#include "wingbeat/error.hpp"             // plan_error, error
#include "wingbeat/wingbeat.hpp"          // buffer, plan

namespace wingbeat::test {
namespace {

using value = std::complex<double>;
using verify::bytes, verify::guarded;

constexpr unsigned char poisons[] = {0xff, 0xa5, 0x00};  // the first is NaN in every precision

/// Returns the elements of all transforms of a side.
std::size_t n_elements(const arrays::array& array) {
  std::size_t count = array.elements();
  for (const arrays::batch& batch : array.batches) count *= batch.count;
  return count;
}

/// The input's bytes, and what they stand for.
struct signal {
  explicit signal(const plan_spec& spec) : memory(input_bytes(spec), poisons[0]) {
    const arrays::array input = request::input_array(spec);
    const std::size_t n = n_elements(input);
    for (std::size_t e = 0; e < n; ++e) {
      const value noise{verify::noise_at(2 * e), verify::noise_at(2 * e + 1)};
      verify::store_element(spec, input, e, noise, memory.data());
    }
    // A place may serve several elements, so all are stored before any is taken.
    for (std::size_t e = 0; e < n; ++e) {
      meaning.emplace_back(verify::load_element(input, e, memory.data()));
      if (verify::is_real_alone(spec, e)) meaning.back().imag(0);
    }
  }

  bytes memory;
  std::vector<value> meaning;
};

/// Returns every element of the output, from the reference engine on packed fp64.
std::vector<value> expected_output(const plan_spec& spec, const std::vector<value>& x) {
  plan_spec wide{.lengths = spec.lengths,
                 .batch = spec.batch,
                 .kind = spec.kind,
                 .axis_kinds = spec.axis_kinds,
                 .real = precision::fp64,
                 .scale = spec.scale,
                 .orthogonalize = spec.orthogonalize,
                 .factor = spec.factor};
  if (spec.multiplier.is_given()) wide.multiplier = numbered_multiplier(wide);
  std::vector<double> numbers;
  for (const value z : x) {
    numbers.push_back(z.real());
    if (!request::input_array(spec).is_real()) numbers.push_back(z.imag());
  }
  numbers = verify::reference_output(wide, numbers);
  if (request::output_array(spec).is_real()) return {numbers.begin(), numbers.end()};
  std::vector<value> y;
  for (std::size_t k = 0; k < numbers.size(); k += 2) y.emplace_back(numbers[k], numbers[k + 1]);
  return y;
}

/// Returns how many numbers of the input one transform depends on.
double distinct_inputs(const plan_spec& spec) {
  double count = 1;
  for (const arrays::axis& axis : request::input_array(spec).axes) {
    if (axis.stride != 0) count *= static_cast<double>(axis.valid.end - axis.valid.first);
  }
  return count;
}

/// Returns the arithmetic of a request: a factor and its product are rounded, and in fp64 so is the
/// oracle.
verify::computation computation_of(const plan_spec& spec) {
  const bool is_scaled = spec.scale != scaling::none || spec.factor != 1;
  return {.n = request::logical_points_of(spec),
          .real = spec.real,
          .n_roundings = (is_scaled ? 2.0 : 0) + (spec.real == precision::fp64 ? 1 : 0),
          .n_transforms = spec.multiplier.is_given() ? 2 : 1,
          .stored = request::output_array(spec).stored};
}

/// Returns the fault, or how close to the bounds the largest error is.
plan_verdict accuracy(const plan_spec& spec, const std::vector<value>& expected, const bytes& out) {
  plan_verdict verdict;
  const arrays::array output = request::output_array(spec);
  const double inputs = distinct_inputs(spec);
  const std::size_t n = output.elements();
  for (std::size_t t = 0; t < expected.size() / n; ++t) {
    verify::sampling part{.n_averaged = inputs, .n_inputs = inputs};
    double energy = 0, compared_energy = 0, fourth = 0;
    std::vector<double> got, exact;
    std::vector<std::size_t> numbers;
    for (std::size_t e = t * n; e < (t + 1) * n; ++e) {
      const double power = std::norm(expected[e]);
      part.largest = std::max(part.largest, std::abs(expected[e]));
      energy += power;
      if (!verify::place_of(output, e).is_in_memory) continue;
      compared_energy += power;
      fourth += power * power;
      const value z{verify::load_element(output, e, out.data())};
      got.insert(got.end(), {z.real(), z.imag()});
      exact.insert(exact.end(), {expected[e].real(), expected[e].imag()});
      numbers.push_back(e - t * n);
    }
    part.share_l2 =
        std::sqrt(energy * static_cast<double>(numbers.size()) / static_cast<double>(n));
    // So many elements hold the energy: all where they are equal, 1 where one holds it.
    if (fourth > 0) part.n_averaged = std::min(inputs, compared_energy * compared_energy / fourth);
    auto found = verify::compare(got, exact, arrays::element::complex, computation_of(spec), part);
    verdict.share = std::max(verdict.share, found.share());
    if (found.is_within) continue;
    if (found.wrong) found.wrong->number = numbers[found.wrong->number];
    return {plan_verdict::wrong,
            fmt::format("transform {}: {}", t,
                        found.wrong ? text_of(*found.wrong) : breach_text(found)),
            found.share()};
  }
  return verdict;
}

/// Returns 1 for each byte of the output that a run writes.
bytes written(const plan_spec& spec) {
  const arrays::array output = request::output_array(spec);
  bytes mask(output_bytes(spec), 0);
  const auto mark = [&](std::size_t first) {
    std::fill_n(mask.begin() + static_cast<std::ptrdiff_t>(first), output.real_bytes(), 1);
  };
  for (std::size_t e = 0; e < n_elements(output); ++e) {
    const auto [is_in_memory, re, im] = verify::place_of(output, e);
    if (!is_in_memory) continue;
    mark(re);
    if (!output.is_real()) mark(im);
  }
  return mask;
}

/// Returns whether a run may leave anything in the places that it does not write.
bool has_padding(const plan_spec& spec) {
  return request::traits_of(spec.kind).has_half_spectrum() && spec.where == placement::in_place;
}

/// One run after another on buffers of their own.
class session {
 public:
  session(queue& on, const drawn_plan& drawn, const planned_run& planned)
      : on_(on), drawn_(drawn), with_(planned), x_(drawn.spec), written_(written(drawn.spec)) {
    if (drawn.is_one_buffer) {
      const std::size_t room = std::max(x_.memory.size(), written_.size());
      x_.memory.resize(room, poisons[0]);
      written_.resize(room, 0);
    }
    may_change_ = has_padding(drawn.spec) ? bytes(written_.size(), 1) : written_;
  }

  plan_verdict check() {
    plan_verdict verdict;
    bytes first;
    for (const unsigned char poison : poisons) {
      bytes out;
      if (const auto fault = run(poison, out)) return {plan_verdict::wrong, *fault};
      for (std::size_t b = 0; b < out.size(); ++b) out[b] = written_[b] != 0 ? out[b] : 0;
      if (first.empty()) {
        first = out;
        const auto expected = expected_of_places();
        verdict = accuracy(drawn_.spec, expected, out);
        if (verdict.is != plan_verdict::right) return verdict;
      }
      if (out != first) return {plan_verdict::wrong, "two runs gave different bits"};
    }
    return verdict;
  }

 private:
  /// Returns what each element of the output is to be, bins where the plan says they lie.
  [[nodiscard]] std::vector<value> expected_of_places() const {
    if (drawn_.spec.bins == bin_order::natural) return expected_output(drawn_.spec, x_.meaning);
    const std::size_t n = drawn_.spec.lengths.front();
    const auto bin_of = [&](std::size_t e) { return e / n * n + with_.bin_at(e % n); };
    std::vector<value> x = x_.meaning, y(x.size());
    if (drawn_.spec.kind == transform::inverse) {
      for (std::size_t e = 0; e < x.size(); ++e) x[bin_of(e)] = x_.meaning[e];
      return expected_output(drawn_.spec, x);
    }
    x = expected_output(drawn_.spec, x);
    for (std::size_t e = 0; e < x.size(); ++e) y[e] = x[bin_of(e)];
    return y;
  }

  std::optional<std::string> run(unsigned char poison, bytes& result) {
    const auto shift_of = [&](precision stored) {
      return drawn_.shift * 2 * bytes_of_real(stored);
    };
    const guarded in{on_, x_.memory, shift_of(request::input_array(drawn_.spec).stored),
                     poisons[0]};
    const bytes poisoned(output_bytes(drawn_.spec), poison);
    const guarded apart{on_, drawn_.is_one_buffer ? bytes{} : poisoned,
                        shift_of(request::output_array(drawn_.spec).stored), poison};
    const guarded& out = drawn_.is_one_buffer ? in : apart;
    const std::size_t scratch_bytes = drawn_.has_own_workspace ? with_.workspace_bytes : 0;
    const guarded scratch{on_, bytes(scratch_bytes, poison), 0, poison};
    with_.run(in.view(), out.view(), scratch_bytes == 0 ? buffer_view{} : scratch.view());
    on_.wait();
    result = out.inner();
    auto fault = out.trespass("output", may_change_);
    if (!fault && !drawn_.is_one_buffer) fault = in.trespass("input", bytes(x_.memory.size(), 0));
    if (!fault) fault = scratch.trespass("workspace", bytes(scratch_bytes, 1));
    return fault;
  }

  queue& on_;
  const drawn_plan& drawn_;
  const planned_run& with_;
  signal x_;
  bytes written_, may_change_;  // 1 for each byte
};

}  // namespace

planned_run made_by_plan(queue& on, const plan_spec& spec) {
  const auto planned = std::make_shared<const plan>(on, spec);
  return {planned->workspace_bytes(),
          [planned, &on](buffer_view in, buffer_view out, buffer_view workspace) {
            planned->enqueue(on, in, out, workspace);
          },
          [planned](std::size_t place) { return planned->bin_at(place); }};
}

plan_verdict check_plan(queue& on, const drawn_plan& drawn, const run_maker& make) {
  try {
    const planned_run planned = make(on, drawn.spec);
    return session{on, drawn, planned}.check();
  } catch (const plan_error& why) {
    const std::string said = why.what();
    const bool is_refusal = said.find("so far") != std::string::npos;
    return {is_refusal ? plan_verdict::refused : plan_verdict::wrong, said};
  } catch (const error& why) {
    return {plan_verdict::wrong, why.what()};
  }
}

void expect_right_plan(queue& on, const plan_spec& spec, std::size_t shift) {
  const auto [is, why, share] = check_plan(
      on, {.spec = spec, .is_one_buffer = spec.where == placement::in_place, .shift = shift});
  EXPECT_EQ(is, plan_verdict::right) << "plan_spec" << as_initialiser(spec) << "\n" << why;
}

}  // namespace wingbeat::test
