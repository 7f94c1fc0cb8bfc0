// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/peaks.hpp"

#include "cli/reports/table.hpp"  // table
#include "formatted.hpp"          // formatted

namespace wingbeat::cli {
namespace {

/// Scores are floats, whatever they were computed in.
std::string score_text(const peak& found) {
  return formatted("{}", static_cast<float>(found.score));
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

std::string peaks_table(std::span<const peak> peaks) {
  if (peaks.empty()) return "no peak reaches the threshold\n";
  table rows{{{"rank"}, {"template"}, {"y"}, {"x"}, {"score"}}};
  for (std::size_t rank = 0; rank < peaks.size(); ++rank) {
    const peak& p = peaks[rank];
    rows.add({formatted("{}", rank + 1), formatted("{}", p.number), formatted("{}", p.y),
              formatted("{}", p.x), score_text(p)});
  }
  return rows.text();
}

std::string peaks_csv(std::span<const peak> peaks) {
  std::string text = "template,y,x,score\n";
  for (const peak& p : peaks) {
    text += formatted("{},{},{},{}\n", p.number, p.y, p.x, score_text(p));
  }
  return text;
}

std::string match_json(std::span<const peak> peaks) {
  std::string items;
  for (const peak& p : peaks) {
    items += formatted("{}{{\"template\": {}, \"y\": {}, \"x\": {}, \"score\": {}}}",
                       items.empty() ? "" : ", ", p.number, p.y, p.x, score_text(p));
  }
  return "{\"peaks\": [" + items + "]}\n";
}

std::vector<formats::image_box> boxes_of(std::span<const peak> peaks, extent mode,
                                         std::size_t template_height, std::size_t template_width,
                                         bool are_several_templates) {
  std::vector<formats::image_box> boxes;
  for (const peak& p : peaks) {
    const std::string score = formatted("{:.3g}", p.score);
    boxes.push_back({.y = static_cast<std::ptrdiff_t>(p.y) + first_of(template_height, mode),
                     .x = static_cast<std::ptrdiff_t>(p.x) + first_of(template_width, mode),
                     .height = template_height,
                     .width = template_width,
                     .label = are_several_templates ? formatted("{}:{}", p.number, score) : score});
  }
  return boxes;
}

}  // namespace wingbeat::cli
