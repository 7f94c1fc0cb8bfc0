// SPDX-License-Identifier: Apache-2.0
#include "cli/peers/queue_runs.hpp"

#include <algorithm>  // max, min
#include <optional>
#include <utility>  // move

#include "backend/backend.hpp"       // queue
#include "backend/kernel_cache.hpp"  // kernel_cache
#include "cli/elapsed_message.hpp"   // elapsed_message
#include "measure/wall_time.hpp"     // seconds_of
#include "peers/cufft.hpp"           // cufft
#include "request/resolved.hpp"      // traits_of
#include "text/formatted.hpp"        // formatted, joined

namespace wingbeat::cli {
namespace {

using measure::library_run;
using measure::preparation;
using measure::seconds_of;

/// Makes plans ignore the cache of kernels while it lives.
class cold_cache {
 public:
  cold_cache() { backend::kernel_cache::shared().ignore_entries(true); }
  ~cold_cache() { backend::kernel_cache::shared().ignore_entries(false); }
  cold_cache(const cold_cache&) = delete;
  cold_cache& operator=(const cold_cache&) = delete;
};

void repeat_over(buffer& target, const std::vector<std::byte>& block) {
  for (std::size_t offset = 0; offset < target.size_bytes(); offset += block.size()) {
    target.write(block.data(), std::min(block.size(), target.size_bytes() - offset), offset);
  }
}

void poison(buffer& out) {
  repeat_over(out, std::vector<std::byte>(std::size_t{1} << 24, std::byte{0xff}));  // NaNs
}

/// Fills the input; in place, also the copy from which it is restored.
void fill_buffers(bench_buffers& memory, const std::vector<std::byte>& block) {
  repeat_over(memory.in, block);
  memory.in_place ? repeat_over(memory.out, block) : poison(memory.out);
}

void restore(queue& on, bench_buffers& memory) {
  if (memory.in_place) on.impl()->copy(memory.in.view(), memory.out.view());
}

void read_output(const bench_buffers& memory, std::size_t offset_bytes, std::span<std::byte> into) {
  const buffer& output = memory.in_place ? memory.in : memory.out;
  output.read(into.data(), into.size(), offset_bytes);
}

template <class Run>
double timed_runs(queue& on, std::size_t n_runs, const Run& run) {
  stopwatch watch{on};
  watch.start();
  for (std::size_t i = 0; i < n_runs; ++i) run();
  watch.stop();
  return watch.seconds();
}

/// Returns the wall time of `calls`, between two waits for the queue.
template <class Calls>
double timed_calls(queue& on, const Calls& calls) {
  on.wait();
  const double seconds = seconds_of(calls);
  on.wait();
  return seconds;
}

/// Times the first two calls, once for each plan. `run` queues one.
template <class Run>
void time_first_calls(queue& on, preparation& times, const Run& run) {
  if (times.first_call_s >= 0) return;
  times.first_call_s = seconds_of([&] { run(), on.wait(); });
  times.second_call_s = seconds_of([&] { run(), on.wait(); });
}

class cufft_run final : public library_run {
 public:
  cufft_run(queue& on, const plan_spec& spec, bench_buffers& memory) : on_(on), memory_(memory) {
    prepared_.cold_s = seconds_of([&] { planned_.emplace(on, spec); });
    planned_.reset();
    prepared_.warm_s = seconds_of([&] { planned_.emplace(on, spec); });
    prepared_.workspace_bytes = static_cast<long long>(planned_->workspace_bytes());
    // Out of place, cuFFT overwrites the input of c2r, which the other runs share.
    const bool overwrites_input =
        request::traits_of(spec.kind).in == request::domain::hermitian && !memory.in_place;
    if (overwrites_input) own_in_.emplace(on, memory.in.size_bytes());
  }

  void fill(const std::vector<std::byte>& block) override {
    fill_buffers(memory_, block);
    if (own_in_) repeat_over(*own_in_, block);
  }

  double time(std::size_t n_runs) override {
    time_first_calls(on_, prepared_, [&] { run(); });
    restore(on_, memory_);
    return timed_runs(on_, n_runs, [&] { run(); });
  }

  double time_calls(std::size_t n_calls) override {
    restore(on_, memory_);
    return timed_calls(on_, [&] { run(n_calls); });
  }

  void read(std::size_t offset_bytes, std::span<std::byte> into) override {
    read_output(memory_, offset_bytes, into);
  }

 private:
  void run(std::size_t n_runs = 1) {
    planned_->run(own_in_ ? own_in_->view() : memory_.in.view(), memory_.output(), n_runs);
  }

  queue& on_;
  bench_buffers& memory_;
  std::optional<peers::cufft> planned_;
  std::optional<buffer> own_in_;
};

}  // namespace

bench_buffers::bench_buffers(const queue& on, const plan_spec& spec)
    : in_place(spec.where == placement::in_place) {
  // Equally long, so that a copy of the mean of both is one copy.
  const std::size_t size_bytes = std::max(input_bytes(spec), output_bytes(spec));
  in = buffer{on, size_bytes};
  out = buffer{on, size_bytes};
}

wingbeat_run::wingbeat_run(queue& on, plan planned, const preparation& times, bench_buffers& memory)
    : on_(on), planned_(std::move(planned)), memory_(memory) {
  prepared_ = times;
}

void wingbeat_run::fill(const std::vector<std::byte>& block) {
  fill_buffers(memory_, block);
}

double wingbeat_run::time(std::size_t n_runs) {
  time_first_calls(on_, prepared_, [&] { enqueue(); });
  restore(on_, memory_);
  return timed_runs(on_, n_runs, [&] { enqueue(); });
}

double wingbeat_run::time_calls(std::size_t n_calls) {
  restore(on_, memory_);
  return timed_calls(on_, [&] {
    for (std::size_t i = 0; i < n_calls; ++i) enqueue();
  });
}

void wingbeat_run::read(std::size_t offset_bytes, std::span<std::byte> into) {
  read_output(memory_, offset_bytes, into);
}

std::unique_ptr<library_run> make_cufft_run(queue& on, const plan_spec& spec,
                                            bench_buffers& memory) {
  return std::make_unique<cufft_run>(on, spec, memory);
}

std::size_t copied_bytes(const plan_spec& spec) {
  return (request::input_array(spec).occupied_bytes() +
          request::output_array(spec).occupied_bytes()) /
         2;
}

double time_copies(queue& on, const plan_spec& spec, bench_buffers& memory, std::size_t n_runs) {
  buffer_view input = memory.in.view(), output = memory.out.view();
  input.size_bytes = output.size_bytes = copied_bytes(spec);
  return timed_runs(on, n_runs, [&] { on.impl()->copy(output, input); });
}

plan time_planning(const queue& on, const plan_spec& spec, preparation& times) {
  elapsed_message shown{formatted("planning {}", joined(spec.lengths, "x"))};
  shown.begin();
  std::optional<plan> planned;
  times.cold_s = seconds_of([&] {
    const cold_cache cold;
    planned.emplace(on, spec);
  });
  times.warm_s = times.cold_s;
  if (!planned->passes().empty()) {
    planned.reset();
    times.warm_s = seconds_of([&] { planned.emplace(on, spec); });
  }
  times.workspace_bytes = static_cast<long long>(planned->workspace_bytes());
  return std::move(*planned);
}

}  // namespace wingbeat::cli
