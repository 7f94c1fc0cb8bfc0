// SPDX-License-Identifier: Apache-2.0
// What does it take to correlate an image with templates, against the same work by cuFFT: pad,
// transform, multiply, transform back, crop? Times both on the first CUDA device, whole and by
// launch, beside a copy of the bytes that the fused chain moves. cuFFT pads to the image's own
// lengths or to the next whose factors are 2, 3, 5 and 7, whichever is quicker. Then searches that
// keep the maximum of each place, or sums beside it, of 512 x 512 in 4,096 x 4,096.
//     match_templates results.json PROBLEM..
//     match_templates --patterns host|opencl|cuda results.json PROBLEM..
// PROBLEM: image:template:count, a correlation, as 4096:512:8 or 5760x4092:480:1; "small", 36 of 16
// to 384 in 64 to 512, convolutions too; "large", 512 in 4096, 1 to 32 of them. With --patterns,
// other orders of memory on any engine (access_patterns.hpp), no cuFFT; there "1d:" in front of a
// problem makes it one of one axis.
#include <fmt/format.h>

#include <algorithm>  // find_if, max, min, min_element
#include <array>
#include <cmath>  // sqrt
#include <cstdio>
#include <memory>  // unique_ptr
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "backend/backend.hpp"        // queue::copy, plan
#include "bench/access_patterns.hpp"  // patterns_of
#include "bench/launches.hpp"         // launches
#include "bench/results.hpp"          // noise
#include "bench/smooth_lengths.hpp"   // smooth_length
#include "convolving/scores.hpp"      // score_store, score_memory
#include "measure/document_text.hpp"  // write_document
#include "measure/rounds.hpp"         // queued_run, take_turns
#include "peers/cufft.hpp"            // cufft
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

constexpr int n_rounds = 9;

/// Height and width.
struct lengths {
  std::size_t y, x;

  [[nodiscard]] std::size_t area() const { return y * x; }
  [[nodiscard]] std::vector<std::size_t> list() const { return {y, x}; }
};

struct problem {
  lengths image, small;
  std::size_t kernels;
  operation kind = operation::correlate;

  [[nodiscard]] convolution_spec spec() const {
    return {.image = image.list(),
            .kernel = small.list(),
            .kind = kind,
            .mode = extent::valid,
            .kernels = kernels};
  }
};

/// Kernels of the unfused chain: a thread takes one number, so that each moves what it must.
constexpr const char* unfused_text = R"(
#include "wingbeat/device/complex.hpp"
using namespace wingbeat::device;
WINGBEAT_KERNEL(256)
void pad(WINGBEAT_GLOBAL const float* from, size from_at, WINGBEAT_GLOBAL float* to, size to_at,
         unsigned h, unsigned w, unsigned n, size count WINGBEAT_SCRATCH_PARAMETER) {
  const size i = group::index() * 256 + group::thread();
  if (i >= count) return;
  const unsigned y = unsigned(i / n), x = unsigned(i % n);
  to[to_at + i] = y < h && x < w ? from[from_at + y * w + x] : 0.0f;
}
WINGBEAT_KERNEL(256)
void multiply(WINGBEAT_GLOBAL const complex<float>* image, size image_at,
              WINGBEAT_GLOBAL complex<float>* rows, size rows_at, size count, float re, float im
              WINGBEAT_SCRATCH_PARAMETER) {
  const size i = group::index() * 256 + group::thread();
  if (i >= count) return;
  const complex<float> z = rows[rows_at + i];
  rows[rows_at + i] = complex<float>{re * z.re, im * z.im} * image[image_at + i];
}
WINGBEAT_KERNEL(256)
void crop(WINGBEAT_GLOBAL const float* from, size from_at, WINGBEAT_GLOBAL float* to, size to_at,
          unsigned m, unsigned n, size first, size count WINGBEAT_SCRATCH_PARAMETER) {
  const size i = group::index() * 256 + group::thread();
  if (i >= count) return;
  to[to_at + i] = from[from_at + first + i / m * n + i % m];
}
)";

/// The same correlations by cuFFT, one template after another.
class unfused {
 public:
  unfused(const queue& on, const problem& p, lengths padded)
      : on_(on),
        of_(p),
        padded_(padded),
        real_{on, padded.area() * 4},
        bins_{on, count() * 8},
        image_bins_{on, count() * 8},
        forward_{on, {.lengths = {padded.y, padded.x}, .kind = transform::forward_from_real}},
        inverse_{on, {.lengths = {padded.y, padded.x}, .kind = transform::inverse_to_real}},
        pad_{on, kernel_of("pad", {reads(4), writes(4), counts(), counts(), counts(), sizes()})},
        multiply_{on, kernel_of("multiply", {reads(8), writes(8), sizes(), factors(), factors()})},
        crop_{on, kernel_of("crop", {reads(4), writes(4), counts(), counts(), sizes(), sizes()})} {}

  [[nodiscard]] const lengths& padded() const { return padded_; }

  void prepare(buffer_view image) {
    pad(image, of_.image);
    forward_.run(real_.view(), image_bins_.view());
  }
  void run(buffer_view small, buffer_view out) {
    pad(small, of_.small);
    forward_.run(real_.view(), bins_.view());
    const float scale = 1.0F / static_cast<float>(padded_.area());
    const bool convolves = of_.kind == operation::convolve;
    multiply_.enqueue(
        on_, blocks(count()),
        {image_bins_.view(), bins_.view(), count(), scale, convolves ? scale : -scale});
    inverse_.run(bins_.view(), real_.view());
    const lengths map{of_.image.y - of_.small.y + 1, of_.image.x - of_.small.x + 1};
    // The first values of a valid convolution are reached from the image's other end.
    const std::size_t first =
        convolves ? (of_.small.y - 1) * padded_.x + of_.small.x - 1 : std::size_t{0};
    crop_.enqueue(on_, blocks(map.area()),
                  {real_.view(), out, number(map.x), number(padded_.x), first, map.area()});
  }

 private:
  void pad(buffer_view from, lengths area) {
    pad_.enqueue(
        on_, blocks(padded_.area()),
        {from, real_.view(), number(area.y), number(area.x), number(padded_.x), padded_.area()});
  }
  [[nodiscard]] std::size_t count() const { return padded_.y * (padded_.x / 2 + 1); }
  static std::size_t blocks(std::size_t n) { return (n + 255) / 256; }
  static unsigned number(std::size_t n) { return static_cast<unsigned>(n); }
  static kernel_parameter reads(std::size_t bytes) { return kernel_parameter::input(bytes); }
  static kernel_parameter writes(std::size_t bytes) { return kernel_parameter::output(bytes); }
  static kernel_parameter counts() { return kernel_parameter::value<unsigned>(); }
  static kernel_parameter factors() { return kernel_parameter::value<float>(); }
  static kernel_parameter sizes() { return kernel_parameter::value<std::size_t>(); }
  static kernel_spec kernel_of(const char* entry, std::vector<kernel_parameter> parameters) {
    return {
        .text = unfused_text, .entry = entry, .threads = 256, .parameters = std::move(parameters)};
  }

  queue on_;
  problem of_;
  lengths padded_;
  buffer real_, bins_, image_bins_;
  peers::cufft forward_, inverse_;
  kernel pad_, multiply_, crop_;
};

double difference_of(const buffer& a, const buffer& b) {
  const std::size_t count = std::min(a.size_bytes(), b.size_bytes()) / 4;
  std::vector<float> x(count), y(count);
  a.read(x.data(), count * 4);
  b.read(y.data(), count * 4);
  double error = 0, energy = 0;
  for (std::size_t i = 0; i < count; ++i) {
    error += (double(x[i]) - y[i]) * (double(x[i]) - y[i]);
    energy += double(y[i]) * y[i];
  }
  return std::sqrt(error / energy);
}

backend::run run_of(buffer_view templates, buffer_view out, buffer_view spectra) {
  return {.in = templates, .out = out, .workspace = {}, .filter = spectra};
}

/// Returns cuFFT's runs, one for each length that it may pad to.
std::vector<std::unique_ptr<unfused>> peers_of(const queue& on, const problem& p) {
  std::vector<std::unique_ptr<unfused>> all;
  all.push_back(std::make_unique<unfused>(on, p, p.image));
  const lengths smooth{smooth_length(p.image.y), smooth_length(p.image.x)};
  if (smooth.y != p.image.y || smooth.x != p.image.x) {
    all.push_back(std::make_unique<unfused>(on, p, smooth));
  }
  return all;
}

std::size_t quickest_of(std::span<const measure::timed_run> runs) {
  const auto is_quicker = [](const auto& a, const auto& b) { return a.median_s() < b.median_s(); };
  return static_cast<std::size_t>(std::min_element(runs.begin(), runs.end(), is_quicker) -
                                  runs.begin());
}

nlohmann::ordered_json measured(queue& on, const problem& p) {
  const convolution_spec spec = p.spec();
  const convolution find{on, spec};
  buffer image{on, find.image_bytes()}, templates{on, find.kernel_bytes()};
  const auto x = bench::noise(p.image.area()), t = bench::noise(p.kernels * p.small.area());
  image.write(x.data(), image.size_bytes());
  templates.write(t.data(), templates.size_bytes());
  const buffer spectra{on, find.spectra_bytes()}, maps{on, find.output_bytes()};
  const buffer one_map{on, find.output_bytes() / p.kernels};
  const buffer workspace{on, find.workspace_bytes()};
  find.prepare(on, image.view(), spectra.view());
  const auto fused = [&] {
    find.enqueue(on, spectra.view(), templates.view(), maps.view(), {}, workspace.view());
  };
  fused();
  const auto by_cufft = peers_of(on, p);
  double difference = 0;
  for (const auto& each : by_cufft) {
    each->prepare(image.view());
    each->run(templates.view(), one_map.view());
    difference = std::max(difference, difference_of(one_map, maps));
  }
  const std::size_t moved = find.traffic_bytes();
  const buffer copied{on, moved / 2}, target{on, moved / 2};
  std::vector<measure::timed_run> runs{
      measure::queued_run(on, "copy", [&] { on.impl()->copy(target.view(), copied.view()); }),
      measure::queued_run(on, "fused", fused)};
  for (const auto& each : by_cufft) {
    runs.push_back(
        measure::queued_run(on, "cufft", [&] { each->run(templates.view(), one_map.view()); }));
  }
  std::printf("%s", find.explain().c_str());
  bench::launches alone{on, spec, 1, run_of(templates.view(), one_map.view(), spectra.view())};
  alone.add(runs);
  measure::take_turns(runs, n_rounds);
  const auto count = static_cast<double>(p.kernels);
  const double each_us = 1e6 * runs[1].median_s() / count;
  const double copy_us = 1e6 * runs[0].median_s() / count;
  const std::size_t quickest = quickest_of({runs.begin() + 2, by_cufft.size()});
  const double peer_us = 1e6 * runs[2 + quickest].median_s();
  nlohmann::ordered_json row{
      {"operation", name_of(p.kind)},    {"image", spec.image},
      {"template", spec.kernel},         {"templates", p.kernels},
      {"padded", find.padded()},         {"difference", difference},
      {"bytes_each", moved / p.kernels}, {"fused_us_each", each_us},
      {"cufft_us_each", peer_us},        {"cufft_padded", by_cufft[quickest]->padded().list()},
      {"ratio", peer_us / each_us},      {"copy_of_the_bytes_us_each", copy_us}};
  fmt::print(
      "{} {}x{} in {}x{}, {} templates: {:.1f} us each, cuFFT {:.1f} us, {:.2f} times; a copy of "
      "its "
      "bytes {:.1f} us; off {:.1e}{}\n",
      name_of(p.kind), p.small.y, p.small.x, p.image.y, p.image.x, p.kernels, each_us, peer_us,
      peer_us / each_us, copy_us, difference, difference < 1e-5 ? "" : "  WRONG");
  const auto own = runs.begin() + 2 + static_cast<std::ptrdiff_t>(by_cufft.size());
  alone.report({own, runs.end()}, row);
  return row;
}

/// What a search makes of scores.
enum class scores_of { largest, sums, coefficients };

/// Times a search that keeps the maximum of each place and its template, and perhaps sums, and
/// writes no map, and its launches, but of coefficients; spectra and workspace in fp16 or fp32.
nlohmann::ordered_json searched(queue& on, const problem& p, precision between, scores_of kind) {
  const double peak = between == precision::fp16 ? 1 : 0;
  const bool is_normalised = kind == scores_of::coefficients;
  const search_spec asked{.image = p.image.list(),
                          .templates = p.small.list(),
                          .is_normalised = is_normalised,
                          .keeps_sums = kind == scores_of::sums,
                          .templates_at_once = p.kernels,
                          .between = between,
                          .image_peak = peak,
                          .template_peak = is_normalised ? 0 : peak};
  template_search search{on, asked};
  const auto x = bench::noise(p.image.area()), t = bench::noise(p.kernels * p.small.area());
  buffer image{on, x.size() * 4}, templates{on, t.size() * 4};
  image.write(x.data(), image.size_bytes());
  templates.write(t.data(), templates.size_bytes());
  search.begin(on, image.view());
  convolution_spec spec = p.spec();
  spec.between = between;
  spec.image_peak = spec.kernel_peak = peak;
  const convolving::kept_scores kept = convolving::kept_of(asked, p.kernels, on.device().has_fp64);
  spec.store = convolving::score_store(kept);
  const convolving::score_memory scores{on, kept};
  const convolution prepared{on, spec};
  const buffer spectra{on, prepared.spectra_bytes()};
  prepared.prepare(on, image.view(), spectra.view());
  std::optional<bench::launches> alone;
  if (!is_normalised) {
    alone.emplace(on, spec, p.kernels, run_of(templates.view(), scores.keys(), spectra.view()),
                  convolving::score_arguments(kept, 0, scores.others(), {}));
  }
  std::vector<measure::timed_run> runs{
      measure::queued_run(on, "search", [&] { search.add(on, templates.view(), p.kernels); })};
  if (alone) alone->add(runs);
  measure::take_turns(runs, n_rounds);
  const double each_us = 1e6 * runs[0].median_s() / static_cast<double>(p.kernels);
  fmt::print("search {}x{} in {}x{}, {} at once, {}: {:.1f} us each\n{}", p.small.y, p.small.x,
             p.image.y, p.image.x, p.kernels, name_of(between), each_us, search.explain());
  nlohmann::ordered_json row{{"search", true},
                             {"image", p.image.list()},
                             {"template", p.small.list()},
                             {"templates", p.kernels},
                             {"between", name_of(between)},
                             {"sums", kind == scores_of::sums},
                             {"coefficients", is_normalised},
                             {"bytes_each", search.traffic_bytes() / p.kernels},
                             {"us_each", each_us}};
  if (alone) alone->report({runs.begin() + 1, runs.end()}, row);
  return row;
}

/// Reads "4096" or "5760x4092".
lengths lengths_of(const std::string& word) {
  const std::size_t offset = word.find('x');
  if (offset == std::string::npos) return {std::stoul(word), std::stoul(word)};
  return {std::stoul(word.substr(0, offset)), std::stoul(word.substr(offset + 1))};
}

/// Adds the problems that a word names.
void add_problems(const std::string& word, std::vector<problem>& all) {
  if (word == "small") {
    const auto add = [&](lengths image, std::size_t part, std::size_t more) {
      const lengths small{image.y * part / 4, image.x * part / 4};
      for (const std::size_t kernels : {std::size_t{1}, more})
        all.push_back({image, small, kernels});
    };
    for (const std::size_t part : {1, 3}) {
      add({64, 64}, part, 8);
      add({128, 128}, part, 8);
      add({256, 256}, part, 4);
      add({512, 512}, part, 4);
      add({512, 256}, part, 4);
      add({256, 512}, part, 4);
    }
    return;
  }
  if (word == "large") {
    for (const std::size_t kernels : {1, 4, 8, 12, 16, 20, 24, 28, 32}) {
      all.push_back({{4096, 4096}, {512, 512}, kernels});
    }
    return;
  }
  const std::size_t first = word.find(':'), last = word.rfind(':');
  if (first == last) throw plan_error(word + " is no problem; give image:template:count");
  all.push_back({lengths_of(word.substr(0, first)),
                 lengths_of(word.substr(first + 1, last - first - 1)),
                 std::stoul(word.substr(last + 1))});
}

/// Writes the times of other orders of memory. words: ENGINE FILE PROBLEM..
int write_patterns(std::span<char* const> words) {
  const std::string name = words.size() < 3 ? "" : words[0];
  const std::array engines{engine::host, engine::opencl, engine::cuda};
  const auto* const runs_on = std::find_if(engines.begin(), engines.end(),
                                           [&](engine each) { return name == name_of(each); });
  if (runs_on == engines.end()) {
    throw plan_error("--patterns needs an engine (host, opencl or cuda), a file and problems");
  }
  const queue on{first_device(*runs_on)};
  nlohmann::ordered_json document{
      {"engine", name}, {"device", on.device().name}, {"driver", on.device().version}};
  for (const char* const each : words.subspan(2)) {
    std::string word = each;
    const bool has_one_axis = word.starts_with("1d:");
    if (has_one_axis) word = word.substr(3);
    std::vector<problem> problems;
    add_problems(word, problems);
    for (const problem& p : problems) {
      bench::pattern_problem pattern{p.image.list(), p.small.list(), p.kernels};
      if (has_one_axis) pattern.image.resize(1), pattern.small.resize(1);
      document["rows"].push_back(bench::patterns_of(on, pattern));
    }
  }
  measure::write_document(words[1], document);
  return 0;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc > 1 && std::string_view{argv[1]} == "--patterns") {
    return write_patterns({argv + 2, static_cast<std::size_t>(argc - 2)});
  }
  queue on{first_device(engine::cuda)};
  nlohmann::ordered_json document{{"device", on.device().name},
                                  {"driver", on.device().version},
                                  {"cufft", peers::cufft::version()}};
  std::vector<problem> problems;
  for (int i = 2; i < argc; ++i) add_problems(argv[i], problems);
  for (const problem& each : problems) document["rows"].push_back(measured(on, each));
  const lengths large{4096, 4096}, part{512, 512};
  for (const std::size_t kernels : {std::size_t{1}, std::size_t{8}}) {
    for (const precision between : {precision::fp32, precision::fp16}) {
      document["rows"].push_back(searched(on, {large, part, kernels}, between, scores_of::largest));
    }
  }
  for (const scores_of kind : {scores_of::sums, scores_of::coefficients}) {
    document["rows"].push_back(searched(on, {large, part, 8}, precision::fp32, kind));
  }
  if (argc > 1) measure::write_document(argv[1], document);
  return 0;
} catch (const std::exception& failed) {
  std::fprintf(stderr, "match_templates: %s\n", failed.what());
  return 3;
}
