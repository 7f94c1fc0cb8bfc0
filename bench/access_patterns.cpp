// SPDX-License-Identifier: Apache-2.0
#include "bench/access_patterns.hpp"

#include <fmt/format.h>

#include <algorithm>  // max, replace
#include <cmath>      // abs
#include <functional>
#include <memory>  // unique_ptr
#include <string>

#include "arrays/address_space.hpp"       // product_of
#include "backend/backend.hpp"            // run
#include "bench/results.hpp"              // noise
#include "convolving/program.hpp"         // running_program
#include "measure/rounds.hpp"             // queued_run, take_turns
#include "programs/prepared_program.hpp"  // prepared_program

namespace wingbeat::bench {
namespace {

constexpr int n_rounds = 9;

// Where element i of a signal lies, in this process and as text.
struct in_order {
  std::size_t operator()(std::size_t i) const { return i; }
  [[nodiscard]] std::string text() const { return "i"; }
};
struct reversed {
  std::size_t n;
  std::size_t operator()(std::size_t i) const { return n - 1 - i; }
  [[nodiscard]] std::string text() const { return fmt::format("{} - i", n - 1); }
};
/// Of h x w elements.
struct transposed {
  std::size_t h, w;
  std::size_t operator()(std::size_t i) const { return i % w * h + i / w; }
  [[nodiscard]] std::string text() const { return fmt::format("i % {} * {} + i / {}", w, h, w); }
};

template <class Map>
fused_load load_at(const Map& map, std::size_t n, std::size_t count) {
  return {.in_bytes = count * n * sizeof(float),
          .element_bytes = sizeof(float),
          .source = {.text = fmt::format(R"(struct mapped_load {{
  using element = float;
  using size = wingbeat::device::size;
  static constexpr bool in_order = {};
  WINGBEAT_FN static float load(WINGBEAT_GLOBAL const element* in, size row, size i) {{
    return in[row * {} + ({})];
  }}
}};
)",
                                         map.text() == "i", n, map.text()),
                     .type = "mapped_load"},
          .callable = run_reader<float>{
              [map, n](const void* in, std::size_t row, std::size_t first, std::span<float> into) {
                const float* const from = static_cast<const float*>(in) + row * n;
                for (std::size_t i = 0; i < into.size(); ++i) into[i] = from[map(first + i)];
              }}};
}

template <class Map>
fused_store store_at(const Map& map, std::size_t n, std::size_t count) {
  return {.out_bytes = count * n * sizeof(float),
          .element_bytes = sizeof(float),
          .source = {.text = fmt::format(R"(struct mapped_store {{
  using element = float;
  using size = wingbeat::device::size;
  WINGBEAT_FN static void store(WINGBEAT_GLOBAL element* out, size row, size i, float value) {{
    out[row * {} + ({})] = value;
  }}
}};
)",
                                         n, map.text()),
                     .type = "mapped_store"},
          .callable = run_writer<float>{[map, n](void* out, std::size_t row, std::size_t first,
                                                 std::span<const float> values) {
            float* const to = static_cast<float*>(out) + row * n;
            for (std::size_t i = 0; i < values.size(); ++i) to[map(first + i)] = values[i];
          }}};
}

/// One order of memory: what is planned, and where elements of templates and of maps lie.
struct pattern {
  std::string name;
  convolution_spec spec;
  std::function<std::size_t(std::size_t)> templates = in_order{}, maps = in_order{};
};

std::vector<pattern> all_patterns(const pattern_problem& problem) {
  const convolution_spec plain{.image = problem.image,
                               .kernel = problem.small,
                               .kind = operation::correlate,
                               .mode = extent::valid,
                               .kernels = problem.templates};
  const std::size_t n = product_of(problem.small), n_map = product_of(result_lengths(plain));
  std::vector<pattern> all{{"conjugated in the product", plain}};
  all.push_back({"conjugated, templates through a load in order", plain});
  all.back().spec.kernel_load = load_at(in_order{}, n, problem.templates);
  all.push_back({"reversed in the load", plain});
  all.back().spec.kind = operation::convolve;
  all.back().spec.kernel_load = load_at(reversed{n}, n, problem.templates);
  if (problem.image.size() != 2) return all;
  const transposed columns{problem.small[0], problem.small[1]};
  all.push_back({"templates handed in transposed", plain, columns});
  all.back().spec.kernel_load = load_at(columns, n, problem.templates);
  all.push_back({"maps through a store in order", plain});
  all.back().spec.store = store_at(in_order{}, n_map, problem.templates);
  const std::vector<std::size_t> map = result_lengths(plain);
  const transposed map_columns{map[0], map[1]};
  all.push_back({"maps handed out transposed", plain, in_order{}, map_columns});
  all.back().spec.store = store_at(map_columns, n_map, problem.templates);
  return all;
}

/// Returns signals of `n` elements rearranged.
std::vector<float> arranged(const std::vector<float>& x, std::size_t n,
                            const std::function<std::size_t(std::size_t)>& place) {
  std::vector<float> result(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) result[i / n * n + place(i % n)] = x[i];
  return result;
}

/// Returns the largest difference over the largest magnitude of `y`.
double difference_of(const std::vector<float>& x, const std::vector<float>& y) {
  double worst = 0, largest = 0;
  for (std::size_t i = 0; i < y.size(); ++i) {
    worst = std::max(worst, std::abs(double(x[i]) - y[i]));
    largest = std::max(largest, std::abs(double(y[i])));
  }
  return worst / largest;
}

std::vector<float> values_of(const buffer& memory) {
  std::vector<float> values(memory.size_bytes() / sizeof(float));
  memory.read(values.data(), memory.size_bytes());
  return values;
}

/// A pattern planned, with its memory.
class planned_pattern {
 public:
  planned_pattern(const queue& on, pattern given, const std::vector<float>& image,
                  const std::vector<float>& templates)
      : on_(on),
        of_(std::move(given)),
        plan_(on, of_.spec),
        image_{on, plan_.image_bytes()},
        templates_{on, plan_.kernel_bytes()},
        spectra_{on, plan_.spectra_bytes()},
        maps_{on, plan_.output_bytes()} {
    image_.write(image.data(), image_.size_bytes());
    const std::size_t n = product_of(of_.spec.kernel);
    templates_.write(arranged(templates, n, of_.templates).data(), templates_.size_bytes());
    plan_.prepare(on_, image_.view(), spectra_.view());
  }

  void run() { plan_.enqueue(on_, spectra_.view(), templates_.view(), maps_.view()); }
  [[nodiscard]] const std::string& name() const { return of_.name; }
  /// Returns the maps as a plain run leaves them.
  [[nodiscard]] std::vector<float> maps() const {
    const std::vector<float> stored = values_of(maps_);
    const std::size_t n = product_of(plan_.result());
    std::vector<float> plain(stored.size());
    for (std::size_t i = 0; i < plain.size(); ++i) plain[i] = stored[i / n * n + of_.maps(i % n)];
    return plain;
  }
  [[nodiscard]] buffer_view templates() const { return templates_.view(); }
  [[nodiscard]] buffer_view spectra() const { return spectra_.view(); }

 private:
  queue on_;
  pattern of_;
  convolution plan_;
  buffer image_, templates_, spectra_, maps_;
};

/// The launches of all templates, with columns or rows between them.
class planned_steps {
 public:
  planned_steps(const queue& on, const pattern_problem& problem, const convolution_spec& spec,
                bool keeps_rows)
      : on_(on),
        geometry_(convolving::geometry_of(spec)),
        steps_{backend::engine_of(on.device().runs_on), on.impl(),
               convolving::running_program(
                   on.impl(), {spec, geometry_, problem.templates, 1, nullptr, keeps_rows})},
        scratch_{on, std::max<std::size_t>(steps_.program().workspace_bytes(), 16)},
        maps_{on, problem.templates * product_of(result_lengths(spec)) * sizeof(float)} {}

  [[nodiscard]] std::size_t n_launches() const { return steps_.program().steps.size(); }
  void run(std::size_t number, const planned_pattern& pattern) const {
    const backend::run run{.in = pattern.templates(),
                           .out = maps_.view(),
                           .workspace = scratch_.view(),
                           .filter = pattern.spectra()};
    steps_.enqueue_step(*on_.impl(), run, number);
  }
  void run(const planned_pattern& pattern) const {
    for (std::size_t i = 0; i < n_launches(); ++i) run(i, pattern);
  }
  [[nodiscard]] std::vector<float> maps() const { return values_of(maps_); }
  [[nodiscard]] std::string explain(std::size_t number) const {
    std::string text = steps_.program().texts()[number];
    std::replace(text.begin(), text.end(), '\n', ';');
    return text;
  }

 private:
  queue on_;
  std::vector<convolving::axis_geometry> geometry_;
  programs::prepared_program steps_;
  buffer scratch_, maps_;
};

/// Runs, their results as plain maps, and what they are for.
struct timed_patterns {
  std::vector<measure::timed_run> runs;
  std::vector<std::string> notes;   ///< One for each run.
  std::vector<double> differences;  ///< -1: of a launch alone.
};

void add_chain(const queue& on, const planned_steps& chain, const planned_pattern& plain,
               const std::vector<float>& expected, const std::string& name, timed_patterns& to) {
  chain.run(plain);
  to.differences.push_back(difference_of(chain.maps(), expected));
  to.runs.push_back(measure::queued_run(on, name, [&] { chain.run(plain); }));
  to.notes.emplace_back();
  for (std::size_t i = 0; i < chain.n_launches(); ++i) {
    to.runs.push_back(measure::queued_run(on, fmt::format("{}, launch {}", name, i + 1),
                                          [&chain, &plain, i] { chain.run(i, plain); }));
    to.notes.push_back(chain.explain(i));
    to.differences.push_back(-1);
  }
}

}  // namespace

nlohmann::ordered_json patterns_of(const queue& on, const pattern_problem& problem) {
  const auto image = noise(product_of(problem.image), 1);
  const auto templates = noise(problem.templates * product_of(problem.small), 2);
  std::vector<std::unique_ptr<planned_pattern>> planned;
  timed_patterns timed;
  std::vector<float> expected;
  for (pattern& each : all_patterns(problem)) {
    planned.push_back(std::make_unique<planned_pattern>(on, std::move(each), image, templates));
    planned_pattern& added = *planned.back();
    added.run();
    if (expected.empty()) expected = added.maps();
    timed.differences.push_back(difference_of(added.maps(), expected));
    timed.runs.push_back(measure::queued_run(on, added.name(), [&added] { added.run(); }));
    timed.notes.emplace_back();
  }
  const convolution_spec spec = all_patterns(problem).front().spec;
  std::vector<std::unique_ptr<planned_steps>> chains;
  for (const bool keeps_rows : {false, true}) {
    if (problem.image.size() != 2) break;
    chains.push_back(std::make_unique<planned_steps>(on, problem, spec, keeps_rows));
    add_chain(on, *chains.back(), *planned.front(), expected,
              keeps_rows ? "rows between launches" : "columns between launches", timed);
  }
  measure::take_turns(timed.runs, n_rounds);
  nlohmann::ordered_json row{
      {"image", problem.image}, {"template", problem.small}, {"templates", problem.templates}};
  fmt::print("{} templates of {} in {}\n", problem.templates, fmt::join(problem.small, "x"),
             fmt::join(problem.image, "x"));
  for (std::size_t i = 0; i < timed.runs.size(); ++i) {
    const double us = 1e6 * timed.runs[i].median_s() / static_cast<double>(problem.templates);
    const double difference = timed.differences[i];
    fmt::print("  {:<48} {:10.1f} us each{}{}\n", timed.runs[i].name, us,
               difference < 1e-5 ? "" : "  WRONG",
               timed.notes[i].empty() ? "" : "  " + timed.notes[i]);
    row["patterns"].push_back({{"name", timed.runs[i].name}, {"us_each", us}});
    if (difference >= 0) row["patterns"].back()["difference"] = difference;
    if (!timed.notes[i].empty()) row["patterns"].back()["launch"] = timed.notes[i];
  }
  return row;
}

}  // namespace wingbeat::bench
