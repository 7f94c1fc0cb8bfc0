// SPDX-License-Identifier: Apache-2.0
// convolution_diagram search > FILE.svg: what crosses device memory, and when, as one template of
// 512 x 512 is correlated with an image of 4096 x 4096, planned for an H200. Bytes of arrays follow
// from the request; those of launches are the plans' own, as `convolution::explain` prints them,
// and the program fails where the two disagree.
#include <fmt/format.h>

#include <cstdio>    // fwrite, stderr
#include <iterator>  // back_inserter
#include <string>
#include <string_view>
#include <utility>  // forward, move
#include <vector>

#include "backend/planning_engine.hpp"  // planning_engine
#include "convolving/program.hpp"       // preparing_program, running_program

namespace {

using namespace wingbeat;

constexpr std::size_t image_length = 4096, kernel_length = 512;

struct array {
  std::string name, shape;
  std::size_t size_bytes;
};

/// Launches between two arrays.
struct launch {
  std::vector<std::string> lines;
  std::size_t size_bytes;  ///< All that they read and write.
};

/// Arrays and launches by turns.
struct lane {
  std::string title;
  std::vector<array> arrays;
  std::vector<launch> launches;
};

array array_of(std::string name, std::size_t rows, std::size_t columns, std::size_t number_bytes) {
  return {std::move(name), fmt::format("{} x {}", rows, columns), rows * columns * number_bytes};
}

/// Returns the bytes of the steps from `first` to before `end`.
std::size_t bytes_of(const programs::program& program, std::size_t first, std::size_t end) {
  std::size_t sum = 0;
  for (std::size_t i = first; i < end; ++i) sum += program.steps[i].traffic_bytes();
  return sum;
}

std::vector<lane> lanes_of_search() {
  const convolution_spec spec{.image = {image_length, image_length},
                              .kernel = {kernel_length, kernel_length},
                              .kind = operation::correlate,
                              .mode = extent::valid};
  const backend::planning_engine engine;
  const auto on = engine.open(engine.devices().front());
  const auto axes = convolving::geometry_of(spec);
  const convolving::program_request request{spec, axes, 1, 1, &engine};
  const auto preparing = convolving::preparing_program(on, request);
  const auto running = convolving::running_program(on, request);
  const std::size_t bins = axes[1].padded / 2 + 1, wanted = axes[0].result();
  return {{"prepare: once for the image",
           {array_of("image", image_length, image_length, 4),
            array_of("bins of its rows", image_length, bins, 8),
            array_of("spectrum", axes[0].padded, bins, 8)},
           {{{"rows", "forward"}, bytes_of(preparing, 0, 1)},
            {{"columns", "forward"}, bytes_of(preparing, 1, preparing.steps.size())}}},
          {"enqueue: for each template",
           {array_of("template", kernel_length, kernel_length, 4),
            array_of("bins of its rows", kernel_length, bins, 8),
            array_of("bins of wanted rows", wanted, bins, 8),
            array_of("map", wanted, axes[1].result(), 4)},
           {{{"rows", "forward"}, bytes_of(running, 0, 1)},
            {{"columns forward", "times spectrum", "inverse"}, bytes_of(running, 1, 2)},
            {{"rows", "inverse"}, bytes_of(running, 2, running.steps.size())}}}};
}

/// Returns whether launches move what the arrays around them hold, and columns the spectrum too.
bool is_true(const std::vector<lane>& lanes) {
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    for (std::size_t i = 0; i < lanes[l].launches.size(); ++i) {
      const auto& arrays = lanes[l].arrays;
      const std::size_t spectrum = l == 1 && i == 1 ? lanes[0].arrays.back().size_bytes : 0;
      const std::size_t expected = arrays[i].size_bytes + arrays[i + 1].size_bytes + spectrum;
      if (lanes[l].launches[i].size_bytes == expected) continue;
      fmt::print(stderr,
                 "convolution_diagram: {}, launch {} moves {} bytes, and its arrays hold {}\n",
                 lanes[l].title, i, lanes[l].launches[i].size_bytes, expected);
      return false;
    }
  }
  return true;
}

/// Returns "134,299,656".
std::string grouped(std::size_t number) {
  std::string digits = fmt::format("{}", number);
  for (std::size_t offset = digits.size(); offset > 3;) digits.insert(offset -= 3, 1, ',');
  return digits;
}

constexpr int width = 920, lane_height = 236, top = 56, step = 232, left = 34, bar_width = 100;
constexpr double pixels_per_mb = 1.6;

template <class... Arguments>
void add(std::string& svg, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(svg), text, std::forward<Arguments>(arguments)...);
  svg += '\n';
}

int x_of(std::size_t i) {
  return left + static_cast<int>(i) * step;
}
int middle_of(std::size_t lane) {
  return top + static_cast<int>(lane) * lane_height + 84;
}

/// An array as a bar whose height is its bytes.
void draw_array(std::string& svg, const array& drawn, std::size_t lane, std::size_t i) {
  const double tall = static_cast<double>(drawn.size_bytes) * 1e-6 * pixels_per_mb;
  const int x = x_of(i), y = middle_of(lane), below = y + 74;
  add(svg, R"(<rect x="{}" y="{:.1f}" width="{}" height="{:.1f}" class="array"/>)", x, y - tall / 2,
      bar_width, tall);
  add(svg, R"(<text x="{}" y="{}" class="name">{}</text>)", x + bar_width / 2, below, drawn.name);
  add(svg, R"(<text x="{}" y="{}" class="small">{}</text>)", x + bar_width / 2, below + 16,
      drawn.shape);
  add(svg, R"(<text x="{}" y="{}" class="small">{}</text>)", x + bar_width / 2, below + 31,
      grouped(drawn.size_bytes));
}

/// Launches as an arrow from one array to the next, with what they compute and move.
void draw_launch(std::string& svg, const launch& drawn, std::size_t lane, std::size_t i) {
  const int left = x_of(i) + bar_width + 6, right = x_of(i + 1) - 6, y = middle_of(lane);
  const int lines = static_cast<int>(drawn.lines.size());
  add(svg, R"(<path d="M{} {}H{}" class="arrow"/>)", left, y, right - 6);
  for (int line = 0; line < lines; ++line) {
    add(svg, R"(<text x="{}" y="{}" class="launch">{}</text>)", (left + right) / 2,
        y - 10 - 16 * (lines - 1 - line), drawn.lines[static_cast<std::size_t>(line)]);
  }
  add(svg, R"(<text x="{}" y="{}" class="bytes">{}</text>)", (left + right) / 2, y + 20,
      grouped(drawn.size_bytes));
}

/// The prepared spectrum is read by the second launch of a run.
void draw_spectrum_read(std::string& svg) {
  const int from_x = x_of(2) - 8, from_y = middle_of(0) + 40;
  const int to_x = (x_of(1) + bar_width + x_of(2)) / 2, to_y = middle_of(1) - 62;
  add(svg, R"(<path d="M{} {}C{} {} {} {} {} {}" class="arrow read"/>)", from_x, from_y,
      from_x - 40, from_y, to_x, from_y + 30, to_x, to_y);
}

constexpr std::string_view style = R"(<style>
text { font: 12px "DejaVu Sans", Verdana, sans-serif; fill: #222; text-anchor: middle; }
.title { font-weight: bold; font-size: 14px; text-anchor: start; }
.name { font-weight: bold; }
.small { font-size: 11px; }
.launch { fill: #1d4f8f; }
.bytes { font-size: 11px; fill: #1d4f8f; font-weight: bold; }
.note { font-size: 11px; fill: #666; text-anchor: start; }
.array { fill: #d95f4c; opacity: 0.75; }
.arrow { fill: none; stroke: #3b6fb6; stroke-width: 2; marker-end: url(#head); }
.read { stroke-dasharray: 6 4; }
</style>
<defs><marker id="head" viewBox="0 0 10 10" refX="6" refY="5" markerWidth="7" markerHeight="7"
orient="auto"><path d="M0 0L10 5L0 10z" fill="#3b6fb6"/></marker></defs>)";

std::string svg_of(const std::vector<lane>& lanes) {
  const int height = top + 2 * lane_height + 36;
  std::string svg;
  add(svg,
      "<!-- SPDX-License-Identifier: Apache-2.0. Written by docs/diagrams/convolution_diagram. "
      "-->");
  add(svg, R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}")", width,
      height);
  add(svg, R"( height="{}" role="img">)", height);
  add(svg,
      "<title>What crosses memory in a correlation of 512 x 512 templates with an image of "
      "4096 x 4096</title>");
  add(svg, "{}", style);
  add(svg, R"(<rect width="{}" height="{}" fill="white"/>)", width, height);
  std::size_t moved = 0;
  for (std::size_t l = 0; l < lanes.size(); ++l) {
    add(svg, R"(<text x="22" y="{}" class="title">{}</text>)", middle_of(l) - 96, lanes[l].title);
    for (std::size_t i = 0; i < lanes[l].arrays.size(); ++i) {
      draw_array(svg, lanes[l].arrays[i], l, i);
    }
    moved = 0;
    for (std::size_t i = 0; i < lanes[l].launches.size(); ++i) {
      draw_launch(svg, lanes[l].launches[i], l, i);
      moved += lanes[l].launches[i].size_bytes;
    }
  }
  draw_spectrum_read(svg);
  add(svg, R"(<text x="22" y="{}" class="note">{}</text>)", height - 28,
      "Correlation, valid, fp32, planned for an H200. Red: arrays in device memory, as high as "
      "they "
      "are large. Blue: launches,");
  add(svg, R"(<text x="22" y="{}" class="note">{} {}.</text>)", height - 12,
      "and the bytes that they read and write. All launches of one template together:",
      grouped(moved));
  add(svg, "</svg>");
  return svg;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || std::string_view{argv[1]} != "search") {
    fmt::print(stderr, "usage: convolution_diagram search > FILE.svg\n");
    return 2;
  }
  const std::vector<lane> lanes = lanes_of_search();
  if (!is_true(lanes)) return 1;
  const std::string svg = svg_of(lanes);
  return std::fwrite(svg.data(), 1, svg.size(), stdout) == svg.size() ? 0 : 1;
}
