// SPDX-License-Identifier: Apache-2.0
// lengths_diagram fractions > FILE.svg: the fraction of a copy's speed that the planner expects of
// rows of every length from 1 to 8,192 on an H200, complex fp32, by how each is transformed. What
// it expects is measured where its tables have a length, and else the time model of src/tuning.
// Of lengths above 512 that are convolved it draws every sixteenth: each needs a spectrum.
#include <fmt/format.h>

#include <algorithm>  // max, min
#include <array>
#include <cmath>     // log2
#include <cstdio>    // fwrite, stderr
#include <iterator>  // back_inserter
#include <optional>
#include <string>
#include <string_view>
#include <utility>  // forward
#include <vector>

#include "backend/planning_engine.hpp"  // planning_engine
#include "planner/expected_time.hpp"    // time_of, time_of_convolved
#include "planner/pieces.hpp"           // pieces_of
#include "tuning/tuning.hpp"            // for_device
#include "wingbeat/device/factors.hpp"  // is_product_of_radices

namespace {

using namespace wingbeat;

constexpr std::size_t longest = 8192, all_to = 512, one_of = 16;

enum method { measured, estimated, rader_order, chirp, n_methods };
constexpr std::array<std::string_view, n_methods> names{
    "radices, as measured", "radices of no measured shape, 0.8 as an estimate",
    "within p - 1 points (Rader)", "within M \xe2\x89\xa5 2 N - 1 points (a chirp)"};
constexpr std::array<std::string_view, n_methods> colours{"#1d4f8f", "#8fb3dd", "#d95f4c",
                                                          "#e0a030"};

struct expectation {
  std::size_t length;
  method way;
  double fraction;
};

expectation expected_of(std::size_t n, const device_info& device,
                        const tuning::architecture& data) {
  planner::axis_request axis;
  axis.total = n;
  axis.transforms = (std::size_t{1} << 27) / n;
  const std::vector<planner::piece> pieces = planner::pieces_of(axis, data, device);
  const planner::piece& first = pieces.front();
  if (pieces.size() == 1 && (first.chirped || first.by_rader)) {
    const double time = planner::time_of_convolved(first.shape, data.fp32, data.times);
    return {n, first.by_rader ? rader_order : chirp, static_cast<double>(n) / time};
  }
  double copies = 0;
  bool is_measured = true;
  for (const planner::piece& each : pieces) {
    copies += planner::time_of(each, data.times);
    is_measured = is_measured && each.fraction > 0;
  }
  return {n, first.chirped ? chirp : is_measured ? measured : estimated, 1 / copies};
}

constexpr int left = 58, top = 30, tall = 300, octave = 62, bin = 2;
constexpr int wide = octave * 13, width = left + wide + 24, height = top + tall + 128;

double y_of(double fraction) {
  return top + tall * (1 - std::min(fraction, 1.0));
}

template <class... Arguments>
void add(std::string& svg, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(svg), text, std::forward<Arguments>(arguments)...);
  svg += '\n';
}

/// Draws a line from the least to the largest fraction of the lengths of each bin.
void draw(std::string& svg, const std::vector<expectation>& lengths, method drawn) {
  struct range {
    double least, most;
  };
  std::vector<std::optional<range>> bins(wide / bin + 1);
  for (const auto& [n, way, fraction] : lengths) {
    if (way != drawn) continue;
    auto& held = bins[static_cast<std::size_t>(std::log2(n) * octave / bin)];
    held = held ? range{std::min(held->least, fraction), std::max(held->most, fraction)}
                : range{fraction, fraction};
  }
  std::string path;
  for (std::size_t i = 0; i < bins.size(); ++i) {
    if (!bins[i]) continue;
    fmt::format_to(std::back_inserter(path), "M{} {:.0f}V{:.0f}", left + bin * static_cast<int>(i),
                   y_of(bins[i]->least) + 2, y_of(bins[i]->most) - 2);
  }
  add(svg, R"(<path d="{}" stroke="{}" stroke-width="{}" fill="none" opacity="0.8"/>)", path,
      colours[drawn], bin);
}

constexpr std::string_view style = R"(<style>
text { font: 12px "DejaVu Sans", Verdana, sans-serif; fill: #222; text-anchor: middle; }
.left { text-anchor: start; }
.right { text-anchor: end; }
.grid { stroke: #ddd; stroke-width: 1; }
</style>)";

std::string svg_of(const std::vector<expectation>& lengths) {
  std::string svg;
  add(svg,
      "<!-- SPDX-License-Identifier: Apache-2.0. Written by docs/diagrams/lengths_diagram. -->");
  add(svg, R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}")", width,
      height);
  add(svg, R"( height="{}" role="img">)", height);
  add(svg, "<title>Expected fraction of a copy's speed of lengths 1 to 8,192</title>");
  add(svg, "{}", style);
  add(svg, R"(<rect width="{}" height="{}" fill="white"/>)", width, height);
  for (int tenth = 0; tenth <= 10; tenth += 2) {
    const double y = y_of(tenth / 10.0);
    add(svg, R"(<path d="M{} {:.0f}H{}" class="grid"/>)", left, y, left + wide);
    add(svg, R"(<text x="{}" y="{:.0f}" class="right">{:.1f}</text>)", left - 6, y + 4,
        tenth / 10.0);
  }
  for (int power = 0; power <= 13; ++power) {
    const int x = left + power * octave;
    add(svg, R"(<path d="M{} {}V{}" class="grid"/>)", x, top, top + tall);
    add(svg, R"(<text x="{}" y="{}">{}</text>)", x, top + tall + 18, 1 << power);
  }
  for (const method each : {estimated, chirp, rader_order, measured}) draw(svg, lengths, each);
  for (std::size_t i = 0; i < n_methods; ++i) {
    const std::size_t x = left + i % 2 * 420, y = top + tall + 46 + i / 2 * 22;
    add(svg, R"(<rect x="{}" y="{}" width="12" height="12" fill="{}"/>)", x, y - 10, colours[i]);
    add(svg, R"(<text x="{}" y="{}" class="left">{}</text>)", x + 20, y, names[i]);
  }
  add(svg, R"(<text x="{}" y="{}" class="left">{}</text>)", left, height - 22,
      "Fraction of a copy's speed against length, rows of complex fp32, planned for an H200 by its "
      "tables and time model.");
  add(svg, "</svg>");
  return svg;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2 || std::string_view{argv[1]} != "fractions") {
    fmt::print(stderr, "usage: lengths_diagram fractions > FILE.svg\n");
    return 2;
  }
  const backend::planning_engine engine;
  const device_info gpu = engine.devices().front();
  const tuning::architecture& data = tuning::for_device(gpu);
  std::vector<expectation> lengths;
  std::size_t n_convolved = 0;
  for (std::size_t n = 1; n <= longest; ++n) {
    const bool is_left_out =
        n > all_to && !device::is_product_of_radices(n) && ++n_convolved % one_of != 0;
    if (!is_left_out) lengths.push_back(expected_of(n, gpu, data));
  }
  const std::string svg = svg_of(lengths);
  return std::fwrite(svg.data(), 1, svg.size(), stdout) == svg.size() ? 0 : 1;
}
