// SPDX-License-Identifier: Apache-2.0
// What channelised voltages are written to. Another format is a file with its `heap_file`, and a
// line of the table in heap_file.cpp.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // int64_t
#include <memory>   // unique_ptr
#include <optional>
#include <string>
#include <string_view>

#include "formats/voltages/voltages.hpp"  // channel_frequencies, day_time
#include "wingbeat/channeliser.hpp"       // channelised_heap, channeliser_spec

namespace wingbeat::formats {

/// A file that appears when it is committed, with all heaps that it took.
class heap_file {
 public:
  heap_file(const heap_file&) = delete;
  heap_file& operator=(const heap_file&) = delete;
  virtual ~heap_file() = default;

  /// Takes the next heap, which may have fewer spectra than the spec says. Throws `file_error`.
  virtual void add(const channelised_heap& heap) = 0;

  /// Throws `file_error`.
  virtual void commit() = 0;

 protected:
  heap_file() = default;
};

/// What a file says of its heaps beside their bytes.
struct heap_file_spec {
  channeliser_spec bank = {};
  std::size_t spectra = 0;              ///< Of a heap.
  std::size_t n_channels = 0;           ///< Of a heap: those of all banks.
  double spectrum_rate_hz = 0;          ///< Spectra of a second.
  channel_frequencies axis = {};        ///< Of the middles of channels.
  std::optional<day_time> origin = {};  ///< Of the samples' number 0; unset: not known.
  std::string target = {};              ///< Of the telescope.
  std::size_t summed_spectra = 1;       ///< Whose powers are one.
  heap_sample stored = {};              ///< Of numbers that are not those of heaps.

  /// Returns the time of a sample; without an origin days count from 2000 on.
  [[nodiscard]] day_time time_of(std::int64_t timestamp) const;
};

struct heap_format {
  std::string_view ending;      ///< Of the files' names; empty: all that no other format has.
  bool has_part_heaps = true;   ///< Whether heaps of fewer spectra are kept, too.
  bool has_powers = false;      ///< Of heaps of fp32.
  bool states_times = false;    ///< And frequencies, or rates.
  std::string_view lacks = {};  ///< What `require` says of samples that it cannot hold.
  /// Whether it can hold samples.
  bool (*holds)(heap_sample samples) = [](heap_sample) { return true; };
  /// Opens a file. Throws `file_error`, and `plan_error` for what it cannot state.
  std::unique_ptr<heap_file> (*create)(const std::string& file,
                                       const heap_file_spec& spec) = nullptr;
};

/// Returns that of files of a name.
[[nodiscard]] const heap_format& heap_format_of(const std::string& file);

/// Throws `plan_error` where the format of a file's name cannot hold samples.
void require_heap_file(const std::string& file, heap_sample samples);

/// A sigproc filterbank: powers, summed over polarisations and over spectra, of channels of falling
/// frequencies. Those of 8 and 16 bits have for each channel the mean 64, or 4096, and the
/// deviation 16, or 512, of the first 1,024 rows. Rows without spectra are the mean.
[[nodiscard]] std::unique_ptr<heap_file> create_filterbank(const std::string& file,
                                                           const heap_file_spec& spec);

/// A dataset `voltages` of HDF5, [frequency][time][polarisation], in complex floats.
[[nodiscard]] std::unique_ptr<heap_file> create_hdf5(const std::string& file,
                                                     const heap_file_spec& spec);

/// VDIF of complex samples: a thread for each polarisation. Frames without spectra are left out.
[[nodiscard]] std::unique_ptr<heap_file> create_vdif(const std::string& file,
                                                     const heap_file_spec& spec);

}  // namespace wingbeat::formats
