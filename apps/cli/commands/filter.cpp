// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.hpp"

#include <CLI/CLI.hpp>  // App

#include <algorithm>  // clamp, copy, max, min
#include <cstddef>    // ptrdiff_t
#include <optional>
#include <span>
#include <string>
#include <utility>  // exchange, move
#include <vector>

#include "cli/choose.hpp"                     // choose_device, add_mode, add_precision, fp64_option
#include "cli/memory_limit.hpp"               // require_memory
#include "cli/messages.hpp"                   // print_message, counted
#include "cli/option.hpp"                     // add_command, add_file, add_count
#include "cli/problem.hpp"                    // report_times
#include "cli/progress.hpp"                   // rate_bar
#include "cli/recording_filter.hpp"           // filter_recording
#include "convolving/convolver.hpp"           // convolver
#include "convolving/geometry.hpp"            // wanted_of_full
#include "formats/signals/sample_reader.hpp"  // open_samples, open_writer
#include "formats/signals/sigmf.hpp"          // shifted_sigmf
#include "text/formatted.hpp"                 // formatted
#include "text/reject.hpp"                    // reject
#include "verify/elements.hpp"                // numbers_of
#include "wingbeat/error.hpp"                 // plan_error

namespace wingbeat::cli {
namespace {

constexpr const char* examples = R"(Examples:
  wingbeat filter recording.wav lowpass.txt --mode same --output quiet.wav
      every channel of the recording, as long as before
  wingbeat filter samples.txt taps.txt -o filtered.txt
      all N + T - 1 samples, as numpy.convolve
  wingbeat filter rows.npy taps.npy --mode valid -o filtered.npy --precision fp64
      every row of a 2D array by itself; where TAPS has as many rows, row by row
  sox recording.wav -t wav - | wingbeat filter - lowpass.txt --output - | head
  wingbeat filter band.sigmf-meta lowpass.txt -o narrow.sigmf-meta
      I and Q of a recording of radio, with its captures and annotations
  wingbeat filter samples.bin lowpass.txt --format ci16 --sample-rate 2.4e6 -o narrow.sigmf-meta
      raw I and Q of 16 bits

Result: y[n] = sum over j of taps[j] x[n - j], in the modes of scipy.signal.
Input: text (one number a line, or two columns 're im'; a blank line between rows), .npy (1D, or
2D as rows), recordings of sound (WAV, FLAC, AIFF, W64, Ogg and more; all channels), SigMF, raw
samples named by --format. The result is complex where one of the two is.
Integers in .npy become real numbers: exact up to 2^24 in fp32 and 2^53 in fp64, rounded beyond.
Output: .txt, .csv, .npy, SigMF, and of real samples whose rate is known .wav, in 32-bit floats, and
.flac, in 24 bits.)";

constexpr std::size_t last_channel = 65534;  // a .wav file counts them in 16 bits
constexpr double max_hz = 1e12;

struct options {
  memory_limit max_memory;
  std::string signal_file, taps_file, output, device;
  extent mode = extent::full;
  precision real = precision::fp32;
  std::optional<std::size_t> channel;
  std::optional<double> sample_rate_hz;
  std::string format = "auto", column;
};

/// Refuses a recording of sound of what it cannot hold, before any work is done.
void require_recording(const options& o, const formats::signal& signal,
                       const formats::signal& taps) {
  if (formats::output_format_of(o.output) != formats::output_format::sound) return;
  reject_if(!signal.is_real || !taps.is_real,
            "the result is complex, because {} is, and {} would hold real samples; write .npy "
            "or .txt",
            signal.is_real ? o.taps_file : o.signal_file, o.output);
  if (signal.sample_rate_hz > 0) return;
  reject(
      "{} has no sample rate, which {} must state; give --sample-rate, or write .npy or "
      ".txt",
      o.signal_file, o.output);
}

void require_shapes(const options& o, const formats::signal& signal, const formats::signal& taps) {
  for (const auto& [file, rows] : {std::pair{&o.signal_file, &signal}, {&o.taps_file, &taps}}) {
    if (rows->row_length == 0) throw file_error(formatted("{} holds no sample; give one", *file));
  }
  reject_if(
      taps.n_rows != 1 && taps.n_rows != signal.n_rows,
      "{} holds {} of taps and {} {}; give one row of taps, or as many rows as the signal has",
      o.taps_file, counted(taps.n_rows, "row"), o.signal_file, counted(signal.n_rows, "row"));
  reject_if(o.mode == extent::valid && taps.row_length > signal.row_length,
            "the {} of {} do not lie within the {} of {}; use --mode full or same",
            counted(taps.row_length, "tap"), o.taps_file, counted(signal.row_length, "sample"),
            o.signal_file);
}

/// About the number of samples in a piece: several whole rows, or part of one.
constexpr std::size_t piece_samples = std::size_t{1} << 20;

/// Filters rows piece by piece. A part of a row begins taps.row_length - 1 samples before its first
/// output; samples outside the row are 0.
class row_filter {
 public:
  row_filter(const device_info& device, const formats::signal& signal, const formats::signal& taps,
             extent mode, precision real)
      : on_(device), from_(signal), taps_(taps), is_complex_(!signal.is_real || !taps.is_real) {
    spec_ = {.image = {signal.row_length},
             .kernel = {taps.row_length},
             .mode = mode,
             .holds = is_complex_ ? values::complex : values::real,
             .real = real,
             .pairs = has_taps_of_rows() ? pairing::pairwise : pairing::each_with_each,
             .prepared = operand_role::kernel};
    result_ = {.n_rows = signal.n_rows,
               .row_length = result_lengths(spec_).front(),
               .is_table = signal.is_table,
               .is_real = !is_complex_,
               .is_single_precision = real == precision::fp32,
               .sample_rate_hz = signal.sample_rate_hz};
  }

  formats::signal filtered() {
    result_.samples.reserve(result_.n_rows * result_.row_length);
    const bool is_long = from_.row_length > std::max(piece_samples, 4 * taps_.row_length);
    const std::size_t at_once =
        is_long ? 1 : std::clamp<std::size_t>(piece_samples / from_.row_length, 1, from_.n_rows);
    for (std::size_t row = 0; row < from_.n_rows; row += at_once) {
      if (is_long) {
        add_parts(row);
      } else {
        add_rows(row, std::min(at_once, from_.n_rows - row));
      }
    }
    return std::move(result_);
  }

 private:
  [[nodiscard]] bool has_taps_of_rows() const { return taps_.n_rows > 1; }

  void add_rows(std::size_t row, std::size_t count) {
    show();
    const std::size_t length = from_.row_length;
    add(count, length, row, numbers_of(from_, row * length, count * length));
  }

  /// Filters a row in parts, each in mode `valid`.
  void add_parts(std::size_t row) {
    const auto n_before = static_cast<std::ptrdiff_t>(taps_.row_length) - 1;
    const extent mode = std::exchange(spec_.mode, extent::valid);
    const auto begin = static_cast<std::ptrdiff_t>(
        convolving::wanted_of_full(from_.row_length, taps_.row_length, mode).first);
    const std::size_t part = std::max(piece_samples, 4 * taps_.row_length);
    for (std::size_t done = 0; done < result_.row_length; done += part) {
      show();
      const std::size_t count = std::min(part, result_.row_length - done);
      add(1, count + taps_.row_length - 1, row,
          part_of(row, static_cast<std::ptrdiff_t>(done) + begin - n_before,
                  count + taps_.row_length - 1));
    }
    spec_.mode = mode;
  }

  /// Returns numbers of a row from index `first` on; those outside the row are 0.
  [[nodiscard]] std::vector<double> part_of(std::size_t row, std::ptrdiff_t first,
                                            std::size_t count) const {
    const auto length = static_cast<std::ptrdiff_t>(from_.row_length);
    const std::ptrdiff_t end = std::min(first + static_cast<std::ptrdiff_t>(count), length);
    const std::ptrdiff_t begin = std::max<std::ptrdiff_t>(first, 0);
    const std::size_t width = is_complex_ ? 2 : 1;
    std::vector<double> values(count * width);
    if (begin >= end) return values;
    const auto inside = numbers_of(from_, row * from_.row_length + static_cast<std::size_t>(begin),
                                   static_cast<std::size_t>(end - begin));
    std::copy(inside.begin(), inside.end(),
              values.begin() + (begin - first) * static_cast<std::ptrdiff_t>(width));
    return values;
  }

  [[nodiscard]] std::vector<double> numbers_of(const formats::signal& rows, std::size_t first,
                                               std::size_t count) const {
    return verify::numbers_of(std::span{rows.samples}.subspan(first, count), !is_complex_);
  }

  /// Appends the results of `count` signals; the first is row `row`, or a part of it.
  void add(std::size_t count, std::size_t length, std::size_t row,
           const std::vector<double>& values) {
    const bool is_planned = filter_ && spec_.images == count && spec_.image.front() == length;
    if (!is_planned || (has_taps_of_rows() && row != planned_row_)) plan(count, length, row);
    const std::vector<double> outputs = (*filter_)(values);
    const std::size_t width = is_complex_ ? 2 : 1;
    for (std::size_t i = 0; i < outputs.size(); i += width) {
      result_.samples.emplace_back(outputs[i], is_complex_ ? outputs[i + 1] : 0.0);
    }
  }

  void plan(std::size_t count, std::size_t length, std::size_t row) {
    spec_.image = {length};
    spec_.images = count;
    spec_.kernels = has_taps_of_rows() ? count : 1;
    const std::size_t first = has_taps_of_rows() ? row * taps_.row_length : 0;
    filter_.emplace(on_, spec_, numbers_of(taps_, first, spec_.kernels * taps_.row_length),
                    fp64_option);
    planned_row_ = row;
  }

  void show() {
    const double n_total = static_cast<double>(result_.n_rows * result_.row_length);
    bar_.show(result_.samples.size(), static_cast<double>(result_.samples.size()) / n_total);
  }

  queue on_;
  const formats::signal &from_, &taps_;
  bool is_complex_;
  convolution_spec spec_;  ///< Of rows; in a plan, of its pieces.
  formats::signal result_;
  std::optional<convolving::convolver> filter_;
  std::size_t planned_row_ = 0;
  rate_bar bar_{"filter", "sample"};
};

/// Returns the bytes of whole signals, input and result, and of the pieces between them.
double needed_bytes(const formats::signal& signal, const formats::signal& taps, extent mode) {
  const auto n_rows = static_cast<double>(signal.n_rows);
  const auto length = static_cast<double>(signal.row_length);
  const auto n_taps = static_cast<double>(taps.row_length);
  const double result = mode == extent::full ? length + n_taps - 1 : length;
  const double row_piece = std::max(static_cast<double>(piece_samples), 4 * n_taps) + n_taps;
  const double piece = std::min(row_piece, n_rows * (length + n_taps));
  constexpr double sample_bytes = sizeof(signal.samples.front()), piece_bytes = 150;
  return sample_bytes * n_rows * (length + result) + piece_bytes * piece;
}

int report(const options& o, const formats::signal& result, const device_info& device,
           const std::string& memory) {
  print_message("wrote {}: {} of {} by {}, within {}", o.output, counted(result.n_rows, "row"),
                counted(result.row_length, "sample"), short_name(device), memory);
  return exit_ok;
}

/// Filters a recording into another block by block; taps are real, and not too long for that.
int filter_blocks(const options& o, const device_info& device, formats::sample_reader& recording,
                  formats::signal result, const formats::signal& taps) {
  const recording_filter_spec spec{o.channel, o.mode, o.real};
  const std::string memory =
      require_memory("filtering " + counted(result.n_rows, "channel"),
                     recording_filter_bytes(result, taps.row_length), o.max_memory);
  const index_range kept =
      convolving::wanted_of_full(result.row_length, taps.row_length, spec.mode);
  result.row_length = kept.end - kept.first;
  result.is_single_precision = o.real == precision::fp32;
  // What a moment looks like lies in the middle of its taps.
  result.sigmf = formats::shifted_sigmf(result.sigmf,
                                        static_cast<std::ptrdiff_t>(taps.row_length - 1) / 2 -
                                            static_cast<std::ptrdiff_t>(kept.first),
                                        result.row_length);
  const auto writer = formats::open_writer(o.output, result);
  filter_recording(queue{device}, recording, taps, spec,
                   [&](std::span<const double> frames) { writer->add(frames); });
  writer->commit();
  return report(o, result, device, memory);
}

int run(const options& o) {
  static_cast<void>(formats::output_format_of(o.output));
  const device_info device = choose_device(o.device, o.real);
  const formats::signal taps = formats::read_signal(o.taps_file, {.has_channels_as_rows = true});
  const auto recording = formats::open_samples(
      o.signal_file, {.channel = o.channel, .format = o.format, .column = o.column});
  formats::signal shape = recording->shape();
  if (o.channel) shape.n_rows = 1;
  if (o.sample_rate_hz) shape.sample_rate_hz = *o.sample_rate_hz;
  report_times(o.signal_file, shape);
  report_times(o.taps_file, taps);
  require_shapes(o, shape, taps);
  require_recording(o, shape, taps);
  if (formats::has_sample_rate(formats::output_format_of(o.output)) && taps.is_real &&
      taps.row_length <= max_block_taps) {
    return filter_blocks(o, device, *recording, std::move(shape), taps);
  }
  const std::string memory = require_memory("filtering " + counted(shape.n_rows, "row"),
                                            needed_bytes(shape, taps, o.mode), o.max_memory);
  formats::signal signal = recording->read_all(o.channel);
  signal.sample_rate_hz = shape.sample_rate_hz;
  const formats::signal result = row_filter{device, signal, taps, o.mode, o.real}.filtered();
  formats::write_signal(o.output, result);
  return report(o, result, device, memory);
}

void add_options(CLI::App& command, options& o) {
  add_file(command, file_use::input, "SIGNAL", o.signal_file,
           "Text, .npy, FILE.h5:/PATH, a recording of sound, SigMF; '-' is stdin")
      ->required();
  add_file(command, file_use::input, "TAPS", o.taps_file,
           "The same: one row, or one for each of SIGNAL")
      ->required();
  add_file_or_stdout(command, "-o,--output", o.output,
                     "FILE.txt, .csv, .npy, .h5, .wav, .flac, .sigmf-meta or .sigmf; - prints text")
      ->required();
  add_mode(command, o.mode);
  add_count(command, "--channel", o.channel, {0, last_channel},
            "The only channel of a recording to take");
  add_signal_format(command, o.format, o.column);
  add_real(command, "--sample-rate", o.sample_rate_hz, {0, max_hz, /*excludes_least=*/true},
           "In Hz, in place of the file's own");
  add_precision(command, o.real);
  add_memory_limit(command, o.max_memory);
  add_device(command, o.device);
}

}  // namespace

void add_filter(CLI::App& program, int& exit_code) {
  add_command<options>(program, exit_code,
                       {"filter", "Convolves signals with taps, each row by itself", examples}, run,
                       add_options);
}

}  // namespace wingbeat::cli
