// SPDX-License-Identifier: Apache-2.0
#include "formats/charts/scale.hpp"

#include <algorithm>  // max
#include <cmath>
#include <string_view>
#include <utility>  // move, swap

#include "text/formatted.hpp"  // formatted

namespace wingbeat::formats {
namespace {

constexpr double rounding = 1e-9;  // Rounding of sums of steps, relative to a step.

/// Returns the least number of 1, 2, 5 times a power of ten that is at least `least`.
double round_step(double least) {
  const double decade = std::pow(10.0, std::floor(std::log10(least)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (digit * decade >= least * (1 - rounding)) return digit * decade;
  }
  return 10 * decade;
}

std::string with_minus_sign(std::string number) {
  return number.starts_with('-') ? "−" + number.substr(1) : number;
}

struct si_prefix {
  double factor;
  std::string_view letter;
};

/// Returns a prefix that keeps labels short. Without a unit, numbers from 0.01 to 10000 need none;
/// before a unit they lie between 1 and 1000. Seconds have no prefix above 1.
si_prefix prefix_for(double largest, std::string_view unit) {
  if (!unit.empty() || largest >= 1e4 || largest < 1e-2) {
    for (const auto& prefix : {si_prefix{1e12, "T"},
                               {1e9, "G"},
                               {1e6, "M"},
                               {1e3, "k"},
                               {1, ""},
                               {1e-3, "m"},
                               {1e-6, "µ"},
                               {1e-9, "n"},
                               {1e-12, "p"}}) {
      if (unit == "s" && prefix.factor > 1) continue;
      if (largest >= prefix.factor * (1 - rounding)) return prefix;
    }
  }
  return {1, ""};
}

/// Returns the text after a number.
std::string unit_text(si_prefix prefix, std::string_view unit) {
  return unit.empty() ? std::string{prefix.letter} : formatted(" {}{}", prefix.letter, unit);
}

/// Returns the value with enough digits to differ from its neighbours one step away.
std::string linear_label(double value, double step, si_prefix prefix, std::string_view unit) {
  if (std::abs(value) < step * rounding) return "0";
  const double in_prefix = value / prefix.factor;
  const double step_in_prefix = step / prefix.factor;
  const auto digits_of = [](double x) { return static_cast<int>(std::ceil(std::log10(x) - 1e-9)); };
  if (std::abs(in_prefix) >= 1e4 || step_in_prefix < 1e-6) {
    const int digits = std::clamp(digits_of(std::abs(value) / step) + 1, 1, 17);
    const std::string number = with_minus_sign(formatted("{:.{}g}", value, digits));
    return unit.empty() ? number : formatted("{} {}", number, unit);
  }
  const int decimals = std::clamp(digits_of(1 / step_in_prefix), 0, 12);
  return with_minus_sign(formatted("{:.{}f}{}", in_prefix, decimals, unit_text(prefix, unit)));
}

std::string superscript(int exponent) {
  constexpr std::string_view raised[] = {"⁰", "¹", "²", "³", "⁴", "⁵", "⁶", "⁷", "⁸", "⁹"};
  std::string text = exponent < 0 ? "⁻" : "";
  for (const char digit : std::to_string(std::abs(exponent))) text += raised[digit - '0'];
  return text;
}

/// Returns digit times power: "20" on a short axis, "2·10⁶" on a long or far one; with a unit
/// always as in "2 MHz".
std::string power_label(int digit, double base, int exponent, bool is_short_axis,
                        std::string_view unit) {
  const double value = digit * std::pow(base, exponent);
  if (!unit.empty()) {
    const si_prefix prefix = prefix_for(value, unit);
    return formatted("{:.6g}{}", value / prefix.factor, unit_text(prefix, unit));
  }
  if (is_short_axis && value >= 0.01 && value < 1e5) return formatted("{:.6g}", value);
  const std::string power = formatted("{}{}", base, superscript(exponent));
  return digit == 1 ? power : formatted("{}·{}", digit, power);
}

}  // namespace

chart_scale::chart_scale(axis_scale kind, double low, double high, std::string unit)
    : kind_(kind), low_(low), high_(high), unit_(std::move(unit)) {
  if (low_ > high_) std::swap(low_, high_);
  const bool is_log = kind_ != axis_scale::linear;
  if (!has_place_for(low_) || !has_place_for(high_)) {
    low_ = is_log ? 1 : 0;
    high_ = is_log ? 10 : 1;
  } else if (low_ == high_) {
    const double half = low_ == 0 ? 1 : std::abs(low_) / 2;
    low_ = is_log ? low_ / 2 : low_ - half;
    high_ = is_log ? high_ * 2 : high_ + half;
  }
}

chart_scale chart_scale::with_room() const {
  if (kind_ == axis_scale::linear) {
    const double step = round_step((high_ - low_) / 8);
    return {kind_, step * std::floor(low_ / step), step * std::ceil(high_ / step), unit_};
  }
  const double room = std::pow(high_ / low_, 0.04);
  return {kind_, low_ / room, high_ * room, unit_};
}

bool chart_scale::has_place_for(double value) const {
  return std::isfinite(value) && (kind_ == axis_scale::linear || value > 0);
}

double chart_scale::log_of(double value) const {
  return kind_ == axis_scale::log2 ? std::log2(value) : std::log10(value);
}

double chart_scale::place_of(double value) const {
  if (kind_ == axis_scale::linear) return (value - low_) / (high_ - low_);
  return (log_of(value) - log_of(low_)) / (log_of(high_) - log_of(low_));
}

std::vector<chart_tick> chart_scale::ticks(int n_wanted) const {
  if (kind_ == axis_scale::linear) return linear_ticks(n_wanted);
  auto powers = power_ticks(n_wanted);
  const auto n_labelled = std::count_if(powers.begin(), powers.end(),
                                        [](const chart_tick& t) { return !t.label.empty(); });
  return n_labelled >= 2 ? powers : linear_ticks(n_wanted);
}

std::vector<chart_tick> chart_scale::linear_ticks(int n_wanted) const {
  const double step = round_step((high_ - low_) / n_wanted);
  const si_prefix prefix = prefix_for(std::max(std::abs(low_), std::abs(high_)), unit_);
  std::vector<chart_tick> found;
  const double first = std::ceil(low_ / step - rounding);
  for (int i = 0; (first + i) * step <= high_ + step * rounding; ++i) {
    const double value = (first + i) * step;
    found.push_back({value, linear_label(value, step, prefix, unit_)});
  }
  return found;
}

std::vector<chart_tick> chart_scale::power_ticks(int n_wanted) const {
  const double base = kind_ == axis_scale::log2 ? 2 : 10;
  const int first = static_cast<int>(std::floor(log_of(low_) + rounding));
  const int last = static_cast<int>(std::floor(log_of(high_) + rounding));
  const int stride = std::max(1, (last - first + n_wanted) / n_wanted);
  const bool has_minor = base == 10 && stride == 1;
  std::vector<chart_tick> found;
  for (int exponent = first; exponent <= last; ++exponent) {
    const double value = std::pow(base, exponent);
    const double place = place_of(value);
    const bool is_labelled = exponent % stride == 0;
    if (is_labelled && place > -rounding && place < 1 + rounding) {
      found.push_back(
          {value, power_label(1, base, exponent, has_minor && last - first < 2, unit_)});
    }
    if (has_minor) add_minor_ticks(found, exponent, last - first < 2);
  }
  return found;
}

void chart_scale::add_minor_ticks(std::vector<chart_tick>& ticks, int exponent,
                                  bool is_labelled) const {
  for (int digit = 2; digit <= 9; ++digit) {
    const double value = digit * std::pow(10.0, exponent);
    const double place = place_of(value);
    if (place < 0 || place > 1) continue;
    const bool has_label = is_labelled && (digit == 2 || digit == 5);
    ticks.push_back({value, has_label ? power_label(digit, 10, exponent, true, unit_) : ""});
  }
}

}  // namespace wingbeat::formats
