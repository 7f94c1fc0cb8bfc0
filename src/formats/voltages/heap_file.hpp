// SPDX-License-Identifier: Apache-2.0
// What channelised voltages are written to. Another format is a file with its `heap_file`, and a
// line of the table in heap_file.cpp.
#pragma once

#include <cstddef>  // size_t
#include <memory>   // unique_ptr
#include <string>
#include <string_view>

#include "wingbeat/channeliser.hpp"  // channelised_heap, channeliser_spec

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

struct heap_format {
  std::string_view ending;     ///< Of the files' names; empty: all that no other format has.
  bool has_part_heaps = true;  ///< Whether heaps of fewer spectra are kept, too.
  bool has_4_bit_samples = true;
  /// Opens a file for heaps of `spectra` spectra. Throws `file_error`.
  std::unique_ptr<heap_file> (*create)(const std::string& file, const channeliser_spec& spec,
                                       std::size_t spectra);
};

/// Returns that of files of a name.
[[nodiscard]] const heap_format& heap_format_of(const std::string& file);

/// Throws `plan_error` where the format of a file's name cannot hold samples of the spec.
void require_heap_file(const std::string& file, const channeliser_spec& spec);

}  // namespace wingbeat::formats
