// SPDX-License-Identifier: Apache-2.0
// How long does a long convolution take beside a copy of its signals? Times, in turns with the
// copy: the spectra of kernels, a run, and the gradients of signals, of kernels, and of both at
// once, of 2^26 samples in a batch of 8, fp32 and bf16. Those of the first channel are compared
// with what the engine host makes of it. Each length is printed, and in the document, when it is
// measured; all take about two minutes.
//     long_convolutions ENGINE FILE.json [SAMPLES_LOG2 [LENGTH..]]     commit from WINGBEAT_COMMIT
#include <fmt/core.h>

#include <algorithm>  // copy, max, min
#include <cmath>      // abs, isnan
#include <cstdio>     // fflush
#include <exception>
#include <limits>  // numeric_limits
#include <nlohmann/json.hpp>
#include <string>  // stoul
#include <vector>

#include "backend/backend.hpp"         // queue::copy
#include "bench/results.hpp"           // document_of, times_of
#include "measure/document_text.hpp"   // write_document
#include "measure/rounds.hpp"          // queued_run, take_turns
#include "wingbeat/device/bfloat.hpp"  // bfloat
#include "wingbeat/wingbeat.hpp"

namespace {

using namespace wingbeat;

constexpr int n_rounds = 15;
constexpr std::size_t batch = 8;

/// Noise in [-1, 1) that repeats after 2^20 numbers, as it is stored.
template <class Stored>
void fill(buffer& memory) {
  std::vector<Stored> values(std::size_t{1} << 20);
  unsigned state = 1;
  for (Stored& value : values) {
    state = state * 1664525 + 1013904223;
    value = Stored(static_cast<float>(state >> 8) * 0x1p-23F - 1);
  }
  const std::size_t bytes = values.size() * sizeof(Stored);
  for (std::size_t offset = 0; offset < memory.size_bytes(); offset += bytes) {
    memory.write(values.data(), std::min(bytes, memory.size_bytes() - offset), offset);
  }
}

void fill(buffer& memory, precision stored) {
  if (stored == precision::bf16) return fill<device::bfloat>(memory);
  fill<float>(memory);
}

/// A plan with its arrays.
struct problem {
  problem(queue& queue_of_device, const long_convolution_spec& spec)
      : on(queue_of_device),
        plan(on, spec),
        x(on, plan.signal_bytes()),
        dy(on, plan.signal_bytes()),
        y(on, plan.signal_bytes()),
        k(on, plan.kernel_bytes()),
        dk(on, plan.kernel_bytes()),
        spectra(on, plan.spectra_bytes()) {
    fill(x, spec.stored);
    fill(dy, spec.stored);
    fill(k, precision::fp32);
    prepare();
    on.wait();
  }
  void prepare() { plan.prepare(on, k.view(), spectra.view()); }
  void run() { plan.enqueue(on, spectra.view(), x.view(), y.view()); }
  void signal_gradient() { plan.enqueue_signal_gradient(on, spectra.view(), dy.view(), y.view()); }
  void kernel_gradient() { plan.enqueue_kernel_gradient(on, x.view(), dy.view(), dk.view()); }

  void gradients() {
    plan.enqueue_gradients(on, spectra.view(), x.view(), dy.view(), y.view(), dk.view());
  }

  /// Returns what the last call left of the first signal and channel.
  std::vector<float> first_of(const buffer& results, precision stored) {
    on.wait();
    std::vector<float> values(plan.spec().length);
    if (stored == precision::fp32) {
      results.read(values.data(), values.size() * sizeof values[0]);
    } else {
      std::vector<device::bfloat> narrow(values.size());
      results.read(narrow.data(), narrow.size() * sizeof narrow[0]);
      std::copy(narrow.begin(), narrow.end(), values.begin());
    }
    return values;
  }

  queue& on;
  long_convolution plan;
  buffer x, dy, y, k, dk, spectra;
};

/// Copies the signals of the first channel to a problem of one channel.
void copy_first(const buffer& from, std::size_t channels, buffer& to) {
  std::vector<char> signal(to.size_bytes() / batch);
  for (std::size_t b = 0; b < batch; ++b) {
    from.read(signal.data(), signal.size(), b * channels * signal.size());
    to.write(signal.data(), signal.size(), b * signal.size());
  }
}

/// Returns the largest difference, as a part of the largest number expected.
double difference_of(const std::vector<float>& values, const std::vector<float>& expected) {
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    largest = std::max<double>(largest, std::abs(expected[i]));
    const double off = std::abs(values[i] - expected[i]);
    if (std::isnan(off)) return std::numeric_limits<double>::infinity();
    difference = std::max(difference, off);
  }
  return difference / largest;
}

/// Returns the largest difference of the first channel's results from those of the host.
double difference_of(problem& measured) {
  const long_convolution_spec& spec = measured.plan.spec();
  queue host{first_device(engine::host)};
  problem expected{
      host, {.length = spec.length, .batch = batch, .stored = spec.stored, .has_gradients = true}};
  copy_first(measured.x, spec.channels, expected.x);
  copy_first(measured.dy, spec.channels, expected.dy);
  double difference = 0;
  const auto compare = [&](void (problem::*make)(), buffer problem::*results, precision stored) {
    for (problem* each : {&measured, &expected}) (each->*make)();
    difference = std::max(difference, difference_of(measured.first_of(measured.*results, stored),
                                                    expected.first_of(expected.*results, stored)));
  };
  compare(&problem::run, &problem::y, spec.stored);
  compare(&problem::signal_gradient, &problem::y, spec.stored);
  compare(&problem::kernel_gradient, &problem::dk, precision::fp32);
  compare(&problem::gradients, &problem::y, spec.stored);
  compare(&problem::gradients, &problem::dk, precision::fp32);
  return difference;
}

nlohmann::ordered_json times_of(queue& on, std::size_t length, precision stored,
                                std::size_t samples) {
  const std::size_t channels = std::max<std::size_t>(samples / batch / length, 1);
  problem measured{on,
                   {.length = length,
                    .channels = channels,
                    .batch = batch,
                    .stored = stored,
                    .has_gradients = true}};
  const double difference = difference_of(measured);
  const bool is_right = difference < (stored == precision::fp32 ? 1e-5 : 1e-2);
  std::vector<measure::timed_run> runs{
      measure::queued_run(on, "copy",
                          [&] { on.impl()->copy(measured.y.view(), measured.x.view()); }),
      measure::queued_run(on, "prepare", [&] { measured.prepare(); }),
      measure::queued_run(on, "run", [&] { measured.run(); }),
      measure::queued_run(on, "signal_gradient", [&] { measured.signal_gradient(); }),
      measure::queued_run(on, "kernel_gradient", [&] { measured.kernel_gradient(); }),
      measure::queued_run(on, "gradients", [&] { measured.gradients(); })};
  measure::take_turns(runs, n_rounds);
  nlohmann::ordered_json row{{"length", length},
                             {"channels", channels},
                             {"batch", batch},
                             {"stored", name_of(stored)},
                             {"padded", measured.plan.padded()},
                             {"launches", measured.plan.passes().size()},
                             {"difference", difference},
                             {"is_right", is_right}};
  for (const measure::timed_run& run : runs) row[run.name + "_s"] = bench::times_of(run);
  const auto resources = measured.plan.resources();
  if (!resources.empty()) {
    row["registers"] = resources.front().registers;
    row["spill_bytes"] = resources.front().spill_bytes;
  }
  const auto part = [&](std::size_t i) { return runs[0].median_s() / runs[i].median_s(); };
  const double together = 1 / (1 / part(2) + 1 / part(5));
  fmt::print(
      "{:>8} {} in {}: {:.1f} us, {:.3f} of the copy; gradients {:.3f} and {:.3f}, at once {:.3f}; "
      "all {:.3f}; spectra {:.3f}; off {:.1e}{}\n",
      length, name_of(stored), measured.plan.passes().size(), 1e6 * runs[2].median_s(), part(2),
      part(3), part(4), part(5), together, part(1), difference, is_right ? "" : "  WRONG");
  std::fflush(stdout);  // where it is a file too
  return row;
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc < 3) {
    fmt::print(stderr, "long_convolutions ENGINE FILE.json [SAMPLES_LOG2 [LENGTH..]]\n");
    return 2;
  }
  queue on{first_device(engine_named(argv[1]))};
  const std::size_t samples = std::size_t{1} << (argc > 3 ? std::stoi(argv[3]) : 26);
  std::vector<std::size_t> lengths;
  for (int i = 4; i < argc; ++i) lengths.push_back(std::stoul(argv[i]));
  if (lengths.empty()) {
    lengths = {256, 1000, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 1 << 20};
  }
  auto document = bench::document_of("wingbeat.long_convolutions/1", on.device(),
                                     {{"version", on.device().version}, {"rounds", n_rounds}});
  bool is_right = true;
  for (const precision stored : {precision::fp32, precision::bf16}) {
    for (const std::size_t length : lengths) {
      document["results"].push_back(times_of(on, length, stored, samples));
      is_right = is_right && document["results"].back()["is_right"];
      measure::write_document(argv[2], document);  // for where time ends it
    }
  }
  return is_right ? 0 : 1;
} catch (const std::exception& failed) {
  fmt::print(stderr, "long_convolutions: {}\n", failed.what());
  return 3;
}
