// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/filter.hpp"

#include <CLI/CLI.hpp>  // App

#include <algorithm>  // all_of
#include <filesystem>
#include <memory>  // make_shared
#include <optional>
#include <string>

#include "cli/choose.hpp"           // choose_device, mode_named, precision_named
#include "cli/convolver.hpp"        // convolver
#include "cli/messages.hpp"         // print_message, counted
#include "cli/option.hpp"           // add_text, add_file, add_count
#include "cli/writable.hpp"         // require_writable
#include "formats/atomic_file.hpp"  // atomic_file
#include "formats/signal.hpp"       // read_signal, write_signal
#include "formats/wav.hpp"          // write_wav
#include "formatted.hpp"            // formatted
#include "wingbeat/error.hpp"       // plan_error

namespace wingbeat::cli {
namespace {

constexpr const char* examples = R"(Examples:
  wingbeat filter recording.wav lowpass.txt --mode same --output quiet.wav
      every channel of the recording, as long as before
  wingbeat filter samples.txt taps.txt -o filtered.txt
      all N + T - 1 samples, as numpy.convolve
  wingbeat filter rows.npy taps.npy --mode valid -o filtered.npy --precision fp64
      every row of a 2D array by itself; where TAPS has as many rows, row by row

Result: y[n] = sum over j of taps[j] x[n - j], in the modes of scipy.signal.
Input: text (one number a line, or two columns 're im'; a blank line between rows), .npy (1D, or
2D as rows), .wav (all channels). The result is complex where one of the two is.
Output: .txt, .csv, .npy, and .wav of real samples whose rate is known, in 32-bit floats.)";

constexpr std::size_t last_channel = 65534;  // a .wav file counts them in 16 bits

struct options {
  std::string signal_file, taps_file, output, device;
  std::string mode = "full", precision_name = "fp32";
  std::optional<std::size_t> channel;
};

bool is_wav(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  return extension == ".wav" || extension == ".WAV";
}

void require_format(const std::string& file) {
  if (is_wav(file)) return;
  try {
    static_cast<void>(formats::output_format_of(file));
  } catch (const plan_error&) {  // whose sentence does not know of .wav
    throw plan_error(formatted(
        "cannot tell how to write {}; its name must end in .txt, .csv, .npy or .wav", file));
  }
}

/// Refuses a .wav file of what it cannot hold, before any work is done.
void require_recording(const options& o, const formats::signal& from, const formats::signal& taps) {
  if (!is_wav(o.output)) return;
  if (!from.is_real || !taps.is_real) {
    throw plan_error(formatted(
        "the result is complex, because {} is, and {} would hold real samples; write .npy "
        "or .txt",
        from.is_real ? o.taps_file : o.signal_file, o.output));
  }
  if (from.sample_rate_hz > 0) return;
  throw plan_error(
      formatted("{} has no sample rate, which {} must state; write .npy or .txt, or filter a .wav "
                "file",
                o.signal_file, o.output));
}

/// Returns all channels of a recording as rows, and other files as they are.
formats::signal read_channels(const std::string& file, std::optional<std::size_t> channel) {
  formats::signal rows = formats::read_signal(file, {.channel = channel});
  if (channel) return rows;
  for (std::size_t c = 1; c < rows.n_channels; ++c) {
    const formats::signal next = formats::read_signal(file, {.channel = c});
    rows.samples.insert(rows.samples.end(), next.samples.begin(), next.samples.end());
    ++rows.n_rows;
  }
  return rows;
}

void require_shapes(const options& o, const formats::signal& from, const formats::signal& taps,
                    extent mode) {
  for (const auto& [file, rows] : {std::pair{&o.signal_file, &from}, {&o.taps_file, &taps}}) {
    if (rows->samples.empty()) throw file_error(formatted("{} holds no sample; give one", *file));
  }
  if (taps.n_rows != 1 && taps.n_rows != from.n_rows) {
    throw plan_error(formatted(
        "{} holds {} of taps and {} {}; give one row of taps, or as many rows as the signal has",
        o.taps_file, counted(taps.n_rows, "row"), o.signal_file, counted(from.n_rows, "row")));
  }
  if (mode == extent::valid && taps.row_length > from.row_length) {
    throw plan_error(
        formatted("the {} of {} do not lie within the {} of {}; use --mode full or same",
                  counted(taps.row_length, "tap"), o.taps_file, counted(from.row_length, "sample"),
                  o.signal_file));
  }
}

std::vector<double> numbers_of(const formats::signal& rows, bool is_complex) {
  std::vector<double> numbers;
  numbers.reserve(rows.samples.size() * (is_complex ? 2 : 1));
  for (const auto z : rows.samples) {
    numbers.push_back(z.real());
    if (is_complex) numbers.push_back(z.imag());
  }
  return numbers;
}

formats::signal filtered(const formats::signal& from, const formats::signal& taps,
                         const device_info& device, extent mode, precision real) {
  const bool is_complex = !from.is_real || !taps.is_real;
  const convolution_spec spec{
      .image = {from.row_length},
      .kernel = {taps.row_length},
      .mode = mode,
      .holds = is_complex ? values::complex : values::real,
      .real = real,
      .images = from.n_rows,
      .kernels = taps.n_rows,
      .pairs = taps.n_rows > 1 ? pairing::pairwise : pairing::each_with_each,
      .prepared = operand_role::kernel};
  convolver filter{queue{device}, spec, numbers_of(taps, is_complex)};
  const std::vector<double> numbers = filter(numbers_of(from, is_complex));
  formats::signal result{.n_rows = from.n_rows,
                         .row_length = filter.result().front(),
                         .is_table = from.is_table,
                         .is_real = !is_complex,
                         .is_single_precision = real == precision::fp32,
                         .sample_rate_hz = from.sample_rate_hz};
  const std::size_t width = is_complex ? 2 : 1;
  result.samples.reserve(numbers.size() / width);
  for (std::size_t i = 0; i < numbers.size(); i += width) {
    result.samples.emplace_back(numbers[i], is_complex ? numbers[i + 1] : 0.0);
  }
  return result;
}

void write(const std::string& file, const formats::signal& result) {
  if (!is_wav(file)) return formats::write_signal(file, result);
  formats::atomic_file to{file};
  formats::write_wav(to, result);
  to.commit();
}

int run(const options& o) {
  const extent mode = mode_named(o.mode);
  const precision real = precision_named(o.precision_name);
  require_format(o.output);
  const device_info device = choose_device(o.device, real);
  require_writable({{"--output", o.output}});
  const formats::signal from = read_channels(o.signal_file, o.channel);
  const formats::signal taps = read_channels(o.taps_file, {});
  require_shapes(o, from, taps, mode);
  require_recording(o, from, taps);
  const formats::signal result = filtered(from, taps, device, mode, real);
  write(o.output, result);
  print_message("wrote {}: {} of {} by {}", o.output, counted(result.n_rows, "row"),
                counted(result.row_length, "sample"), short_name(device));
  return exit_ok;
}

void add_options(CLI::App& command, options& o) {
  add_text(command, "SIGNAL", o.signal_file, "Text, .npy or .wav")->required();
  add_text(command, "TAPS", o.taps_file, "Text, .npy or .wav: one row, or one for each of SIGNAL")
      ->required();
  add_file(command, "-o,--output", o.output, "Write to FILE.txt, FILE.csv, FILE.npy or FILE.wav")
      ->required();
  add_text(command, "--mode", o.mode, "full, same or valid");
  add_count(command, "--channel", o.channel, {0, last_channel},
            "The only channel of a .wav SIGNAL to take");
  add_text(command, "--precision", o.precision_name, "fp32 or fp64");
  add_text(command, "--device,--engine", o.device, "One device; the best one when not given");
}

}  // namespace

void add_filter(CLI::App& program, int& exit_code) {
  CLI::App* const command =
      program.add_subcommand("filter", "Convolves signals with taps, each row by itself");
  command->footer(examples);
  auto chosen = std::make_shared<options>();
  add_options(*command, *chosen);
  command->callback([chosen, &exit_code] { exit_code = run(*chosen); });
}

}  // namespace wingbeat::cli
