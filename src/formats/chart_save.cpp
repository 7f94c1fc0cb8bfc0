// SPDX-License-Identifier: Apache-2.0
#include "formats/chart_save.hpp"

#include <exception>  // exception_ptr
#include <string>
#include <string_view>

#include "formats/atomic_file.hpp"  // atomic_file
#include "wingbeat/error.hpp"       // file_error

namespace wingbeat::formats {
namespace {

struct png_sink {
  atomic_file file;
  std::exception_ptr failure;  ///< Exceptions must not cross cairo's C code.

  static cairo_status_t write(void* self, const unsigned char* bytes, unsigned n_bytes) noexcept {
    auto* const sink = static_cast<png_sink*>(self);
    try {
      sink->file.write(std::string_view{reinterpret_cast<const char*>(bytes), n_bytes});
      return CAIRO_STATUS_SUCCESS;
    } catch (...) {
      sink->failure = std::current_exception();
      return CAIRO_STATUS_WRITE_ERROR;
    }
  }
};

}  // namespace

void save_png(const std::filesystem::path& file, const canvas& painted) {
  png_sink sink{atomic_file(file), nullptr};
  cairo_status_t status = cairo_status(painted.raw());
  if (status == CAIRO_STATUS_SUCCESS) {
    status = cairo_surface_write_to_png_stream(painted.surface(), &png_sink::write, &sink);
  }
  if (sink.failure) std::rethrow_exception(sink.failure);
  if (status != CAIRO_STATUS_SUCCESS) {
    throw file_error(file.string() + " cannot be drawn: cairo says '" +
                     cairo_status_to_string(status) + "'; report it with the command you ran");
  }
  sink.file.commit();
}

}  // namespace wingbeat::formats
