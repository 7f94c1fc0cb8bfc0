// SPDX-License-Identifier: Apache-2.0
#include "measure.hpp"

#include <algorithm>  // minmax_element
#include <numeric>    // accumulate

#include "wall_time.hpp"        // seconds_of
#include "wingbeat/buffer.hpp"  // buffer
#include "wingbeat/queue.hpp"   // queue, stopwatch

namespace wingbeat::cli {
namespace {

struct run_times {
  double execution_s, transfer_s;
};

// One trip: input to the device, the transform, output back.
run_times run_once(queue& on, const plan& planned, buffer& in, buffer& out,
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

spread spread_of(std::span<const double> values) {
  if (values.empty()) return {};
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  const double sum = std::accumulate(values.begin(), values.end(), 0.0);
  return {sum / static_cast<double>(values.size()), *low, *high};
}

measurement measure(const device_info& where, const plan_spec& what,
                    std::span<const std::byte> input, const repetition& how) {
  measurement m;
  queue on{where};
  std::vector<plan> planned;
  m.plan_s = seconds_of([&] { planned.emplace_back(on, what); });
  m.explanation = planned.front().explain();
  buffer in{on, input.size()};
  buffer out{on, output_bytes(what)};
  m.output.resize(output_bytes(what));

  run_times run = run_once(on, planned.front(), in, out, input, m.output);
  m.first_run_s = run.execution_s;
  double spent_s = run.execution_s;
  if (how.n_runs == 0 || (how.budget_s > 0 && spent_s > how.budget_s)) {
    m.execution_s = {run.execution_s};
    m.transfer_s = {run.transfer_s};
    return m;
  }
  for (int i = 0; i < how.n_runs; ++i) {
    run = run_once(on, planned.front(), in, out, input, m.output);
    m.execution_s.push_back(run.execution_s);
    m.transfer_s.push_back(run.transfer_s);
    spent_s += run.execution_s;
    if (how.budget_s > 0 && spent_s > how.budget_s) break;
  }
  return m;
}

}  // namespace wingbeat::cli
