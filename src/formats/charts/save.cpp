// SPDX-License-Identifier: Apache-2.0
#include "formats/charts/save.hpp"

#include <cairo-pdf.h>
#include <cairo-svg.h>

#include <exception>  // exception_ptr
#include <string>
#include <string_view>

#include "formats/charts/check.hpp"       // chart_format_of
#include "formats/files/atomic_file.hpp"  // atomic_file
#include "wingbeat/error.hpp"             // file_error

namespace wingbeat::formats {
namespace {

constexpr double points_per_pixel = 0.75;  // of PDF: 72 points and 96 pixels per inch

struct sink {
  atomic_file file;
  std::exception_ptr failure;  ///< Exceptions must not cross cairo's C code.

  static cairo_status_t write(void* self, const unsigned char* bytes, unsigned n_bytes) noexcept {
    auto* const output = static_cast<sink*>(self);
    if (output->failure) return CAIRO_STATUS_WRITE_ERROR;
    try {
      output->file.write(std::string_view{reinterpret_cast<const char*>(bytes), n_bytes});
      return CAIRO_STATUS_SUCCESS;
    } catch (...) {
      output->failure = std::current_exception();
      return CAIRO_STATUS_WRITE_ERROR;
    }
  }
};

/// Returns the surface that the recording is painted on.
surface_pointer surface_of(chart_format format, const canvas& painted, sink& output) {
  const double width = painted.width(), height = painted.height();
  if (format == chart_format::svg) {
    surface_pointer svg{cairo_svg_surface_create_for_stream(&sink::write, &output, width, height)};
    cairo_svg_surface_set_document_unit(svg.get(), CAIRO_SVG_UNIT_PX);
    return svg;
  }
  if (format == chart_format::pdf) {
    surface_pointer pdf{cairo_pdf_surface_create_for_stream(
        &sink::write, &output, points_per_pixel * width, points_per_pixel * height)};
    // Without this, a file has its creation time, and equal charts are different files.
    cairo_pdf_surface_set_metadata(pdf.get(), CAIRO_PDF_METADATA_CREATE_DATE, "");
    return pdf;
  }
  return surface_pointer{
      cairo_image_surface_create(CAIRO_FORMAT_RGB24, painted.width(), painted.height())};
}

cairo_status_t paint(chart_format format, const canvas& painted, sink& output) {
  const surface_pointer surface = surface_of(format, painted, output);
  const context_pointer context{cairo_create(surface.get())};
  if (format == chart_format::pdf) cairo_scale(context.get(), points_per_pixel, points_per_pixel);
  cairo_set_source_surface(context.get(), painted.surface(), 0, 0);
  cairo_paint(context.get());
  const cairo_status_t status = cairo_status(context.get());
  if (status != CAIRO_STATUS_SUCCESS) return status;
  if (format == chart_format::png) {
    return cairo_surface_write_to_png_stream(surface.get(), &sink::write, &output);
  }
  cairo_surface_finish(surface.get());
  return cairo_surface_status(surface.get());
}

}  // namespace

void save_chart(const std::filesystem::path& file, const canvas& painted) {
  const chart_format format = chart_format_of(file);
  sink output{atomic_file(file), nullptr};
  cairo_status_t status = cairo_status(painted.raw());
  if (status == CAIRO_STATUS_SUCCESS) status = paint(format, painted, output);
  if (output.failure) std::rethrow_exception(output.failure);
  if (status != CAIRO_STATUS_SUCCESS) {
    throw file_error(file.string() + " cannot be drawn: cairo says '" +
                     cairo_status_to_string(status) + "'; report it with the command you ran");
  }
  output.file.commit();
}

}  // namespace wingbeat::formats
