// SPDX-License-Identifier: Apache-2.0
// What does it take to correlate an image with templates, against the same work by cuFFT: pad,
// transform, multiply, transform back, crop? Times both on the first CUDA device, whole and by
// launch, beside a copy of the bytes that the fused chain moves.
//     match_templates results.json [image template kernels]..      as 4096 512 8
#include <fmt/format.h>

#include <cmath>  // abs, sqrt
#include <cstdio>
#include <fstream>
#include <functional>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "backend/backend.hpp"   // queue::copy, plan
#include "convolving/chain.hpp"  // running_chain
#include "measure/rounds.hpp"    // queued_run, take_turns
#include "peers/cufft.hpp"       // cufft
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

constexpr int n_rounds = 9;

std::vector<float> noise(std::size_t count) {
  std::mt19937 bits{1};
  std::vector<float> x(count);
  for (float& each : x) each = static_cast<float>(bits()) / 2147483648.0F - 1;
  return x;
}

/// Kernels of the unfused chain: a thread takes one number, so that each moves what it must.
constexpr const char* unfused_text = R"(
#include "wingbeat/device/complex.hpp"
using namespace wingbeat::device;
WINGBEAT_KERNEL(256)
void pad(WINGBEAT_GLOBAL const float* from, size from_at, WINGBEAT_GLOBAL float* to, size to_at,
         unsigned h, unsigned n WINGBEAT_SCRATCH_PARAMETER) {
  const size i = group::index() * 256 + group::thread();
  const unsigned y = unsigned(i / n), x = unsigned(i % n);
  to[to_at + i] = y < h && x < h ? from[from_at + y * h + x] : 0.0f;
}
WINGBEAT_KERNEL(256)
void multiply(WINGBEAT_GLOBAL const complex<float>* image, size image_at,
              WINGBEAT_GLOBAL complex<float>* rows, size rows_at, size count, float scale
              WINGBEAT_SCRATCH_PARAMETER) {
  const size i = group::index() * 256 + group::thread();
  if (i >= count) return;
  rows[rows_at + i] = scaled(conj(rows[rows_at + i]) * image[image_at + i], scale);
}
WINGBEAT_KERNEL(256)
void crop(WINGBEAT_GLOBAL const float* from, size from_at, WINGBEAT_GLOBAL float* to, size to_at,
          unsigned m, unsigned n WINGBEAT_SCRATCH_PARAMETER) {
  const size i = group::index() * 256 + group::thread();
  if (i >= size(m) * m) return;
  to[to_at + i] = from[from_at + i / m * n + i % m];
}
)";

/// The same correlations by cuFFT, one template after another.
class unfused {
 public:
  unfused(const queue& on, std::size_t image, std::size_t small)
      : on_(on),
        n_(image),
        h_(small),
        real_{on, n_ * n_ * 4},
        bins_{on, n_ * (n_ / 2 + 1) * 8},
        image_bins_{on, n_ * (n_ / 2 + 1) * 8},
        forward_{on, {.lengths = {n_, n_}, .kind = transform::forward_from_real}},
        inverse_{on, {.lengths = {n_, n_}, .kind = transform::inverse_to_real}},
        pad_{on, kernel_of("pad", {reads(4), writes(4), counts(), counts()})},
        multiply_{
            on, kernel_of("multiply", {reads(8), writes(8), kernel_parameter::value<std::size_t>(),
                                       kernel_parameter::value<float>()})},
        crop_{on, kernel_of("crop", {reads(4), writes(4), counts(), counts()})} {}

  void prepare(buffer_view image) { forward_.run(image, image_bins_.view()); }
  void run(buffer_view small, buffer_view out) {
    const std::size_t m = n_ - h_ + 1, count = n_ * (n_ / 2 + 1);
    pad_.enqueue(on_, n_ * n_ / 256, {small, real_.view(), number(h_), number(n_)});
    forward_.run(real_.view(), bins_.view());
    const float scale = 1.0F / static_cast<float>(n_ * n_);
    multiply_.enqueue(on_, (count + 255) / 256, {image_bins_.view(), bins_.view(), count, scale});
    inverse_.run(bins_.view(), real_.view());
    crop_.enqueue(on_, (m * m + 255) / 256, {real_.view(), out, number(m), number(n_)});
  }

 private:
  static unsigned number(std::size_t n) { return static_cast<unsigned>(n); }
  static kernel_parameter reads(std::size_t bytes) { return kernel_parameter::input(bytes); }
  static kernel_parameter writes(std::size_t bytes) { return kernel_parameter::output(bytes); }
  static kernel_parameter counts() { return kernel_parameter::value<unsigned>(); }
  static kernel_spec kernel_of(const char* entry, std::vector<kernel_parameter> parameters) {
    return {
        .text = unfused_text, .entry = entry, .threads = 256, .parameters = std::move(parameters)};
  }

  queue on_;
  std::size_t n_, h_;
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

nlohmann::ordered_json measured(queue& on, std::size_t n, std::size_t h, std::size_t kernels) {
  const convolution_spec spec{.image = {n, n},
                              .kernel = {h, h},
                              .kind = operation::correlate,
                              .mode = extent::valid,
                              .kernels = kernels};
  const convolution find{on, spec};
  buffer image{on, find.image_bytes()}, templates{on, find.kernel_bytes()};
  const auto x = noise(n * n), t = noise(kernels * h * h);
  image.write(x.data(), image.size_bytes());
  templates.write(t.data(), templates.size_bytes());
  const buffer spectra{on, find.spectra_bytes()}, maps{on, find.output_bytes()};
  const buffer one_map{on, find.output_bytes() / kernels};
  const buffer workspace{on, find.workspace_bytes()};
  find.prepare(on, image.view(), spectra.view());
  unfused by_cufft{on, n, h};
  by_cufft.prepare(image.view());
  const auto fused = [&] {
    find.enqueue(on, spectra.view(), templates.view(), maps.view(), {}, workspace.view());
  };
  fused();
  by_cufft.run(templates.view(), one_map.view());
  const double difference = difference_of(one_map, maps);
  const std::size_t moved = find.traffic_bytes();
  const buffer copied{on, moved / 2}, target{on, moved / 2};
  std::vector<measure::timed_run> runs{
      measure::queued_run(on, "copy", [&] { on.impl()->copy(target.view(), copied.view()); }),
      measure::queued_run(on, "fused", fused),
      measure::queued_run(on, "cufft", [&] { by_cufft.run(templates.view(), one_map.view()); })};
  std::printf("%s", find.explain().c_str());
  // The launches of one template, each alone.
  const auto geometry = convolving::geometry_of(spec);
  const auto chain = convolving::running_chain(on.impl(), {spec, geometry, 1, 1});
  const buffer a{on, std::max<std::size_t>(chain.array_bytes[0], 16)};
  const buffer b{on, std::max<std::size_t>(chain.array_bytes[1], 16)};
  const auto view_of = [&](convolving::memory where) {
    switch (where) {
      case convolving::memory::signals: return templates.view();
      case convolving::memory::spectra: return spectra.view();
      case convolving::memory::output: return one_map.view();
      case convolving::memory::workspace_a: return a.view();
      case convolving::memory::workspace_b: return b.view();
    }
    return buffer_view{};
  };
  for (const auto& stage : chain.stages) {
    runs.push_back(measure::queued_run(on, "launch", [&] {
      stage.plan->enqueue(*on.impl(), {.in = view_of(stage.from),
                                       .out = view_of(stage.to),
                                       .workspace = {},
                                       .filter = spectra.view()});
    }));
  }
  measure::take_turns(runs, n_rounds);
  const double each_us = 1e6 * runs[1].median_s() / static_cast<double>(kernels);
  const double peer_us = 1e6 * runs[2].median_s();
  nlohmann::ordered_json row{
      {"image", n},
      {"template", h},
      {"templates", kernels},
      {"difference", difference},
      {"bytes_each", moved / kernels},
      {"fused_us_each", each_us},
      {"cufft_us_each", peer_us},
      {"ratio", peer_us / each_us},
      {"copy_of_the_bytes_us_each", 1e6 * runs[0].median_s() / static_cast<double>(kernels)}};
  fmt::print(
      "{} in {}, {} templates: {:.1f} us each, cuFFT {:.1f} us, {:.2f} times; a copy of its "
      "bytes {:.1f} us; off {:.1e}{}\n",
      h, n, kernels, each_us, peer_us, peer_us / each_us,
      1e6 * runs[0].median_s() / double(kernels), difference, difference < 1e-5 ? "" : "  WRONG");
  for (std::size_t i = 0; i < chain.stages.size(); ++i) {
    const double us = 1e6 * runs[3 + i].median_s();
    const auto bytes = double(chain.stages[i].plan->traffic_bytes());
    const auto takes = chain.stages[i].plan->resources().front();
    fmt::print("  launch {}: {:.1f} us, {:.1f} MB, {:.2f} TB/s, {} registers, {} spilled\n", i + 1,
               us, bytes / 1e6, bytes / us / 1e6, takes.registers, takes.spill_bytes);
    row["launches"].push_back({{"us", us}, {"bytes", bytes}});
  }
  return row;
}

}  // namespace

int main(int argc, char** argv) try {
  queue on{first_device(engine::cuda)};
  nlohmann::ordered_json document{{"device", on.device().name},
                                  {"driver", on.device().version},
                                  {"cufft", peers::cufft::version()}};
  const auto number = [&](int i) { return std::stoul(argv[i]); };
  for (int i = 2; i + 2 < argc; i += 3) {
    document["rows"].push_back(measured(on, number(i), number(i + 1), number(i + 2)));
  }
  if (argc > 1) std::ofstream{argv[1]} << document.dump(1) << '\n';
  return 0;
} catch (const std::exception& failed) {
  std::fprintf(stderr, "match_templates: %s\n", failed.what());
  return 3;
}
