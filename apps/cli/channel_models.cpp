// SPDX-License-Identifier: Apache-2.0
#include "cli/channel_models.hpp"

#include <map>
#include <optional>
#include <set>
#include <string_view>

#include "channelising/arithmetic/narrowband.hpp"  // response_of
#include "channelising/spec.hpp"                   // pass_edge
#include "cli/messages.hpp"                        // counted
#include "cli/option.hpp"                          // count_of, real_of
#include "formats/files/refusal.hpp"               // refuse, printable
#include "formats/files/whole_file.hpp"            // read_whole_file
#include "text/formatted.hpp"                      // formatted
#include "text/number.hpp"                         // number_from
#include "text/reject.hpp"                         // reject

namespace wingbeat::cli {
namespace {

constexpr double max_start_s = 1e9, max_delay_s = 1e5;

/// The numbers of one line of a file.
struct text_line {
  std::string file;
  std::size_t number = 0;
  std::vector<std::string_view> words = {};

  template <class... Arguments>
  [[noreturn]] void refuse(fmt::format_string<Arguments...> why, Arguments&&... arguments) const {
    formats::refuse(file, "line {}: {}", number,
                    formatted(why, std::forward<Arguments>(arguments)...));
  }

  [[nodiscard]] double real(std::size_t i, std::string_view noun, double least, double most) const {
    const auto value = number_from<double>(words[i]);
    if (value && *value >= least && *value <= most) return *value;
    refuse("the {} is '{}'; give a number from {} to {}", noun, formats::printable(words[i]), least,
           most);
  }

  [[nodiscard]] std::size_t count(std::string_view word, std::string_view noun,
                                  std::size_t end) const {
    const auto value = number_from<std::size_t>(word);
    if (value && *value < end) return *value;
    refuse("the {} is '{}'; give a whole number from 0 to {}", noun, formats::printable(word),
           end - 1);
  }
};

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  line = line.substr(0, line.find('#'));
  constexpr std::string_view blanks = " \t\r";
  for (std::size_t offset = line.find_first_not_of(blanks); offset != line.npos;) {
    const std::size_t end = std::min(line.find_first_of(blanks, offset), line.size());
    words.push_back(line.substr(offset, end - offset));
    offset = line.find_first_not_of(blanks, end);
  }
  return words;
}

/// Returns the lines that hold numbers. The words lie in `content`.
std::vector<text_line> lines_of(const std::string& file, std::string_view content,
                                std::size_t min_words, std::size_t max_words,
                                std::string_view form) {
  std::vector<text_line> lines;
  for (std::size_t number = 1; !content.empty(); ++number) {
    const std::size_t end = std::min(content.find('\n'), content.size());
    text_line line{file, number, words_of(content.substr(0, end))};
    content.remove_prefix(std::min(end + 1, content.size()));
    if (line.words.empty()) continue;
    if (line.words.size() < min_words || line.words.size() > max_words) {
      line.refuse("it has {}; write {}", counted(line.words.size(), "word"), form);
    }
    lines.push_back(std::move(line));
  }
  if (lines.empty()) formats::refuse(file, "holds no line of numbers; write {}", form);
  return lines;
}

std::string text_of(const std::filesystem::path& file) {
  const auto bytes = formats::read_whole_file(file);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

struct channel_range {
  std::size_t first, last;
};

channel_range channels_of(const text_line& line, std::string_view word, std::size_t n_channels) {
  if (word == "*") return {0, n_channels - 1};
  const std::size_t dash = word.find('-');
  const std::size_t first = line.count(word.substr(0, dash), "channel", n_channels);
  if (dash == word.npos) return {first, first};
  const std::size_t last = line.count(word.substr(dash + 1), "last channel", n_channels);
  if (last < first) line.refuse("channels {} end before they begin", word);
  return {first, last};
}

}  // namespace

std::vector<std::vector<delay_model>> delays_of(const std::vector<std::string>& words,
                                                const channeliser_spec& spec) {
  reject_if(words.size() != spec.polarisations,
            "--delay has {}, and there are {}; give one for each", counted(words.size(), "delay"),
            counted(spec.polarisations, "polarisation"));
  std::vector<std::vector<delay_model>> models;
  for (const std::string& word : words) {
    const double delay_s = real_of("--delay", word, {-max_delay_s, max_delay_s});
    models.push_back({in_samples({.delay_s = delay_s}, spec.adc_rate_hz)});
  }
  return models;
}

std::vector<std::vector<delay_model>> read_delays(const std::filesystem::path& file,
                                                  const channeliser_spec& spec) {
  const std::string content = text_of(file);
  const auto lines =
      lines_of(file.string(), content, 3, 6, "START POL DELAY [RATE [PHASE [PHASE_RATE]]]");
  std::vector<std::vector<delay_model>> models(spec.polarisations);
  for (const text_line& line : lines) {
    const auto optional = [&](std::size_t i, std::string_view noun, double most) {
      return i < line.words.size() ? line.real(i, noun, -most, most) : 0.0;
    };
    delay_in_seconds model;
    model.start_s = line.real(0, "start", 0, max_start_s);
    const std::size_t pol = line.count(line.words[1], "polarisation", spec.polarisations);
    model.delay_s = line.real(2, "delay", -max_delay_s, max_delay_s);
    model.rate = optional(3, "delay rate", 0.5);
    model.phase_rad = optional(4, "phase", 1e6);
    model.phase_rate_rad_s = optional(5, "phase rate", 1e9);
    const delay_model next = in_samples(model, spec.adc_rate_hz);
    if (!models[pol].empty() && next.start_samples <= models[pol].back().start_samples) {
      line.refuse(
          "polarisation {} has a model from {} s on, and one from then or later before it; "
          "give each a later start than the one before",
          pol, model.start_s);
    }
    models[pol].push_back(next);
  }
  return models;
}

std::vector<gain_change> read_gains(const std::filesystem::path& file,
                                    const channeliser_spec& spec) {
  const std::string content = text_of(file);
  const auto lines = lines_of(file.string(), content, 4, 5, "START POL CHANNEL RE [IM]");
  std::vector<gain_change> changes;
  std::vector<std::vector<std::complex<float>>> gains(
      spec.polarisations, std::vector<std::complex<float>>(spec.channels, 1.0F));
  for (const text_line& line : lines) {
    const double start = line.real(0, "start", 0, max_start_s);
    const std::int64_t begin = in_samples({.start_s = start}, spec.adc_rate_hz).start_samples;
    const std::size_t pol = line.count(line.words[1], "polarisation", spec.polarisations);
    const channel_range range = channels_of(line, line.words[2], spec.channels);
    const double re = line.real(3, "real part", -1e30, 1e30);
    const double im = line.words.size() > 4 ? line.real(4, "imaginary part", -1e30, 1e30) : 0;
    if (!changes.empty() && begin < changes.back().start_samples) {
      line.refuse("it starts at {} s, before the line above does; sort the lines", start);
    }
    for (std::size_t k = range.first; k <= range.last; ++k) {
      gains[pol][k] = {static_cast<float>(re), static_cast<float>(im)};
    }
    if (changes.empty() || begin > changes.back().start_samples) changes.push_back({begin, {}});
    changes.back().gains = gains;
  }
  return changes;
}

narrowband_spec narrowband_of(const std::vector<std::string>& words) {
  constexpr std::string_view form = "centre=HZ,decimation=D[,pass_bandwidth=HZ][,taps=T]";
  std::map<std::string, std::string> given;
  const std::set<std::string> known{"centre", "decimation", "pass_bandwidth", "taps"};
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string key = word.substr(0, equals);
    reject_if(equals == word.npos || !known.contains(key), "--narrowband holds '{}'; write {}",
              word, form);
    reject_if(!given.emplace(key, word.substr(equals + 1)).second,
              "--narrowband has {} twice; write {}", key, form);
  }
  for (const char* const key : {"centre", "decimation"}) {
    if (given.contains(key)) continue;
    reject("--narrowband has no {}; write {}", key, form);
  }
  const auto name = [](const std::string& key) { return "--narrowband " + key; };
  narrowband_spec band;
  band.centre_hz = real_of(name("centre"), given["centre"], {0, 1e12});
  band.decimation = count_of(name("decimation"), given["decimation"], {2, 4096});
  if (given.contains("pass_bandwidth")) {
    band.pass_bandwidth_hz =
        real_of(name("pass_bandwidth"), given["pass_bandwidth"], {0, 1e12, true});
  }
  if (given.contains("taps")) {
    band.filter_taps = count_of(name("taps"), given["taps"], {1, std::size_t{1} << 20});
  }
  return band;
}

std::string band_text(const channeliser_spec& spec, const std::string& taps, bool allows_alias) {
  constexpr double max_alias_db = -40, design_db = 42;  // the design is a rule of thumb
  const channeliser_sizes sizes = sizes_of(spec);
  const channelising::decimating_filter filter{sizes.filter_taps, sizes.subsampling,
                                               channelising::pass_edge(spec)};
  const auto [ripple_db, alias_db] = channelising::response_of(filter);
  const std::string text = formatted(
      "the pass band is flat within {:.2f} dB, and frequencies outside alias into it at "
      "{:.1f} dB",
      ripple_db, alias_db);
  if (alias_db <= max_alias_db || allows_alias) return text;
  std::string narrower;
  const double rate_hz = spec.adc_rate_hz / static_cast<double>(sizes.subsampling);
  const double widest_hz = channelising::widest_pass_band(filter, design_db) * rate_hz;
  if (spec.narrowband->pass_bandwidth_hz && widest_hz > 0) {
    narrower = formatted("a pass_bandwidth of {:.0f} Hz or less, ", widest_hz);
  }
  reject(
      "--narrowband of {} Hz: {}, above {}; give {}more {} than {}, or "
      "--allow-alias",
      spec.narrowband->centre_hz, text, max_alias_db, narrower, taps, sizes.filter_taps);
}

}  // namespace wingbeat::cli
