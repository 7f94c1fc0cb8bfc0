// SPDX-License-Identifier: Apache-2.0
// Runs a convolution on an engine, between guard bands and over poisoned memory, and compares every
// value with the sum that defines it. Where spectra are stored in 16 bits, the root mean square of
// errors is compared with the bound that the header states.
#pragma once

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>  // abs, sqrt
#include <complex>
#include <cstring>  // memcpy
#include <vector>

#include "convolving/direct_sum.hpp"  // direct_sum
#include "support/signal.hpp"         // fill_noise
#include "wingbeat/wingbeat.hpp"

namespace wingbeat::test {

inline std::string text_of(const convolution_spec& spec) {
  return fmt::format("{} {} {} of {} and {}, {} images, {} kernels{}{}{}{}{}", name_of(spec.kind),
                     name_of(spec.mode), spec.holds == values::real ? "real" : "complex",
                     fmt::join(spec.image, "x"), fmt::join(spec.kernel, "x"), spec.images,
                     spec.kernels, spec.pairs == pairing::pairwise ? ", pairwise" : "",
                     spec.prepared == operand_role::kernel ? ", kernels prepared" : "",
                     spec.real == precision::fp64 ? ", fp64" : "",
                     spec.form == operand_form::spectrum ? ", given as spectra" : "",
                     spec.between ? fmt::format(", {} between", name_of(*spec.between)) : "");
}

/// Signals are offset + scale times noise in [-1, 1].
struct value_range {
  double scale = 1, offset = 0;
};

template <class Real>
class convolution_check {
 public:
  convolution_check(queue on, const convolution_spec& spec, value_range images = {})
      : on_(std::move(on)), spec_(spec), made_(on_, spec), images_(images) {}

  void check() {
    SCOPED_TRACE(text_of(spec_) + "\n" + made_.explain());
    const std::size_t value_bytes = (spec_.holds == wingbeat::values::real ? 1 : 2) * sizeof(Real);
    const auto images = noise(spec_.images * points_of(spec_.image) * value_bytes, 1, images_);
    const auto kernels = noise(spec_.kernels * points_of(spec_.kernel) * value_bytes, 2, {});
    const bool prepares_images = spec_.prepared == operand_role::image;
    const auto& prepared = prepares_images ? images : kernels;
    const auto& values = prepares_images ? kernels : images;
    const auto given = spec_.form == operand_form::spectrum ? spectra_of(values) : values;
    ASSERT_EQ(made_.image_bytes(), (prepares_images ? images : given).size() * sizeof(Real));
    ASSERT_EQ(made_.kernel_bytes(), (prepares_images ? given : kernels).size() * sizeof(Real));
    const buffer in = guarded(prepared), run = guarded(given);
    const buffer spectra = guarded(poison(made_.spectra_bytes()));
    const buffer out = guarded(poison(made_.output_bytes()));
    made_.prepare(on_, inside(in), inside(spectra));
    std::vector<Real> first;
    for (int i = 0; i < 2; ++i) {
      made_.enqueue(on_, inside(spectra), inside(run), inside(out));
      const auto got = read(out);
      if (i > 0) {
        ASSERT_EQ(got, first) << "a second run differs";
      }
      first = got;
    }
    ASSERT_EQ(read(in), prepared) << "inputs are left as they were";
    ASSERT_EQ(read(run), given) << "inputs are left as they were";
    read(spectra);
    expect_sums(images, kernels, first);
  }

 private:
  static constexpr Real guard = 1234567, poisoned = 7654321;
  static constexpr std::size_t guard_reals = 64;
  using reals = std::vector<Real>;

  static reals noise(std::size_t bytes, std::uint64_t seed, const value_range& range) {
    reals x(bytes / sizeof(Real));
    fill_noise(x.data(), x.size(), seed);
    for (Real& value : x) value = static_cast<Real>(range.offset + range.scale * double{value});
    return x;
  }
  /// Returns the transforms of signals of the role that comes with each run.
  [[nodiscard]] reals spectra_of(const reals& x) const {
    const bool runs_kernels = spec_.prepared == operand_role::image;
    const bool is_real = spec_.holds == wingbeat::values::real;
    queue reference{first_device(engine::reference)};
    const plan forward{reference,
                       {.lengths = runs_kernels ? spec_.kernel : spec_.image,
                        .batch = runs_kernels ? spec_.kernels : spec_.images,
                        .kind = is_real ? transform::forward_from_real : transform::forward,
                        .real = spec_.real}};
    buffer in{reference, input_bytes(forward.spec())};
    buffer out{reference, output_bytes(forward.spec())};
    in.write(x.data(), in.size_bytes());
    forward.enqueue(reference, in.view(), out.view());
    reals bins(out.size_bytes() / sizeof(Real));
    out.read(bins.data(), out.size_bytes());
    return bins;
  }
  static reals poison(std::size_t bytes) { return reals(bytes / sizeof(Real), poisoned); }

  /// Memory with a band of known numbers on either side.
  buffer guarded(const reals& x) {
    reals all(guard_reals, guard);
    all.insert(all.end(), x.begin(), x.end());
    all.insert(all.end(), guard_reals, guard);
    buffer memory{on_, all.size() * sizeof(Real)};
    memory.write(all.data(), memory.size_bytes());
    return memory;
  }
  static buffer_view inside(const buffer& memory) {
    buffer_view view = memory.view();
    view.offset_bytes += guard_reals * sizeof(Real);
    view.size_bytes -= 2 * guard_reals * sizeof(Real);
    return view;
  }
  reals read(const buffer& memory) {
    reals all(memory.size_bytes() / sizeof(Real));
    memory.read(all.data(), memory.size_bytes());
    for (std::size_t i = 0; i < guard_reals; ++i) {
      EXPECT_EQ(all[i], guard) << "in front";
      EXPECT_EQ(all[all.size() - 1 - i], guard) << "behind";
    }
    return {all.begin() + guard_reals, all.end() - guard_reals};
  }

  [[nodiscard]] exact_map item(const reals& x, std::size_t number, std::size_t points) const {
    exact_map made(points);
    for (std::size_t i = 0; i < points; ++i) {
      if (spec_.holds == values::real) {
        made[i] = x[number * points + i];
      } else {
        made[i] = {x[2 * (number * points + i)], x[2 * (number * points + i) + 1]};
      }
    }
    return made;
  }

  void expect_sums(const reals& images, const reals& kernels, const reals& got) const {
    const bool prepares_images = spec_.prepared == operand_role::image;
    const bool is_pairwise = spec_.pairs == pairing::pairwise;
    const std::size_t n_run = prepares_images ? spec_.kernels : spec_.images;
    const std::size_t n_met = is_pairwise ? 1 : prepares_images ? spec_.images : spec_.kernels;
    const std::size_t points = points_of(made_.result());
    for (std::size_t pair = 0; pair < n_run * n_met; ++pair) {
      const std::size_t run = pair / n_met, prepared = is_pairwise ? run : pair % n_met;
      const std::size_t image = prepares_images ? prepared : run;
      const std::size_t kernel = prepares_images ? run : prepared;
      const exact_map f = item(images, image, points_of(spec_.image));
      const exact_map t = item(kernels, kernel, points_of(spec_.kernel));
      const exact_map expected =
          direct_sum(f, spec_.image, t, spec_.kernel, spec_.kind, spec_.mode);
      const exact_map result = item(got, pair, points);
      if (spec_.between.value_or(spec_.real) != spec_.real) {
        expect_narrow(f, t, result, expected);
        continue;
      }
      const long double bound = bound_of(f, t);
      for (std::size_t i = 0; i < points; ++i) {
        ASSERT_LE(std::abs(result[i] - expected[i]), bound) << "pair " << pair << ", value " << i;
      }
    }
  }

  /// Rounding errors are relative to the norms of both inputs, spread over all values.
  static long double bound_of(const exact_map& f, const exact_map& t) {
    long double f_energy = 0, t_energy = 0;
    for (const auto& z : f) f_energy += std::norm(z);
    for (const auto& z : t) t_energy += std::norm(z);
    return 8 * static_cast<long double>(std::numeric_limits<Real>::epsilon()) *
           std::sqrt(f_energy * t_energy);
  }

  static long double energy_of(const exact_map& z) {
    long double energy = 0;
    for (const auto& each : z) energy += std::norm(each);
    return energy;
  }

  /// (3 axes - 1) u max(sqrt(mean f^2) |t|, root mean square of the result)
  void expect_narrow(const exact_map& f, const exact_map& t, const exact_map& got,
                     const exact_map& expected) const {
    exact_map errors(got.size());
    for (std::size_t i = 0; i < got.size(); ++i) errors[i] = got[i] - expected[i];
    const auto mean_of = [](const exact_map& z) {
      return energy_of(z) / static_cast<long double>(z.size());
    };
    const long double u = spec_.between == precision::fp16 ? 0x1p-11L : 0x1p-8L;
    const auto roundings = static_cast<long double>(3 * spec_.image.size() - 1);
    const long double size =
        std::max(std::sqrt(mean_of(f) * energy_of(t)), std::sqrt(mean_of(expected)));
    ASSERT_LE(std::sqrt(mean_of(errors)), roundings * u * size);
  }

  queue on_;
  convolution_spec spec_;
  convolution made_;
  value_range images_;
};

inline void check_convolution(const queue& on, const convolution_spec& spec,
                              value_range images = {}) {
  if (spec.real == precision::fp64) return convolution_check<double>{on, spec, images}.check();
  convolution_check<float>{on, spec, images}.check();
}

}  // namespace wingbeat::test
