// SPDX-License-Identifier: Apache-2.0
// How long does a long convolution take, compared with a copy of its signals? Times the spectra of
// kernels, a run, and the gradients of signals, of kernels, and of both at once, in alternation
// with the copy, for a batch of 8, in fp32 and bf16. Compares the first channel with the engine
// host's results. peers/torch_long_convolve.py adds torch's and cuDNN's times to the document.
#include <limits>  // numeric_limits

#include "bench/question.hpp"
#include "wingbeat/device/bfloat.hpp"  // bfloat

namespace wingbeat::bench {
namespace {

constexpr std::size_t batch = 8;
constexpr std::size_t n_samples = std::size_t{1} << 26;

/// Fills memory with noise in [-1, 1) that repeats after 2^20 numbers, in the stored type.
void fill_as(buffer& memory, precision stored) {
  const std::vector<float> values = noise(std::size_t{1} << 20);
  if (stored == precision::fp32) return fill(memory, values.data(), values.size() * 4);
  const std::vector<device::bfloat> narrow(values.begin(), values.end());
  fill(memory, narrow.data(), narrow.size() * sizeof narrow[0]);
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
    fill_as(x, spec.stored);
    fill_as(dy, spec.stored);
    fill_as(k, precision::fp32);
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

  /// Returns the first signal and channel of the last call's results.
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

/// Returns the largest difference, relative to the largest expected number.
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

void convolve(session& asked, std::size_t length, precision stored) {
  queue& on = asked.on();
  const std::size_t channels = std::max<std::size_t>(n_samples / batch / length, 1);
  problem measured{on,
                   {.length = length,
                    .channels = channels,
                    .batch = batch,
                    .stored = stored,
                    .has_gradients = true}};
  const double difference = difference_of(measured);
  const auto run = [&](const char* name, void (problem::*make)()) {
    return measure::queued_run(on, name, [&measured, make] { (measured.*make)(); });
  };
  std::vector<measure::timed_run> runs{copy_run(on, measured.y, measured.x),
                                       run("prepare", &problem::prepare),
                                       run("run", &problem::run),
                                       run("signal_gradient", &problem::signal_gradient),
                                       run("kernel_gradient", &problem::kernel_gradient),
                                       run("gradients", &problem::gradients)};
  json row{{"length", length},
           {"channels", channels},
           {"batch", batch},
           {"stored", name_of(stored)},
           {"padded", measured.plan.padded()},
           {"launches", measured.plan.passes().size()},
           {"difference", difference}};
  asked.time(runs, row);
  const auto resources = measured.plan.resources();
  if (!resources.empty()) {
    row["registers"] = resources.front().registers;
    row["spill_bytes"] = resources.front().spill_bytes;
  }
  asked.add(std::move(row), difference < (stored == precision::fp32 ? 1e-5 : 1e-2));
}

void long_convolutions(session& asked) {
  const auto lengths =
      asked.numbers({256, 1000, 1024, 2048, 4096, 8192, 16384, 32768, 65536, 1 << 20});
  for (const precision stored : {precision::fp32, precision::bf16}) {
    for (const std::size_t length : lengths) convolve(asked, length, stored);
  }
}

const registration of_long_convolutions{
    {"long_convolutions", "[LENGTH..]",
     "how long a long convolution of 2^26 samples takes, forward and backward", long_convolutions}};

}  // namespace
}  // namespace wingbeat::bench
