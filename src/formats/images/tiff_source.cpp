// SPDX-License-Identifier: Apache-2.0
#include "formats/images/tiff_source.hpp"

#include <algorithm>  // min
#include <cstdarg>    // va_list
#include <cstdio>     // SEEK_CUR, SEEK_END, vsnprintf
#include <limits>
#include <new>  // bad_alloc
#include <optional>
#include <span>
#include <vector>

#include "formats/files/refusal.hpp"       // printable, refuse
#include "formats/images/tiff_layout.hpp"  // tiff_layout

namespace wingbeat::formats {
namespace {

tmsize_t write_nothing(thandle_t, void*, tmsize_t) {
  return 0;
}

int close_nothing(thandle_t) {
  return 0;
}

int ignore_warning(TIFF*, void*, const char*, const char*, va_list) {
  return 1;  // handled: libtiff's own handler, which prints, is not called
}

}  // namespace

tiff_source::tiff_source(const byte_source& content, std::size_t limit_bytes) : from_(content) {
  struct options_free {
    void operator()(TIFFOpenOptions* options) const noexcept { TIFFOpenOptionsFree(options); }
  };
  const std::unique_ptr<TIFFOpenOptions, options_free> options(TIFFOpenOptionsAlloc());
  if (!options) throw std::bad_alloc();
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<tmsize_t>::max());
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(),
                                      static_cast<tmsize_t>(std::min(limit_bytes, most)));
  TIFFOpenOptionsSetErrorHandlerExtR(options.get(), keep_error, this);
  TIFFOpenOptionsSetWarningHandlerExtR(options.get(), ignore_warning, nullptr);
  handle_.reset(TIFFClientOpenExt("TIFF", "rm", this, read, write_nothing, seek, close_nothing,
                                  size, nullptr, nullptr, options.get()));
  if (!handle_) refuse_damaged();
}

std::uint16_t tiff_source::predictor() const {
  const tiff_layout layout{from_};
  std::optional<std::uint64_t> found;
  for (const tiff_entry& entry : layout.directory(TIFFCurrentDirOffset(handle())).entries) {
    if (entry.tag != TIFFTAG_PREDICTOR) continue;
    layout.give_numbers(entry, [&](std::uint64_t value) { found = found.value_or(value); });
  }
  return static_cast<std::uint16_t>(found.value_or(PREDICTOR_NONE));
}

void tiff_source::refuse_damaged() const {
  refuse(from_.name(), "is truncated or damaged as a TIFF ({}); copy or save it again",
         message_[0] != '\0' ? printable(message_, sizeof message_) : "libtiff cannot read it");
}

tmsize_t tiff_source::read(thandle_t self, void* buffer, tmsize_t n_bytes) {
  auto& source = *static_cast<tiff_source*>(self);
  const std::span<std::byte> bytes{static_cast<std::byte*>(buffer),
                                   static_cast<std::size_t>(n_bytes)};
  const std::size_t n_read = source.from_.read_some(source.position_, bytes);
  source.position_ += n_read;
  return static_cast<tmsize_t>(n_read);
}

toff_t tiff_source::seek(thandle_t self, toff_t offset, int origin) {
  auto& source = *static_cast<tiff_source*>(self);
  if (origin == SEEK_CUR) offset += source.position_;
  if (origin == SEEK_END) offset += source.from_.size();
  source.position_ = static_cast<std::size_t>(offset);
  return offset;
}

toff_t tiff_source::size(thandle_t self) {
  return static_cast<tiff_source*>(self)->from_.size();
}

int tiff_source::keep_error(TIFF*, void* self, const char*, const char* text, va_list values) {
  auto& source = *static_cast<tiff_source*>(self);
  if (source.message_[0] == '\0') {
    std::vsnprintf(source.message_, sizeof source.message_, text, values);
  }
  return 1;
}

}  // namespace wingbeat::formats
