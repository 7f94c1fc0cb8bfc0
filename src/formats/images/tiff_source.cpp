// SPDX-License-Identifier: Apache-2.0
#include "formats/images/tiff_source.hpp"

#include <algorithm>  // min
#include <cstdarg>    // va_list
#include <cstdio>     // vsnprintf
#include <limits>
#include <new>  // bad_alloc

#include "formats/files/refusal.hpp"  // printable, refuse

namespace wingbeat::formats {
namespace {

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

tiff_source::tiff_source(const byte_source& content, std::size_t limit_bytes)
    : name_(content.name()), named_(content) {
  const tiff_options options{keep_error, this};
  constexpr auto most = static_cast<std::size_t>(std::numeric_limits<tmsize_t>::max());
  TIFFOpenOptionsSetMaxSingleMemAlloc(options.get(),
                                      static_cast<tmsize_t>(std::min(limit_bytes, most)));
  handle_.reset(TIFFOpenExt(named_.path().c_str(), "rm", options.get()));
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
  std::string_view reason = message_[0] != '\0' ? message_ : "libtiff cannot read it";
  const std::string path = named_.path() + ": ";
  if (reason.starts_with(path)) reason.remove_prefix(path.size());
  refuse(name_, "is truncated or damaged as a TIFF ({}); copy or save it again",
         printable(reason, sizeof message_));
}

int tiff_source::keep_error(TIFF*, void* self, const char*, const char* text, va_list values) {
  auto& source = *static_cast<tiff_source*>(self);
  if (source.message_[0] == '\0') {
    std::vsnprintf(source.message_, sizeof source.message_, text, values);
  }
  return 1;
}

}  // namespace wingbeat::formats
