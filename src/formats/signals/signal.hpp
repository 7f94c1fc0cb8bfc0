// SPDX-License-Identifier: Apache-2.0
// The samples of a file of any format, and the functions that choose the format to read or write.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace wingbeat::formats {

/// Rows of equally many samples. Every sample is finite: the readers refuse NaN and infinities.
struct signal {
  std::vector<std::complex<double>> samples = {};  // [row][sample]
  std::size_t n_rows = 1;
  std::size_t row_length = 0;
  std::size_t n_tables = 1;   ///< An array of three axes is so many tables; rows are those of all.
  bool is_table = false;      ///< One row has shape (1, N), not (N,); several are always 2D.
  bool is_real = true;        ///< All imaginary parts are 0: the file has none.
  bool has_integers = false;  ///< Unscaled ones, which may exceed 1.
  bool is_single_precision = false;  ///< fp32 holds every sample exactly.
  bool may_have_times = false;       ///< Two columns of text; the first rises in equal steps.
  double sample_rate_hz = 0;         ///< 0: not in the file.
  std::size_t n_channels = 0;        ///< One of them may be read. 0: rows are no channels.
  double centre_hz = 0;              ///< What 0 Hz was before samples were mixed down.
  std::vector<double> frequencies_hz = {};  ///< Of bins in a row; empty: they are samples.
  std::string sigmf = {};  ///< The document of a SigMF recording; empty: the file has none.

  /// Returns whether the array has two dimensions, [row][sample].
  [[nodiscard]] bool has_row_axis() const noexcept { return is_table || n_rows > 1; }
};

/// How to read a file.
struct read_options {
  std::optional<std::size_t> channel = {};  ///< Channel of a recording, from 0; unset: channel 0.
  bool has_channels_as_rows = false;        ///< Reads all channels of a recording, each as a row.
  /// "auto" is what the content tells; "iq" takes two channels for I and Q; others are types of raw
  /// samples (`raw_layout_of`).
  std::string format = "auto";
  std::string column = {};    ///< Of a table of text: its name, or its number from 0.
  bool takes_tables = false;  ///< Reads a .npy array of three axes, too.
};

/// Throws `plan_error` for a format that `read_signal` does not know.
void require_signal_format(const std::string& format);

/// Returns the signal in the file. Recognises SigMF by extension, .npy and .wav by extension or
/// first bytes, HDF5 (file.h5:/path) and other recordings of sound by first bytes, the CSV of
/// `write_signal` by its heading; otherwise reads text. "-" is stdin.
/// Throws `file_error` for a file that cannot be read or is malformed, and `plan_error` for a
/// channel that the file does not have.
[[nodiscard]] signal read_signal(const std::filesystem::path& file,
                                 const read_options& options = {});

/// The formats that `write_signal` writes.
enum class output_format { text, csv, npy, sound, sigmf, hdf5 };

/// Returns whether a format states the sample rate. Such files are written frame by frame.
[[nodiscard]] constexpr bool has_sample_rate(output_format format) {
  return format == output_format::sound || format == output_format::sigmf;
}

/// Returns the format that the extension names (.txt, .csv, .npy, .wav, .flac, .sigmf-meta, .sigmf,
/// .h5); text for a pipe, a device or stdout ("-") without extension. Throws `plan_error` for any
/// other, so that a caller can check before the work.
[[nodiscard]] output_format output_format_of(const std::filesystem::path& file);

/// Writes the signal in the format that the extension names; the file appears whole or not at all.
/// Throws `plan_error` for an unknown extension and for samples that the format cannot hold,
/// and `file_error` if the file cannot be written.
void write_signal(const std::filesystem::path& file, const signal& recording);

}  // namespace wingbeat::formats
