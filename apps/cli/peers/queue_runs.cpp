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

/// Makes plans ignore the kernel cache during its lifetime.
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

template <class Run>
double timed_runs(queue& on, std::size_t n_runs, const Run& run) {
  stopwatch watch{on};
  watch.start();
  for (std::size_t i = 0; i < n_runs; ++i) run();
  watch.stop();
  return watch.seconds();
}

/// The runs of a library on the queue and the buffers of a problem.
class queue_run : public library_run {
 public:
  /// Fills the input; in place, also the copy from which it is restored.
  void fill(const std::vector<std::byte>& block) override {
    repeat_over(memory_.in, block);
    memory_.in_place ? repeat_over(memory_.out, block) : poison(memory_.out);
  }

  double time(std::size_t n_runs) override {
    if (prepared_.first_call_s < 0) {  // once for each plan
      prepared_.first_call_s = seconds_of([&] { enqueue(1), on_.wait(); });
      prepared_.second_call_s = seconds_of([&] { enqueue(1), on_.wait(); });
    }
    restore();
    return timed_runs(on_, n_runs, [&] { enqueue(1); });
  }

  double time_calls(std::size_t n_calls) override {
    restore();
    on_.wait();
    const double seconds = seconds_of([&] { enqueue(n_calls); });
    on_.wait();
    return seconds;
  }

  void read(std::size_t offset_bytes, std::span<std::byte> into) override {
    const buffer& output = memory_.in_place ? memory_.in : memory_.out;
    output.read(into.data(), into.size(), offset_bytes);
  }

 protected:
  queue_run(queue& on, bench_buffers& memory) : on_(on), memory_(memory) {}
  virtual void enqueue(std::size_t n_runs) = 0;

  queue& on_;
  bench_buffers& memory_;

 private:
  void restore() {
    if (memory_.in_place) on_.impl()->copy(memory_.in.view(), memory_.out.view());
  }
};

class wingbeat_run final : public queue_run {
 public:
  wingbeat_run(queue& on, plan planned, const preparation& times, bench_buffers& memory)
      : queue_run(on, memory), planned_(std::move(planned)) {
    prepared_ = times;
  }

  [[nodiscard]] std::size_t bin_at(std::size_t index) const override {
    return planned_.bin_at(index);
  }

 private:
  void enqueue(std::size_t n_runs) override {
    for (std::size_t i = 0; i < n_runs; ++i) {
      planned_.enqueue(on_, memory_.in.view(), memory_.output());
    }
  }

  plan planned_;
};

class cufft_run final : public queue_run {
 public:
  cufft_run(queue& on, const plan_spec& spec, bench_buffers& memory) : queue_run(on, memory) {
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
    queue_run::fill(block);
    if (own_in_) repeat_over(*own_in_, block);
  }

 private:
  void enqueue(std::size_t n_runs) override {
    planned_->run(own_in_ ? own_in_->view() : memory_.in.view(), memory_.output(), n_runs);
  }

  std::optional<peers::cufft> planned_;
  std::optional<buffer> own_in_;
};

}  // namespace

bench_buffers::bench_buffers(const queue& on, const plan_spec& spec)
    : in_place(spec.where == placement::in_place) {
  // Of equal size, so that one copy moves the mean of both.
  const std::size_t size_bytes = std::max(input_bytes(spec), output_bytes(spec));
  in = buffer{on, size_bytes};
  out = buffer{on, size_bytes};
}

std::unique_ptr<library_run> make_wingbeat_run(queue& on, plan planned, const preparation& times,
                                               bench_buffers& memory) {
  return std::make_unique<wingbeat_run>(on, std::move(planned), times, memory);
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
