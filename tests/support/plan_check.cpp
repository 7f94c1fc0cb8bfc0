// SPDX-License-Identifier: Apache-2.0
#include "support/plan_check.hpp"

#include <fmt/format.h>

#include <algorithm>  // any_of, fill_n, max, min
#include <cmath>      // log2, sqrt
#include <complex>
#include <cstdint>  // uint64_t
#include <memory>   // make_shared
#include <optional>
#include <vector>

#include "reference/stored.hpp"           // load_number, store_number
#include "request/resolved.hpp"           // resolved_spec
#include "support/guarded.hpp"            // guarded, bytes
#include "support/numbered_functors.hpp"  // numbered_multiplier
#include "wingbeat/device/factors.hpp"    // is_product_of_radices
#include "wingbeat/devices.hpp"           // first_device
#include "wingbeat/error.hpp"             // plan_error, error
#include "wingbeat/wingbeat.hpp"          // buffer, plan

namespace wingbeat::test {
namespace {

using value = std::complex<long double>;

constexpr unsigned char poisons[] = {0xff, 0xa5, 0x00};  // the first is NaN in every precision

/// One element of one transform.
struct element {
  bool is_in_memory = false;
  std::size_t re_byte = 0, im_byte = 0;  // from the start of the buffer
};

/// Returns all elements, transform by transform, the last axis densest.
std::vector<element> elements_of(const arrays::array& array) {
  std::size_t count = 1;
  for (const arrays::batch& batch : array.batches) count *= batch.count;
  for (const arrays::axis& axis : array.axes) count *= axis.length;
  std::vector<element> all(count);
  for (std::size_t number = 0; number < count; ++number) {
    std::size_t rest = number, unit = 0;
    bool is_inside = true;
    for (std::size_t a = array.axes.size(); a-- > 0;) {
      const std::size_t i = rest % array.axes[a].length;
      rest /= array.axes[a].length;
      unit += (i - array.axes[a].placed.first) *
              array.axes[a].stride;  // modulo 2^64 where it is not there
      is_inside = is_inside && array.axes[a].valid.first <= i && i < array.axes[a].valid.end;
    }
    for (std::size_t b = array.batches.size(); b-- > 0;) {
      unit += rest % array.batches[b].count * array.batches[b].distance;
      rest /= array.batches[b].count;
    }
    const std::size_t re = unit * array.unit_bytes();
    const std::size_t plane = array.has_parts ? array.parts_distance : 1;
    all[number] = {is_inside, re, re + plane * array.real_bytes()};
  }
  return all;
}

/// Returns noise in [-1, 1] that the precision holds exactly.
long double noise_at(std::size_t place, precision real) {
  std::uint64_t random = place + 1;  // any mixing of bits will do
  for (int round = 0; round < 3; ++round) {
    random *= 0xd1342543de82ef95U;
    random ^= random >> 32;
  }
  const int digits = real == precision::fp32   ? 23
                     : real == precision::fp64 ? 52
                     : real == precision::fp16 ? 10
                                               : 7;
  const auto steps = random % ((std::uint64_t{2} << digits) + 1);
  return std::ldexp(static_cast<long double>(steps), -digits) - 1;
}

precision stored_in(const plan_spec& spec) {
  return spec.in.stored.value_or(spec.real);
}
precision stored_out(const plan_spec& spec) {
  return spec.out.stored.value_or(spec.real);
}

/// Returns whether Im of an element is not read: bin 0 and, of an even N, bin N/2 of a lone axis
/// that becomes real.
bool is_im_unread(const plan_spec& spec, std::size_t number) {
  if (spec.kind != transform::inverse_to_real || spec.lengths.size() > 1) return false;
  const std::size_t n = spec.lengths.front(), bin = number % (n / 2 + 1);
  return bin == 0 || 2 * bin == n;
}

/// The input's bytes, and what they stand for.
struct signal {
  explicit signal(const plan_spec& spec) : memory(input_bytes(spec), poisons[0]) {
    const arrays::array from = request::input_array(spec);
    const auto places = elements_of(from);
    const precision stored = stored_in(spec);
    auto* const address = reinterpret_cast<char*>(memory.data());
    for (std::size_t e = 0; e < places.size(); ++e) {
      const auto& [is_in_memory, re, im] = places[e];
      if (is_in_memory) reference::store_number(address + re, stored, noise_at(re, stored));
      if (is_in_memory && !from.is_real() && !is_im_unread(spec, e)) {
        reference::store_number(address + im, stored, noise_at(im, stored));
      }
    }
    // A place may serve several elements, so all are stored before any is taken.
    for (std::size_t e = 0; e < places.size(); ++e) {
      const auto& [is_in_memory, re, im] = places[e];
      value z = 0;
      if (is_in_memory) z = reference::load_number(address + re, stored);
      if (is_in_memory && !from.is_real() && !is_im_unread(spec, e)) {
        z.imag(reference::load_number(address + im, stored));
      }
      meaning.push_back(z);
    }
  }

  bytes memory;
  std::vector<value> meaning;
};

/// Returns every element of the output, from the reference engine on packed fp64.
std::vector<value> expected_output(const plan_spec& spec, const std::vector<value>& x) {
  queue on{first_device(engine::reference)};
  plan_spec wide{.lengths = spec.lengths,
                 .batch = spec.batch,
                 .kind = spec.kind,
                 .axis_kinds = spec.axis_kinds,
                 .real = precision::fp64,
                 .scale = spec.scale,
                 .orthogonalize = spec.orthogonalize,
                 .factor = spec.factor};
  if (spec.multiplier.is_given()) wide.multiplier = numbered_multiplier(wide);
  const plan oracle{on, wide};
  std::vector<double> numbers;
  for (const value z : x) {
    numbers.push_back(static_cast<double>(z.real()));
    if (!request::input_array(spec).is_real()) numbers.push_back(static_cast<double>(z.imag()));
  }
  buffer in{on, input_bytes(oracle.spec())}, out{on, output_bytes(oracle.spec())};
  in.write(numbers.data(), in.size_bytes());
  oracle.enqueue(on, in.view(), out.view());
  numbers.resize(out.size_bytes() / sizeof(double));
  out.read(numbers.data(), out.size_bytes());
  if (request::output_array(spec).is_real()) return {numbers.begin(), numbers.end()};
  std::vector<value> y;
  for (std::size_t k = 0; k < numbers.size(); k += 2) y.emplace_back(numbers[k], numbers[k + 1]);
  return y;
}

/// Returns the length of the transform that makes an axis, up to a factor of 2: dct1 and dst1
/// continue theirs.
std::size_t transformed_length(const plan_spec& spec, std::size_t axis) {
  const std::size_t n = spec.lengths[axis];
  const std::size_t logical = request::kind_of_axis(spec, axis).logical_length(n);
  return logical % n == 0 ? n : logical / 2;
}

/// Returns whether an axis is no product of radices.
bool has_chirp(const plan_spec& spec) {
  bool result = false;
  for (std::size_t a = 0; a < spec.lengths.size(); ++a) {
    result |= !device::is_product_of_radices(transformed_length(spec, a));
  }
  return result;
}

/// The bounds of one request; plan_check.hpp states them.
struct bounds {
  explicit bounds(const plan_spec& spec) {
    const bool is_fp64 = spec.real == precision::fp64;
    const long double u = is_fp64 ? 0x1p-53L : 0x1p-24L;
    const bool is_scaled = spec.scale != scaling::none || spec.factor != 1;
    const long double factor = (is_scaled ? 2 : 0) + (is_fp64 ? 1 : 0);
    const int transforms = spec.multiplier.is_given() ? 2 : 1;
    const long double log2 = transforms * std::log2(request::logical_points_of(spec));
    l2 = u * ((is_fp64 ? 1.25L : 1.0L) * (has_chirp(spec) ? 1.3L : 1) * std::sqrt(log2) + factor);
    of_largest = 12 * u * std::sqrt(static_cast<long double>(transforms));
    if (stored_out(spec) == precision::fp16) {
      l2 += 3e-4L;
      of_element = 0x1p-11L;
      absolute = 0x1p-25L;  // half of the least positive number
    } else if (stored_out(spec) == precision::bf16) {
      l2 += 2.4e-3L;
      of_element = 0x1p-8L;
    }
  }

  long double l2, of_largest, of_element = 0, absolute = 0;
};

/// Returns how many numbers of the input one transform depends on.
long double distinct_inputs(const plan_spec& spec) {
  long double count = 1;
  for (const arrays::axis& axis : request::input_array(spec).axes) {
    if (axis.stride != 0) count *= static_cast<long double>(axis.valid.end - axis.valid.first);
  }
  return count;
}

/// The written elements of one transform, and how far each is off.
struct comparison {
  long double error = 0, energy = 0, fourth = 0;  // sums of squares, and of their squares
  long double share = 0;                          // of what is allowed, that the largest error has
  std::size_t n_written = 0;
  std::optional<std::string> fault;

  /// Returns how many elements hold the energy: m where all are equal, 1 where one holds it all.
  [[nodiscard]] long double n_large() const { return fourth == 0 ? 1 : energy * energy / fourth; }

  /// `rounding` is what storing the element may lose.
  void add(std::size_t number, value got, value expected, long double bound, long double rounding) {
    const long double off = std::abs(got - expected), allowed = bound + rounding;
    error += off * off;
    energy += std::norm(expected);
    fourth += std::norm(expected) * std::norm(expected);
    ++n_written;
    if (off > rounding) share = std::max(share, (off - rounding) / bound);
    if (off <= allowed || fault) return;  // NaN is not
    fault = fmt::format(
        "element {} is {:.9Lg}{:+.9Lg}i and {:.9Lg}{:+.9Lg}i was expected, {:.2Lg} "
        "off where {:.2Lg} is allowed",
        number, got.real(), got.imag(), expected.real(), expected.imag(), off, allowed);
  }
};

value element_in(const bytes& memory, const element& where, const arrays::array& array,
                 precision real) {
  const auto* const address = reinterpret_cast<const char*>(memory.data());
  const auto re = reference::load_number(address + where.re_byte, real);
  return {re, array.is_real() ? 0 : reference::load_number(address + where.im_byte, real)};
}

/// Returns the fault, or how close to the bounds the largest error is.
plan_verdict accuracy(const plan_spec& spec, const std::vector<value>& expected, const bytes& out) {
  plan_verdict verdict;
  const arrays::array to = request::output_array(spec);
  const auto places = elements_of(to);
  const bounds allowed{spec};
  const long double inputs = distinct_inputs(spec);
  const std::size_t n = places.size() / spec.batch;
  for (std::size_t t = 0; t < spec.batch; ++t) {
    long double most = 0, energy = 0;
    for (std::size_t e = t * n; e < (t + 1) * n; ++e) {
      most = std::max(most, std::abs(expected[e]));
      energy += std::norm(expected[e]);
    }
    comparison all;
    for (std::size_t e = t * n; e < (t + 1) * n; ++e) {
      if (!places[e].is_in_memory) continue;
      all.add(e - t * n, element_in(out, places[e], to, stored_out(spec)), expected[e],
              allowed.of_largest * most * (1 + 1.5L / std::sqrt(inputs)),
              allowed.of_element * std::abs(expected[e]) + std::sqrt(2.0L) * allowed.absolute);
    }
    if (all.fault) {
      return {plan_verdict::wrong, fmt::format("transform {}: {}", t, *all.fault), all.share};
    }
    const auto m = static_cast<long double>(all.n_written);
    const long double size =
        std::sqrt(std::max(all.energy, energy * m / static_cast<long double>(n)));
    const long double bound =
        (1 + 1.5L / std::sqrt(std::min(inputs, all.n_large()))) * allowed.l2 * size +
        allowed.absolute * std::sqrt(2 * m);
    if (all.error > 0) all.share = std::max(all.share, std::sqrt(all.error) / bound);
    verdict.share = std::max(verdict.share, all.share);
    if (std::sqrt(all.error) <= bound) continue;
    return {plan_verdict::wrong,
            fmt::format("transform {}: the L2 error is {:.3Lg}, {:.3Lg} is allowed", t,
                        std::sqrt(all.error), bound),
            all.share};
  }
  return verdict;
}

/// Returns 1 for each byte of the output that a run writes.
bytes written(const plan_spec& spec) {
  const arrays::array to = request::output_array(spec);
  bytes mask(output_bytes(spec), 0);
  const auto mark = [&](std::size_t first) {
    std::fill_n(mask.begin() + static_cast<std::ptrdiff_t>(first), to.real_bytes(), 1);
  };
  for (const auto& [is_in_memory, re, im] : elements_of(to)) {
    if (!is_in_memory) continue;
    mark(re);
    if (!to.is_real()) mark(im);
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
    const guarded in{on_, x_.memory, shift_of(stored_in(drawn_.spec)), poisons[0]};
    const bytes poisoned(output_bytes(drawn_.spec), poison);
    const guarded apart{on_, drawn_.is_one_buffer ? bytes{} : poisoned,
                        shift_of(stored_out(drawn_.spec)), poison};
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
  const auto made = std::make_shared<const plan>(on, spec);
  return {made->workspace_bytes(),
          [made, &on](buffer_view in, buffer_view out, buffer_view workspace) {
            made->enqueue(on, in, out, workspace);
          },
          [made](std::size_t place) { return made->bin_at(place); }};
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

}  // namespace wingbeat::test
