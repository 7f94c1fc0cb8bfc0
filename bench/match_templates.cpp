// SPDX-License-Identifier: Apache-2.0
// How long does correlating an image with templates take, compared with cuFFT: pad, transform,
// multiply, transform back, crop? Both are timed whole and by launch, and compared with a copy of
// the bytes that the fused chain moves. cuFFT pads to the image's own lengths or to the next with
// the factors 2, 3, 5 and 7, whichever is faster. Then searches for 512 x 512 in 4,096 x 4,096 that
// keep the maximum of each place, or sums too.
#include "bench/launches.hpp"  // launches
#include "bench/unfused_images.hpp"
#include "convolving/scores.hpp"  // score_store, score_memory

namespace wingbeat::bench {
namespace {

struct problem {
  lengths image, small;
  std::size_t kernels = 1;

  [[nodiscard]] convolution_spec spec() const {
    return {.image = image.list(),
            .kernel = small.list(),
            .kind = operation::correlate,
            .mode = extent::valid,
            .kernels = kernels};
  }
  [[nodiscard]] json row() const {
    return {{"image", fmt::format("{}x{}", image.y, image.x)},
            {"template", fmt::format("{}x{}", small.y, small.x)},
            {"templates", kernels}};
  }
};

constexpr const char* edges_text = R"(
#include "wingbeat/device/port.hpp"
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
void crop(WINGBEAT_GLOBAL const float* from, size from_at, WINGBEAT_GLOBAL float* to, size to_at,
          unsigned m, unsigned n, size count WINGBEAT_SCRATCH_PARAMETER) {
  const size i = group::index() * 256 + group::thread();
  if (i >= count) return;
  to[to_at + i] = from[from_at + i / m * n + i % m];
}
)";

unsigned number(std::size_t n) {
  return static_cast<unsigned>(n);
}

/// The same correlations with cuFFT, one template after another.
class unfused {
 public:
  unfused(const queue& on, const problem& p, lengths padded)
      : given_(p),
        planes_{on, padded, 1},
        pad_{on, edges_text, "pad", "i4 o4 u u u z"},
        crop_{on, edges_text, "crop", "i4 o4 u u z"} {}

  [[nodiscard]] const lengths& padded() const { return planes_.padded(); }

  void prepare(buffer_view image) {
    pad(image, given_.image);
    planes_.prepare();
  }
  void run(buffer_view small, buffer_view out) {
    pad(small, given_.small);
    planes_.run(true);
    const lengths map{given_.image.y - given_.small.y + 1, given_.image.x - given_.small.x + 1};
    crop_.enqueue(map.area(),
                  {planes_.values().view(), out, number(map.x), number(padded().x), map.area()});
  }

 private:
  void pad(buffer_view source, lengths area) {
    pad_.enqueue(padded().area(), {source, planes_.values().view(), number(area.y), number(area.x),
                                   number(padded().x), padded().area()});
  }

  problem given_;
  unfused_planes planes_;
  number_kernel pad_, crop_;
};

backend::run run_of(const buffer& templates, buffer_view out, const buffer& spectra) {
  return {.in = templates.view(), .out = out, .workspace = {}, .filter = spectra.view()};
}

/// Returns cuFFT's runs, one for each padded length.
std::vector<std::unique_ptr<unfused>> peers_of(const queue& on, const problem& p) {
  std::vector<std::unique_ptr<unfused>> result;
  result.push_back(std::make_unique<unfused>(on, p, p.image));
  const lengths smooth{smooth_length(p.image.y), smooth_length(p.image.x)};
  if (smooth.y != p.image.y || smooth.x != p.image.x) {
    result.push_back(std::make_unique<unfused>(on, p, smooth));
  }
  return result;
}

void match(session& asked, const problem& p) {
  queue& on = asked.on();
  const convolution find{on, p.spec()};
  const buffer image = filled(on, noise(p.image.area()));
  const buffer templates = filled(on, noise(p.kernels * p.small.area()));
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
  const std::size_t moved = find.traffic_bytes();
  const buffer copied{on, moved / 2}, target{on, moved / 2};
  std::vector<measure::timed_run> runs{copy_run(on, target, copied),
                                       measure::queued_run(on, "fused", fused)};
  for (const auto& each : by_cufft) {
    each->prepare(image.view());
    each->run(templates.view(), one_map.view());
    difference = std::max(difference, difference_of(one_map, maps));
    runs.push_back(
        measure::queued_run(on, "cufft", [&] { each->run(templates.view(), one_map.view()); }));
  }
  const launches alone{on, p.spec(), 1, run_of(templates, one_map.view(), spectra)};
  alone.add(runs);
  measure::take_turns(runs, asked.n_rounds);
  const auto us_each = [&](std::size_t i) {
    return 1e6 * runs[i].median_s() / static_cast<double>(p.kernels);
  };
  const std::size_t quickest =
      by_cufft.size() > 1 && runs[3].median_s() < runs[2].median_s() ? 1 : 0;
  const double peer_us = 1e6 * runs[2 + quickest].median_s();
  json row = p.row();
  row.update({{"padded", find.padded()},
              {"difference", difference},
              {"bytes_each", moved / p.kernels},
              {"fused_us_each", us_each(1)},
              {"cufft_us_each", peer_us},
              {"cufft_padded", by_cufft[quickest]->padded().list()},
              {"ratio", peer_us / us_each(1)},
              {"copy_of_the_bytes_us_each", us_each(0)}});
  alone.report(std::span{runs}.subspan(2 + by_cufft.size()), row);
  asked.add(std::move(row), difference < 1e-5);
}

/// What a search keeps of scores.
enum class scores_of { largest, sums, coefficients };

/// Times a search that keeps the maximum of each place and its template, perhaps sums, and writes
/// no map; and its launches, except for coefficients. Spectra and workspace are fp16 or fp32.
void search(session& asked, const problem& p, precision between, scores_of kind) {
  queue& on = asked.on();
  const double peak = between == precision::fp16 ? 1 : 0;
  const bool is_normalised = kind == scores_of::coefficients;
  const search_spec requested{.image = p.image.list(),
                              .templates = p.small.list(),
                              .is_normalised = is_normalised,
                              .keeps_sums = kind == scores_of::sums,
                              .templates_at_once = p.kernels,
                              .between = between,
                              .image_peak = peak,
                              .template_peak = is_normalised ? 0 : peak};
  template_search search{on, requested};
  const buffer image = filled(on, noise(p.image.area()));
  const buffer templates = filled(on, noise(p.kernels * p.small.area()));
  search.begin(on, image.view());
  convolution_spec spec = p.spec();
  spec.between = between;
  spec.image_peak = spec.kernel_peak = peak;
  const auto kept = convolving::kept_of(requested, p.kernels, on.device().has_fp64);
  spec.store = convolving::score_store(kept);
  const convolving::score_memory scores{on, kept};
  const convolution prepared{on, spec};
  const buffer spectra{on, prepared.spectra_bytes()};
  prepared.prepare(on, image.view(), spectra.view());
  std::vector<measure::timed_run> runs{
      measure::queued_run(on, "search", [&] { search.add(on, templates.view(), p.kernels); })};
  std::optional<launches> alone;
  if (!is_normalised) {
    alone.emplace(on, spec, p.kernels, run_of(templates, scores.keys(), spectra),
                  convolving::score_arguments(kept, 0, scores.others(), {}));
    alone->add(runs);
  }
  measure::take_turns(runs, asked.n_rounds);
  json row = p.row();
  row.update({{"between", name_of(between)},
              {"sums", kind == scores_of::sums},
              {"coefficients", is_normalised},
              {"bytes_each", search.traffic_bytes() / p.kernels},
              {"us_each", 1e6 * runs[0].median_s() / static_cast<double>(p.kernels)}});
  if (alone) alone->report(std::span{runs}.subspan(1), row);
  asked.add(std::move(row));
}

/// Reads "4096" or "5760x4092".
lengths lengths_of(const std::string& word) {
  const std::size_t offset = word.find('x');
  if (offset == std::string::npos) return {std::stoul(word), std::stoul(word)};
  return {std::stoul(word.substr(0, offset)), std::stoul(word.substr(offset + 1))};
}

void templates(session& asked) {
  if (asked.words.empty()) asked.words = {"4096:512:1", "4096:512:8", "5760x4092:480:1"};
  for (const std::string& word : asked.words) {
    const std::size_t first = word.find(':'), last = word.rfind(':');
    if (first == last) throw plan_error(word + " is no problem; give image:template:count");
    match(asked,
          {lengths_of(word.substr(0, first)), lengths_of(word.substr(first + 1, last - first - 1)),
           std::stoul(word.substr(last + 1))});
  }
  const lengths large{4096, 4096}, part{512, 512};
  for (const std::size_t kernels : {std::size_t{1}, std::size_t{8}}) {
    for (const precision between : {precision::fp32, precision::fp16}) {
      search(asked, {large, part, kernels}, between, scores_of::largest);
    }
  }
  for (const scores_of kind : {scores_of::sums, scores_of::coefficients}) {
    search(asked, {large, part, 8}, precision::fp32, kind);
  }
}

const registration of_templates{{"template_matching", "[IMAGE:TEMPLATE:COUNT..]",
                                 "what matching templates costs, beside cuFFT; 5760x4092:480:1",
                                 templates}};

}  // namespace
}  // namespace wingbeat::bench
