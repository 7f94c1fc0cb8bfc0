// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.hpp"

#include <CLI/CLI.hpp>  // App

#include <algorithm>  // max, min
#include <bit>        // bit_floor
#include <chrono>     // steady_clock
#include <cmath>      // abs
#include <complex>
#include <memory>  // unique_ptr
#include <optional>
#include <string>
#include <vector>

#include "channelising/arithmetic/heap_windows.hpp"    // heap_windows
#include "channelising/arithmetic/packed_samples.hpp"  // min_sample_bits
#include "channelising/banks/filter_bank.hpp"          // require_storage
#include "channelising/spec.hpp"                       // has_dither, min_channels
#include "cli/adjacent_banks.hpp"                      // adjacent_banks
#include "cli/channel_models.hpp"                      // read_delays, heap_samples, ..
#include "cli/choose.hpp"                              // choose_device
#include "cli/messages.hpp"                            // print_message, counted
#include "cli/option.hpp"                              // add_inputs, add_file, add_count
#include "cli/progress.hpp"                            // rate_bar
#include "cli/recording.hpp"                           // recording
#include "cli/reports/channelised.hpp"                 // channel_powers, stats_text
#include "formats/charts/chart.hpp"                    // require_chart, write_chart
#include "formats/files/atomic_file.hpp"               // write_whole_file
#include "formats/voltages/heap_file.hpp"              // heap_file, heap_format_of
#include "text/formatted.hpp"                          // formatted
#include "text/reject.hpp"                             // reject

namespace wingbeat::cli {
namespace {

constexpr const char* examples = R"(Examples:
  wingbeat channelise pol0.raw pol1.raw --adc-rate 1712e6 --output spectra.npy
      4096 channels of 10-bit samples, packed; int8, [channel][spectrum][pol][re, im]
  wingbeat channelise samples.npy --adc-rate 1712e6 --channels 1024 --spectrum bandpass.png \
      --waterfall sky.png
  wingbeat channelise - --adc-rate 1712e6 --delay 1.5e-9 --output-bits fp32 -o spectra.npy < x.raw
  wingbeat channelise pol0.raw pol1.raw --adc-rate 1712e6 --narrowband centre=300e6,decimation=8 \
      --spectra-per-heap 256 --output heaps.raw --stats run.json
  wingbeat channelise guppi.raw --coarse-channel 12 --output-bits fp32 --waterfall sky.png
      complex samples, and their rate and frequencies from the header
  wingbeat channelise capture.sigmf-meta --channels 1024 --waterfall band.png
      I and Q of a radio
  wingbeat channelise --sequence guppi.*.raw --channels 64 --sum-spectra 16 -o sky.fil
      all coarse channels of files that follow each other, as a filterbank of sigproc

Input: packed samples, the most significant bit first ('-' is stdin); those have no mark, so their
files are named .raw, .bin or .dat, or --format raw is given. Or int16 in .npy, of one
polarisation or [pol][sample]; VDIF, Mark 5B, GUPPI raw and PSRDADA. I and Q of a radio: SigMF,
complex .npy, --format iq of a recording of sound, or raw samples by --format; they become integers
of 16 bits, for which magnitudes are 1 at most. One file of both polarisations, or two files, or a
sequence. Complex samples give channels on both sides of 0 Hz.
Files of delays and gains have lines of numbers, and comments from '#' on; times are in seconds
since sample 0 of the ADC, POL is 0 or 1:
  --delays   START POL DELAY [RATE [PHASE [PHASE_RATE]]]   in s, s/s, rad and rad/s
  --gains    START POL CHANNEL RE [IM]                     CHANNEL is a number, A-B, or * for all
.npy has every whole spectrum of the recording, .fil their powers, .vdif them as complex samples.
Heaps to other files have whole heaps alone, one behind another.)";

const choices<sample_levels> levels{{"integers", sample_levels::integers},
                                    {"optimal", sample_levels::optimal}};

struct options {
  std::vector<std::string> inputs, delay, narrowband, vdif_threads, coarse_channels;
  bool allows_alias = false;
  std::string output, spectrum, waterfall, stats, delays, gains, device;
  std::string format = "auto";
  channeliser_spec spec;
  std::optional<missing_policy> missing;
  std::optional<evaluation_point> evaluation;
  std::optional<double> adc_rate_hz;
  std::optional<unsigned> sample_bits;
  std::optional<std::size_t> kept_samples, file_channels;
  std::optional<double> start_mjd, sky_hz;
  std::optional<sample_levels> levels;
  std::size_t summed_spectra = 1;
  std::optional<std::size_t> spectra_per_heap;
  std::optional<std::uint64_t> seed;
  std::uint64_t first_sample = 0;
  bool early_start = false, is_strict = false, is_sequence = false;
};

double rate_of(const options& o, const recording& input) {
  const double stated_hz = input.sample_rate_hz(), rate_hz = o.adc_rate_hz.value_or(stated_hz);
  if (stated_hz > 0 && std::abs(rate_hz - stated_hz) > 1e-6 * stated_hz) {
    print_message("{} states {} samples a second; --adc-rate {} is used", joined(o.inputs, ", "),
                  stated_hz, rate_hz);
  }
  if (rate_hz > 0) return rate_hz;
  reject("{} does not state its sample rate; give --adc-rate", joined(o.inputs, ", "));
}

/// Returns the frequencies of channels: those of the sky, if the files state them.
frequency_axis axis_of(const channeliser_spec& spec, const recording& input) {
  const auto sky = input.frequencies();
  return sky ? sky_axis(spec, sky->first_hz, sky->step_hz < 0) : cli::axis_of(spec);
}

/// Multiplies all gains, so that results are those of samples in their own unit.
void multiply_gains(channeliser_spec& spec, double factor) {
  if (factor == 1) return;
  const auto scale = static_cast<float>(factor);
  for (gain_change& change : spec.gains) {
    for (auto& row : change.gains) {
      for (auto& gain : row) gain *= scale;
    }
  }
  if (!spec.gains.empty() && spec.gains[0].start_samples == 0) return;
  const std::vector<std::complex<float>> unit{scale};
  spec.gains.insert(spec.gains.begin(), {0, std::vector(spec.polarisations, unit)});
}

channeliser_spec spec_of(const options& o, const recording& input) {
  const formats::heap_format& format = formats::heap_format_of(o.output);
  channeliser_spec spec = o.spec;
  if (format.has_powers) spec.output = heap_sample::fp32;
  spec.adc_rate_hz = rate_of(o, input);
  spec.sample_bits = input.sample_bits();
  spec.complex_samples = input.is_complex();
  spec.polarisations = input.n_polarisations();
  // Short heaps of arrays lose few spectra if a delay starts a window before the recording.
  const std::size_t heap_spectra = std::max<std::size_t>(
      16, std::bit_floor((std::size_t{1} << (format.has_part_heaps ? 16 : 20)) /
                         (spec.channels * input.n_channels())));
  spec.spectra_per_heap = o.spectra_per_heap.value_or(heap_spectra);
  spec.seed = o.seed.value_or(0);
  spec.missing = o.missing.value_or(missing_policy::withhold);
  reject_if(o.missing && !input.has_packets() && !o.early_start,
            "--missing is of formats whose packets may be lost, and {} has none; leave it out",
            joined(o.inputs, ", "));
  reject_if(
      o.is_strict && !input.has_packets(),
      "--strict is of formats of which damaged parts may be left out, and {} has none; leave it "
      "out",
      joined(o.inputs, ", "));
  spec.evaluation = o.evaluation.value_or(evaluation_point::window_start);
  if (!o.narrowband.empty() && input.is_complex()) {
    reject("--narrowband takes real samples and {} has complex ones; leave it out", o.inputs[0]);
  }
  if (!o.narrowband.empty()) spec.narrowband = narrowband_of(o.narrowband);
  reject_if(o.seed && !channelising::has_dither(spec),
            "--seed is of no use without dither; leave it out, or choose --dither uniform and an "
            "output of integers");
  static_cast<void>(sizes_of(spec));  // before it reads files of gains and delays
  if (spec.narrowband) print_message("{}", band_text(spec, "taps", o.allows_alias));
  reject_if(!spec.narrowband && o.allows_alias,
            "--allow-alias is of no use without --narrowband; leave it out");
  if (!o.delay.empty()) spec.delays = delays_of(o.delay, spec);
  if (!o.delays.empty()) spec.delays = read_delays(o.delays, spec);
  if (!o.gains.empty()) spec.gains = read_gains(o.gains, spec);
  multiply_gains(spec, input.unit());
  return spec;
}

/// The first heap's start, without and with delays.
struct heap_begin {
  std::int64_t due = 0, delayed = 0;
  std::int64_t n_samples = 0;  ///< Missing before the recording for the heap at `due`.

  [[nodiscard]] bool is_late() const { return delayed > due; }
  [[nodiscard]] std::string sentence() const {
    return formatted(
        "the delays need {} before the first one, so that heaps begin at sample {}, not {}",
        counted(static_cast<std::size_t>(n_samples), "sample"), delayed, due);
  }
};

constexpr const char* early_start_text =
    "--missing zero-fill --early-start has zeros for these samples";

heap_begin begin_of(const options& o, const channeliser& bank) {
  const auto first = static_cast<std::int64_t>(o.first_sample);
  const auto hop = static_cast<std::int64_t>(bank.sizes().heap_samples);
  const auto subsampling = static_cast<std::int64_t>(bank.sizes().subsampling);
  const channelising::heap_windows windows{bank.spec()};
  const auto rounded_up = [](std::int64_t t, std::int64_t step) {
    return (t + step - 1) / step * step;
  };
  const std::int64_t due = rounded_up(first, hop), begin = rounded_up(first, subsampling);
  if (o.early_start) return {due, due};
  return {due, windows.next_heap(0, begin).value_or(due), begin - windows.first_sample(due)};
}

/// Returns why delays leave fewer spectra, as the end of a sentence; empty if they do not.
std::string lateness_text(const options& o, const channeliser& bank) {
  const heap_begin begin = begin_of(o, bank);
  return begin.is_late() ? formatted("; {}; {}", begin.sentence(), early_start_text) : "";
}

void write_stats(const options& o, const channeliser& bank, const channeliser_run& run) {
  if (!o.stats.empty()) formats::write_whole_file(o.stats, stats_text(bank, run));
}

/// Writes heaps to the outputs.
class heap_sink {
 public:
  heap_sink(const options& o, const channeliser& bank, const channeliser_run& run)
      : spectra_per_heap_(bank.sizes().spectra_per_heap) {
    const channeliser_spec& spec = bank.spec();
    if (!o.output.empty()) {
      const formats::heap_format& format = formats::heap_format_of(o.output);
      formats::heap_file_spec file{
          .bank = spec,
          .spectra = spectra_per_heap_,
          .n_channels = spec.channels * run.n_banks,
          .spectrum_rate_hz = spec.adc_rate_hz / static_cast<double>(bank.sizes().spectrum_samples),
          .axis = run.axis,
          .origin = run.start,
          .target = run.target,
          .summed_spectra = o.summed_spectra,
          .stored = o.spec.output};
      if (file.origin) {
        file.origin = run.start->after(static_cast<double>(-run.first_sample) / spec.adc_rate_hz);
      }
      file_ = format.create(o.output, file);
      has_part_heaps_ = format.has_part_heaps;
    }
    if (!o.spectrum.empty()) powers_.emplace(spec, run.axis, run.n_banks);
    if (!o.waterfall.empty()) waterfall_.emplace(spec, run.axis, run.n_banks);
  }

  void take(const channelised_heap& heap, channeliser_run& run) {
    if (file_) file_->add(heap);
    if (file_ && !has_part_heaps_) {
      const bool is_whole = heap.n_spectra == spectra_per_heap_;
      if (is_whole) has_heap_ = true;
      if (!is_whole) n_left_out_ = heap.n_spectra;
    }
    if (powers_) powers_->add(heap, spectra_per_heap_);
    if (waterfall_) waterfall_->add(heap, spectra_per_heap_);
    run.heaps.push_back({heap.timestamp, heap.n_spectra, heap.saturated, heap.is_complete});
  }

  void finish(const options& o, const channeliser& bank, const channeliser_run& run) {
    reject_if(!has_heap_ && n_left_out_ > 0,
              "{} would be empty: the recording has {} spectra, and a heap has {}; use less "
              "--spectra-per-heap, or write .npy{}",
              o.output, n_left_out_, spectra_per_heap_, lateness_text(o, bank));
    if (file_) file_->commit();
    const std::string title = formatted(
        "{}, {} channels, {} spectra{}", joined(o.inputs, ", "), o.spec.channels * run.n_banks,
        run.n_spectra(), run.start ? formatted(", from MJD {:.8f}", run.start->mjd()) : "");
    if (powers_) formats::write_chart(o.spectrum, powers_->chart(title));
    if (waterfall_) formats::write_chart(o.waterfall, waterfall_->chart(title));
    write_stats(o, bank, run);
  }

  /// Returns the number of spectra after the last whole heap, which a file of heaps omits.
  [[nodiscard]] std::size_t n_left_out() const { return n_left_out_; }

 private:
  std::size_t spectra_per_heap_, n_left_out_ = 0;
  bool has_part_heaps_ = true, has_heap_ = false;
  std::unique_ptr<formats::heap_file> file_;
  std::optional<channel_powers> powers_;
  std::optional<channel_waterfall> waterfall_;
};

/// Pushes so many missing samples, then those of the recording.
void channelise(queue& on, adjacent_banks& banks, std::size_t n_missing, recording& input,
                channeliser_run& run) {
  const auto begun = std::chrono::steady_clock::now();
  for (std::size_t c = 0; c < run.n_banks && n_missing > 0; ++c) {
    banks.push(on, c, {.count = n_missing});
  }
  rate_bar bar{"channelise", "sample"};
  while (true) {
    std::size_t count = 0;
    for (std::size_t c = 0; c < run.n_banks; ++c) {
      const channeliser::samples next = input.next(c);
      count = next.count;
      if (count > 0) banks.push(on, c, next);
    }
    if (count == 0) break;
    run.n_samples += count;
    const double n_total = static_cast<double>(input.n_samples().value_or(0));
    bar.show(run.n_samples, n_total > 0 ? static_cast<double>(run.n_samples) / n_total : 0);
  }
  banks.flush(on);
  run.levels = banks.levels();
  run.elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - begun).count();
}

void report(const options& o, const channeliser& bank, const channeliser_run& run,
            const heap_sink& sink, bool has_sky) {
  const channeliser_spec& spec = bank.spec();
  const double duration_s = run.duration_s(spec);
  print_message("{} of {} from {:.3g} s of samples by {}, in {:.3g} s: {:.3g} times real time",
                run.n_spectra() == 1 ? "1 spectrum" : formatted("{} spectra", run.n_spectra()),
                counted(spec.channels * run.n_banks, "channel"), duration_s, run.device,
                run.elapsed_s, duration_s / run.elapsed_s);
  if (run.start || has_sky) {
    print_message(
        "{}{}{}", run.start ? formatted("from MJD {:.8f}", run.start->mjd()) : "",
        run.start && has_sky ? ", " : "",
        has_sky
            ? formatted("{:.9g} to {:.9g} MHz", run.axis.at(-0.5) / 1e6,
                        run.axis.at(static_cast<double>(spec.channels * run.n_banks) - 0.5) / 1e6)
            : "");
  }
  if (bank.counts().withheld > 0) {
    print_message("{} withheld, because samples are missing",
                  counted(bank.counts().withheld, "heap"));
  }
  if (const heap_begin begin = begin_of(o, bank); begin.is_late()) {
    // At most one heap before the first would contain samples of the recording.
    const auto n =
        std::min(static_cast<std::size_t>(begin.delayed - begin.due), bank.sizes().heap_samples);
    print_message("{}: {} are left out; {}", begin.sentence(),
                  formatted("{} spectra", n / bank.sizes().spectrum_samples), early_start_text);
  }
  if (sink.n_left_out() > 0) {
    print_message("{} has whole heaps alone: {} behind them are left out; .npy has all", o.output,
                  sink.n_left_out());
  }
}

/// Throws `plan_error` if the recording is too short for a spectrum, or every heap misses samples.
void require_heaps(const options& o, const channeliser& bank, const channeliser_run& run) {
  if (run.n_spectra() > 0) return;
  if (bank.counts().withheld > 0) {
    write_stats(o, bank, run);
    reject(
        "{} misses samples of every heap ({} withheld), so that no spectrum is left to "
        "write; use less --spectra-per-heap, or --missing zero-fill",
        joined(o.inputs, ", "), bank.counts().withheld);
  }
  reject(
      "{} holds {} from sample {} on, too few for a spectrum, whose window is {}, of a heap that "
      "begins at a multiple of {}; record more, or use fewer channels, taps or "
      "--spectra-per-heap{}",
      joined(o.inputs, ", "), counted(run.n_samples, "sample"), o.first_sample,
      counted(bank.sizes().window_samples, "sample"), counted(bank.sizes().heap_samples, "sample"),
      lateness_text(o, bank));
}

/// Returns the numbers of a list, one or two different ones.
std::vector<std::size_t> pair_of(const char* option, const std::vector<std::string>& words,
                                 count_range range) {
  std::vector<std::size_t> numbers;
  for (const std::string& word : words) numbers.push_back(count_of(option, word, range));
  reject_if(numbers.size() > 2 || (numbers.size() == 2 && numbers[0] == numbers[1]),
            "{} {} is given; give one number or two different ones", option, joined(words, ","));
  return numbers;
}

recording_options recording_of(const options& o) {
  return {.format = o.format,
          .is_sequence = o.is_sequence,
          .stated = {.sample_rate_hz = o.adc_rate_hz,
                     .threads = pair_of("--vdif-threads", o.vdif_threads, {0, 1023}),
                     .n_channels = o.file_channels,
                     .sample_bits = o.sample_bits,
                     .near_mjd = o.start_mjd},
          .channels = pair_of("--coarse-channel", o.coarse_channels, {0, std::size_t{1} << 20}),
          .sky_hz = o.sky_hz,
          .levels = o.levels,
          .is_strict = o.is_strict,
          .says_zeros = o.missing == missing_policy::zero_fill};
}

int run(const options& o) {
  reject_if(o.output.empty() && o.spectrum.empty() && o.waterfall.empty() && o.stats.empty(),
            "nothing is to be written; give --output, --spectrum, --waterfall or --stats");
  reject_if(!o.delay.empty() && !o.delays.empty(),
            "--delay excludes --delays; state all delays in the file");
  reject_if(o.early_start && o.missing != missing_policy::zero_fill,
            "--early-start is of no use without --missing zero-fill; leave it out, or give both");
  reject_if(o.evaluation && o.delay.empty() && o.delays.empty(),
            "--evaluate is of no use without delays; leave it out, or give --delay or --delays");
  if (!o.spectrum.empty()) formats::require_chart("--spectrum", o.spectrum);
  if (!o.waterfall.empty()) formats::require_chart("--waterfall", o.waterfall);
  recording input{o.inputs, recording_of(o)};
  formats::require_heap_file(o.output, o.spec.output);
  reject_if(o.summed_spectra > 1 && !formats::heap_format_of(o.output).has_powers,
            "--sum-spectra is of powers, as .fil has; leave it out, or write .fil");
  const channeliser_spec spec = spec_of(o, input);
  const device_info device = choose_device(o.device, precision::fp32);
  channelising::require_storage(spec, device, "--storage");
  queue on{device};
  const std::size_t n_missing = o.early_start ? sizes_of(spec).heap_samples - 1 : 0;
  channeliser_run result{.inputs = o.inputs,
                         .device = short_name(device),
                         .axis = axis_of(spec, input),
                         .sample_bits = input.stored_bits(),
                         .first_sample = static_cast<std::int64_t>(o.first_sample),
                         .n_banks = input.n_channels(),
                         .start = input.start(),
                         .target = input.target()};
  std::vector<channeliser> coarse_banks;
  for (std::size_t c = 0; c < result.n_banks; ++c) {
    coarse_banks.emplace_back(on, spec, result.first_sample - static_cast<std::int64_t>(n_missing),
                              o.kept_samples.value_or((std::size_t{1} << 20) / result.n_banks));
  }
  heap_sink sink{o, coarse_banks[0], result};
  adjacent_banks banks{std::move(coarse_banks),
                       [&](const channelised_heap& heap) { sink.take(heap, result); }};
  const channeliser& bank = banks.first();
  channelise(on, banks, n_missing, input, result);
  require_heaps(o, bank, result);
  sink.finish(o, bank, result);
  if (input.is_assumed()) {
    print_message(
        "{} has no mark and was taken for packed samples of {} bits; --sample-bits says "
        "how many there are",
        o.inputs.front(), input.stored_bits());
  }
  report(o, bank, result, sink, input.frequencies().has_value());
  return exit_ok;
}

void add_input_options(CLI::App& command, options& o) {
  add_inputs(command, "POL", o.inputs, "One file or two; '-' is stdin")->required();
  add_switch(command, "--sequence", o.is_sequence, "The files follow each other in time");
  add_real(command, "--adc-rate", o.adc_rate_hz, {0, 1e12, true},
           "Samples a second; those that headers state when not given");
  add_text(
      command, "--format", o.format,
      "auto, raw, npy, guppi, dada, mark5b or vdif, or of a radio iq, cf32, ci16, ci8, cu8 and "
      "others; auto is raw of names in .raw, .bin and .dat, and of pipes");
  add_list(command, "--coarse-channel", o.coarse_channels,
           "The channel that is read, or two with a comma that are polarisations; when not given "
           "all, where they adjoin in the sky");
  add_count(command, "--file-channels", o.file_channels, {1, 32},
            "Channels of Mark 5B, which does not state them");
  add_list(command, "--vdif-threads", o.vdif_threads,
           "The threads of VDIF that are polarisations: one, or two with a comma");
  add_count(command, "--sample-bits", o.sample_bits, {1, channelising::max_sample_bits},
            "Bits of a sample; when not given 10, of Mark 5B 2, and those that headers state");
  add_choice(command, "--levels", o.levels, levels,
             "Of few bits: integers, of 2 -3 to 3, or those of baseband, of 2 -3.3165 to 3.3165: ");
  add_real(
      command, "--start-mjd", o.start_mjd, {0, 1e6},
      "When the first sample was taken, where the file does not say; of Mark 5B a day near it");
  add_real(command, "--sky-frequency", o.sky_hz, {0, 1e15},
           "Hz of the sky at 0 Hz of the samples; what headers state when not given");
  add_count(command, "--first-sample", o.first_sample, {0, std::size_t{1} << 60},
            "Number of the first sample, since the ADC's sample 0");
  add_count(command, "--kept-samples", o.kept_samples, {0, std::size_t{1} << 32},
            "Kept behind those in use, for delays that grow in steps; 2^20, divided by the coarse "
            "channels, when not given");
  add_choice(command, "--missing", o.missing, missing_policies,
             "Heaps that miss samples of lost packets, withheld when not given: ");
  add_switch(command, "--strict", o.is_strict,
             "Refuse files with headers of which anything is damaged, contradictory or assumed");
  add_switch(command, "--early-start", o.early_start,
             "Also the heap that the first sample falls in; samples before it are missing");
}

void add_filter_options(CLI::App& command, options& o) {
  add_count(command, "--channels", o.spec.channels,
            {channelising::min_channels, channelising::max_channels},
            "A product of 2, 3, 5, 7, 11 and 13");
  add_count(command, "--taps", o.spec.taps, {1, 64}, "Spectra that a window is long");
  add_choice(command, "--window", o.spec.window, filter_windows);
  add_real(command, "--cutoff", o.spec.weight_cutoff, {0, 4},
           "Width of a channel at -6 dB, in channels; 0 is the window alone");
  add_list(command, "--narrowband", o.narrowband,
           "A part of the band: centre=HZ,decimation=D[,pass_bandwidth=HZ][,taps=T]");
  add_switch(command, "--allow-alias", o.allows_alias,
             "Accept a band into which other frequencies alias at more than -40 dB");
  add_list(command, "--delay", o.delay, "Seconds, one for each polarisation");
  add_file(command, file_use::input, "--delays", o.delays,
           "File of delays, phases and their rates");
  add_file(command, file_use::input, "--gains", o.gains, "File of gains");
  add_choice(command, "--storage", o.spec.between, storage_kinds,
             "What is stored between launches, where there are several: ");
  add_choice(command, "--evaluate", o.evaluation, evaluation_points,
             "Where in a window delays are evaluated, at its start when not given: ");
}

void add_output_options(CLI::App& command, options& o) {
  add_file_or_stdout(command, "-o,--output", o.output,
                     "FILE.npy or .h5: [channel][spectrum][pol][re, im]; .fil: powers; .vdif; "
                     "other names: heaps; - "
                     "prints those");
  add_choice(command, "--output-bits", o.spec.output, heap_samples);
  add_count(command, "--sum-spectra", o.summed_spectra, {1, std::size_t{1} << 30},
            "Spectra whose powers are one, of .fil");
  add_count(
      command, "--spectra-per-heap", o.spectra_per_heap,
      {channelising::min_spectra, std::size_t{1} << 20},
      "16, or a multiple of 32; when not given 2^20 divided by the channels, rounded down to a "
      "power of two, of .npy 2^16 and 16 at least");
  add_choice(command, "--dither", o.spec.dither, dither_kinds, "Of integers: ");
  add_count(command, "--seed", o.seed, {0, std::size_t{1} << 63},
            "Of the dither; 0 when not given");
  add_file(command, file_use::output, "--spectrum", o.spectrum,
           "FILE.png, .svg or .pdf: mean power of every channel in dB");
  add_file(command, file_use::output, "--waterfall", o.waterfall,
           "FILE.png, .svg or .pdf: power over frequency and time in dB");
  add_file(command, file_use::output, "--stats", o.stats,
           "FILE.json: levels, histograms, saturation, heaps, rates");
  add_device(command, o.device);
}

}  // namespace

void add_channelise(CLI::App& program, int& exit_code) {
  add_command<options>(
      program, exit_code,
      {"channelise", "Makes spectra of a digitiser's samples by a polyphase filter bank", examples},
      run, add_input_options, add_filter_options, add_output_options);
}

}  // namespace wingbeat::cli
