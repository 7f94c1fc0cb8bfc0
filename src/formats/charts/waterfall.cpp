// SPDX-License-Identifier: Apache-2.0
// Layout, from the top: title, panels with their labels above, ticks and label of x; a colour bar
// on the right.
#include "formats/charts/waterfall.hpp"

#include <algorithm>  // clamp, max
#include <array>
#include <cmath>    // isnan
#include <cstdint>  // uint32_t

#include "formats/charts/canvas.hpp"  // canvas, color
#include "formats/charts/save.hpp"    // save_chart
#include "formats/charts/scale.hpp"   // chart_scale
#include "text/formatted.hpp"         // formatted
#include "text/reject.hpp"            // reject

namespace wingbeat::formats {
namespace {

constexpr double bar_width = 22, room_of_ticks = 90;
/// From dark to light through blue, violet, red and orange: lightness alone shows the order.
constexpr std::array<color, 6> colours = {{{0.02, 0.02, 0.10},
                                           {0.20, 0.10, 0.45},
                                           {0.55, 0.15, 0.50},
                                           {0.86, 0.30, 0.33},
                                           {0.98, 0.62, 0.25},
                                           {0.99, 0.97, 0.75}}};

color colour_at(double place) {
  if (std::isnan(place)) return major_grid;
  const double position = std::clamp(place, 0.0, 1.0) * (colours.size() - 1);
  const auto i = std::min(static_cast<std::size_t>(position), colours.size() - 2);
  const double f = position - static_cast<double>(i);
  const auto between = [&](double a, double b) { return a + f * (b - a); };
  return {between(colours[i].red, colours[i + 1].red),
          between(colours[i].green, colours[i + 1].green),
          between(colours[i].blue, colours[i + 1].blue)};
}

class painter {
 public:
  explicit painter(const waterfall_chart& chart)
      : chart_(chart),
        canvas_(chart.width_pixels, chart.height_pixels),
        x_(axis_scale::linear, chart.x.first, chart.x.second, chart.x_unit),
        y_(axis_scale::linear, chart.y.first, chart.y.second, chart.y_unit),
        range_(colour_range(chart)) {}

  const canvas& paint() {
    canvas_.text(chart_.title, edge, edge + title_size, title_size, ink, 0,
                 chart_.width_pixels - 2 * edge);
    const double top = edge + title_size + 2 * gap;
    const double bottom = chart_.height_pixels - edge - label_size - tick_size - 2 * gap;
    const double right = chart_.width_pixels - edge - room_of_ticks - bar_width - label_size;
    const auto n = static_cast<double>(chart_.panels.size());
    const double height = (bottom - top - (n - 1) * gap) / n;
    for (std::size_t i = 0; i < chart_.panels.size(); ++i) {
      const double upper = top + static_cast<double>(i) * (height + gap);
      const double label = chart_.panels[i].label.empty() ? 0 : tick_size + gap;
      draw_panel(chart_.panels[i], {edge + room_of_ticks, upper + label, right, upper + height});
    }
    draw_x_axis({edge + room_of_ticks, top, right, bottom});
    draw_bar({right + 2 * gap, top, right + 2 * gap + bar_width, bottom});
    return canvas_;
  }

 private:
  [[nodiscard]] cairo_t* cr() const { return canvas_.raw(); }

  void draw_cells(const std::vector<double>& values, std::size_t n_columns, std::size_t n_rows,
                  const area& plot, bool is_downward = false) const {
    std::vector<std::uint32_t> pixels(n_columns * n_rows);
    for (std::size_t row = 0; row < n_rows; ++row) {
      for (std::size_t column = 0; column < n_columns; ++column) {
        const double value = values[row * n_columns + column];
        const color c = colour_at((value - range_.first) / (range_.second - range_.first));
        const auto byte = [](double part) { return static_cast<std::uint32_t>(255 * part + 0.5); };
        pixels[(is_downward ? row : n_rows - 1 - row) * n_columns + column] =
            byte(c.red) << 16 | byte(c.green) << 8 | byte(c.blue);
      }
    }
    cairo_surface_t* const cells = cairo_image_surface_create_for_data(
        reinterpret_cast<unsigned char*>(pixels.data()), CAIRO_FORMAT_RGB24,
        static_cast<int>(n_columns), static_cast<int>(n_rows), static_cast<int>(4 * n_columns));
    cairo_save(cr());
    cairo_translate(cr(), plot.left, plot.top);
    cairo_scale(cr(), plot.width() / static_cast<double>(n_columns),
                plot.height() / static_cast<double>(n_rows));
    cairo_set_source_surface(cr(), cells, 0, 0);
    const bool is_enlarged = static_cast<double>(n_columns) < plot.width();
    cairo_pattern_set_filter(cairo_get_source(cr()),
                             is_enlarged ? CAIRO_FILTER_NEAREST : CAIRO_FILTER_GOOD);
    cairo_rectangle(cr(), 0, 0, static_cast<double>(n_columns), static_cast<double>(n_rows));
    cairo_fill(cr());
    cairo_restore(cr());
    cairo_surface_finish(cells);  // drops its reference to the pixels
    cairo_surface_destroy(cells);
  }

  void draw_frame(const area& plot) const {
    canvas_.rule(plot.left, plot.top, plot.right, plot.top, frame);
    canvas_.rule(plot.left, plot.bottom, plot.right, plot.bottom, frame);
    canvas_.rule(plot.left, plot.top, plot.left, plot.bottom, frame);
    canvas_.rule(plot.right, plot.top, plot.right, plot.bottom, frame);
  }

  void draw_panel(const waterfall_panel& panel, const area& plot) const {
    canvas_.text(panel.label, plot.left, plot.top - gap / 2, tick_size, ink, 0, plot.width());
    draw_cells(panel.values, chart_.n_columns, chart_.n_rows, plot, chart_.has_rows_downwards);
    draw_frame(plot);
    for (const chart_tick& tick : y_.ticks(std::max(2, static_cast<int>(plot.height() / 60)))) {
      if (tick.label.empty()) continue;
      const double place = y_.place_of(tick.value) * plot.height();
      const double y = chart_.has_rows_downwards ? plot.top + place : plot.bottom - place;
      canvas_.rule(plot.left - 4, y, plot.left, y, frame);
      canvas_.text(tick.label, plot.left - gap, y + tick_size / 3, tick_size, quiet, 1);
    }
    canvas_.upright(chart_.y_label, edge + label_size / 2, (plot.top + plot.bottom) / 2,
                    plot.height());
  }

  void draw_x_axis(const area& plot) const {
    for (const chart_tick& tick : x_.ticks(std::max(2, static_cast<int>(plot.width() / 120)))) {
      if (tick.label.empty()) continue;
      const double x = plot.left + x_.place_of(tick.value) * plot.width();
      canvas_.rule(x, plot.bottom, x, plot.bottom + 4, frame);
      canvas_.text(tick.label, x, plot.bottom + gap / 2 + tick_size, tick_size, quiet, 0.5);
    }
    canvas_.text(chart_.x_label, (plot.left + plot.right) / 2,
                 plot.bottom + 2 * gap + tick_size + label_size / 2, label_size, ink, 0.5);
  }

  void draw_bar(const area& plot) const {
    std::vector<double> steps(256);
    for (std::size_t i = 0; i < steps.size(); ++i) {
      steps[i] = range_.first + (range_.second - range_.first) * static_cast<double>(i) / 255;
    }
    draw_cells(steps, 1, steps.size(), plot);
    draw_frame(plot);
    const chart_scale scale{axis_scale::linear, range_.first, range_.second};
    for (const chart_tick& tick : scale.ticks(8)) {
      if (tick.label.empty()) continue;
      const double y = plot.bottom - scale.place_of(tick.value) * plot.height();
      canvas_.rule(plot.right, y, plot.right + 4, y, frame);
      canvas_.text(tick.label, plot.right + gap, y + tick_size / 3, tick_size, quiet);
    }
    const std::string label = formatted("{}, percentiles {} to {}", chart_.value_label,
                                        lowest_percentile, highest_percentile);
    canvas_.upright(label, chart_.width_pixels - edge, (plot.top + plot.bottom) / 2, plot.height());
  }

  const waterfall_chart& chart_;
  canvas canvas_;
  chart_scale x_, y_;
  std::pair<double, double> range_;
};

void require_drawable(const waterfall_chart& chart) {
  constexpr std::size_t most = 16384;
  bool fits = !chart.panels.empty() && chart.n_columns > 0 && chart.n_rows > 0 &&
              chart.n_columns <= most && chart.n_rows <= most && chart.width_pixels >= 400 &&
              chart.height_pixels >= 300;
  for (const waterfall_panel& panel : chart.panels) {
    fits = fits && panel.values.size() == chart.n_columns * chart.n_rows;
  }
  if (fits) return;
  reject(
      "a waterfall of {} panels, {} columns and {} rows does not fit {} x {} pixels or "
      "its values; give 1 to {} of each, a value for each cell, and at least 400 x 300",
      chart.panels.size(), chart.n_columns, chart.n_rows, chart.width_pixels, chart.height_pixels,
      most);
}

}  // namespace

void write_chart(const std::filesystem::path& file, const waterfall_chart& chart) {
  require_drawable(chart);
  painter picture(chart);
  save_chart(file, picture.paint());
}

}  // namespace wingbeat::formats
