// SPDX-License-Identifier: Apache-2.0
#include "cli/commands/commands.hpp"

#include <CLI/CLI.hpp>  // App

#include "cli/choose.hpp"                      // add_devices, add_precision, listed_devices
#include "cli/commands/transform_options.hpp"  // transform_options
#include "cli/files.hpp"                       // require_stdout_for_json, print_table
#include "cli/kinds.hpp"                       // kinds_named
#include "cli/memory_limit.hpp"                // add_memory_limit
#include "cli/messages.hpp"                    // print_message
#include "cli/option.hpp"                      // add_text, add_count, add_real, add_file
#include "cli/reports/print_json.hpp"          // print_json
#include "cli/reports/transform.hpp"           // engines_text
#include "formats/charts/chart.hpp"            // require_chart
#include "formats/signals/signal.hpp"          // output_format_of
#include "request/traits.hpp"                  // traits_of
#include "text/counted.hpp"                    // counted
#include "text/formatted.hpp"                  // joined
#include "text/reject.hpp"                     // reject

namespace wingbeat::cli {
namespace {

constexpr const char* examples = R"(Examples:
  wingbeat transform recording.wav
      transforms the recording on every engine and checks each against the definition
  wingbeat transform recording.wav --channel 1 --top 5 --plot spectrum.png
      the five strongest bins of the second channel, and its spectrum in dB against Hz
  wingbeat transform samples.txt --length 4096 --engine host,opencl --output spectrum.npy
      pads with zeros to 4096 samples and writes all 4096 bins
  wingbeat transform rows.npy --precision fp64 --half --output spectra.npy
      every row of a 2D array; bins 0..N/2 alone, as numpy.fft.rfft
  wingbeat transform spectrum.npy --inverse --output samples.npy
      goes back: scaled by 1/N, so that it undoes the transform
  wingbeat transform half.npy --inverse --half --sample-rate 48000 --output sound.wav
      bins 0..N/2 back to samples, as a recording
  wingbeat transform samples.txt --kind dct2 --output coefficients.npy
      the cosine transform of reals to reals, as scipy.fft.dct; --inverse undoes it
  wingbeat transform recording.wav --psd --segment 4096 --output psd.csv --plot psd.svg
      power spectral density by Welch's method, in unit²/Hz
  wingbeat transform recording.wav --spectrogram --segment 1024 --overlap 768 --plot music.png
      powers over frequency and time
  wingbeat transform speech.flac --mel 80 --segment 400 --overlap 240 --output features.npy
      logarithms of the power in 80 mel bands, as speech recognisers take them
  wingbeat transform music.wav --stft --segment 2048 --overlap 1536 --output bins.npy
  wingbeat transform bins.npy --stft --inverse --segment 2048 --overlap 1536 --sample-rate 48000
      --output music2.wav
      complex bins of segments, and back
  wingbeat transform capture.bin --format cu8 --sample-rate 2.4e6 --psd --plot band.png
      raw I and Q of a radio; SigMF states format, rate and frequency itself
  wingbeat transform image.png --axes 2 --output spectrum.npy --plot spectrum.png
      the transform of an image over both axes, and its magnitude, 0 in the middle
  wingbeat transform image.png --axes 2 --devices 0,1 --output spectrum.npy
      the same over two GPUs, where that is expected to be quicker than one

Input: text (one number a line, or two columns 're im'; a blank line between rows; whole numbers
with a comma between them below a line '# complex'), .npy (1D, or 2D as rows), .csv as --output
writes it, recordings of sound (WAV, FLAC, AIFF, W64, Ogg and more), SigMF, raw samples named by
--format; with --axes 2 a 2D array, or an image (PNG, JPEG, TIFF, FITS, MRC), which becomes grey.
A row is transformed at its own length, whatever that is. --pad good pads with zeros to the next
2^a 3^b 5^c 7^d 11^e 13^f, which is quicker (forward of real rows to the next even one; of dct1 to
one more than such a number, of dst1 to one less); --length sets any length, and a shorter one cuts.
K bins of --inverse --half are of 2 (K - 1) samples or of one more: say which by --length if that is
odd.
Forward: exp(-2 pi i jk/N), unscaled, all N bins (as numpy.fft.fft), unless --half.
--window weights the samples of each row; --psd and --spectrogram those of each segment, with hann
where none is named. Windows are periodic: that of n samples is the symmetric one of n + 1 without
its last.
--psd and --spectrogram, as scipy.signal.welch and spectrogram: |X|^2 divided by the sample rate
times the sum of the squared window (--scale density, unit²/Hz), or by the squared sum of the window
(--scale spectrum, unit²); one-sided of real rows. The unit is that of the samples.
--stft and --mel, as librosa.stft and librosa.feature.melspectrogram: segment t is around sample
t (segment - overlap), hann where no window is named, and rows are reflected at their ends. --mel
writes log10(max(power, 1e-10)), with bands of equal areas (Slaney's).
--output, --top and --plot show the values of the best engine that agrees with the definition:
the first of cuda, an OpenCL GPU, host, another OpenCL device, reference.
--check sample compares up to 2^16 values all, and of more those of a sample of transforms and
bins, the strongest, 0 and N/2 among them, and the energy of every transform; it takes seconds at
most. --check full compares all with the engine reference, in long double: minutes where transforms
are long. An engine agrees when its relative L2 error is at most u sqrt(log2 N) (fp32, u = 2^-24) or
1.25 u sqrt(log2 N) (fp64, u = 2^-53), 1.3 times that where N has a prime factor above 13, or 4 u
up to N = 64, and its largest error at most 12 u
of the largest output. Times: plan, once; first run, at which drivers load code and may compile;
execution and transfer (to the device and back), the medians of the runs after it: five, or as
many as begin within a second, one at least.)";

constexpr std::size_t last_channel = 65534;  // a .wav file counts them in 16 bits
constexpr double max_hz = 1e12;
constexpr std::size_t max_bands = 4096;

/// An option that was given, or an empty name.
using given_option = std::pair<const char*, bool>;

/// Refuses options that a form does not use.
void refuse_options(const std::string& form, const std::vector<given_option>& options) {
  for (const auto& [name, is_given] : options) {
    if (is_given) reject("{} is of no use with {}; drop one", name, form);
  }
}

void validate_output(const transform_options& o) {
  if (o.output.empty() || (o.has_frames() && !o.is_inverse)) return;
  const bool is_wav = formats::output_format_of(o.output) == formats::output_format::sound;
  const bool makes_reals = (o.is_inverse && (o.is_half || o.is_stft)) || !o.kind.empty();
  reject_if(
      is_wav && (!makes_reals || o.n_axes == 2),
      "{} would hold real samples, which of one axis --inverse --half makes, and --kind; write "
      ".npy, .txt or .csv",
      o.output);
  reject_if(is_wav && !o.sample_rate_hz, "{} states a sample rate; give one by --sample-rate",
            o.output);
}

/// Refuses two of the forms that have segments, and what the given one does not use.
void validate_frames(const transform_options& o) {
  std::vector<std::string> forms;
  for (const auto& [name, is_given] : {given_option{"--psd", o.is_psd},
                                       {"--spectrogram", o.is_spectrogram},
                                       {"--stft", o.is_stft},
                                       {"--mel", o.n_bands.has_value()}}) {
    if (is_given) forms.emplace_back(name);
  }
  reject_if(forms.size() > 1, "{} exclude each other; drop one",
            joined(forms, forms.size() > 2 ? ", " : " and "));
  const bool is_short_time = o.is_short_time(), is_undone = o.is_stft && o.is_inverse;
  if (!forms.empty()) {
    refuse_options(forms[0], {{"--inverse", o.is_inverse && !o.is_stft},
                              {"--half", o.is_half},
                              {"--length", o.length.has_value() && !is_undone},
                              {"--pad", o.pad != padding::none},
                              {"--top", o.n_peaks.has_value()},
                              {"--axes", o.n_axes == 2},
                              {"--detrend", is_short_time && o.removes_mean.has_value()},
                              {"--scale", is_short_time && !o.scale_name.empty()}});
  }
  for (const auto& [name, is_given] :
       {given_option{"--segment", o.segment.has_value()}, {"--overlap", o.overlap.has_value()}}) {
    if (!is_given || !forms.empty()) continue;
    reject("{} is for --psd, --spectrogram, --stft and --mel; add one of them, or drop it", name);
  }
  reject_if(forms.empty() && o.removes_mean,
            "--detrend is for --psd and --spectrogram; add one of them, or drop it");
  reject_if(!o.n_bands && o.bands_scale, "--mel-scale is for --mel; add that, or drop it");
}

void validate_kind(const transform_options& o) {
  if (o.kind.empty()) {
    if (!o.orthogonalizes) return;
    reject("--orthogonalize is for --kind; add that, or drop it");
  }
  refuse_options("--kind", {{"--half", o.is_half},
                            {"--psd", o.is_psd},
                            {"--spectrogram", o.is_spectrogram},
                            {"--stft", o.is_stft},
                            {"--mel", o.n_bands.has_value()},
                            {"--top", o.n_peaks.has_value()},
                            {"--plot", !o.plot.empty()},
                            {"--window", o.weights.has_value()}});
  const std::vector<transform> kinds = kinds_named(o.kind, real_kinds);
  for (const transform each : kinds) {
    if (request::traits_of(each).is_real_to_real()) continue;
    reject("--kind is {}, which --inverse and --half choose; give {}", o.kind, real_kinds);
  }
  if (kinds.size() == 1 || kinds.size() == o.n_axes) return;
  reject("--kind has {} and --axes is {}; give one kind for all, or one for each",
         counted(kinds.size(), "kind"), o.n_axes);
}

/// Refuses options that contradict each other, before any work is done.
void validate(const transform_options& o) {
  validate_output(o);
  if (o.is_json) require_stdout_for_json({{"--output", o.output}});
  validate_frames(o);
  validate_kind(o);
  reject_if(o.devices.empty() && o.uses_all_devices,
            "--all-devices is for --devices; add that, or drop it");
  reject_if(o.has_frames() && !o.devices.empty(),
            "--psd, --spectrogram, --stft and --mel run on single devices; choose them by "
            "--engine");
  if (!o.plot.empty()) formats::require_chart("--plot", o.plot);
  reject_if(o.is_inverse && (!o.plot.empty() || o.n_peaks || (o.weights && !o.is_stft)),
            "--plot, --top and --window are for spectra, and --inverse makes samples; drop one");
  if (o.n_axes == 2) {
    refuse_options("--axes 2", {{"--length", o.length.has_value()},
                                {"--channel", o.channel.has_value()},
                                {"--format", o.format != "auto"},
                                {"--column", !o.column.empty()},
                                {"--top", o.n_peaks.has_value()},
                                {"--sample-rate", o.sample_rate_hz.has_value()},
                                {"--window", o.weights.has_value()}});
  }
  reject_if(o.n_axes == 1 && o.frame, "--frame is for --axes 2; add that, or drop it");
  const bool uses_rate = !o.plot.empty() || o.n_peaks || o.is_json || o.has_frames() ||
                         ((o.is_inverse || !o.kind.empty()) && !o.output.empty() &&
                          formats::has_sample_rate(formats::output_format_of(o.output)));
  reject_if(o.sample_rate_hz && !uses_rate,
            "--sample-rate turns bins into Hz for --top, --plot and --json, and is written to "
            "recordings; "
            "add one of them or drop it");
}

int run(const transform_options& o) {
  validate(o);
  if (o.is_short_time()) return o.is_inverse ? invert_short_time(o) : transform_short_time(o);
  if (o.has_frames()) return transform_frames(o);
  return o.n_axes == 2 ? transform_image(o) : transform_rows(o);
}

void add_frame_options(CLI::App& command, transform_options& o) {
  add_choice(command, "--window", o.weights,
             named_choices({window::rectangular, window::hann, window::hamming, window::blackman,
                            window::blackman_harris, window::flat_top}),
             "Periodic: ");
  add_switch(command, "--psd", o.is_psd, "Power spectral density, the mean of segments (Welch)");
  add_switch(command, "--spectrogram", o.is_spectrogram, "Power of each segment");
  add_switch(command, "--stft", o.is_stft,
             "Complex bins of each segment, the first around sample 0; with --inverse, from them");
  add_count(command, "--mel", o.n_bands, {1, max_bands},
            "Log of the power in so many mel bands, of the same segments");
  add_choice(command, "--mel-scale", o.bands_scale,
             choices<mel_scale>{{"slaney", mel_scale::slaney}, {"htk", mel_scale::htk}},
             "Mels of --mel; slaney when not given: ");
  add_count(command, "--segment", o.segment, {2, max_length},
            "Samples of a segment; 256, or those of a shorter row, when not given");
  add_count(command, "--overlap", o.overlap, {0, max_length},
            "Samples that a segment shares with the next; half of them when not given");
  add_choice(command, "--detrend", o.removes_mean, choices<bool>{{"mean", true}, {"none", false}},
             "What is taken from each segment; mean when not given: ");
}

void add_options(CLI::App& command, transform_options& o) {
  add_file(
      command, file_use::input, "FILE", o.file,
      "Text, .npy, .csv, FILE.h5:/PATH, a recording of sound or SigMF; or an image; '-' is stdin")
      ->required();
  add_list(command, "--engine", o.engines, "all, or some of reference, host, opencl, cuda, ...");
  add_devices(command, o.devices, "One transform over several devices, as 0,1 or host,host,host");
  add_switch(command, "--all-devices", o.uses_all_devices,
             "Of --devices: use all where one is expected to be quicker, too");
  add_precision(command, o.real);
  add_count(command, "--axes", o.n_axes, {1, 2}, "1: every row; 2: an image, over both axes");
  add_count(command, "--frame", o.frame, {0, max_length}, "Image of a stack, with --axes 2");
  CLI::Option* const length =
      add_count(command, "--length", o.length, {1, max_length}, "Length of the transform");
  add_choice(command, "--pad", o.pad,
             choices<padding>{{"none", padding::none},
                              {"good", padding::good},
                              {"power-of-two", padding::power_of_two}},
             "Without --length, zeros up to the next length that is quicker: ")
      ->excludes(length);
  add_switch(command, "--inverse", o.is_inverse, "Transform back: exp(+2 pi i jk/N)");
  add_switch(command, "--half", o.is_half,
             "Bins 0..N/2 of a real signal; with --inverse, from them");
  add_text(command, "--kind", o.kind,
           "From reals to reals: dct1 to dct4, dst1 to dst4 or dht; with --axes 2 two of them may "
           "be given: dct2,dst1. --inverse undoes it");
  add_switch(command, "--orthogonalize", o.orthogonalizes,
             "Of --kind: factors sqrt 2 at the ends, so that by_sqrt_length is orthogonal");
  add_frame_options(command, o);
  add_text(command, "--scale", o.scale_name,
           "none, by_length or by_sqrt_length (forward: none, inverse: by_length); of powers "
           "density or spectrum (density)");
  add_count(command, "--channel", o.channel, {0, last_channel}, "Channel of a recording");
  add_signal_format(command, o.format, o.column);
  add_real(command, "--sample-rate", o.sample_rate_hz, {0, max_hz, /*excludes_least=*/true},
           "In Hz, in place of the file's own");
  add_choice(command, "--check", o.check,
             choices<verify::check_extent>{{"full", verify::check_extent::full},
                                           {"sample", verify::check_extent::sample},
                                           {"none", verify::check_extent::none}},
             "Values that are compared (up to 2^16 are all): ");
  add_file_or_stdout(
      command, "-o,--output", o.output,
      "Write the values to FILE.txt, .csv, .npy, .h5, .sigmf-meta or, real ones, .wav, .flac; "
      "- prints them as text, and tables on stderr");
  add_file(command, file_use::output, "--plot", o.plot,
           "Draw magnitudes or powers in dB to FILE.png, .svg or .pdf");
  add_count(command, "--top", o.n_peaks, {1, max_length}, "Print the K strongest bins of each row");
  add_memory_limit(command, o.max_memory);
  add_switch(command, "--json", o.is_json, "Print JSON instead of tables");
}

}  // namespace

transform_request request_of(const transform_options& o) {
  transform_request request = o;
  if (!o.kind.empty()) request.kinds = kinds_named(o.kind, real_kinds);
  if (!o.scale_name.empty()) {
    request.scale =
        choice_of("--scale", o.scale_name,
                  named_choices({scaling::none, scaling::by_length, scaling::by_sqrt_length}));
  }
  return request;
}

std::vector<device_info> devices_for(const transform_options& o, std::size_t n_points) {
  if (!o.devices.empty()) return listed_devices(o.devices, o.real);
  return devices_for(o.engines, o.real, n_points, o.check);
}

engine_outcome run_request(const transform_options& o, const plan_spec& spec,
                           std::span<const std::byte> input, const std::vector<device_info>& chosen,
                           verify::judge& check) {
  if (o.devices.empty()) return run_engines(spec, input, chosen, check);
  return run_ranks(spec, input, chosen, !o.uses_all_devices, check);
}

int report_outcome(const transform_options& o, const std::string& heading, std::size_t length,
                   nlohmann::ordered_json document, const engine_outcome& found,
                   const check_summary& check,
                   const std::function<void(nlohmann::ordered_json& document)>& report_values) {
  add_engines(document, found.results, check);
  if (!o.is_json) print_table(heading + engines_text(length, found.results, check), {o.output});
  if (found.best != nullptr) {
    document["values_from"] = short_name(found.best->device);
    report_values(document);
  }
  if (o.is_json) print_json(document);
  return report_verdicts(found, !o.output.empty() || !o.plot.empty());
}

opened_rows open_rows(const transform_options& o) {
  opened_rows rows{.reader = formats::open_samples(
                       o.file, {.channel = o.channel, .format = o.format, .column = o.column})};
  rows.shape = rows.reader->shape();
  report_times(o.shown_file(), rows.shape);
  if (rows.shape.n_channels == 0) return rows;
  if (rows.shape.n_channels > 1 && !o.channel) {
    print_message("{} has {} channels; channel 0 is taken (--channel chooses)", o.shown_file(),
                  rows.shape.n_channels);
  }
  rows.channel = o.channel.value_or(0);
  rows.shape.n_rows = 1;
  return rows;
}

void report_input(const transform_options& o, const problem& solved) {
  if (solved.n_vanished > 0) {
    print_message("{} of {} became 0 in {}; --precision fp64 keeps more of them",
                  counted(solved.n_vanished, "number"), o.shown_file(), name_of(solved.spec.real));
  }
  if (o.is_inverse && o.scale_name.empty()) {
    print_message(
        "scaled by 1/N, so that the inverse undoes the transform (--scale none leaves it out)");
  }
}

void add_transform(CLI::App& program, int& exit_code) {
  add_command<transform_options>(
      program, exit_code,
      {"transform", "Transforms a file on every engine and checks each against the definition",
       examples},
      run, add_options);
}

}  // namespace wingbeat::cli
