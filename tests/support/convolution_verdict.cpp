// SPDX-License-Identifier: Apache-2.0
#include "support/convolution_verdict.hpp"

#include <fmt/format.h>

#include <algorithm>  // max, min, reverse
#include <array>
#include <cmath>    // log2, sqrt
#include <complex>  // norm
#include <limits>
#include <memory>  // make_shared
#include <optional>
#include <tuple>    // tie
#include <utility>  // move

#include "arrays/address_space.hpp"   // product_of
#include "convolving/direct_sum.hpp"  // range_of, mode_range
#include "request/resolved.hpp"       // resolved_spec
#include "support/signal.hpp"         // fill_noise
#include "verify/agreement.hpp"       // wrong_value, unit_roundoff
#include "verify/distance.hpp"        // distance
#include "verify/guarded.hpp"         // guarded, bytes
#include "wingbeat/error.hpp"         // error
#include "wingbeat/wingbeat.hpp"      // convolution

namespace wingbeat::test {
namespace {

using verify::bytes, verify::guarded;

constexpr unsigned char poisons[] = {0xff, 0xa5, 0x00};  // the first is NaN in every precision

/// Real and imaginary parts of an array, of three axes.
struct parts {
  std::array<std::size_t, 3> lengths = {1, 1, 1};
  std::vector<long double> re, im;  ///< [z][y][x]; im is empty for real numbers.

  [[nodiscard]] std::size_t points() const { return lengths[0] * lengths[1] * lengths[2]; }
  [[nodiscard]] std::complex<long double> operator[](std::size_t i) const {
    return {re[i], im.empty() ? 0 : im[i]};
  }
  [[nodiscard]] long double energy() const {
    long double sum = 0;
    for (std::size_t i = 0; i < re.size(); ++i) sum += std::norm((*this)[i]);
    return sum;
  }
};

std::array<std::size_t, 3> three_of(const std::vector<std::size_t>& lengths) {
  std::array<std::size_t, 3> result = {1, 1, 1};
  std::copy_backward(lengths.begin(), lengths.end(), result.end());
  return result;
}

void add_scaled(long double* to, const long double* from, std::size_t count, long double factor) {
  for (std::size_t i = 0; i < count; ++i) to[i] += factor * from[i];
}

/// The indices of a result that one tap reaches on an axis, and the image's index at the first.
struct reach {
  reach(const mode_range& wanted, std::size_t image, std::size_t tap) {
    const auto j = static_cast<std::ptrdiff_t>(tap), n = static_cast<std::ptrdiff_t>(image);
    const auto end = wanted.first + static_cast<std::ptrdiff_t>(wanted.count);
    const std::ptrdiff_t begin = std::max(wanted.first, j), limit = std::min(end, j + n);
    count = static_cast<std::size_t>(std::max<std::ptrdiff_t>(limit - begin, 0));
    out = static_cast<std::size_t>(begin - wanted.first);
    in = static_cast<std::size_t>(begin - j);
  }
  std::size_t out = 0, in = 0, count = 0;
};

/// Sums row by row: result[n] += t[j] f[n - j] over taps j; of a correlation t is reversed and
/// conjugated.
class exact_sums {
 public:
  exact_sums(const convolution_spec& spec, const parts& f, const parts& t) : f_(f), t_(t) {
    for (std::size_t a = 0; a < 3; ++a) {
      ranges_[a] = range_of(f.lengths[a], t.lengths[a], spec.mode);
      result_.lengths[a] = ranges_[a].count;
    }
    result_.re.resize(result_.points());
    if (!f.im.empty()) result_.im.resize(result_.points());
    is_correlation_ = spec.kind == operation::correlate;
  }

  parts sums() {
    const auto [depth, height, width] = t_.lengths;
    for (std::size_t tap = 0; tap < t_.points(); ++tap) {
      const std::size_t z = tap / width / height, y = tap / width % height, x = tap % width;
      const std::size_t position = is_correlation_ ? t_.points() - 1 - tap : tap;
      add_tap({reach(ranges_[0], f_.lengths[0], z), reach(ranges_[1], f_.lengths[1], y),
               reach(ranges_[2], f_.lengths[2], x)},
              t_.re[position],
              t_.im.empty()     ? 0
              : is_correlation_ ? -t_.im[position]
                                : t_.im[position]);
    }
    return std::move(result_);
  }

 private:
  void add_tap(const std::array<reach, 3>& reaches, long double re, long double im) {
    if (reaches[2].count == 0) return;
    for (std::size_t z = 0; z < reaches[0].count; ++z) {
      for (std::size_t y = 0; y < reaches[1].count; ++y) {
        const std::size_t target =
            place(result_, reaches[0].out + z, reaches[1].out + y) + reaches[2].out;
        const std::size_t source = place(f_, reaches[0].in + z, reaches[1].in + y) + reaches[2].in;
        add_scaled(&result_.re[target], &f_.re[source], reaches[2].count, re);
        if (f_.im.empty()) continue;
        add_scaled(&result_.re[target], &f_.im[source], reaches[2].count, -im);
        add_scaled(&result_.im[target], &f_.re[source], reaches[2].count, im);
        add_scaled(&result_.im[target], &f_.im[source], reaches[2].count, re);
      }
    }
  }
  static std::size_t place(const parts& array, std::size_t z, std::size_t y) {
    return (z * array.lengths[1] + y) * array.lengths[2];
  }

  const parts &f_, &t_;
  std::array<mode_range, 3> ranges_{};
  parts result_;
  bool is_correlation_ = false;
};

/// The bounds of convolution_verdict.hpp for one pair.
struct bounds {
  bounds(const convolution_spec& spec, const planned_convolution& planned, const parts& f,
         const parts& t, const parts& expected) {
    const long double u = verify::unit_roundoff(spec.real);
    const long double norms = std::sqrt(f.energy() * t.energy());
    const auto m = static_cast<long double>(expected.points());
    const auto inputs = static_cast<long double>(f.points() + t.points());
    value = 16 * u * norms;
    const long double of_few = 1 + 3 / std::sqrt(std::min(m, inputs));
    l2 = 1.25L * u * norms * std::sqrt(roundings(spec, planned)) * of_few;
    if (spec.form == operand_form::spectrum) value *= 2, l2 *= 2;
    if (spec.between.value_or(spec.real) == spec.real) return;
    const long double narrow = verify::unit_roundoff(*spec.between);
    const auto image = static_cast<long double>(f.points());
    value = std::numeric_limits<long double>::infinity();
    l2 = static_cast<long double>(3 * spec.image.size() - 1) * narrow * of_few *
         std::sqrt(std::max(m / image * f.energy() * t.energy(), expected.energy()));
  }
  long double value, l2;

 private:
  /// Returns the roundings of three transforms and of the product, of those that reach the result.
  /// An axis of one value has none: both of its bins are that value.
  static long double roundings(const convolution_spec& spec, const planned_convolution& planned) {
    long double share = 1, sum = 0;
    for (std::size_t a = planned.padded.size(); a-- > 0;) {
      if (spec.image[a] == 1 && spec.kernel[a] == 1) continue;
      const auto padded = static_cast<long double>(planned.padded[a]);
      share *= std::min(static_cast<long double>(planned.result[a]) / padded, 1.0L);
      sum += 3 * std::log2(padded) * share;
    }
    return sum + 4 * share;
  }
};

template <class Real>
class session {
 public:
  session(queue& on, const drawn_convolution& drawn, const planned_convolution& planned)
      : on_(on), drawn_(drawn), spec_(drawn.spec), made_(planned) {
    images_ = noise(spec_.images, spec_.image, 1);
    for (Real& x : images_) {
      x = static_cast<Real>(drawn.images.offset + drawn.images.scale * double{x});
    }
    kernels_ = noise(spec_.kernels, spec_.kernel, 2);
    images_prepared_ = spec_.prepared == operand_role::image;
    is_pairwise_ = spec_.pairs == pairing::pairwise;
    n_run_ = images_prepared_ ? spec_.kernels : spec_.images;
    n_met_ = is_pairwise_ ? 1 : images_prepared_ ? spec_.images : spec_.kernels;
    out_bytes_ = n_run_ * n_met_ * n_parts() * product_of(planned.result) * sizeof(Real);
    prepared_ = bytes_of(images_prepared_ ? images_ : kernels_);
    given_ = bytes_of(images_prepared_ ? kernels_ : images_);
    if (spec_.form == operand_form::spectrum) given_ = spectra_of(given_);
  }

  std::optional<std::string> check() {
    const auto& [images, kernels] =
        images_prepared_ ? std::tie(prepared_, given_) : std::tie(given_, prepared_);
    if (made_.image_bytes != images.size() || made_.kernel_bytes != kernels.size()) {
      return "the images or the kernels are said to take other bytes";
    }
    bytes first;
    for (const unsigned char poison : poisons) {
      bytes out;
      if (auto fault = run(poison, out)) return fault;
      if (first.empty()) {
        first = out;
        if (auto fault = inaccuracy(out)) return fault;
      }
      if (out != first) return "two runs gave different bits";
    }
    return std::nullopt;
  }

 private:
  [[nodiscard]] std::size_t n_parts() const { return spec_.holds == values::real ? 1 : 2; }

  [[nodiscard]] std::vector<Real> noise(std::size_t count, const std::vector<std::size_t>& lengths,
                                        std::uint64_t seed) const {
    std::vector<Real> x(count * product_of(lengths) * n_parts());
    fill_noise(x.data(), x.size(), seed);
    return x;
  }
  static bytes bytes_of(const std::vector<Real>& x) {
    const auto* const first = reinterpret_cast<const unsigned char*>(x.data());
    return {first, first + x.size() * sizeof(Real)};
  }

  /// Returns the transforms of the signals that come with each run.
  [[nodiscard]] bytes spectra_of(const bytes& signals) const {
    queue reference{first_device(engine::reference)};
    const plan forward{
        reference,
        {.lengths = images_prepared_ ? spec_.kernel : spec_.image,
         .batch = n_run_,
         .kind = spec_.holds == values::real ? transform::forward_from_real : transform::forward,
         .real = spec_.real}};
    buffer in{reference, signals.size()}, out{reference, output_bytes(forward.spec())};
    in.write(signals.data(), signals.size());
    forward.enqueue(reference, in.view(), out.view());
    bytes bins(out.size_bytes());
    out.read(bins.data(), bins.size());
    return bins;
  }

  /// Prepares and runs on memory of its own, and returns what was written where it may not be.
  std::optional<std::string> run(unsigned char poison, bytes& result) {
    const std::size_t shift = drawn_.shift * 2 * sizeof(Real);
    const std::size_t scratch_bytes = drawn_.has_own_workspace ? made_.workspace_bytes : 0;
    const guarded in{on_, prepared_, shift, poisons[0]}, given{on_, given_, shift, poisons[0]};
    const guarded spectra{on_, bytes(made_.spectra_bytes, poison), shift, poison};
    const guarded out{on_, bytes(out_bytes_, poison), shift, poison};
    const guarded scratch{on_, bytes(scratch_bytes, poison), 0, poison};
    const buffer_view workspace = scratch_bytes == 0 ? buffer_view{} : scratch.view();
    made_.prepare(in.view(), spectra.view(), workspace);
    on_.wait();
    const bytes prepared = spectra.inner();
    made_.run(spectra.view(), given.view(), out.view(), workspace);
    on_.wait();
    result = out.inner();
    if (spectra.inner() != prepared) return "a run changed the spectra";
    auto fault = in.trespass("prepared signals", bytes(prepared_.size(), 0));
    if (!fault) fault = given.trespass("signals of the run", bytes(given_.size(), 0));
    if (!fault) fault = spectra.trespass("spectra", bytes(made_.spectra_bytes, 1));
    if (!fault) fault = scratch.trespass("workspace", bytes(scratch_bytes, 1));
    return fault ? fault : out.trespass("output", bytes(out_bytes_, 1));
  }

  /// Returns signal or result `number`, as its functor, if any, finds it.
  [[nodiscard]] parts item(const Real* results, std::size_t number,
                           const std::vector<std::size_t>& lengths, bool is_reversed) const {
    parts result{.lengths = three_of(lengths), .re = {}, .im = {}};
    const std::size_t width = n_parts();
    const Real* const first = results + number * result.points() * width;
    for (std::size_t i = 0; i < result.points(); ++i) {
      result.re.push_back(first[i * width]);
      if (width == 2) result.im.push_back(first[i * width + 1]);
    }
    if (is_reversed) {
      std::reverse(result.re.begin(), result.re.end());
      std::reverse(result.im.begin(), result.im.end());
    }
    return result;
  }

  [[nodiscard]] std::optional<std::string> inaccuracy(const bytes& out) const {
    const auto* const got = reinterpret_cast<const Real*>(out.data());
    for (std::size_t pair = 0; pair < n_run_ * n_met_; ++pair) {
      const std::size_t run = pair / n_met_, prepared = is_pairwise_ ? run : pair % n_met_;
      const parts f = item(images_.data(), images_prepared_ ? prepared : run, spec_.image,
                           drawn_.reverses_images);
      const parts t = item(kernels_.data(), images_prepared_ ? run : prepared, spec_.kernel,
                           drawn_.reverses_kernels);
      const parts expected = exact_sums{spec_, f, t}.sums();
      const parts result = item(got, pair, made_.result, drawn_.reverses_results);
      if (result.lengths != expected.lengths) return "the result has other lengths than scipy's";
      const bounds allowed{spec_, made_, f, t, expected};
      if (auto fault = disagreement(result, expected, allowed)) {
        return fmt::format("pair {}: {}", pair, *fault);
      }
    }
    return std::nullopt;
  }

  static std::optional<std::string> disagreement(const parts& result, const parts& expected,
                                                 const bounds& allowed) {
    verify::distance found;
    for (std::size_t i = 0; i < expected.points(); ++i) {
      const auto got = result[i], exact = expected[i];
      const auto off = static_cast<double>(found.add(got, exact));
      if (off <= allowed.value) continue;  // NaN is not
      return text_of(verify::wrong_value{i, std::complex<double>{got}, std::complex<double>{exact},
                                         off, static_cast<double>(allowed.value)});
    }
    if (found.l2_error() <= allowed.l2) return std::nullopt;
    return fmt::format("the L2 error is {:.3Lg}, {:.3Lg} is allowed", found.l2_error(), allowed.l2);
  }

  queue& on_;
  const drawn_convolution& drawn_;
  const convolution_spec& spec_;
  const planned_convolution& made_;
  std::vector<Real> images_, kernels_;
  bytes prepared_, given_;
  bool images_prepared_ = false, is_pairwise_ = false;
  std::size_t n_run_ = 0, n_met_ = 0, out_bytes_ = 0;
};

}  // namespace

planned_convolution made_by_convolution(queue& on, const convolution_spec& spec) {
  const auto planned = std::make_shared<const convolution>(on, spec);
  return {planned->image_bytes(),
          planned->kernel_bytes(),
          planned->spectra_bytes(),
          planned->workspace_bytes(),
          planned->padded(),
          planned->result(),
          [planned, &on](buffer_view signals, buffer_view spectra, buffer_view workspace) {
            planned->prepare(on, signals, spectra, workspace);
          },
          [planned, &on](buffer_view spectra, buffer_view signals, buffer_view out,
                         buffer_view workspace) {
            planned->enqueue(on, spectra, signals, out, {}, workspace);
          }};
}

plan_verdict verdict_of(queue& on, const drawn_convolution& drawn, const convolution_maker& make) {
  try {
    const planned_convolution planned = make(on, drawn.spec);
    const auto fault = drawn.spec.real == precision::fp64
                           ? session<double>{on, drawn, planned}.check()
                           : session<float>{on, drawn, planned}.check();
    if (fault) return {plan_verdict::wrong, *fault};
    return {};
  } catch (const error& problem) {
    return {plan_verdict::wrong, problem.what()};
  }
}

}  // namespace wingbeat::test
