// SPDX-License-Identifier: Apache-2.0
// Every kind of plan of a compiled engine (opencl, cuda) against long double: three runs on
// poisoned outputs must give the same bits, guard bands must stay, inputs must not change.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <cstring>  // memcmp
#include <memory>   // unique_ptr
#include <thread>   // jthread
#include <vector>

#include "support/planned.hpp"    // input_noise, expected_row
#include "support/tolerance.hpp"  // is_accurate
#include "wingbeat/wingbeat.hpp"

namespace wingbeat::test {

/// Device memory between two guard bands, all of it NaN at first.
class guarded_buffer {
 public:
  guarded_buffer(const queue& on, std::size_t size_bytes)
      : size_bytes_(size_bytes), memory_(on, size_bytes + 2 * band_bytes) {
    poison();
  }

  [[nodiscard]] buffer_view view() const {
    return {memory_.view().handle, band_bytes, size_bytes_};
  }

  void poison() {
    const std::vector<unsigned char> nan(memory_.size_bytes(), 0xff);
    memory_.write(nan.data(), nan.size());
  }

  template <class Real>
  void write(const std::vector<Real>& from) {
    memory_.write(from.data(), from.size() * sizeof(Real), band_bytes);
  }

  /// Returns the bytes between the bands; fails the test if a band changed.
  template <class Real>
  [[nodiscard]] std::vector<Real> read() const {
    std::vector<unsigned char> all(memory_.size_bytes());
    memory_.read(all.data(), all.size());
    for (std::size_t i = 0; i < band_bytes; ++i) {
      if (all[i] != 0xff || all[all.size() - 1 - i] != 0xff) {
        ADD_FAILURE() << "wrote out of bounds, byte " << i << " of a guard band";
        break;
      }
    }
    const auto* first = reinterpret_cast<const Real*>(all.data() + band_bytes);
    return {first, first + size_bytes_ / sizeof(Real)};
  }

 private:
  static constexpr std::size_t band_bytes = 4096;
  std::size_t size_bytes_;
  buffer memory_;
};

template <class Real>
bool is_same(const std::vector<Real>& a, const std::vector<Real>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Real)) == 0;
}

/// Runs a plan three times and returns the output.
template <class Real>
std::vector<Real> run_three_times(queue& on, const plan_spec& spec,
                                  const std::vector<Real>& input) {
  const plan planned{on, spec};
  const bool is_in_place = spec.where == placement::in_place;
  guarded_buffer in{
      on, is_in_place ? std::max(input_bytes(spec), output_bytes(spec)) : input_bytes(spec)};
  guarded_buffer apart{on, is_in_place ? 16 : output_bytes(spec)};
  guarded_buffer& out = is_in_place ? in : apart;
  std::vector<Real> first;
  for (int run = 0; run < 3; ++run) {
    in.poison();
    out.poison();
    in.write(input);
    planned.enqueue(on, in.view(), out.view());
    auto output = out.template read<Real>();
    output.resize(output_bytes(spec) / sizeof(Real));
    if (run > 0) {
      EXPECT_TRUE(is_same(output, first)) << "run " << run << " differs";
    }
    first = std::move(output);
    if (!is_in_place) {
      EXPECT_TRUE(is_same(in.template read<Real>(), input)) << "input changed";
    }
  }
  return first;
}

/// Compares the first, the second and the last row, which together hold at least 256 values or
/// are held to twice the L2 bound: a short row may miss it by chance. A scaled output is rounded
/// once more, by a factor that was itself rounded.
template <class Real>
void check_plan(queue& on, const plan_spec& spec) {
  SCOPED_TRACE(described(spec));
  const auto input = input_noise<Real>(spec);
  const auto output = run_three_times<Real>(on, spec, input);
  const std::size_t n = spec.lengths.front();
  exact got, expected;
  for (std::size_t row = 0; row < spec.batch; ++row) {
    if (n > 1024 && row > 1 && row + 1 != spec.batch) continue;
    const exact one_got = row_of(spec, output, row);
    const exact one_expected = expected_row(spec, input, row);
    const long double scaling_bound = spec.scale == scaling::none ? 0 : 2 * unit_roundoff<Real>;
    EXPECT_LE(relative_l2(one_got, one_expected), 2 * l2_bound<Real>(n) + scaling_bound)
        << "row " << row;
    got.insert(got.end(), one_got.begin(), one_got.end());
    expected.insert(expected.end(), one_expected.begin(), one_expected.end());
  }
  if (got.size() >= 256) {
    EXPECT_TRUE(is_accurate<Real>(got, expected, n));
  }
}

inline void check_plan(queue& on, const plan_spec& spec) {
  spec.real == precision::fp32 ? check_plan<float>(on, spec) : check_plan<double>(on, spec);
}

/// Lengths 2^first..2^last: each kind and precision, in place and out of place by turns; where not
/// all are wanted, two kinds in fp32 and the others in fp64.
inline void check_lengths(queue& on, unsigned first, unsigned last, bool wants_all = true) {
  for (unsigned bits = first; bits <= last; ++bits) {
    const std::size_t n = std::size_t{1} << bits;
    for (const precision real : {precision::fp32, precision::fp64}) {
      if (real == precision::fp64 && !on.device().has_fp64) continue;
      for (const transform kind : {transform::forward, transform::inverse,
                                   transform::forward_from_real, transform::inverse_to_real}) {
        const bool is_forward = kind == transform::forward || kind == transform::forward_from_real;
        if (!wants_all && is_forward != (real == precision::fp32)) continue;
        const std::size_t batch = n >= 4096 ? 3 : 1 + 4096 / n;
        plan_spec spec{.lengths = {n}, .batch = bits > 20 ? 1 : batch, .kind = kind, .real = real};
        if (wants_all || is_forward) check_plan(on, spec);
        if (!wants_all && is_forward) continue;
        spec.where = placement::in_place;
        spec.scale = bits % 2 == 0 ? scaling::by_length : scaling::by_sqrt_length;
        check_plan(on, spec);
        if (::testing::Test::HasFailure()) return;
      }
    }
  }
}

/// Batches that do not fill the last workgroup.
inline void check_batches(queue& on, const std::vector<std::size_t>& lengths) {
  for (const std::size_t batch : {1, 2, 3, 4, 17, 259}) {
    for (const std::size_t n : lengths) {
      for (const transform kind :
           {transform::forward, transform::forward_from_real, transform::inverse_to_real}) {
        check_plan(on, {.lengths = {n}, .batch = batch, .kind = kind});
      }
    }
  }
}

/// Each position of an impulse, one row each: a wrong index often hides in noise.
inline void check_impulses(queue& on, std::size_t n) {
  const plan_spec spec{.lengths = {n}, .batch = n};
  std::vector<float> input(2 * n * n);
  for (std::size_t offset = 0; offset < n; ++offset) input[2 * (offset * n + offset)] = 1;
  const auto output = run_three_times(on, spec, input);
  for (std::size_t offset = 0; offset < n; ++offset) {
    for (std::size_t k = 0; k < n; ++k) {
      const auto root = reference::root_of_unity<long double>(offset * k, n, direction::forward);
      const std::complex<long double> got{output[2 * (offset * n + k)],
                                          output[2 * (offset * n + k) + 1]};
      ASSERT_LE(std::abs(got - root), 8 * unit_roundoff<float>)
          << "length " << n << " impulse at " << offset << " bin " << k;
    }
  }
}

/// Three impulses in one row that is too long for an oracle of every bin: one bin of a thousand.
inline void check_long_impulses(queue& on, std::size_t n) {
  const plan_spec spec{.lengths = {n}, .real = precision::fp64};
  const std::size_t places[] = {1, n / 3, n - 2};
  std::vector<double> input(2 * n);
  for (const std::size_t place : places) input[2 * place] = 1;
  const auto output = run_three_times(on, spec, input);
  for (std::size_t k = 0; k < n; k += 1021) {
    std::complex<long double> expected = 0;
    for (const std::size_t place : places) {
      expected += reference::root_of_unity<long double>(place * k % n, n, direction::forward);
    }
    const std::complex<long double> got{output[2 * k], output[2 * k + 1]};
    ASSERT_LE(std::abs(got - expected), 24 * unit_roundoff<double>)
        << "length " << n << " bin " << k;
  }
}

/// Four threads on two queues run one plan of two passes: its workspace is what they could trample.
inline void check_threads(queue first, queue second) {
  const std::size_t n = std::size_t{1} << 17;
  const plan_spec spec{.lengths = {n}, .batch = 2};
  const plan planned{first, spec};
  second.reserve(planned.workspace_bytes());
  const auto input = input_noise<float>(spec);
  const auto expected = run_three_times(first, spec, input);
  std::vector<std::jthread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&, t] {
      queue mine = t % 2 == 0 ? first : second;
      buffer in{mine, input_bytes(spec)}, out{mine, output_bytes(spec)};
      in.write(input.data(), in.size_bytes());
      for (int run = 0; run < 5; ++run) {
        planned.enqueue(mine, in.view(), out.view());
        std::vector<float> got(2 * n * spec.batch);
        out.read(got.data(), out.size_bytes());
        EXPECT_TRUE(is_same(got, expected)) << "thread " << t << " run " << run;
      }
    });
  }
}

inline void check_refusal_of_half_a_number(queue on) {
  const plan planned{on, {.lengths = {64}}};
  buffer memory{on, 4096};
  buffer_view off = memory.view();
  off.offset_bytes = 4;
  off.size_bytes -= 4;
  EXPECT_THROW(planned.enqueue(on, off, off), plan_error);
}

/// A queue of an engine's first device; its tests are skipped where the engine is absent.
template <engine Which>
class compiled_plan : public ::testing::Test {
 protected:
  void SetUp() override {
    if (devices(Which).empty()) GTEST_SKIP() << why_absent(Which);
    on = std::make_unique<queue>(first_device(Which));
  }
  std::unique_ptr<queue> on;
};

}  // namespace wingbeat::test
