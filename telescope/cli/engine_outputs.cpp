// SPDX-License-Identifier: Apache-2.0
#include "cli/engine_outputs.hpp"

#include <algorithm>  // find_if
#include <map>
#include <vector>

#include "channelising/spec.hpp"   // has_dither, min_channels, max_channels
#include "cli/channel_models.hpp"  // filter_windows, dither_kinds
#include "cli/option.hpp"          // choice_of, count_of, parts_of, real_of
#include "text/formatted.hpp"      // formatted, joined
#include "text/reject.hpp"         // reject

namespace wingbeat::cli {
namespace {

struct output_key {
  const char* name;
  bool is_of_narrowband;  ///< Only narrowband has this key.
  bool is_required;
  const char* about;
};

constexpr output_key keys[] = {
    {"name", false, true, "letters, digits, '-' and '_'"},
    {"channels", false, true, "a product of 2, 3, 5, 7, 11 and 13, 2 to 65536"},
    {"dst", false, true, "ADDRESS[+N][:PORT], a substream to each of N + 1 addresses"},
    {"jones_per_batch", false, false,
     "channels times spectra of a heap: 16 or a multiple of 32 [1048576, of a power of two]"},
    {"taps", false, false, "1 to 64 [16]"},
    {"w_cutoff", false, false, "width of a channel at -6 dB, in channels [1.0]"},
    {"window_function", false, false, "hann or rect [hann]"},
    {"dither", false, false, "uniform or none [uniform]"},
    {"dither_seed", false, false, "whole number [random]"},
    {"storage", false, false,
     "fp32 or fp16, what is stored between launches, if there are several"},
    {"centre_frequency", true, true, "Hz, of the digitised band"},
    {"decimation", true, true, "2 to 4096"},
    {"ddc_taps", true, false, "of the decimating filter [16 for each sample it skips]"},
    {"pass_bandwidth", true, false, "Hz; keeps all channels, this much of them flat"},
    {"weight_pass", true, false, "ignored"},
};

std::string text_of(output_kind kind) {
  return kind == output_kind::wideband ? "--wideband" : "--narrowband";
}

bool has_key(output_kind kind, const output_key& key) {
  return kind == output_kind::narrowband || !key.is_of_narrowband;
}

/// Values by key; the kind has all of these keys.
class output_words {
 public:
  output_words(output_kind kind, const std::string& words) : option_(text_of(kind)) {
    for (const std::string& word : parts_of(option_, words)) add(kind, word);
    for (const output_key& key : keys) {
      if (!key.is_required || !has_key(kind, key) || values_.contains(key.name)) continue;
      reject("{} {} has no {}; give {}=, {}", option_, words, key.name, key.name, key.about);
    }
  }

  [[nodiscard]] bool has(const std::string& key) const { return values_.contains(key); }
  [[nodiscard]] const std::string& text(const std::string& key) const { return values_.at(key); }

  void count(const std::string& key, std::size_t& target, count_range range) const {
    if (has(key)) target = count_of(option_ + " " + key, text(key), range);
  }
  [[nodiscard]] double real(const std::string& key, real_range range) const {
    return real_of(option_ + " " + key, text(key), range);
  }
  template <class Value, class To>
  void choose(const std::string& key, const choices<Value>& known, To& target) const {
    if (has(key)) target = choice_of(option_ + " " + key, text(key), known);
  }

 private:
  void add(output_kind kind, const std::string& word) {
    const std::size_t sign = word.find('=');
    const std::string key = word.substr(0, sign);
    const auto* const known = std::find_if(
        std::begin(keys), std::end(keys),
        [&](const output_key& each) { return has_key(kind, each) && key == each.name; });
    if (known == std::end(keys)) {
      std::vector<std::string> names;
      for (const output_key& each : keys) {
        if (has_key(kind, each)) names.emplace_back(each.name);
      }
      reject("{} has no key '{}'; there are {}", option_, key, joined(names, ", "));
    }
    if (sign == word.npos || sign + 1 == word.size()) {
      reject("{} {} has no value; give {}=, {}", option_, key, key, known->about);
    }
    reject_if(!values_.emplace(key, word.substr(sign + 1)).second, "{} has {} twice; give it once",
              option_, key);
  }

  std::string option_;
  std::map<std::string, std::string> values_;
};

/// Returns the spectra of a batch; 0 if they are not stated.
std::size_t spectra_per_batch(const output_words& words, std::size_t channels) {
  if (!words.has("jones_per_batch")) return 0;
  std::size_t jones = 0;
  words.count("jones_per_batch", jones, {16 * channels, channels << 20});
  using channelising::min_spectra, channelising::spectra_step;
  const std::size_t spectra = jones / channels, above = spectra / spectra_step * spectra_step;
  const std::size_t rounded = above == 0 ? min_spectra : above;
  if (rounded * channels == jones) return spectra;
  reject(
      "jones_per_batch is {}; give {} channels times {}, or times a multiple of {}: the "
      "nearest are {} and {}",
      jones, channels, min_spectra, spectra_step, rounded * channels,
      (above + spectra_step) * channels);
}

narrowband_spec narrowband_of(const output_words& words) {
  narrowband_spec spec;
  spec.centre_hz = words.real("centre_frequency", {0, 1e12});
  words.count("decimation", spec.decimation, {2, 4096});
  words.count("ddc_taps", spec.filter_taps, {1, std::size_t{1} << 20});
  if (words.has("pass_bandwidth")) {
    spec.pass_bandwidth_hz = words.real("pass_bandwidth", {0, 1e12, true});
  } else if (spec.decimation % 2 != 0) {
    reject(
        "--narrowband decimation is {}, and channels at the edges are left out; give an "
        "even one, or pass_bandwidth=, which keeps all channels",
        spec.decimation);
  }
  return spec;
}

}  // namespace

fengine::output_spec parse_output(output_kind kind, const std::string& text, heap_sample samples,
                                  std::uint64_t seed) {
  const output_words words{kind, text};
  fengine::output_spec output{.name = words.text("name")};
  channeliser_spec& bank = output.bank;
  words.count("channels", bank.channels, {channelising::min_channels, channelising::max_channels});
  words.count("taps", bank.taps, {1, 64});
  if (words.has("w_cutoff")) bank.weight_cutoff = words.real("w_cutoff", {0, 4});
  words.choose("window_function", filter_windows, bank.window);
  words.choose("dither", dither_kinds, bank.dither);
  words.choose("storage", storage_kinds, bank.between);
  bank.spectra_per_heap = spectra_per_batch(words, bank.channels);
  bank.output = samples;
  std::size_t own_seed = channelising::has_dither(bank) ? seed : 0;
  words.count("dither_seed", own_seed, {0, ~std::size_t{0}});
  bank.seed = own_seed;
  if (kind == output_kind::narrowband) bank.narrowband = narrowband_of(words);
  output.destinations = net::parse_endpoints(words.text("dst"));
  return output;
}

void require_band(const fengine::output_spec& output, double adc_rate_hz) {
  if (!output.bank.narrowband) return;
  const narrowband_spec& band = *output.bank.narrowband;
  reject_if(band.centre_hz > adc_rate_hz / 2,
            "--narrowband centre_frequency of '{}' is {} Hz; give 0 to {}, half of "
            "--adc-sample-rate",
            output.name, band.centre_hz, adc_rate_hz / 2);
  const double width_hz = adc_rate_hz / (2 * static_cast<double>(band.decimation));
  if (band.pass_bandwidth_hz && *band.pass_bandwidth_hz >= width_hz) {
    reject(
        "--narrowband pass_bandwidth of '{}' is {} Hz; give a width above 0 and below "
        "{}, that of the whole output",
        output.name, *band.pass_bandwidth_hz, width_hz);
  }
}

std::string output_keys_text() {
  std::string text;
  for (const output_key& key : keys) {
    text += formatted("  {:<17} {}{}{}\n", key.name, key.about,
                      key.is_of_narrowband ? "; of --narrowband" : "",
                      key.is_required ? ", required" : "");
  }
  return text;
}

}  // namespace wingbeat::cli
