// SPDX-License-Identifier: Apache-2.0
// order_diagram nabla|scrambled > FILE.svg: how the elements of a 16-point transform travel from
// thread to thread, drawn step by step of radix 2. Each line follows one position n of the
// transform in place, which ends with frequency rev_4(n). A kernel takes several steps at once.
#include <fmt/format.h>

#include <cstdio>    // fwrite, stderr
#include <iterator>  // back_inserter
#include <string>
#include <string_view>
#include <utility>  // swap
#include <vector>

#include "wingbeat/device/index.hpp"      // bits_reversed
#include "wingbeat/device/nabla.hpp"      // index_map
#include "wingbeat/device/scrambled.hpp"  // index_map

namespace {

using namespace wingbeat::device;

constexpr unsigned length_log2 = 4;
constexpr unsigned length = 1u << length_log2;

/// The butterflies that pair positions `stride` apart, and who holds what at that time.
struct step {
  unsigned stride;
  std::vector<unsigned> position;  ///< [g], g = l T + t
  std::string before;              ///< What the threads do between the last step and this one.
};

/// One transform: a panel of the picture.
struct panel {
  std::string title;
  unsigned elements_log2, threads_log2;
  std::vector<step> steps;
  std::vector<unsigned> frequency;  ///< [g], at the end

  unsigned threads() const { return 1u << threads_log2; }
  unsigned elements() const { return 1u << elements_log2; }
};

std::vector<unsigned> in_natural_order() {
  std::vector<unsigned> position;
  for (unsigned g = 0; g < length; ++g) position.push_back(g);
  return position;
}

// The thread without bit s gives its high element for the low one of thread t ^ s.
void trade(std::vector<unsigned>& position, unsigned threads, unsigned s) {
  for (unsigned pair = 0; pair < length; pair += 2 * threads) {
    for (unsigned t = 0; t < threads; ++t) {
      if ((t & s) == 0) std::swap(position[pair + threads + t], position[pair + (t ^ s)]);
    }
  }
}

panel nabla_panel(unsigned elements_log2, unsigned threads_log2) {
  const nabla::index_map map{elements_log2, threads_log2};
  panel p{fmt::format("nabla, {} threads of {} elements", map.workgroup(), 1u << elements_log2),
          elements_log2,
          threads_log2,
          {},
          {}};
  auto position = in_natural_order();
  for (unsigned stride = length / 2; stride > 0; stride /= 2) {
    const bool is_trade = stride < map.workgroup();
    if (is_trade) trade(position, map.workgroup(), stride);
    p.steps.push_back({stride, position, is_trade ? fmt::format("trade, t ^ {}", stride) : ""});
  }
  for (unsigned g = 0; g < length; ++g) p.frequency.push_back(map.dft_index(g));
  return p;
}

panel scrambled_panel(unsigned elements_log2, unsigned threads_log2) {
  const scrambled::index_map map{elements_log2, threads_log2};
  panel p{fmt::format("scrambled, {} threads of {} elements", map.threads(), map.elements()),
          elements_log2,
          threads_log2,
          {},
          {}};
  auto position = in_natural_order();
  for (unsigned stride = length / 2; stride > 0; stride /= 2) {
    const bool is_exchange = 2 * stride == map.elements();
    for (unsigned g = 0; is_exchange && g < length; ++g) {
      position[g] = g % map.threads() * map.elements() + g / map.threads();
    }
    p.steps.push_back({stride, position, is_exchange ? "exchange" : ""});
  }
  for (unsigned g = 0; g < length; ++g) p.frequency.push_back(map.dft_index(g));
  return p;
}

/// Returns whether the drawing tells the truth: each position ends where its frequency is said to.
bool is_true(const panel& p) {
  for (unsigned g = 0; g < length; ++g) {
    if (bits_reversed(p.steps.back().position[g], length_log2) != p.frequency[g]) return false;
  }
  return true;
}

constexpr int width = 424, height = 552, left = 102, top = 76, column = 82, row = 24, gap = 6;
constexpr int radius = 9;
constexpr std::string_view colours[] = {"#3b6fb6", "#d95f4c", "#2e8b57", "#b8860b",
                                        "#1b9aaa", "#8e4585", "#c2557a", "#5a5a5a"};

template <class... Arguments>
void add(std::string& svg, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  fmt::format_to(std::back_inserter(svg), text, std::forward<Arguments>(arguments)...);
  svg += '\n';
}

/// Where things are: rows are grouped by thread, so that a trade is what leaves a band.
class drawing {
 public:
  drawing(std::string& svg, const panel& view, int position) : svg_(svg), p_(view), at_(position) {}

  void draw() {
    add(svg_, "<g transform='translate({} 0)'>", at_);
    add(svg_, R"(<text x="{}" y="24" class="title">{}</text>)", left - 84, p_.title);
    bands();
    for (unsigned s = 1; s < p_.steps.size(); ++s) travels(s);
    for (unsigned s = 0; s < p_.steps.size(); ++s) butterflies(s);
    ends();
    add(svg_, "</g>");
  }

 private:
  int y_of(unsigned g) const {
    const unsigned l = g / p_.threads(), t = g % p_.threads();
    const int bands_above = static_cast<int>(t);
    return top + static_cast<int>(t * p_.elements() + l) * row + bands_above * gap + row / 2;
  }
  static int x_of(unsigned s) { return left + 14 + static_cast<int>(s) * column; }
  std::string_view colour(unsigned g) const { return colours[g % p_.threads()]; }

  void bands() {
    const int tall = static_cast<int>(p_.elements()) * row;
    for (unsigned t = 0; t < p_.threads(); ++t) {
      add(svg_, R"(<rect x="{}" y="{}" width="{}" height="{}" rx="4" fill="{}" opacity="0.1"/>)",
          left - 88, y_of(t) - row / 2, width - 20, tall, colours[t]);
    }
  }

  void travels(unsigned s) {
    const step& earlier = p_.steps[s - 1];
    const step& later = p_.steps[s];
    const int x1 = x_of(s - 1), x2 = x_of(s), middle = (x1 + x2) / 2;
    if (!later.before.empty()) {
      add(svg_, R"(<text x="{}" y="62" class="between">{}</text>)", middle, later.before);
    }
    for (unsigned g = 0; g < length; ++g) {
      unsigned target = 0;
      while (later.position[target] != earlier.position[g]) ++target;
      add(svg_, R"(<path d="M{} {}C{} {} {} {} {} {}" stroke="{}"/>)", x1, y_of(g), middle, y_of(g),
          middle, y_of(target), x2, y_of(target), colour(g));
    }
  }

  void butterflies(unsigned s) {
    const step& current = p_.steps[s];
    const int x = x_of(s);
    add(svg_, R"(<text x="{}" y="46" class="step">n, n+{}</text>)", x, current.stride);
    for (unsigned g = 0; g < length; ++g) {
      if ((current.position[g] & current.stride) != 0) continue;
      unsigned other = 0;
      while (current.position[other] != current.position[g] + current.stride) ++other;
      // Partners that are not neighbours are joined around what lies between, on either side.
      const int rows_apart = (y_of(other) - y_of(g)) / row;
      const int side = g / p_.threads() % 2 == 0 ? -1 : 1;
      add(svg_, R"(<path d="M{} {}Q{} {} {} {}" stroke="{}" class="pair"/>)", x, y_of(g),
          x + side * (rows_apart - 1) * 36, (y_of(g) + y_of(other)) / 2, x, y_of(other), colour(g));
    }
    for (unsigned g = 0; g < length; ++g) {
      add(svg_, R"(<circle cx="{}" cy="{}" r="{}" stroke="{}"/>)", x, y_of(g), radius, colour(g));
      add(svg_, R"(<text x="{}" y="{}" class="position">{}</text>)", x, y_of(g) + 4,
          current.position[g]);
    }
  }

  void ends() {
    const int x = x_of(static_cast<unsigned>(p_.steps.size()) - 1) + 22;
    add(svg_, R"(<text x="{}" y="62">l|t</text><text x="{}" y="62">in</text>)", left - 80,
        left - 32);
    add(svg_, R"(<text x="{}" y="62">out</text>)", x);
    for (unsigned g = 0; g < length; ++g) {
      add(svg_, R"(<text x="{}" y="{}">{:0{}b}|{:0{}b}</text>)", left - 80, y_of(g) + 4,
          g / p_.threads(), p_.elements_log2, g % p_.threads(), p_.threads_log2);
      add(svg_, R"(<text x="{}" y="{}">x{}</text>)", left - 32, y_of(g) + 4, g);
      add(svg_, R"(<text x="{}" y="{}" class="bin">X{}</text>)", x, y_of(g) + 4, p_.frequency[g]);
    }
  }

  std::string& svg_;
  const panel& p_;
  int at_;
};

constexpr std::string_view style = R"(<style>
text { font: 12px "DejaVu Sans", Verdana, sans-serif; fill: #222; white-space: pre; }
.title { font-weight: bold; font-size: 14px; }
.step { text-anchor: middle; }
.between { text-anchor: middle; font-size: 10.5px; fill: #666; }
.position { text-anchor: middle; font-size: 10px; }
.note { font-size: 11px; fill: #666; }
.bin { font-weight: bold; }
path { fill: none; stroke-width: 1.6; }
.pair { stroke-width: 5; opacity: 0.45; }
circle { fill: white; stroke-width: 1.6; }
</style>)";

std::string svg_of(const std::vector<panel>& panels) {
  const int wide = width * static_cast<int>(panels.size());
  std::string svg;
  add(svg, "<!-- SPDX-License-Identifier: Apache-2.0. Written by docs/diagrams/order_diagram. -->");
  add(svg, R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {0} {1}" width="{0}")", wide,
      height);
  add(svg, R"( height="{}" role="img">)", height);
  add(svg, "<title>How the elements of a 16-point transform travel between threads</title>");
  add(svg, "{}", style);
  add(svg, R"(<rect width="{}" height="{}" fill="white"/>)", wide, height);
  add(svg, R"(<text x="22" y="{}" class="note">{}</text>)", height - 26,
      "Row l|t: element l of thread t. A line has the colour of its giver.");
  add(svg, R"(<text x="22" y="{}" class="note">{}</text>)", height - 10,
      "Circle: position n of the transform in place. Thick line: butterfly.");
  for (int i = 0; const panel& p : panels) drawing{svg, p, width * i++}.draw();
  add(svg, "</svg>");
  return svg;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view order = argc == 2 ? argv[1] : "";
  std::vector<panel> panels;
  if (order == "nabla") panels = {nabla_panel(1, 3), nabla_panel(2, 2)};
  if (order == "scrambled") panels = {scrambled_panel(2, 2)};
  if (panels.empty()) {
    fmt::print(stderr, "usage: order_diagram nabla|scrambled > FILE.svg\n");
    return 2;
  }
  for (const panel& p : panels) {
    if (is_true(p)) continue;
    fmt::print(stderr, "order_diagram: the map of {} disagrees with what was drawn\n", p.title);
    return 1;
  }
  const std::string svg = svg_of(panels);
  return std::fwrite(svg.data(), 1, svg.size(), stdout) == svg.size() ? 0 : 1;
}
