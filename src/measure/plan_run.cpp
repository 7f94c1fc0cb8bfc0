// SPDX-License-Identifier: Apache-2.0
#include "measure/plan_run.hpp"

#include <memory>   // make_shared
#include <utility>  // move

#include "measure/wall_time.hpp"  // seconds_of
#include "wingbeat/buffer.hpp"    // buffer
#include "wingbeat/queue.hpp"     // queue, stopwatch

namespace wingbeat::measure {
namespace {

/// Copies the input to the device, runs the operation once and copies the output back.
run_times run_once(queue& on, const prepared_run& planned, buffer& in, buffer& out,
                   std::span<const std::byte> input, std::vector<std::byte>& output) {
  const double in_s = seconds_of([&] { in.write(input.data(), input.size()); });
  stopwatch watch{on};
  watch.start();
  planned.enqueue(on, in.view(), out.view());
  watch.stop();
  const double execution_s = watch.seconds();
  const double out_s = seconds_of([&] { out.read(output.data(), output.size()); });
  return {execution_s, in_s + out_s};
}

}  // namespace

void count_runs(plan_measurement& into, const repetition& repeat,
                const std::function<run_times()>& run) {
  into.first_run_s = run().execution_s;
  double spent_s = 0;
  for (int i = 0; i < repeat.n_runs; ++i) {
    const run_times times = run();
    into.execution_s.push_back(times.execution_s);
    into.transfer_s.push_back(times.transfer_s);
    spent_s += times.execution_s;
    if (repeat.budget_s > 0 && spent_s > repeat.budget_s) break;
  }
}

plan_measurement measure_run(const device_info& device,
                             const std::function<prepared_run(queue& on)>& prepare,
                             std::span<const std::byte> input, const repetition& repeat) {
  plan_measurement m;
  queue on{device};
  prepared_run prepared;
  m.plan_s = seconds_of([&] { prepared = prepare(on); });
  m.explanation = std::move(prepared.explanation);
  buffer in{on, input.size()};
  buffer out{on, prepared.output_bytes};
  m.output.resize(prepared.output_bytes);
  count_runs(m, repeat, [&] { return run_once(on, prepared, in, out, input, m.output); });
  return m;
}

plan_measurement measure_plan(const device_info& device, const plan_spec& spec,
                              std::span<const std::byte> input, const repetition& repeat) {
  const auto prepare = [&](queue& on) {
    const auto planned = std::make_shared<const plan>(on, spec);
    const auto enqueue = [planned](queue& queued, const buffer_view& in, const buffer_view& out) {
      planned->enqueue(queued, in, out);
    };
    return prepared_run{output_bytes(spec), enqueue, planned->explain()};
  };
  return measure_run(device, prepare, input, repeat);
}

}  // namespace wingbeat::measure
