// SPDX-License-Identifier: Apache-2.0
// Layout, from the top: title, legend, marks' texts, plot, x ticks, x label.
#include "formats/charts/chart.hpp"

#include <cairo.h>

#include <algorithm>  // clamp, max, min
#include <cmath>
#include <limits>
#include <numbers>  // pi

#include "formats/charts/canvas.hpp"   // canvas, color
#include "formats/charts/check.hpp"    // check_chart
#include "formats/charts/outline.hpp"  // chart_outline
#include "formats/charts/save.hpp"     // save_chart
#include "formats/charts/scale.hpp"    // chart_scale
#include "wingbeat/error.hpp"          // plan_error

#ifdef __SANITIZE_ADDRESS__
// fontconfig 2.14 forgets patterns that it compares; found by gcc's LeakSanitizer in every program
// that draws text with cairo.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libfontconfig\n";
}
extern "C" const char* __lsan_default_options() {
  return "print_suppressions=0";
}
#endif

namespace wingbeat::formats {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

constexpr double flag_height = tick_size + 5;

constexpr color minor_grid{0.94, 0.945, 0.955};

/// Okabe and Ito's colours, distinct for every kind of colour vision; without yellow, which
/// vanishes on white.
constexpr color palette[] = {{0.00, 0.45, 0.70}, {0.84, 0.37, 0.00}, {0.00, 0.62, 0.45},
                             {0.80, 0.47, 0.65}, {0.90, 0.62, 0.00}, {0.34, 0.71, 0.91},
                             {0.25, 0.25, 0.25}};

color color_of(std::size_t series) {
  return palette[series % std::size(palette)];
}

/// Returns the axis: the requested range, or that of the values.
chart_scale scale_of(const chart_axis& axis,
                     std::initializer_list<std::vector<double> chart_series::*> members,
                     const std::vector<chart_series>& series, bool has_room) {
  if (axis.range) return {axis.scale, axis.range->first, axis.range->second, axis.unit};
  const chart_scale any(axis.scale, 1, 2);
  double low = nan;
  double high = nan;
  for (const auto& each : series) {
    for (const auto member : members) {
      for (const double value : each.*member) {
        if (!any.has_place_for(value)) continue;
        low = std::fmin(low, value);
        high = std::fmax(high, value);
      }
    }
  }
  const chart_scale tight(axis.scale, low, high, axis.unit);
  return has_room ? tight.with_room() : tight;
}

class painter {
 public:
  explicit painter(const line_chart& chart)
      : chart_(chart),
        canvas_(chart.width_pixels, chart.height_pixels),
        x_(scale_of(chart.x, {&chart_series::x}, chart.series, false)),
        y_(scale_of(chart.y, {&chart_series::y, &chart_series::low, &chart_series::high},
                    chart.series, true)) {}

  const canvas& paint() {
    const double legend_bottom = lay_out_legend();
    lay_out_plot(legend_bottom);
    draw_title_and_legend();
    draw_grid();
    cairo_save(cr());
    cairo_rectangle(cr(), plot_.left, plot_.top, plot_.width(), plot_.height());
    cairo_clip(cr());
    for (std::size_t i = 0; i < chart_.series.size(); ++i) draw_band(i);
    for (std::size_t i = 0; i < chart_.series.size(); ++i) draw_curve(i);
    cairo_restore(cr());
    draw_frame_and_labels();
    draw_marks();
    for (std::size_t i = 0; i < chart_.series.size(); ++i) draw_markers(i);
    for (std::size_t i = 0; i < chart_.series.size(); ++i) draw_notches(i);
    return canvas_;
  }

 private:
  struct flag {
    double x;            ///< Of the line.
    double left, width;  ///< Of the text.
    int row;             ///< 0 is next to the plot.
    std::string label;
  };

  struct legend_entry {
    std::size_t series;
    double x, y;
  };

  [[nodiscard]] cairo_t* cr() const { return canvas_.raw(); }

  /// Clamps places far outside, because cairo's coordinates have 24 bits.
  [[nodiscard]] chart_point place(double x, double y) const {
    if (!x_.has_place_for(x) || !y_.has_place_for(y)) return {0, nan};
    const double far = 1e5;
    return {std::clamp(plot_.left + x_.place_of(x) * plot_.width(), -far, far),
            std::clamp(plot_.bottom - y_.place_of(y) * plot_.height(), -far, far)};
  }

  /// Puts the entries into rows under the title; returns the end of the last row.
  double lay_out_legend() {
    double x = edge;
    double y = edge + title_size + gap + tick_size;
    if (chart_.title.empty()) y -= title_size + gap;
    for (std::size_t i = 0; i < chart_.series.size(); ++i) {
      if (chart_.series[i].label.empty()) continue;
      const double width = swatch + canvas_.width_of(chart_.series[i].label, tick_size) + 2 * gap;
      if (x > edge && x + width > chart_.width_pixels - edge) {
        x = edge;
        y += tick_size + gap;
      }
      legend_.push_back({i, x, y});
      x += width;
    }
    return legend_.empty() ? y - tick_size - gap : y;
  }

  void lay_out_plot(double top) {
    plot_.top = top + 1.5 * gap;
    plot_.bottom = chart_.height_pixels - edge - label_size - tick_size - 2 * gap;
    y_ticks_ = y_.ticks(std::max(2, static_cast<int>((plot_.bottom - plot_.top) / 60)));
    double widest = 0;
    for (const auto& tick : y_ticks_) {
      widest = std::max(widest, canvas_.width_of(tick.label, tick_size));
    }
    plot_.left = edge + label_size + gap + widest + gap;
    plot_.right = chart_.width_pixels - 1.5 * edge;
    const double tick_width = chart_.x.scale == axis_scale::linear ? 110 : 55;
    x_ticks_ = x_.ticks(std::max(2, static_cast<int>(plot_.width() / tick_width)));
    plot_.top += lay_out_marks();
    if (plot_.height() < 60 || plot_.width() < 60) {
      throw plan_error("chart '" + chart_.title +
                       "' has no room left for its plot; make it larger "
                       "or give it fewer series, marks or shorter labels");
    }
  }

  void draw_title_and_legend() const {
    const double most = chart_.width_pixels - 2 * edge;
    canvas_.text(chart_.title, edge, edge + title_size * 0.8, title_size, ink, 0, most);
    for (const auto& entry : legend_) {
      const double middle = entry.y - tick_size * 0.35;
      canvas_.ink_with(color_of(entry.series));
      cairo_set_line_width(cr(), 3);
      cairo_move_to(cr(), entry.x, middle);
      cairo_line_to(cr(), entry.x + swatch - gap, middle);
      cairo_stroke(cr());
      if (chart_.series[entry.series].has_markers) dot({entry.x + (swatch - gap) / 2, middle});
      canvas_.text(chart_.series[entry.series].label, entry.x + swatch, entry.y, tick_size, ink, 0,
                   most - swatch);
    }
  }

  void draw_grid() const {
    for (const bool is_major : {false, true}) {
      const color c = is_major ? major_grid : minor_grid;
      for (const auto& tick : x_ticks_) {
        if (tick.label.empty() == is_major) continue;
        const double x = plot_.left + x_.place_of(tick.value) * plot_.width();
        canvas_.rule(x, plot_.top, x, plot_.bottom, c);
      }
      for (const auto& tick : y_ticks_) {
        if (tick.label.empty() == is_major) continue;
        const double y = plot_.bottom - y_.place_of(tick.value) * plot_.height();
        canvas_.rule(plot_.left, y, plot_.right, y, c);
      }
    }
  }

  [[nodiscard]] std::vector<chart_point> outline_of(const chart_series& curve,
                                                    const std::vector<double>& y) const {
    chart_outline outline;
    for (std::size_t i = 0; i < y.size(); ++i) outline.add(place(curve.x[i], y[i]));
    return outline.take();
  }

  /// Fills the band between gaps, along the upper edge and back along the lower.
  void draw_band(std::size_t series) const {
    const chart_series& curve = chart_.series[series];
    canvas_.ink_with(color_of(series), 0.2);
    std::vector<chart_point> lower;
    const auto fill = [&] {
      for (auto p = lower.rbegin(); p != lower.rend(); ++p) cairo_line_to(cr(), p->x, p->y);
      cairo_fill(cr());
      lower.clear();
    };
    for (std::size_t i = 0; i < curve.low.size(); ++i) {
      const chart_point low = place(curve.x[i], curve.low[i]);
      const chart_point high = place(curve.x[i], curve.high[i]);
      if (std::isnan(low.y) || std::isnan(high.y)) {
        fill();
        continue;
      }
      cairo_line_to(cr(), high.x, high.y);
      lower.push_back(low);
    }
    fill();
  }

  void draw_curve(std::size_t series) const {
    const chart_series& curve = chart_.series[series];
    const auto points = outline_of(curve, curve.y);
    const bool is_dense = curve.x.size() > 2 * plot_.width();
    canvas_.ink_with(color_of(series));
    cairo_set_line_width(cr(), is_dense ? 1.0 : 2.0);
    bool has_pen_down = false;
    for (const auto& point : points) {
      if (std::isnan(point.y)) {
        has_pen_down = false;
      } else if (has_pen_down) {
        cairo_line_to(cr(), point.x, point.y);
      } else {
        cairo_move_to(cr(), point.x, point.y);
        // A line to itself, so that a point between two gaps shows as a round cap.
        cairo_line_to(cr(), point.x, point.y);
        has_pen_down = true;
      }
    }
    cairo_set_line_cap(cr(), CAIRO_LINE_CAP_ROUND);
    cairo_stroke(cr());
    cairo_set_line_cap(cr(), CAIRO_LINE_CAP_BUTT);
  }

  /// Draws a curve's notches in its colour, each text above its tick.
  void draw_notches(std::size_t series) const {
    const chart_series& curve = chart_.series[series];
    for (const chart_notch& notch : curve.notches) {
      const chart_point point = place(curve.x[notch.point], curve.y[notch.point]);
      if (std::isnan(point.y) || !holds(point)) continue;
      canvas_.ink_with(color_of(series));
      cairo_set_line_width(cr(), 3);
      cairo_move_to(cr(), point.x, point.y - notch_reach);
      cairo_line_to(cr(), point.x, point.y + notch_reach);
      cairo_stroke(cr());
      canvas_.text(notch.label, point.x, point.y - notch_reach - 4, tick_size, color_of(series),
                   0.5);
    }
  }

  /// Returns whether a point lies in the plot or on its edge.
  [[nodiscard]] bool holds(chart_point point) const {
    return point.x >= plot_.left - 1 && point.x <= plot_.right + 1 && point.y >= plot_.top - 1 &&
           point.y <= plot_.bottom + 1;
  }

  /// Draws markers without clipping: a dot on the edge of the plot is whole, one outside is absent.
  void draw_markers(std::size_t series) const {
    const chart_series& curve = chart_.series[series];
    if (!curve.has_markers) return;
    canvas_.ink_with(color_of(series));
    for (const auto& point : outline_of(curve, curve.y)) {
      if (holds(point)) dot(point);
    }
  }

  /// Draws a marker in the current colour.
  void dot(chart_point middle) const {
    cairo_new_path(cr());
    cairo_arc(cr(), middle.x, middle.y, 3.5, 0, 2 * std::numbers::pi);
    cairo_fill(cr());
  }

  void draw_marks() const {
    const double dashes[] = {5, 4};
    for (const auto& mark : flags_) {
      cairo_set_dash(cr(), dashes, 2, 0);
      canvas_.rule(mark.x, plot_.top - flag_height * (mark.row + 0.9), mark.x, plot_.bottom, quiet);
    }
    cairo_set_dash(cr(), nullptr, 0, 0);
    for (const auto& mark : flags_) {
      const double baseline = plot_.top - flag_height * (mark.row + 0.3);
      canvas_.ink_with({1, 1, 1});
      cairo_rectangle(cr(), mark.left - 2, baseline - tick_size, mark.width + 4, tick_size + 4);
      cairo_fill(cr());
      canvas_.text(mark.label, mark.left, baseline, tick_size, quiet);
    }
  }

  /// Hangs each mark's text to the right of its line like a flag, above the tops of the lines that
  /// it crosses; returns the height of all rows.
  double lay_out_marks() {
    int n_rows = 0;
    const auto marks = sorted_marks();
    for (auto mark = marks.rbegin(); mark != marks.rend(); ++mark) {
      const double width = canvas_.width_of(mark->label, tick_size);
      const double x = plot_.left + x_.place_of(mark->x) * plot_.width();
      const double left = std::max(edge, std::min(x + 6, chart_.width_pixels - gap - width));
      int row = 0;
      for (const auto& other : flags_) {
        if (std::min(other.x, other.left) < left + width + gap) row = std::max(row, other.row + 1);
      }
      flags_.push_back({x, left, width, row, mark->label});
      n_rows = std::max(n_rows, row + 1);
    }
    return n_rows * flag_height;
  }

  /// Returns the marks inside the plot, from left to right.
  [[nodiscard]] std::vector<chart_mark> sorted_marks() const {
    std::vector<chart_mark> marks;
    for (const auto& mark : chart_.marks) {
      if (!x_.has_place_for(mark.x)) continue;
      const double place = x_.place_of(mark.x);
      if (place >= 0 && place <= 1) marks.push_back(mark);
    }
    std::stable_sort(marks.begin(), marks.end(),
                     [](const chart_mark& a, const chart_mark& b) { return a.x < b.x; });
    return marks;
  }

  void draw_frame_and_labels() const {
    canvas_.rule(plot_.left, plot_.top, plot_.left, plot_.bottom, frame);
    canvas_.rule(plot_.left, plot_.bottom, plot_.right, plot_.bottom, frame);
    for (const auto& tick : x_ticks_) {
      const double x = plot_.left + x_.place_of(tick.value) * plot_.width();
      canvas_.text(tick.label, x, plot_.bottom + gap + tick_size * 0.8, tick_size, quiet, 0.5);
    }
    for (const auto& tick : y_ticks_) {
      const double y = plot_.bottom - y_.place_of(tick.value) * plot_.height();
      canvas_.text(tick.label, plot_.left - gap, y + tick_size * 0.35, tick_size, quiet, 1);
    }
    canvas_.text(chart_.x.label, (plot_.left + plot_.right) / 2, chart_.height_pixels - edge,
                 label_size, ink, 0.5, plot_.width());
    canvas_.upright(chart_.y.label, edge + label_size * 0.8, (plot_.top + plot_.bottom) / 2,
                    plot_.height());
  }

  static constexpr double notch_reach = 9;  // Above and below the curve.
  static constexpr double swatch = 34;      // Line of a legend entry and the space after it.

  const line_chart& chart_;
  canvas canvas_;
  chart_scale x_;
  chart_scale y_;
  std::vector<chart_tick> x_ticks_;
  std::vector<chart_tick> y_ticks_;
  std::vector<legend_entry> legend_;
  std::vector<flag> flags_;
  area plot_{};
};

}  // namespace

bool draws_charts() noexcept {
  return true;
}

void write_chart(const std::filesystem::path& file, const line_chart& chart) {
  check_chart(chart);
  painter picture(chart);
  save_chart(file, picture.paint());
}

}  // namespace wingbeat::formats
