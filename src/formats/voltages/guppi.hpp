// SPDX-License-Identifier: Apache-2.0
// GUPPI raw: blocks of a header, cards of 80 characters up to END, and of complex samples,
// [channel][time][polarisation][re, im].
#pragma once

#include <cstddef>  // byte, size_t
#include <cstdint>  // int16_t
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/voltages/voltages.hpp"  // voltages

namespace wingbeat::formats {

/// Returns `n_bytes` of a file from `offset` on, fewer at its end; valid until the next call.
using file_view =
    std::function<std::span<const std::byte>(std::size_t offset, std::size_t n_bytes)>;

/// A file of any size, of which headers are read at once, and samples when they are asked for.
/// Blocks follow each other without the samples that they repeat (OVERLAP); blocks that PKTIDX
/// leaves out are missing packets. Samples have 4, 8 or 16 bits, two's complement; at 4 bits the
/// real part is the higher half of a byte, at 16 bits the lower byte comes first. They come at a
/// rate of 1/TBIN; OBSFREQ and OBSBW, in MHz, are the middle and the width of all channels.
class guppi_file {
 public:
  /// Reads all headers. Throws `file_error` naming `name` for headers that are damaged, differ or
  /// claim more than follows, for samples of 2 bits, whose levels the format leaves open, and for
  /// packets of format SIMPLE.
  guppi_file(file_view content, std::size_t size_bytes, std::string_view name);

  /// Returns what the headers state, without samples.
  [[nodiscard]] const voltages& contents() const { return contents_; }

  /// Reads `count` samples of a channel from sample `first` on, missing ones as 0. Throws
  /// `file_error` where the file is shorter than before.
  /// to: [polarisation][sample][re, im]
  void read(std::size_t channel, std::size_t first, std::size_t count,
            std::span<const std::span<std::int16_t>> to) const;

 private:
  static constexpr std::size_t no_block = ~std::size_t{0};

  file_view content_;
  std::string name_;
  voltages contents_;
  std::size_t block_samples_ = 0;     ///< With those that the next block repeats.
  std::vector<std::size_t> data_at_;  ///< [packet] offset of its block's data, or `no_block`.
};

/// Returns all samples of a file's content. Throws as `guppi_file` does.
[[nodiscard]] voltages read_guppi(std::span<const std::byte> content, std::string_view name);

}  // namespace wingbeat::formats
