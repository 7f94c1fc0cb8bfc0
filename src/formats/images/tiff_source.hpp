// SPDX-License-Identifier: Apache-2.0
// libtiff on the bytes of a file; its errors become sentences, its warnings nothing.
#pragma once

#include <tiffio.h>

#include <cstddef>  // size_t
#include <cstdint>  // uint16_t
#include <memory>   // unique_ptr
#include <string>

#include "formats/files/byte_source.hpp"   // byte_source
#include "formats/files/unnamed_file.hpp"  // source_path

namespace wingbeat::formats {

/// Options with which libtiff opens a file and prints nothing.
class tiff_options {
 public:
  tiff_options(TIFFErrorHandlerExtR keep_error, void* self);
  tiff_options(const tiff_options&) = delete;
  tiff_options& operator=(const tiff_options&) = delete;
  ~tiff_options() { TIFFOpenOptionsFree(options_); }

  [[nodiscard]] TIFFOpenOptions* get() const noexcept { return options_; }

 private:
  TIFFOpenOptions* options_;
};

/// A TIFF that libtiff reads. No allocation of its own exceeds `limit_bytes`.
class tiff_source {
 public:
  /// Opens the first page. Throws `file_error` naming `content`, which must outlive the source.
  tiff_source(const byte_source& content, std::size_t limit_bytes);
  tiff_source(const tiff_source&) = delete;
  tiff_source& operator=(const tiff_source&) = delete;

  /// Returns libtiff's handle, at the current page.
  [[nodiscard]] TIFF* handle() const noexcept { return handle_.get(); }

  /// Returns the Predictor of a directory, which libtiff ignores beside PackBits and of plain
  /// samples. Leaves no page the current one.
  [[nodiscard]] std::uint16_t ignored_predictor(std::uint64_t directory) const;

  /// Throws `file_error` with what libtiff said first.
  [[noreturn]] void refuse_damaged() const;

 private:
  struct closer {
    void operator()(TIFF* handle) const noexcept { TIFFClose(handle); }
  };

  static int keep_error(TIFF*, void* self, const char* module, const char* text, va_list values);

  std::string name_;
  source_path named_;
  char message_[160] = "";
  std::unique_ptr<TIFF, closer> handle_;
};

}  // namespace wingbeat::formats
