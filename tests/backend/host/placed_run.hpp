// SPDX-License-Identifier: Apache-2.0
// Requests of any layout run on a host plan: elements put where the layout says and nowhere else,
// every other byte of both buffers NaN before and untouched after, and the separable transform in
// long double to compare with.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>  // uint64_t
#include <cstring>  // memcmp, memcpy
#include <vector>

#include "guarded_run.hpp"           // guarded, described
#include "request/resolved.hpp"      // resolved_spec
#include "support/tolerance.hpp"     // l2_bound
#include "wingbeat/device/half.hpp"  // nearest, widened

namespace wingbeat::test {

/// Reads and writes stored real number `index` of a buffer.
inline long double number_at(const unsigned char* memory, precision stored, std::size_t index) {
  const auto read = [&](auto number) {
    std::memcpy(&number, memory + sizeof number * index, sizeof number);
    return number;
  };
  switch (stored) {
    case precision::fp64: return read(double{});
    case precision::fp16: return device::fp16::widened(read(std::uint16_t{}));
    case precision::bf16: return device::float_of(unsigned{read(std::uint16_t{})} << 16);
    case precision::fp32: break;
  }
  return read(float{});
}
inline void put_number(unsigned char* memory, precision stored, std::size_t index, long double x) {
  const auto write = [&](auto number) {
    std::memcpy(memory + sizeof number * index, &number, sizeof number);
  };
  switch (stored) {
    case precision::fp64: return write(static_cast<double>(x));
    case precision::fp16:
      return write(static_cast<std::uint16_t>(device::fp16::nearest(static_cast<float>(x))));
    case precision::bf16: {  // cut off: any bf16 will do as input
      const unsigned bits = device::bits_of(static_cast<float>(x));
      return write(static_cast<std::uint16_t>(bits >> 16));
    }
    case precision::fp32: write(static_cast<float>(x));
  }
}

/// Calls `visit(number, real part at, imaginary part at, is in memory)` for all elements of a side,
/// transform after transform, the last axis fastest. Places count stored reals.
template <class Visit>
void for_each_element(const arrays::array& array, Visit visit) {
  const std::size_t unit = array.unit_reals();
  const std::size_t imaginary =
      array.is_real() ? 0 : std::max<std::size_t>(array.parts_distance, 1);
  std::size_t n = 1;
  for (const auto& batch : array.batches) n *= batch.count;
  for (const auto& axis : array.axes) n *= axis.length;
  for (std::size_t number = 0; number < n; ++number) {
    std::size_t rest = number, at = 0;
    bool is_valid = true;
    for (std::size_t a = array.axes.size(); a-- > 0; rest /= array.axes[a].length) {
      const std::size_t i = rest % array.axes[a].length;
      at += i * array.axes[a].stride;
      is_valid = is_valid && array.axes[a].valid.first <= i && i < array.axes[a].valid.end;
    }
    for (std::size_t b = array.batches.size(); b-- > 0; rest /= array.batches[b].count) {
      at += rest % array.batches[b].count * array.batches[b].distance;
    }
    visit(number, at * unit, at * unit + imaginary, is_valid);
  }
}

/// Replaces x, [outer][n][inner], by its transform along the middle.
inline void transform_axis(exact& x, std::size_t n, std::size_t inner, direction dir) {
  exact column(n);
  for (std::size_t first = 0; first < x.size(); first += n * inner) {
    for (std::size_t i = 0; i < inner; ++i) {
      for (std::size_t j = 0; j < n; ++j) column[j] = x[first + j * inner + i];
      const exact turned = dft(column, dir);
      for (std::size_t j = 0; j < n; ++j) x[first + j * inner + i] = turned[j];
    }
  }
}

/// Returns rows of N values from rows of N/2+1 bins, or the other way round.
inline exact as_rows(const exact& x, std::size_t n, bool is_from_bins) {
  const std::size_t bins = n / 2 + 1;
  exact result;
  for (std::size_t row = 0; row < x.size() / (is_from_bins ? bins : n); ++row) {
    for (std::size_t k = 0; k < (is_from_bins ? n : bins); ++k) {
      if (!is_from_bins) {
        result.push_back(x[row * n + k]);
      } else if (k == 0 || 2 * k == n) {
        result.push_back(x[row * bins + k].real());
      } else {
        result.push_back(k < bins ? x[row * bins + k] : std::conj(x[row * bins + n - k]));
      }
    }
  }
  return result;
}

/// Returns all output elements of a request from all its input elements.
inline exact transformed(const plan_spec& spec, exact x) {
  const bool is_forward =
      spec.kind == transform::forward || spec.kind == transform::forward_from_real;
  const auto dir = is_forward ? direction::forward : direction::inverse;
  const bool is_bins_to_real = spec.kind == transform::inverse_to_real;
  const std::size_t n = spec.lengths.back();
  std::size_t inner = is_bins_to_real ? n / 2 + 1 : n;
  for (std::size_t a = spec.lengths.size() - 1; a-- > 0;) {
    transform_axis(x, spec.lengths[a], inner, dir);
    inner *= spec.lengths[a];
  }
  if (is_bins_to_real) x = as_rows(x, n, true);
  transform_axis(x, n, 1, dir);
  if (spec.kind == transform::forward_from_real) x = as_rows(x, n, false);
  for (auto& z : x) z *= request::factor_of(spec);
  return x;
}

/// What a run gave: the output buffer, whole.
struct placed_output {
  std::vector<unsigned char> bytes;
  exact expected;  ///< Of all elements, in memory or not.
};

/// Returns noise in [-1, 1) that follows from the place alone: elements may share one.
inline double noise_at(std::uint64_t place) {
  std::uint64_t bits = (place + 1) * 0x9e3779b97f4a7c15U;
  bits = (bits ^ bits >> 30) * 0xbf58476d1ce4e5b9U;
  bits = (bits ^ bits >> 27) * 0x94d049bb133111ebU;
  return static_cast<double>(bits >> 11) / 0x1p52 - 1;
}

/// Puts noise into `memory` and returns all input elements, those that are not in memory 0.
inline exact fill(const plan_spec& spec, unsigned char* memory) {
  const arrays::array in = request::input_array(spec);
  exact x;
  for_each_element(in, [&](std::size_t, std::size_t re, std::size_t im, bool is_valid) {
    x.emplace_back(0);
    if (!is_valid) return;
    put_number(memory, spec.real, re, noise_at(re));
    if (!in.is_real()) put_number(memory, spec.real, im, noise_at(im));
    x.back() = {number_at(memory, spec.real, re),
                in.is_real() ? 0 : number_at(memory, spec.real, im)};
  });
  return x;
}

/// Runs `what` once. `is_same_buffer`: the output goes where the input was.
inline placed_output placed_run(const backend::host::named_set& set, const plan_spec& spec,
                                bool is_same_buffer = false, std::size_t offset = 0) {
  const auto& engine = backend::host_engine();
  const auto queue = engine.open(engine.devices().front());
  const auto plan = backend::host::make_plan(set, spec);
  const std::size_t in_bytes = input_bytes(spec), out_bytes = output_bytes(spec);
  guarded in{is_same_buffer ? std::max(in_bytes, out_bytes) : in_bytes, offset};
  guarded apart{is_same_buffer ? 0 : out_bytes, offset};
  guarded scratch{plan->workspace_bytes(), offset};
  auto* const source = in.as<unsigned char>();
  placed_output result;
  result.expected = transformed(spec, fill(spec, source));
  const std::vector<unsigned char> before(source, source + in_bytes);
  auto* const to = is_same_buffer ? source : apart.as<unsigned char>();
  plan->enqueue(*queue, {in.view(), is_same_buffer ? in.view() : apart.view(), scratch.view()});
  EXPECT_TRUE(in.is_intact() && apart.is_intact() && scratch.is_intact()) << "out of bounds";
  if (!is_same_buffer) {
    EXPECT_EQ(std::memcmp(source, before.data(), in_bytes), 0) << "the input changed";
  }
  result.bytes.assign(to, to + out_bytes);
  return result;
}

/// Returns the largest relative L2 error that a run of `n` points may have.
inline long double bound_of(precision real, std::size_t n) {
  switch (real) {
    case precision::fp32: return 2 * l2_bound<float>(n);
    case precision::fp64: return 2 * l2_bound<double>(n);
    case precision::fp16: return 3e-4L;
    case precision::bf16: return 4e-3L;
  }
  return 0;
}

/// Expects the elements in memory to be right, and every byte between them to be as it was.
inline void expect_placed(const plan_spec& spec, const placed_output& run,
                          bool is_same_buffer = false) {
  const arrays::array out = request::output_array(spec);
  const std::size_t real_bytes = bytes_of_real(spec.real);
  std::vector<bool> is_written(run.bytes.size());
  exact got, expected;
  for_each_element(out, [&](std::size_t number, std::size_t re, std::size_t im, bool is_valid) {
    if (!is_valid) return;
    expected.push_back(run.expected[number]);
    got.emplace_back(number_at(run.bytes.data(), spec.real, re),
                     out.is_real() ? 0 : number_at(run.bytes.data(), spec.real, im));
    for (std::size_t byte = 0; byte < real_bytes; ++byte) {
      is_written[re * real_bytes + byte] = true;
      if (!out.is_real()) is_written[im * real_bytes + byte] = true;
    }
  });
  EXPECT_LE(relative_l2(got, expected),
            bound_of(spec.real, request::points_of(spec)) * (got.size() < 64 ? 2 : 1));
  if (is_same_buffer) return;
  for (std::size_t byte = 0; byte < run.bytes.size(); ++byte) {
    ASSERT_TRUE(is_written[byte] || run.bytes[byte] == 0xff) << "byte " << byte << " was written";
  }
}

inline constexpr precision precisions[] = {precision::fp32, precision::fp64, precision::fp16,
                                           precision::bf16};

/// Runs with every instruction set, at an address that is aligned to an element alone.
inline void check(const plan_spec& spec, bool is_same_buffer = false) {
  for (const auto& set : backend::host::supported_sets()) {
    SCOPED_TRACE(described(set, spec));
    const auto run = placed_run(set, spec, is_same_buffer, 3 * bytes_of_real(spec.real));
    expect_placed(spec, run, is_same_buffer);
  }
}

inline void check_kinds_and_precisions(plan_spec spec) {
  for (const transform kind : kinds) {
    for (const precision real : precisions) {
      spec.kind = kind;
      spec.real = real;
      check(spec);
    }
  }
}

}  // namespace wingbeat::test
