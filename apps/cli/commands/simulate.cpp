// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.hpp"

#include <CLI/CLI.hpp>  // App

#include <algorithm>  // any_of, min
#include <cmath>      // log10, pow
#include <cstdint>    // int16_t, uint64_t
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "channelising/arithmetic/packed_samples.hpp"  // pack_samples
#include "cli/messages.hpp"                            // print_message, counted
#include "cli/option.hpp"                              // add_texts, add_outputs, add_count
#include "cli/progress.hpp"                            // progress
#include "formats/files/atomic_file.hpp"               // atomic_file
#include "formats/files/byte_order.hpp"                // store
#include "formats/files/npy_header.hpp"                // npy_prefix
#include "signals/source.hpp"                          // signal_source, digitise
#include "text/formatted.hpp"                          // formatted
#include "text/reject.hpp"                             // reject
#include "wingbeat/error.hpp"                          // plan_error

namespace wingbeat::cli {
namespace {

using namespace channelising;
using namespace signals;

constexpr const char* examples = R"(Examples:
  wingbeat simulate 'cw(0.5, 200e6)' --adc-rate 1712e6 --samples 1048576 -o tone.npy
      one tone of half of full scale, as int16
  wingbeat simulate 'sky = wgn(0.05, 1); sky + wgn(0.01, 2)' 'delay(wgn(0.05, 1), 234)' \
      --adc-rate 1712e6 --samples 16777216 --output pol0.raw,pol1.raw
      two polarisations of 10-bit samples: the same noise, later in the second

A signal is a sum or product of numbers and functions; 'name = value;' before it names a part:
  cw(amplitude, frequency)                    a cosine; frequencies are in Hz
  multicw(count, amplitude, frequency, step)  cosines from one frequency on, each a step higher
  comb(amplitude, frequency)                  pulses of one sample, so many a second
  wgn(std, seed)                              white Gaussian noise, the same for the same seed
  delay(signal, samples)                      the signal, later by whole samples
  nodither(signal)                            the whole signal, rounded without dither
Amplitudes are parts of full scale, 2^(bits-1) - 1, which limits the samples. All samples together
are one period: frequencies are rounded to multiples of the rate divided by the samples, and delays
turn round, so a file that is played again and again has no seam.)";

constexpr std::size_t piece_samples = std::size_t{1} << 18;  // whole bytes at any width

struct options {
  std::vector<std::string> signals, outputs;
  std::optional<double> adc_rate_hz;
  std::optional<std::uint64_t> n_samples;
  unsigned sample_bits = 10;
  std::optional<std::uint64_t> seed;
};

struct totals {
  double squares = 0;
  std::uint64_t n_limited = 0;
};

bool is_npy(const std::string& file) {
  return std::filesystem::path(file).extension() == ".npy";
}

void write_piece(formats::atomic_file& output, std::span<const std::int16_t> samples,
                 unsigned packed_bits) {
  std::vector<std::byte> bytes;
  if (packed_bits == 0) {
    bytes.resize(2 * samples.size());
    for (std::size_t i = 0; i < samples.size(); ++i) formats::store(&bytes[2 * i], samples[i]);
  } else {
    bytes.resize(packed_bytes(samples.size(), packed_bits));
    pack_samples(samples, packed_bits, 0, bytes);
  }
  output.write(bytes);
}

signal_period period_of(const options& o) {
  return {o.adc_rate_hz.value(), o.n_samples.value()};
}

totals write_signal(const signal_source& source, const options& o, std::uint32_t polarisation,
                    const std::string& file) {
  const signal_period period = period_of(o);
  formats::atomic_file output{file};
  if (is_npy(file)) output.write(formats::npy_prefix("<i2", {period.n_samples}));
  totals sums;
  for (std::uint64_t first = 0; first < period.n_samples; first += piece_samples) {
    std::vector<std::int16_t> samples(
        std::min<std::uint64_t>(piece_samples, period.n_samples - first));
    sums.n_limited +=
        digitise(source, period, {o.sample_bits, o.seed.value_or(0), polarisation}, first, samples);
    for (const double x : samples) sums.squares += x * x;
    write_piece(output, samples, is_npy(file) ? 0 : o.sample_bits);
  }
  output.commit();
  return sums;
}

void report(const options& o, const std::string& file, const totals& sums) {
  const double full_scale = std::pow(2, o.sample_bits - 1) - 1;
  const double power = sums.squares / static_cast<double>(*o.n_samples) / (full_scale * full_scale);
  const std::string level =
      power > 0 ? formatted("{:.2f} dBFS", 10 * std::log10(2 * power)) : "no power";
  const std::string form =
      is_npy(file) ? "as int16" : formatted("packed in {} bits", o.sample_bits);
  print_message("wrote {}: {} {}, {}, {} limited to full scale", file,
                counted(*o.n_samples, "sample"), form, level, sums.n_limited);
}

int run(const options& o) {
  reject_if(o.signals.size() > 2,
            "{} signals are given; give one for each of at most 2 polarisations", o.signals.size());
  reject_if(o.outputs.size() != o.signals.size(),
            "{} and {} are given; name one file for each signal",
            counted(o.signals.size(), "signal"), counted(o.outputs.size(), "output"));
  std::vector<signal_source> sources;
  for (std::size_t i = 0; i < o.signals.size(); ++i) {
    try {
      sources.emplace_back(o.signals[i], period_of(o));
    } catch (const plan_error& refused) {
      reject("signal {}, {}", i + 1, refused.what());
    }
  }
  const bool has_dither = std::any_of(sources.begin(), sources.end(),
                                      [](const auto& each) { return each.has_dither(); });
  reject_if(o.seed && !has_dither,
            "--seed is of the dither, and each signal is nodither(..); leave one of the two out");
  progress shown{"simulate", sources.size()};
  std::vector<totals> written;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    shown.step(o.outputs[i]);
    written.push_back(write_signal(sources[i], o, static_cast<std::uint32_t>(i), o.outputs[i]));
  }
  for (std::size_t i = 0; i < sources.size(); ++i) report(o, o.outputs[i], written[i]);
  return exit_ok;
}

void add_options(CLI::App& command, options& o) {
  add_texts(command, "SIGNAL", o.signals, "The signal of each polarisation, one or two")
      ->required();
  add_real(command, "--adc-rate", o.adc_rate_hz, {0, 1e12, true}, "Samples a second")->required();
  add_count(command, "--samples", o.n_samples, {1, max_signal_samples},
            "Samples of each polarisation, one period")
      ->required();
  add_count(command, "--sample-bits", o.sample_bits, {min_sample_bits, max_sample_bits},
            "Bits of a sample");
  add_count(command, "--seed", o.seed, {0, std::size_t{1} << 53},
            "Of the dither; 0 when not given");
  add_outputs(command, "-o,--output", o.outputs,
              "FILE.npy: int16; other names: packed samples, the most significant bit first; - "
              "prints those")
      ->required();
}

}  // namespace

void add_simulate(CLI::App& program, int& exit_code) {
  add_command<options>(
      program, exit_code,
      {"simulate", "Writes the samples that a digitiser makes of a signal", examples}, run,
      add_options);
}

}  // namespace wingbeat::cli
