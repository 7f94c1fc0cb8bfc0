// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/peaks.hpp"

#include <cmath>  // round
#include <string_view>

#include "cli/reports/table.hpp"  // table
#include "formatted.hpp"          // formatted

namespace wingbeat::cli {
namespace {

/// Scores are floats, whatever they were computed in.
std::string score_text(const peak& found) {
  return formatted("{}", static_cast<float>(found.score));
}

/// Returns "12.25": places between pixels, to a thousandth.
std::string subpixel_text(double place) {
  return formatted("{}", std::round(place * 1000) / 1000);
}

/// Returns a name as one word of a STAR file: in quotes where it has blanks or begins as no word.
std::string star_word(const std::string& name) {
  constexpr std::string_view first = "_#$'\";[";
  const bool is_plain = !name.empty() && name.find_first_of(" \t") == std::string::npos &&
                        first.find(name.front()) == std::string_view::npos;
  if (is_plain) return name;
  return name.find('\'') == std::string::npos ? "'" + name + "'" : '"' + name + '"';
}

/// Returns index 0 of a map's axis as an index of the image: the first under the template.
std::ptrdiff_t first_of(std::size_t length, extent mode) {
  const auto n = static_cast<std::ptrdiff_t>(length);
  switch (mode) {
    case extent::full: return 1 - n;
    case extent::same: return (n - 1) / 2 - (n - 1);
    case extent::valid: return 0;
  }
  return 0;
}

}  // namespace

std::string peaks_table(std::span<const located_peak> peaks, bool has_scores) {
  if (peaks.empty() && has_scores) return "no peak reaches the threshold\n";
  if (peaks.empty()) {
    return "no place has a score: everywhere too few of a template's pixels are there; give a "
           "smaller --min-valid or a mask that leaves more\n";
  }
  table rows{{{"rank"}, {"template"}, {"y"}, {"x"}, {"score"}}};
  for (std::size_t rank = 0; rank < peaks.size(); ++rank) {
    const located_peak& p = peaks[rank];
    rows.add({formatted("{}", rank + 1), formatted("{}", p.number), formatted("{}", p.y),
              formatted("{}", p.x), score_text(p)});
  }
  return rows.text();
}

std::string peaks_csv(std::span<const located_peak> peaks) {
  std::string text = "template,y,x,score,y_subpixel,x_subpixel\n";
  for (const located_peak& p : peaks) {
    text += formatted("{},{},{},{},{},{}\n", p.number, p.y, p.x, score_text(p),
                      subpixel_text(p.y_subpixel), subpixel_text(p.x_subpixel));
  }
  return text;
}

std::string match_json(std::span<const located_peak> peaks) {
  std::string items;
  for (const located_peak& p : peaks) {
    items += formatted(
        "{}{{\"template\": {}, \"y\": {}, \"x\": {}, \"score\": {}, \"y_subpixel\": {}, "
        "\"x_subpixel\": {}}}",
        items.empty() ? "" : ", ", p.number, p.y, p.x, score_text(p), subpixel_text(p.y_subpixel),
        subpixel_text(p.x_subpixel));
  }
  return "{\"peaks\": [" + items + "]}\n";
}

std::string peaks_star(std::span<const located_peak> peaks, const peak_frame& frame,
                       const std::string& micrograph) {
  std::string text =
      "\ndata_particles\n\nloop_\n_rlnMicrographName #1\n_rlnCoordinateX #2\n"
      "_rlnCoordinateY #3\n_rlnAutopickFigureOfMerit #4\n_rlnClassNumber #5\n";
  const auto centre = [&](double index, std::size_t length) {
    return subpixel_text(index + static_cast<double>(first_of(length, frame.mode)) +
                         static_cast<double>(length / 2));
  };
  for (const located_peak& p : peaks) {
    text += formatted("{} {} {} {} {}\n", star_word(micrograph), centre(p.x_subpixel, frame.width),
                      centre(p.y_subpixel, frame.height), score_text(p), p.number + 1);
  }
  return text + "\n";
}

std::string peaks_box(std::span<const located_peak> peaks, const peak_frame& frame) {
  std::string text;
  for (const formats::image_box& box : boxes_of(peaks, frame)) {
    text += formatted("{}\t{}\t{}\t{}\n", box.x, box.y, box.width, box.height);
  }
  return text;
}

std::vector<formats::image_box> boxes_of(std::span<const located_peak> peaks,
                                         const peak_frame& frame) {
  std::vector<formats::image_box> boxes;
  for (const located_peak& p : peaks) {
    const std::string score = formatted("{:.3g}", p.score);
    boxes.push_back({.y = static_cast<std::ptrdiff_t>(p.y) + first_of(frame.height, frame.mode),
                     .x = static_cast<std::ptrdiff_t>(p.x) + first_of(frame.width, frame.mode),
                     .height = frame.height,
                     .width = frame.width,
                     .label = frame.n_templates > 1 ? formatted("{}:{}", p.number, score) : score,
                     .colour = p.number});
  }
  return boxes;
}

}  // namespace wingbeat::cli
