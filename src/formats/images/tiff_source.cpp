// SPDX-License-Identifier: Apache-2.0
#include "formats/images/tiff_source.hpp"

#include <algorithm>  // min
#include <cstdarg>    // va_list
#include <cstdio>     // SEEK_CUR, SEEK_END, vsnprintf
#include <limits>
#include <new>  // bad_alloc
#include <span>

#include "formats/files/refusal.hpp"  // printable, refuse

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

tiff_options::tiff_options(TIFFErrorHandlerExtR keep_error, void* self)
    : options_(TIFFOpenOptionsAlloc()) {
  if (options_ == nullptr) throw std::bad_alloc();
  TIFFOpenOptionsSetErrorHandlerExtR(options_, keep_error, self);
  TIFFOpenOptionsSetWarningHandlerExtR(options_, ignore_warning, nullptr);
}

tiff_source::tiff_source(const byte_source& content, std::size_t limit_bytes) : from_(content) {
  const tiff_options options{keep_error, this};
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<tmsize_t>::max());
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(),
                                      static_cast<tmsize_t>(std::min(limit_bytes, most)));
  handle_.reset(TIFFClientOpenExt("TIFF", "rm", this, read, write_nothing, seek, close_nothing,
                                  size, nullptr, nullptr, options.get()));
  if (!handle_) refuse_damaged();
}

std::uint16_t tiff_source::ignored_predictor(std::uint64_t directory) const {
  // As if it were EXIF, of which libtiff keeps every field, as a list.
  std::uint32_t n_values = 0;
  const std::uint16_t* values = nullptr;
  if (TIFFReadEXIFDirectory(handle(), directory) == 0) return PREDICTOR_NONE;
  const TIFFField* const field = TIFFFindField(handle(), TIFFTAG_PREDICTOR, TIFF_SHORT);
  const bool is_there = field != nullptr && TIFFFieldPassCount(field) != 0 &&
                        TIFFGetField(handle(), TIFFTAG_PREDICTOR, &n_values, &values) != 0;
  return is_there && n_values > 0 ? *values : std::uint16_t{PREDICTOR_NONE};
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
