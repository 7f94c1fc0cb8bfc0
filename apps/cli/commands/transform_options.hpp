// SPDX-License-Identifier: Apache-2.0
// The options of `wingbeat transform`, and its forms: rows, frames of rows, images.
#pragma once

#include <cstddef>  // size_t
#include <functional>
#include <memory>                 // unique_ptr
#include <nlohmann/json_fwd.hpp>  // ordered_json
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "cli/engine_runs.hpp"                // engine_outcome
#include "cli/memory_limit.hpp"               // memory_limit
#include "cli/problem.hpp"                    // transform_request
#include "cli/reports/power.hpp"              // power_spectra
#include "cli/reports/transform.hpp"          // check_summary
#include "cli/window.hpp"                     // window
#include "formats/files/whole_file.hpp"       // shown_name
#include "formats/signals/sample_reader.hpp"  // sample_reader
#include "verify/judge.hpp"                   // judge, check_extent
#include "wingbeat/mel_bands.hpp"             // mel_scale

namespace wingbeat::cli {

/// The options, with the request as given; `request_of` completes its kinds and scale.
struct transform_options : transform_request {
  std::string file;
  std::vector<std::string> engines{"all"}, devices;
  std::string scale_name, kind, format = "auto", column;
  verify::check_extent check = verify::check_extent::sample;
  std::optional<window> weights = {};
  std::optional<bool> removes_mean = {};
  std::optional<std::size_t> n_bands;
  std::optional<mel_scale> bands_scale;
  std::optional<std::size_t> channel, frame, n_peaks, segment, overlap;
  std::optional<double> sample_rate_hz;
  std::size_t n_axes = 1;
  std::string output, plot;
  memory_limit max_memory;
  bool is_json = false, is_psd = false, is_spectrogram = false, is_stft = false,
       uses_all_devices = false;

  [[nodiscard]] bool is_short_time() const { return is_stft || n_bands; }
  [[nodiscard]] bool has_frames() const { return is_psd || is_spectrogram || is_short_time(); }

  /// Returns the file's name in messages and titles.
  [[nodiscard]] std::string shown_file() const { return formats::shown_name(file); }
};

/// Returns the request of rows or of an image.
[[nodiscard]] transform_request request_of(const transform_options& o);

/// Returns the devices of `--devices`, or of `--engine` for a problem of `n_points`.
[[nodiscard]] std::vector<device_info> devices_for(const transform_options& o,
                                                   std::size_t n_points);

/// Returns the most bytes of arrays that the transform of a file's samples needs: those kept
/// throughout, plus those of the largest step. Compiles nothing.
[[nodiscard]] double transform_bytes(const transform_options& o, const plan_spec& spec,
                                     std::size_t n_samples);

/// Returns the same for a short-time transform of all its samples, or for the inverse that it has.
[[nodiscard]] double transform_bytes(const transform_options& o, const short_time_spec& spec);

/// Runs a request over the devices of `--devices`, or else on those of `--engine`.
[[nodiscard]] engine_outcome run_request(const transform_options& o, const plan_spec& spec,
                                         std::span<const std::byte> input,
                                         const std::vector<device_info>& chosen,
                                         verify::judge& check);

/// Reports results: `heading`, a line for each engine, and if one of them is right what
/// `report_values` prints; with --json instead of tables `document`, to which all of these are
/// added. Returns the exit code.
int report_outcome(const transform_options& o, const std::string& heading, std::size_t length,
                   nlohmann::ordered_json document, const engine_outcome& found,
                   const check_summary& check,
                   const std::function<void(nlohmann::ordered_json& document)>& report_values);

/// Prints messages about an input.
void report_input(const transform_options& o, const problem& solved);

/// Samples of a segment without --segment; a shorter row has fewer.
inline constexpr std::size_t default_segment = 256;

/// Returns segments of `length` samples of a signal's rows, from their first samples on, by
/// --overlap and --window, and how their bins are shown.
[[nodiscard]] power_spectra segments_of(const transform_options& o, const formats::signal& signal,
                                        std::size_t length);

/// Returns the samples of a segment: --segment, or the default limited to the length of a row.
[[nodiscard]] std::size_t segment_length(const transform_options& o, const formats::signal& signal);

/// The rows of a file that are transformed: all, or one channel.
struct opened_rows {
  std::unique_ptr<formats::sample_reader> reader;
  formats::signal shape;  ///< Without samples.
  std::optional<std::size_t> channel;
};
[[nodiscard]] opened_rows open_rows(const transform_options& o);

/// Refuses samples up to `largest` whose spectra of so many, or their powers, could leave the range
/// of the precision.
void require_range(const transform_options& o, double largest, std::size_t n_summed);

/// Writes rows to --output, and prints what is said of it.
void write_rows(const transform_options& o, const formats::signal& rows, const std::string& device);

/// Run one form and return the exit code.
int transform_rows(const transform_options& o);
int transform_frames(const transform_options& o);
int transform_short_time(const transform_options& o);
int invert_short_time(const transform_options& o);
int transform_image(const transform_options& o);

}  // namespace wingbeat::cli
