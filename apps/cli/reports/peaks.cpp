// SPDX-License-Identifier: Apache-2.0
#include "cli/reports/peaks.hpp"

#include <algorithm>  // max, min
#include <cmath>      // round

#include "cli/reports/table.hpp"  // table
#include "text/formatted.hpp"     // formatted
#include "text/star_word.hpp"     // star_word

namespace wingbeat::cli {
namespace {

/// Returns a score as text. Scores are floats, whatever the arithmetic.
std::string score_text(const peak& found) {
  return formatted("{}", static_cast<float>(found.score));
}

/// Returns "12.25": places between pixels, to a thousandth.
std::string subpixel_text(double place) {
  return formatted("{}", std::round(place * 1000) / 1000);
}

constexpr std::size_t peaks_of_part = 4096;

/// Passes the lines of all peaks to the sink, some thousands at a time.
template <class LineOf>
void give_lines(std::span<const searching::located_peak> peaks, const text_sink& write,
                const LineOf& line_of) {
  std::string text;
  for (std::size_t rank = 0; rank < peaks.size(); ++rank) {
    text += line_of(peaks[rank]);
    if (rank % peaks_of_part > 0) continue;
    write(text);
    text.clear();
  }
  write(text);
}

std::vector<std::string> cells_of(std::size_t rank, const searching::located_peak& p) {
  return {formatted("{}", rank + 1), formatted("{}", p.number), formatted("{}", p.y),
          formatted("{}", p.x), score_text(p)};
}

}  // namespace

std::ptrdiff_t first_of(std::size_t length, extent mode) {
  const auto n = static_cast<std::ptrdiff_t>(length);
  switch (mode) {
    case extent::full: return 1 - n;
    case extent::same: return (n - 1) / 2 - (n - 1);
    case extent::valid: return 0;
  }
  return 0;
}

peak_centre centre_of(const searching::located_peak& found, const peak_frame& frame) {
  const auto centre = [&](double index, std::size_t length) {
    return index + static_cast<double>(first_of(length, frame.mode)) +
           static_cast<double>(length / 2);
  };
  return {centre(found.y_subpixel, frame.height), centre(found.x_subpixel, frame.width)};
}

void peaks_table(std::span<const searching::located_peak> peaks, bool has_scores,
                 const text_sink& write) {
  if (peaks.empty() && has_scores) return write("no peak reaches the threshold\n");
  if (peaks.empty()) {
    return write(
        "no place has a score: everywhere too few of a template's pixels are there; give a "
        "smaller --min-valid or a mask that leaves more\n");
  }
  std::vector<column> columns{{"rank"}, {"template"}, {"y"}, {"x"}, {"score"}};
  for (std::size_t rank = 0; rank < peaks.size(); ++rank) {
    const std::vector<std::string> cells = cells_of(rank, peaks[rank]);
    for (std::size_t c = 0; c < cells.size(); ++c) {
      columns[c].least_width = std::max(columns[c].least_width, cells[c].size());
    }
  }
  for (std::size_t first = 0; first < peaks.size(); first += peaks_of_part) {
    table part{columns};
    const std::size_t end = std::min(first + peaks_of_part, peaks.size());
    for (std::size_t rank = first; rank < end; ++rank) part.add(cells_of(rank, peaks[rank]));
    const std::string text = part.text();
    write(first == 0 ? text : text.substr(text.find('\n') + 1));  // only the first part has titles
  }
}

void peaks_csv(std::span<const searching::located_peak> peaks, const text_sink& write) {
  write("template,y,x,score,y_subpixel,x_subpixel\n");
  give_lines(peaks, write, [](const searching::located_peak& p) {
    return formatted("{},{},{},{},{},{}\n", p.number, p.y, p.x, score_text(p),
                     subpixel_text(p.y_subpixel), subpixel_text(p.x_subpixel));
  });
}

void match_json(std::span<const searching::located_peak> peaks, std::string_view more,
                const text_sink& write) {
  write("{\"peaks\": [");
  give_lines(peaks, write, [&](const searching::located_peak& p) {
    return formatted(
        "{}{{\"template\": {}, \"y\": {}, \"x\": {}, \"score\": {}, \"y_subpixel\": {}, "
        "\"x_subpixel\": {}}}",
        &p == peaks.data() ? "" : ", ", p.number, p.y, p.x, score_text(p),
        subpixel_text(p.y_subpixel), subpixel_text(p.x_subpixel));
  });
  write(formatted("]{}}}\n", more));
}

void peaks_star(std::span<const searching::located_peak> peaks, const peak_frame& frame,
                const std::string& micrograph, const text_sink& write) {
  write(
      "\ndata_particles\n\nloop_\n_rlnMicrographName #1\n_rlnCoordinateX #2\n"
      "_rlnCoordinateY #3\n_rlnAutopickFigureOfMerit #4\n_rlnClassNumber #5\n");
  const std::string name = star_word(micrograph);
  give_lines(peaks, write, [&](const searching::located_peak& p) {
    const auto [y, x] = centre_of(p, frame);
    return formatted("{} {} {} {} {}\n", name, subpixel_text(x), subpixel_text(y), score_text(p),
                     p.number + 1);
  });
  write("\n");
}

void peaks_box(std::span<const searching::located_peak> peaks, const peak_frame& frame,
               const text_sink& write) {
  give_lines(peaks, write, [&](const searching::located_peak& p) {
    const formats::image_box box = boxes_of({&p, 1}, frame).front();
    return formatted("{}\t{}\t{}\t{}\n", box.x, box.y, box.width, box.height);
  });
}

std::vector<formats::image_box> boxes_of(std::span<const searching::located_peak> peaks,
                                         const peak_frame& frame) {
  std::vector<formats::image_box> boxes;
  boxes.reserve(peaks.size());
  for (const searching::located_peak& p : peaks) {
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
