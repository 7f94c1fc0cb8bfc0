// SPDX-License-Identifier: Apache-2.0
#include "channelising/arithmetic/delay_model.hpp"

#include <algorithm>  // max, min
#include <cmath>      // abs, floor, isfinite, nearbyint
#include <limits>
#include <numbers>  // pi

#include "channelising/arithmetic/floor_div.hpp"  // floor_div
#include "text/reject.hpp"                        // reject

namespace wingbeat::channelising {

namespace {

using std::numbers::pi;

constexpr double max_delay_samples = 140737488355328.0;  // 2^47
constexpr double max_exact = 2251799813685248.0;         // 2^51

double wrapped(double radians) {
  if (radians >= -pi && radians < pi) return radians;
  const double result = radians - 2 * pi * std::floor((radians + pi) / (2 * pi));
  return result >= pi ? result - 2 * pi : result;
}

std::int64_t round_up(std::int64_t t, std::int64_t alignment) {
  return -floor_div(-t, alignment) * alignment;
}

/// Returns `value`, of at most 2^51, rounded to an integer, ties to even, because from 2^52 on
/// doubles are integers. A heap takes thousands of these, and a library call takes longer.
double nearest_even(double value) {
  constexpr double shift = 6755399441055744.0;  // 1.5 * 2^52
  return (value + shift) - shift;
}

delay_value value_of(const delay_model& model, std::int64_t t, double offset) {
  const double elapsed = static_cast<double>(t - model.start_samples) + offset;
  const double delay = model.delay_samples + elapsed * model.rate;
  const double coarse = std::abs(delay) < max_exact ? nearest_even(delay) : std::nearbyint(delay);
  const auto whole = static_cast<std::int64_t>(coarse);
  return {t - whole, whole, delay - coarse, wrapped(model.phase_rad + elapsed * model.phase_rate)};
}

/// Returns whether `model` has started by t + offset.
bool has_started(const delay_model& model, std::int64_t t, double offset) {
  return static_cast<double>(t - model.start_samples) + offset >= 0;
}

/// Returns an aligned time after `t`, at or before the first at which the window of this
/// polarisation starts within the input. Within one model t - d grows by 1 - rate per sample, and
/// rounding and aligning add less than 1 + subsampling.
std::optional<std::int64_t> later_start(const delay_schedule& schedule, const start_rule& rule,
                                        std::int64_t t, std::int64_t missing) {
  const double slack = 2.0 + 2.0 * static_cast<double>(rule.subsampling);
  const double advance = std::max(0.0, static_cast<double>(missing) - slack) /
                         (1 - schedule.model_at(t, rule.offset).rate) * (1 - 1e-12);
  double later = static_cast<double>(t) + advance;
  const auto change = schedule.next_change(t, rule.offset);
  if (change) later = std::min(later, static_cast<double>(*change));
  if (later >= static_cast<double>(end_of_time)) return std::nullopt;
  // In integers again, because a double does not hold every time beyond 2^53.
  std::int64_t exact = t + static_cast<std::int64_t>(std::floor(advance));
  if (change) exact = std::min(exact, *change);
  return std::max(round_up(exact, rule.alignment), t + rule.alignment);
}

}  // namespace

delay_value aligned(const delay_value& value, std::int64_t subsampling) {
  if (subsampling == 1) return value;
  const std::int64_t s = subsampling;
  std::int64_t start = 0;
  if (s % 2 == 0) {
    const int sign = value.fine > 0 ? 1 : value.fine < 0 ? -1 : 0;
    start = floor_div(2 * value.input_start + s - sign, 2 * s) * s;
  } else {
    start = floor_div(value.input_start + s / 2, s) * s;
  }
  const std::int64_t moved = start - value.input_start;
  return {start, value.coarse - moved, value.fine + static_cast<double>(moved), value.phase_rad};
}

delay_schedule::delay_schedule() {
  models_.push_back({.start_samples = -1});
}

void delay_schedule::add(const delay_model& model) {
  for (const double number : {model.delay_samples, model.rate, model.phase_rad, model.phase_rate}) {
    if (std::isfinite(number)) continue;
    reject("a delay model holds {}; give finite numbers", number);
  }
  reject_if(model.start_samples < 0, "a delay model starts at sample {}; give 0 or later",
            model.start_samples);
  reject_if(std::abs(model.rate) >= 1,
            "a delay model has a rate of {} samples a sample; give one between -1 and 1",
            model.rate);
  reject_if(std::abs(model.delay_samples) > max_delay_samples,
            "a delay model delays by {} samples; give -2^47 to 2^47", model.delay_samples);
  while (models_.back().start_samples >= model.start_samples) models_.pop_back();
  models_.push_back(model);
}

void delay_schedule::forget_before(std::int64_t t, double offset) {
  const auto in_force = static_cast<std::ptrdiff_t>(&model_at(t, offset) - models_.data());
  if (in_force > 1) models_.erase(models_.begin() + 1, models_.begin() + in_force);
}

const delay_model& delay_schedule::model_at(std::int64_t t, double offset) const {
  std::size_t i = models_.size() - 1;
  while (i > 0 && !has_started(models_[i], t, offset)) --i;
  return models_[i];
}

std::optional<std::int64_t> delay_schedule::next_change(std::int64_t t, double offset) const {
  std::size_t i = models_.size();
  while (i > 1 && !has_started(models_[i - 1], t, offset)) --i;
  if (i == models_.size()) return std::nullopt;
  return models_[i].start_samples - static_cast<std::int64_t>(std::floor(offset));
}

delay_value delay_schedule::at(std::int64_t t, double offset) const {
  return value_of(model_at(t, offset), t, offset);
}

void delay_schedule::fill(std::int64_t t, std::int64_t step, double offset,
                          std::int64_t subsampling, std::span<delay_value> values) const {
  for (auto next = values.begin(); next != values.end();) {
    const delay_model& model = model_at(t, offset);
    const auto change = next_change(t, offset);
    const std::int64_t end = change ? *change : std::numeric_limits<std::int64_t>::max();
    do {
      const delay_value value = value_of(model, t, offset);
      *next++ = subsampling == 1 ? value : aligned(value, subsampling);
      t += step;
    } while (next != values.end() && t < end);
  }
}

std::optional<std::int64_t> first_start(std::span<const delay_schedule> polarisations,
                                        const start_rule& rule) {
  std::int64_t t = round_up(rule.earliest, rule.alignment);
  while (true) {
    std::int64_t next = t;
    for (const delay_schedule& schedule : polarisations) {
      const delay_value value = aligned(schedule.at(t, rule.offset), rule.subsampling);
      if (value.input_start >= rule.input_begin) continue;
      const auto later = later_start(schedule, rule, t, rule.input_begin - value.input_start);
      if (!later) return std::nullopt;
      next = std::max(next, *later);
    }
    if (next == t) return t;
    t = next;
  }
}

double centre_phase(const delay_value& value) {
  const auto quarters = static_cast<double>(static_cast<std::uint64_t>(value.coarse) % 4);
  return wrapped(value.phase_rad + pi / 2 * quarters);
}

double wideband_phase(const delay_value& value, std::size_t channel, std::size_t n_channels) {
  const double n = static_cast<double>(n_channels);
  const double slope = -pi * value.fine * (static_cast<double>(channel) - n / 2) / n;
  const auto quarters = static_cast<double>(static_cast<std::uint64_t>(value.coarse) % 4);
  return wrapped(slope + value.phase_rad + pi / 2 * quarters);
}

double narrowband_phase(const delay_value& value, std::int64_t offset, std::size_t n_transform,
                        std::size_t subsampling) {
  const double turns = value.fine * static_cast<double>(offset) /
                       (static_cast<double>(subsampling) * static_cast<double>(n_transform));
  return wrapped(value.phase_rad - 2 * pi * turns);
}

}  // namespace wingbeat::channelising

namespace wingbeat {

delay_model in_samples(const delay_in_seconds& model, double adc_rate_hz) {
  reject_if(!(adc_rate_hz > 0) || !std::isfinite(adc_rate_hz),
            "the ADC rate is {} Hz; give a finite one above 0", adc_rate_hz);
  const double start = std::nearbyint(model.start_s * adc_rate_hz);
  reject_if(!(std::abs(start) < static_cast<double>(channelising::end_of_time)),
            "a delay model starts at {} s; give a start from 0 to 2^60 samples", model.start_s);
  return {static_cast<std::int64_t>(start), model.delay_s * adc_rate_hz, model.rate,
          model.phase_rad, model.phase_rate_rad_s / adc_rate_hz};
}

}  // namespace wingbeat
