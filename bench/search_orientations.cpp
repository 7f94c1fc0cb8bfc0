// SPDX-License-Identifier: Apache-2.0
// How long does a correlation of a search over orientations take: slice, filter, projection,
// correlation, scores with moments? Beside it its projections alone, and a copy of the image's
// bytes. Leopard-EM and zipFFT do the same; see bench/evidence/orientations.md.
#include "bench/question.hpp"

namespace wingbeat::bench {
namespace {

struct problem {
  std::string name;
  orientation_spec spec;
};

/// Returns so many rotations that differ in all angles, as consecutive ones of a grid do in psi.
std::vector<plane_axes> rotations_of(std::size_t count) {
  std::vector<plane_axes> result;
  for (std::size_t i = 0; i < count; ++i) {
    const double psi = 0.0262 * static_cast<double>(i % 240),
                 theta = 0.4 + 0.0436 * static_cast<double>(i / 240);
    const auto f = [](double x) { return static_cast<float>(x); };
    const double c = std::cos(theta), s = std::sin(theta);
    result.push_back({f(c * std::cos(psi)), f(-c * std::sin(psi)), f(std::sin(psi)),
                      f(std::cos(psi)), f(-s * std::cos(psi)), f(s * std::sin(psi))});
  }
  return result;
}

void measure_search(session& asked, const problem& p) {
  queue& on = asked.on();
  orientation_search search{on, p.spec};
  const std::size_t n = p.spec.box, bins = n * (n / 2 + 1),
                    at_once = search.spec().orientations_at_once;
  std::vector<float> pixels = noise(p.spec.image[0] * p.spec.image[1]);
  for (float& pixel : pixels) pixel *= std::sqrt(3.0F / static_cast<float>(pixels.size()));
  const buffer image = filled(on, pixels), filters = filled(on, noise(p.spec.filters * bins));
  buffer volume{on, 2 * n * bins * sizeof(float)};
  const std::vector<float> part = noise(std::size_t{1} << 20, 2);
  fill(volume, part.data(), part.size() * sizeof(float));
  search.begin(on, image.view());
  search.set_volume(on, volume.view());
  search.set_filters(on, filters.view());
  constexpr std::size_t n_runs = 4;  // an upload before the first waits
  const auto rotations = rotations_of(n_runs * at_once);
  const buffer shapes{on, p.spec.filters * n * n * sizeof(float)};
  std::vector<measure::timed_run> runs{
      measure::queued_run(on, "search", [&] { search.add(on, rotations, 0); }),
      measure::queued_run(on, "projections_of_one",
                          [&] { search.project(on, rotations[0], shapes.view()); })};
  measure::take_turns(runs, asked.n_rounds);
  const auto n_templates = static_cast<double>(rotations.size() * p.spec.filters);
  json row{{"problem", p.name},
           {"image", fmt::format("{}x{}", p.spec.image[0], p.spec.image[1])},
           {"box", n},
           {"filters", p.spec.filters},
           {"at_once", at_once},
           {"between", name_of(p.spec.between.value_or(precision::fp32))},
           {"volume", name_of(p.spec.volume)},
           {"table", p.spec.table_threshold.has_value()},
           {"device_gb", 1e-9 * static_cast<double>(search.device_bytes())},
           {"us_each", 1e6 * runs[0].median_s() / n_templates},
           {"project_us", 1e6 * runs[1].median_s()}};
  asked.add(std::move(row), search.added() >= at_once);
}

void orientations(session& asked) {
  const orientation_spec square{.image = {4096, 4096}, .box = 512, .filters = 13};
  const auto changed = [](orientation_spec spec, auto change) {
    change(spec);
    return spec;
  };
  const std::vector<problem> problems{
      {"square", square},
      {"one", changed(square, [](auto& s) { s.filters = 1; })},
      {"eight", changed(square, [](auto& s) { s.filters = 1, s.orientations_at_once = 8; })},
      {"table", changed(square, [](auto& s) { s.table_threshold = 5.5; })},
      {"histogram", changed(square,
                            [](auto& s) {
                              s.histogram = {-8, 8, 512};
                            })},
      {"largest", changed(square, [](auto& s) { s.keeps_sums = false; })},
      {"narrow",
       changed(square, [](auto& s) { s.between = precision::fp16, s.image_peak = 1e-2; })},
      {"half", changed(square, [](auto& s) { s.volume = precision::fp16; })},
      {"k3", changed(square, [](auto& s) {
         s.image = {4092, 5760};
       })}};
  for (problem each : problems) {
    if (asked.words.empty()) measure_search(asked, each);
    for (const std::string& word : asked.words) {
      const std::size_t colon = std::min(word.find(':'), word.size());
      if (word.substr(0, colon) != each.name) continue;
      if (colon < word.size()) each.spec.orientations_at_once = std::stoul(word.substr(colon + 1));
      measure_search(asked, each);
    }
  }
}

const registration of_orientations{{"orientations", "[PROBLEM[:AT_ONCE]..]",
                                    "what a correlation of a search over orientations costs",
                                    orientations}};

}  // namespace
}  // namespace wingbeat::bench
