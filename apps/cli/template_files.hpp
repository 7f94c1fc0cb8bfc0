// SPDX-License-Identifier: Apache-2.0
// Templates from many files, read and returned in batches.
#pragma once

#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <map>
#include <memory>  // unique_ptr
#include <optional>
#include <string>
#include <vector>

#include "formats/images/reader.hpp"  // image_reader
#include "searching/scorer.hpp"       // template_batch
#include "wingbeat/plan.hpp"          // precision

namespace wingbeat::cli {

/// The images of several files, numbered in order over all of them; grey, all of one size.
class template_files {
 public:
  /// Opens the first file. Throws as `formats::image_reader` does.
  template_files(std::vector<std::string> files, precision real);

  [[nodiscard]] std::size_t height() const { return height_; }
  [[nodiscard]] std::size_t width() const { return width_; }

  /// Returns the most channels in any file read so far.
  [[nodiscard]] std::size_t max_channels() const { return max_channels_; }

  /// Returns the number of templates if every file has as many as the first.
  [[nodiscard]] std::size_t expected() const { return expected_; }

  /// Returns the number of templates, which requires opening every file. Pipes, which cannot be
  /// read again, are kept in memory for `next`. Call it before `next`, which throws `file_error` if
  /// a file then has another number. Throws as `next` does.
  [[nodiscard]] std::size_t count();

  /// Restricts `next` to templates begin .. end - 1, from the first of them on. Requires begin <=
  /// end <= `count`, which was called before.
  void select(std::size_t begin, std::size_t end);

  /// Returns the next templates, at most `most`. Throws `plan_error` for a file whose images differ
  /// in size from the first, and as `read_finite` does.
  [[nodiscard]] searching::template_batch next(std::size_t most);

  /// Returns the fraction of templates returned so far: of the selected ones, otherwise by bytes of
  /// files; 0 if sizes are unknown.
  [[nodiscard]] double fraction() const;

 private:
  using file_images = std::unique_ptr<formats::image_reader>;

  [[nodiscard]] file_images opened(std::size_t number);
  void open(std::size_t number);

  std::vector<std::string> files_;
  std::vector<std::uint64_t> bytes_;  ///< Of each file.
  precision real_;
  file_images images_;  ///< Images of file `file_`.
  std::size_t file_ = 0, taken_ = 0;
  std::size_t height_ = 0, width_ = 0, expected_ = 0;
  std::size_t begin_ = 0, next_ = 0;  ///< Numbers of templates.
  std::optional<std::size_t> end_;    ///< End of the selected ones.
  std::size_t max_channels_ = 1;
  std::vector<std::size_t> counts_;          ///< Of each file; empty before `count`.
  std::map<std::size_t, file_images> kept_;  ///< By number of the file.
};

}  // namespace wingbeat::cli
