// SPDX-License-Identifier: Apache-2.0
#include "verify/agreement.hpp"

#include <algorithm>  // max
#include <cmath>      // abs, sqrt
#include <limits>     // numeric_limits

#include "text/formatted.hpp"   // formatted
#include "verify/distance.hpp"  // distance

namespace wingbeat::verify {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// Allows for the mean square of few elements, which is itself random: that of a single element is
/// more than 2.5 squared times as large in 2 of 1,000 cases.
double allowance(double n_elements) {
  return n_elements > 0 ? 1 + 1.5 / std::sqrt(n_elements) : 1;
}

/// Returns an error divided by its bound; above 1 it breaks the bound.
double share_of(double error, double bound) {
  return error <= 0 ? 0 : error / bound;
}

/// The relative error of a norm, and whether it keeps its bound.
struct l2_verdict {
  double error = 0, bound = 0;  ///< Relative.
  bool is_within = false;
};

l2_verdict l2_of(double error, double value, double relative_bound, double floor) {
  l2_verdict found{.bound = relative_bound, .is_within = error <= relative_bound * value + floor};
  if (value > 0) {
    found.error = error / value;
    found.bound += floor / value;
  } else {
    found.error = found.is_within ? 0 : infinity;
  }
  if (!(found.error <= infinity)) found.error = infinity;  // also for NaN
  return found;
}

/// Real or complex values in sequence.
struct packed_values {
  std::span<const double> values;
  std::size_t width;

  [[nodiscard]] std::complex<double> operator[](std::size_t i) const {
    return {values[i * width], width == 2 ? values[i * width + 1] : 0};
  }
};

}  // namespace

std::string text_of(const wrong_value& wrong) {
  return formatted(
      "element {} is {:.9g}{:+.9g}i and {:.9g}{:+.9g}i was expected, {:.2g} off where {:.2g} is "
      "allowed",
      wrong.number, wrong.got.real(), wrong.got.imag(), wrong.expected.real(),
      wrong.expected.imag(), wrong.error, wrong.bound);
}

double agreement::share() const {
  return std::max(share_of(largest_error, largest_bound), share_of(relative_l2, relative_l2_bound));
}

agreement compare(std::span<const double> result, std::span<const double> expected,
                  arrays::element kind, const computation& how, const sampling& part) {
  const std::size_t width = kind == arrays::element::real ? 1 : 2;
  const packed_values got{result, width}, exact{expected, width};
  const error_bound bound = bound_of(how);
  agreement a{.n_values = expected.size() / width};
  for (std::size_t i = 0; i < a.n_values; ++i) {
    a.largest_value = std::max(a.largest_value, std::abs(exact[i]));
  }
  const auto n_elements = static_cast<double>(a.n_values);
  // The largest of all values is at least their root mean square.
  const double largest =
      std::max({a.largest_value, part.largest, part.share_l2 / std::sqrt(n_elements)});
  const double each = bound.largest * largest * allowance(part.n_inputs) + bound.floor;
  a.largest_bound = each + bound.stored * largest;

  distance found;
  for (std::size_t i = 0; i < a.n_values; ++i) {
    const std::complex<double> off = got[i] - exact[i];
    const auto error = static_cast<double>(found.add(got[i], exact[i]));
    const double allowed = each + bound.stored * std::abs(exact[i]);
    if (!(error <= allowed) && !a.wrong) a.wrong = {i, got[i], exact[i], error, allowed};
    const bool is_close =
        std::max(std::abs(off.real()), std::abs(off.imag())) <= 1e-4 * a.largest_value;
    a.n_off += is_close && error <= infinity ? 0 : 1;
  }
  a.largest_error = static_cast<double>(found.largest_error());
  const double luck = allowance(part.n_averaged > 0 ? part.n_averaged : n_elements);
  const double computing = bound.relative_l2 * (part.share_l2 > 0 ? luck : 1);
  const double storing = bound.stored * std::min(1.0, 0.614 * luck);
  const auto l2 = l2_of(static_cast<double>(found.l2_error()),
                        std::max(static_cast<double>(found.l2()), part.share_l2),
                        computing + storing, bound.floor * std::sqrt(n_elements));
  a.relative_l2 = l2.error;
  a.relative_l2_bound = l2.bound;
  a.is_within = !a.wrong && l2.is_within;
  return a;
}

void add_norms(agreement& of_sample, double result_norm, double expected_norm, std::size_t n_values,
               const computation& how) {
  const error_bound bound = bound_of(how);
  const auto norms =
      l2_of(std::abs(result_norm - expected_norm), expected_norm, bound.relative_l2 + bound.stored,
            bound.floor * std::sqrt(static_cast<double>(n_values)));
  of_sample.norm_error = norms.error;
  if (!norms.is_within) of_sample.is_within = false;
  const double shown = share_of(of_sample.relative_l2, of_sample.relative_l2_bound);
  if (share_of(norms.error, norms.bound) > shown || of_sample.relative_l2_bound == 0) {
    of_sample.relative_l2 = norms.error;
    of_sample.relative_l2_bound = norms.bound;
  }
}

agreement worse_of(const agreement& a, const agreement& b) {
  const bool is_b = a.is_within == b.is_within ? b.relative_l2 >= a.relative_l2 : !b.is_within;
  agreement worse = is_b ? b : a;
  worse.n_values = a.n_values + b.n_values;
  worse.n_off = a.n_off + b.n_off;
  return worse;
}

std::string breach_text(const agreement& broken) {
  if (!(broken.largest_error <= broken.largest_bound)) {
    return formatted("largest error {:.3g}, {:.3g} is allowed", broken.largest_error,
                     broken.largest_bound);
  }
  if (broken.wrong) return text_of(*broken.wrong);
  return formatted("relative L2 {:.3g}, {:.3g} is allowed", broken.relative_l2,
                   broken.relative_l2_bound);
}

}  // namespace wingbeat::verify
