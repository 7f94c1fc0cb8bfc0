// SPDX-License-Identifier: Apache-2.0
// A thin wrapper of cairo for charts, in pixels.
#pragma once

#include <cairo.h>

#include <cmath>    // floor
#include <memory>   // unique_ptr
#include <numbers>  // pi
#include <string>

#include "formats/charts/check.hpp"  // valid_utf8

namespace wingbeat::formats {

/// Destroys cairo's objects.
struct cairo_destroyer {
  void operator()(cairo_surface_t* surface) const { cairo_surface_destroy(surface); }
  void operator()(cairo_t* context) const { cairo_destroy(context); }
};
using surface_pointer = std::unique_ptr<cairo_surface_t, cairo_destroyer>;
using context_pointer = std::unique_ptr<cairo_t, cairo_destroyer>;

struct color {
  double red, green, blue;
};

// The look of all charts, in pixels.
inline constexpr double title_size = 20, label_size = 15, tick_size = 13;
inline constexpr double edge = 24;  ///< Between the picture's edge and anything drawn.
inline constexpr double gap = 10;   ///< Between neighbours.
inline constexpr color ink{0.13, 0.15, 0.19}, quiet{0.38, 0.41, 0.46}, frame{0.62, 0.65, 0.70};
inline constexpr color major_grid{0.87, 0.88, 0.90};

/// A part of a picture.
struct area {
  double left, top, right, bottom;

  [[nodiscard]] double width() const { return right - left; }
  [[nodiscard]] double height() const { return bottom - top; }
};

/// A white picture, recorded, so that each format draws its own lines and letters.
class canvas {
 public:
  canvas(int width, int height)
      : width_(width),
        height_(height),
        surface_(recording_of({0, 0, double(width), double(height)})),
        context_(cairo_create(surface_.get())) {
    ink_with({1, 1, 1});
    cairo_paint(raw());
    cairo_select_font_face(raw(), "DejaVu Sans", CAIRO_FONT_SLANT_NORMAL, CAIRO_FONT_WEIGHT_NORMAL);
    cairo_set_line_join(raw(), CAIRO_LINE_JOIN_ROUND);
  }

  [[nodiscard]] cairo_t* raw() const { return context_.get(); }
  [[nodiscard]] cairo_surface_t* surface() const { return surface_.get(); }
  [[nodiscard]] int width() const { return width_; }
  [[nodiscard]] int height() const { return height_; }

  void ink_with(color c, double opacity = 1) const {
    cairo_set_source_rgba(raw(), c.red, c.green, c.blue, opacity);
  }

  [[nodiscard]] double width_of(const std::string& text, double size) const {
    cairo_text_extents_t extents;
    cairo_set_font_size(raw(), size);
    cairo_text_extents(raw(), valid_utf8(text).c_str(), &extents);
    return extents.x_advance;
  }

  /// Draws text with the point `anchor` of its baseline (0 left, 0.5 middle, 1 right) at x, y;
  /// smaller if it would be wider than `most`.
  void text(const std::string& label, double x, double y, double size, color c, double anchor = 0,
            double most = 1e9) const {
    double width = width_of(label, size);
    if (width > most) {
      size *= most / width;
      width = width_of(label, size);
    }
    ink_with(c);
    cairo_move_to(raw(), x - anchor * width, y);
    cairo_show_text(raw(), valid_utf8(label).c_str());
  }

  /// Draws an upward label, its middle at x, y.
  void upright(const std::string& label, double x, double y, double most) const {
    cairo_save(raw());
    cairo_translate(raw(), x, y);
    cairo_rotate(raw(), -std::numbers::pi / 2);
    text(label, 0, 0, label_size, ink, 0.5, most);
    cairo_restore(raw());
  }

  /// Draws a straight line that fills whole pixels.
  void rule(double x0, double y0, double x1, double y1, color c) const {
    ink_with(c);
    cairo_set_line_width(raw(), 1);
    cairo_move_to(raw(), std::floor(x0) + 0.5, std::floor(y0) + 0.5);
    cairo_line_to(raw(), std::floor(x1) + 0.5, std::floor(y1) + 0.5);
    cairo_stroke(raw());
  }

 private:
  static cairo_surface_t* recording_of(const cairo_rectangle_t& extents) {
    return cairo_recording_surface_create(CAIRO_CONTENT_COLOR, &extents);
  }

  int width_, height_;
  surface_pointer surface_;
  context_pointer context_;
};

}  // namespace wingbeat::formats
