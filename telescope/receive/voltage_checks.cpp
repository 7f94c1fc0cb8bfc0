// SPDX-License-Identifier: Apache-2.0
#include "receive/voltage_checks.hpp"

#include <algorithm>  // max, min
#include <array>
#include <cmath>  // abs, log10, remainder, sqrt
#include <cstdint>
#include <map>
#include <numbers>  // pi
#include <sstream>  // istringstream

#include "channelising/arithmetic/quantise.hpp"  // complex_bytes, load_complex
#include "text/counted.hpp"                      // counted
#include "text/formatted.hpp"
#include "text/number.hpp"  // number_from
#include "text/reject.hpp"  // reject

namespace wingbeat::receive {
namespace {

using kind = expectation::kind;

struct form_of_text {
  const char* name;
  kind form;
  std::vector<std::string> required, optional;
  const char* example;
};

const std::vector<form_of_text>& known_forms() {
  static const std::vector<form_of_text> forms{
      {"cw",
       kind::cw,
       {"channel", "pol", "magnitude", "tolerance"},
       {},
       "cw channel=192 pol=0 magnitude=110 tolerance=3"},
      {"floor", kind::floor, {"pol", "magnitude"}, {"guard"}, "floor pol=0 magnitude=1.5"},
      {"leakage", kind::leakage, {"pol", "db"}, {"guard"}, "leakage pol=0 db=-53"},
      {"phase",
       kind::phase,
       {"channel", "radians", "tolerance"},
       {},
       "phase channel=192 radians=0.3 tolerance=0.02"},
      {"lost", kind::lost, {"most"}, {}, "lost most=0"},
      {"heaps", kind::heaps, {"least"}, {}, "heaps least=10"}};
  return forms;
}

double number_of(const std::string& text, const std::string& word) {
  const auto value = number_from<double>(text);
  if (value && std::isfinite(*value)) return *value;
  reject("'{}' of an expectation is no number; write {}=3", text, word);
}

std::size_t count_of(double value, const char* word, double most) {
  if (value >= 0 && value <= most && value == std::floor(value)) {
    return static_cast<std::size_t>(value);
  }
  reject("{}={} of an expectation is not a whole number from 0 to {}", word, value, most);
}

double at_least_0(double value, const char* word) {
  if (value >= 0) return value;
  reject("{}={} of an expectation is below 0; give 0 or more", word, value);
}

std::map<std::string, double> values_of(std::istringstream& words, const form_of_text& form) {
  std::map<std::string, double> values;
  const auto is_among = [](const std::vector<std::string>& list, const std::string& word) {
    return std::find(list.begin(), list.end(), word) != list.end();
  };
  for (std::string word; words >> word;) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    reject_if(equals == word.npos ||
                  (!is_among(form.required, key) && !is_among(form.optional, key)) ||
                  values.contains(key),
              "'{}' in an expectation of '{}' is not understood; an example is "
              "'{}'",
              word, form.name, form.example);
    values[key] = number_of(word.substr(equals + 1), key);
  }
  for (const std::string& key : form.required) {
    reject_if(!values.contains(key), "an expectation of '{}' has no {}; an example is '{}'",
              form.name, key, form.example);
  }
  return values;
}

}  // namespace

expectation parse_expectation(std::string_view text) {
  std::istringstream words{std::string(text)};
  std::string name;
  words >> name;
  std::vector<std::string> names;
  for (const form_of_text& form : known_forms()) {
    names.push_back(form.name);
    if (name != form.name) continue;
    auto values = values_of(words, form);
    const auto value = [&](const char* key) { return values.contains(key) ? values[key] : 0; };
    expectation result{.form = form.form};
    result.channel = count_of(value("channel"), "channel", 1 << 20);
    result.polarisation = count_of(value("pol"), "pol", 1);
    result.guard = values.contains("guard") ? count_of(value("guard"), "guard", 1 << 20) : 1;
    result.tolerance = at_least_0(value("tolerance"), "tolerance");
    for (const char* key : {"magnitude", "db", "radians", "most", "least"}) {
      if (values.contains(key)) result.value = value(key);
    }
    if (name == "lost") static_cast<void>(count_of(result.value, "most", 1e15));
    if (name == "heaps") static_cast<void>(count_of(result.value, "least", 1e15));
    if (name == "cw") at_least_0(result.value, "magnitude");
    return result;
  }
  reject("'{}' is no expectation; choose {}", name, joined(names, ", "));
}

voltage_checks::voltage_checks(std::vector<expectation> expected, const channel_layout& layout)
    : expected_(std::move(expected)),
      layout_(layout),
      powers_(layout.polarisations, std::vector<double>(layout.channels)),
      crosses_(layout.channels) {
  for (const expectation& each : expected_) {
    reject_if(each.channel >= layout.channels || each.polarisation >= layout.polarisations,
              "channel {} of polarisation {} is expected, of {} and {}; both count from 0",
              each.channel, each.polarisation, counted(layout.channels, "channel"),
              counted(layout.polarisations, "polarisation"));
    reject_if(each.form == kind::phase && layout.polarisations < 2,
              "a phase between polarisations is expected of one; leave it out");
  }
}

/// The same for int8, in integers.
void voltage_checks::add_bytes(const channel_batch& batch) {
  const auto* source = reinterpret_cast<const std::int8_t*>(batch.voltages.data());
  const std::size_t n_values = layout_.polarisations;
  for (std::size_t k = 0; k < layout_.channels; ++k) {
    std::array<std::int64_t, 2> powers{};
    std::int64_t re = 0, im = 0;
    for (std::size_t s = 0; s < layout_.spectra; ++s, source += 2 * n_values) {
      const int a = source[0], b = source[1];
      powers[0] += a * a + b * b;
      if (n_values < 2) continue;
      const int c = source[2], d = source[3];
      powers[1] += c * c + d * d;
      re += c * a + d * b;
      im += d * a - c * b;
    }
    for (std::size_t p = 0; p < n_values; ++p) {
      powers_[p][k] += static_cast<double>(powers[p]);
    }
    crosses_[k] += std::complex(static_cast<double>(re), static_cast<double>(im));
  }
}

void voltage_checks::add(const channel_batch& batch) {
  if (layout_.samples == heap_sample::int8) {
    add_bytes(batch);
    n_spectra_ += layout_.spectra;
    return;
  }
  const std::size_t n_bytes = channelising::complex_bytes(layout_.samples);
  const std::byte* source = batch.voltages.data();
  for (std::size_t k = 0; k < layout_.channels; ++k) {
    for (std::size_t s = 0; s < layout_.spectra; ++s) {
      std::complex<double> first;
      for (std::size_t p = 0; p < layout_.polarisations; ++p, source += n_bytes) {
        const auto value = channelising::load_complex({source, n_bytes}, layout_.samples);
        powers_[p][k] += std::norm(value);
        if (p == 0) first = value;
        if (p == 1) crosses_[k] += value * std::conj(first);
      }
    }
  }
  n_spectra_ += layout_.spectra;
}

double voltage_checks::magnitude(std::size_t polarisation, std::size_t channel) const {
  return std::sqrt(powers_[polarisation][channel] / static_cast<double>(n_spectra_));
}

bool voltage_checks::is_near_tone(std::size_t polarisation, std::size_t channel,
                                  std::size_t guard) const {
  return std::any_of(expected_.begin(), expected_.end(), [&](const expectation& tone) {
    const std::size_t distance =
        tone.channel > channel ? tone.channel - channel : channel - tone.channel;
    return tone.form == kind::cw && tone.polarisation == polarisation && distance <= guard;
  });
}

/// Returns the largest magnitude of the channels that are not tones, or near them.
check_result voltage_checks::others_result(const expectation& expected) const {
  double most = 0, strongest = 0;
  std::size_t channel = 0;
  for (std::size_t k = 0; k < layout_.channels; ++k) {
    const double found = magnitude(expected.polarisation, k);
    strongest = std::max(strongest, found);
    if (found > most && !is_near_tone(expected.polarisation, k, expected.guard)) {
      most = found;
      channel = k;
    }
  }
  if (expected.form == kind::floor) {
    return {most <= expected.value,
            formatted("floor of polarisation {}: magnitude {:.4g} in channel {}, expected at most "
                      "{:.4g}",
                      expected.polarisation, most, channel, expected.value)};
  }
  // If all is 0, nothing leaks, but there is no tone either.
  const double db = most > 0 ? 20 * std::log10(most / strongest) : -400;
  return {strongest > 0 && db <= expected.value,
          formatted("leakage of polarisation {}: {:.2f} dB in channel {}, expected at most {:.2f}",
                    expected.polarisation, db, channel, expected.value)};
}

check_result voltage_checks::voltage_result(const expectation& expected) const {
  if (n_spectra_ == 0) return {false, "no complete batch came"};
  if (expected.form == kind::floor || expected.form == kind::leakage)
    return others_result(expected);
  if (expected.form == kind::cw) {
    const double found = magnitude(expected.polarisation, expected.channel);
    return {std::abs(found - expected.value) <= expected.tolerance,
            formatted("cw in channel {} of polarisation {}: magnitude {:.5g}, expected {:.5g} +- "
                      "{:.4g}",
                      expected.channel, expected.polarisation, found, expected.value,
                      expected.tolerance)};
  }
  const double found = std::arg(crosses_[expected.channel]);
  const bool has_power = std::norm(crosses_[expected.channel]) > 0;
  const double error = std::remainder(found - expected.value, 2 * std::numbers::pi);
  return {has_power && std::abs(error) <= expected.tolerance,
          formatted("phase of channel {}: {:.5f} rad, expected {:.5f} +- {:.4g}", expected.channel,
                    found, expected.value, expected.tolerance)};
}

check_result voltage_checks::result(const expectation& expected,
                                    const heap_receive_counts& counts) const {
  if (expected.form == kind::lost) {
    const std::uint64_t n_lost = counts.lost_heaps();
    return {static_cast<double>(n_lost) <= expected.value,
            formatted("lost: {}, expected at most {:g}", counted(n_lost, "heap"), expected.value)};
  }
  if (expected.form == kind::heaps) {
    std::uint64_t least = counts.substreams.empty() ? 0 : counts.substreams[0].heaps;
    for (const substream_counts& each : counts.substreams) least = std::min(least, each.heaps);
    return {
        static_cast<double>(least) >= expected.value,
        formatted("heaps: {} of each substream, expected at least {:g}", least, expected.value)};
  }
  return voltage_result(expected);
}

std::vector<check_result> voltage_checks::results(const heap_receive_counts& counts) const {
  std::vector<check_result> results;
  for (const expectation& each : expected_) results.push_back(result(each, counts));
  return results;
}

}  // namespace wingbeat::receive
