// SPDX-License-Identifier: Apache-2.0
// Plans with functors against long double, on any engine: 16-bit samples are weighted on the way
// in, powers (or real samples) are scaled on the way out. Rows lie apart on both sides; where a
// load is alone, one behind another, so that a GPU may request them ahead. The weights are small
// dyadic fractions, so that what a load delivers is exact and the oracle has the same.
#pragma once

#include <gtest/gtest.h>

#include <complex>
#include <cstdint>
#include <cstring>   // memcpy
#include <optional>  // nullopt
#include <span>
#include <string>
#include <vector>

#include "support/planned.hpp"    // expected_row, described
#include "support/tolerance.hpp"  // element_bound
#include "verify/guarded.hpp"     // guarded, bytes
#include "wingbeat/wingbeat.hpp"

namespace wingbeat::test {

/// The parameter blocks, laid out as in `fused_text`.
template <class Real>
struct load_block {
  Real gain;
  Real weight[8];
  std::uint32_t pitch;  // elements from row to row
};
template <class Real>
struct store_block {
  Real factor;
  std::uint32_t pitch;
};

/// The functors in the device dialect. `real` is defined before.
inline constexpr const char* fused_text = R"(
namespace wd = wingbeat::device;
struct weights {
  real gain;
  real weight[8];
  unsigned pitch;
};
struct weighted_pairs {
  struct element { short re, im; };
  using parameters = weights;
  WINGBEAT_FN static wd::complex<real> load(WINGBEAT_GLOBAL const element* in,
                                            WINGBEAT_GLOBAL const parameters& fixed,
                                            wd::size row, wd::size i) {
    const element z = in[row * fixed.pitch + i];
    const real factor = fixed.gain * fixed.weight[i % 8];
    return {factor * z.re, factor * z.im};
  }
};
struct weighted_samples {
  using element = short;
  using parameters = weights;
  WINGBEAT_FN static real load(WINGBEAT_GLOBAL const short* in,
                               WINGBEAT_GLOBAL const parameters& fixed, wd::size row, wd::size i) {
    return fixed.gain * fixed.weight[i % 8] * in[row * fixed.pitch + i];
  }
};
struct scaled_power {
  using element = real;
  struct parameters { real factor; unsigned pitch; };
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL real* out, WINGBEAT_GLOBAL const parameters& fixed,
                                wd::size row, wd::size i, wd::complex<real> z) {
    out[row * fixed.pitch + i] = fixed.factor * (z.re * z.re + z.im * z.im);
  }
};
struct scaled_samples {
  using element = real;
  using parameters = scaled_power::parameters;
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL real* out, WINGBEAT_GLOBAL const parameters& fixed,
                                wd::size row, wd::size i, real x) {
    out[row * fixed.pitch + i] = fixed.factor * x;
  }
};
)";

template <class Real>
std::string fused_text_of() {
  return std::string{"using real = "} + (sizeof(Real) == 4 ? "float;" : "double;") + fused_text;
}

/// Which ends of a plan are fused.
enum class fuse { load, store, both };

/// One plan with functors, its data, and what it should deliver.
template <class Real>
class fused_case {
 public:
  fused_case(plan_spec plain, fuse fused)
      : plain_(std::move(plain)), which_(fused), n_(plain_.lengths.front()) {
    reals_of_load_ = plain_.kind == transform::forward_from_real ? 1 : 2;
    const bool is_from_bins = plain_.kind == transform::inverse_to_real;
    const bool is_to_bins = plain_.kind == transform::forward_from_real;
    in_values_ = is_from_bins ? n_ / 2 + 1 : n_;
    out_values_ = is_to_bins ? n_ / 2 + 1 : n_;
    with_load_.pitch = static_cast<std::uint32_t>(in_values_ + (fused == fuse::load ? 0 : 3));
    with_store_.pitch = static_cast<std::uint32_t>(out_values_ + 2);
    for (std::size_t i = 0; i < 8; ++i) with_load_.weight[i] = static_cast<Real>(i + 1) / 8;
    fill();
  }

  [[nodiscard]] plan_spec spec() const {
    plan_spec spec = plain_;
    if (which_ != fuse::store) spec.load = load();
    if (which_ != fuse::load) spec.store = store();
    return spec;
  }

  /// Runs the plan three times on outputs filled with different patterns; the bits must be the
  /// same.
  void check(queue& on) const {
    using verify::guarded;
    const plan_spec spec = this->spec();
    SCOPED_TRACE(described(spec) + (which_ == fuse::both   ? " fused"
                                    : which_ == fuse::load ? " fused load"
                                                           : " fused store"));
    const plan planned{on, spec};
    const auto given = spec.load.is_given() ? bytes_in(samples_) : bytes_in(loaded_);
    const guarded in{on, given, 0, 0xff};
    std::vector<Real> first;
    for (const unsigned char poison : {0xff, 0xa5, 0x00}) {
      const verify::bytes before(output_bytes(spec), poison);
      const guarded out{on, before, 0, poison};
      planned.enqueue(on, in.view(), out.view());
      on.wait();
      const verify::bytes written = mask();
      EXPECT_EQ(out.trespass("output", written), std::nullopt);
      verify::bytes after = out.inner();
      for (std::size_t i = 0; i < after.size(); ++i) after[i] = written[i] != 0 ? after[i] : 0;
      std::vector<Real> output(after.size() / sizeof(Real));
      std::memcpy(output.data(), after.data(), after.size());
      if (!first.empty()) {
        EXPECT_EQ(output, first) << "a run differs";
      }
      first = std::move(output);
    }
    EXPECT_EQ(in.trespass("input", verify::bytes(given.size(), 0)), std::nullopt);
    for (std::size_t row = 0; row < spec.batch; ++row) {
      if (n_ <= 1024 || row < 2 || row + 1 == spec.batch) check_row(first, row);
    }
  }

 private:
  [[nodiscard]] bool is_real_out() const { return plain_.kind == transform::inverse_to_real; }

  template <class Value>
  static verify::bytes bytes_in(const std::vector<Value>& values) {
    const auto* const first = reinterpret_cast<const unsigned char*>(values.data());
    return {first, first + values.size() * sizeof(Value)};
  }
  /// Returns 1 for each byte that a run writes: a store leaves what lies between its rows.
  [[nodiscard]] verify::bytes mask() const {
    verify::bytes written(output_bytes(spec()), 1);
    if (which_ == fuse::load) return written;
    const std::size_t row = with_store_.pitch * sizeof(Real), bytes = out_values_ * sizeof(Real);
    for (std::size_t i = 0; i < written.size(); ++i) written[i] = i % row < bytes ? 1 : 0;
    return written;
  }

  /// Fills the samples, and what the load makes of them: the input of the plan without functors.
  void fill() {
    const std::size_t reals = reals_of_load_;
    samples_.assign(plain_.batch * with_load_.pitch * reals, -32768);
    loaded_.resize(plain_.batch * in_values_ * reals);
    std::vector<float> noise(loaded_.size());
    fill_noise(noise.data(), noise.size(), n_ + plain_.batch);
    for (std::size_t i = 0; i < noise.size(); ++i) {
      const std::size_t row = i / (in_values_ * reals), at = i % (in_values_ * reals);
      const auto sample = static_cast<std::int16_t>(1000 * noise[i]);
      samples_[row * with_load_.pitch * reals + at] = sample;
      loaded_[i] = with_load_.gain * with_load_.weight[at / reals % 8] * sample;
    }
  }

  [[nodiscard]] fused_load load() const {
    fused_load load;
    load.in_bytes = samples_.size() * sizeof samples_[0];
    load.element_bytes = reals_of_load_ * sizeof samples_[0];
    load.source = {fused_text_of<Real>(),
                   reals_of_load_ == 1 ? "weighted_samples" : "weighted_pairs",
                   bytes_of(with_load_)};
    const auto weighted = [with = with_load_](const void* in, std::size_t row, std::size_t i,
                                              std::size_t reals, std::size_t part) {
      const auto* const samples = static_cast<const std::int16_t*>(in);
      return with.gain * with.weight[i % 8] * samples[(row * with.pitch + i) * reals + part];
    };
    if (reals_of_load_ == 1) {
      load.callable = [=](const void* in, std::size_t row, std::size_t first,
                          std::span<Real> into) {
        for (auto& x : into) x = weighted(in, row, first++, 1, 0);
      };
    } else {
      load.callable = [=](const void* in, std::size_t row, std::size_t first,
                          std::span<std::complex<Real>> into) {
        for (auto& z : into) {
          z = {weighted(in, row, first, 2, 0), weighted(in, row, first, 2, 1)};
          ++first;
        }
      };
    }
    return load;
  }

  [[nodiscard]] fused_store store() const {
    fused_store store;
    store.out_bytes = plain_.batch * with_store_.pitch * sizeof(Real);
    store.element_bytes = sizeof(Real);
    store.source = {fused_text_of<Real>(), is_real_out() ? "scaled_samples" : "scaled_power",
                    bytes_of(with_store_)};
    if (is_real_out()) {
      store.callable = [with = with_store_](void* out, std::size_t row, std::size_t first,
                                            std::span<const Real> values) {
        Real* target = static_cast<Real*>(out) + row * with.pitch + first;
        for (const Real x : values) *target++ = with.factor * x;
      };
    } else {
      store.callable = [with = with_store_](void* out, std::size_t row, std::size_t first,
                                            std::span<const std::complex<Real>> values) {
        Real* target = static_cast<Real*>(out) + row * with.pitch + first;
        for (const auto z : values) *target++ = with.factor * std::norm(z);
      };
    }
    return store;
  }

  void check_row(const std::vector<Real>& output, std::size_t row) const {
    exact expected = expected_row(plain_, loaded_, row);
    if (which_ == fuse::load) {
      const exact got = row_of(plain_, output, row);
      EXPECT_LE(max_error(got, expected), element_bound<Real> * largest(expected)) << "row " << row;
      return;
    }
    const long double factor = with_store_.factor;
    for (auto& z : expected) z = factor * (is_real_out() ? z : std::norm(z));
    const Real* source = output.data() + row * with_store_.pitch;
    const exact got(source, source + out_values_);
    EXPECT_LE(max_error(got, expected), 3 * element_bound<Real> * largest(expected))
        << "row " << row;
  }

  plan_spec plain_;
  fuse which_;
  std::size_t n_;
  std::size_t reals_of_load_;  // of one element loaded
  std::size_t in_values_;      // of one row
  std::size_t out_values_;
  load_block<Real> with_load_{.gain = Real(0.5), .weight = {}, .pitch = 0};
  store_block<Real> with_store_{.factor = Real(0.25), .pitch = 0};
  std::vector<std::int16_t> samples_;  // [row][element, of `pitch`][re, im]
  std::vector<Real> loaded_;           // [row][element][re, im]
};

inline constexpr transform every_kind[] = {transform::forward, transform::inverse,
                                           transform::forward_from_real,
                                           transform::inverse_to_real};

/// Kinds of one length, both ends fused, in fp32 and, where wanted, in fp64.
inline void check_fused(queue& on, std::size_t n, std::size_t batch, scaling scale = scaling::none,
                        bool wants_fp64 = true, std::span<const transform> kinds = every_kind) {
  for (const transform kind : kinds) {
    plan_spec plain{.lengths = {n}, .batch = batch, .kind = kind, .scale = scale};
    fused_case<float>{plain, fuse::both}.check(on);
    if (!on.device().has_fp64 || !wants_fp64) continue;
    plain.real = precision::fp64;
    fused_case<double>{plain, fuse::both}.check(on);
  }
}

/// Every kind of one length, with one end fused and plain memory at the other.
inline void check_one_end(queue& on, std::size_t n, std::size_t batch) {
  for (const transform kind : every_kind) {
    for (const fuse fused : {fuse::load, fuse::store}) {
      fused_case<float>{{.lengths = {n}, .batch = batch, .kind = kind}, fused}.check(on);
    }
  }
}

}  // namespace wingbeat::test
