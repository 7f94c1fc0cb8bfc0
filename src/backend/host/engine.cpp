// SPDX-License-Identifier: Apache-2.0
// The host engine: this machine's processor, its memory, and work done at once.
#include <chrono>   // steady_clock
#include <cstdlib>  // free
#include <cstring>  // memcpy
#include <memory>   // make_unique

#include "backend/backend.hpp"                    // engine, queue, mark
#include "backend/host/aligned.hpp"               // allocate_aligned
#include "backend/host/bank/filter_bank.hpp"      // make_filter_bank
#include "backend/host/bank/sample_reader.hpp"    // read_samples
#include "backend/host/cpu.hpp"                   // chosen_set, cpu_name
#include "backend/host/plan.hpp"                  // make_plan
#include "backend/host/rows/line_strips.hpp"      // make_line_strips
#include "backend/host/rows/row_convolution.hpp"  // make_row_convolution
#include "backend/host/rows/small_reals.hpp"      // make_small_reals
#include "backend/host/thread_pool.hpp"           // thread_pool
#include "programs/program.hpp"                   // program

namespace wingbeat::backend {
namespace {

using host::start_of;

using clock = std::chrono::steady_clock;

class host_mark final : public mark {
 public:
  [[nodiscard]] double seconds_since(const mark& earlier) const override {
    const auto& start = static_cast<const host_mark&>(earlier).time_;
    return std::chrono::duration<double>(time_ - start).count();
  }

 private:
  clock::time_point time_ = clock::now();
};

class host_queue final : public queue {
 public:
  using queue::queue;
  ~host_queue() override { drop_workspace(); }

  [[nodiscard]] void* allocate(std::size_t size_bytes) override {
    return host::allocate_aligned(size_bytes);
  }
  void release(void* handle) noexcept override { std::free(handle); }
  void write(buffer_view to, const void* from) override {
    std::memcpy(start_of(to), from, to.size_bytes);
  }
  void read(void* to, buffer_view from) override {
    std::memcpy(to, start_of(from), from.size_bytes);
  }
  void copy(buffer_view to, buffer_view from) override { read(start_of(to), from); }
  void wait() override {}  // all work is done before enqueue returns
  [[nodiscard]] std::unique_ptr<mark> record() override { return std::make_unique<host_mark>(); }
};

class host_engine_type final : public engine {
 public:
  [[nodiscard]] std::vector<device_info> devices() const override {
    const auto& set = host::chosen_set();
    device_info found;
    found.runs_on = wingbeat::engine::host;
    found.name = host::cpu_name();
    found.architecture = set.name;
    found.version = set.features;
    found.memory_bytes = host::memory_bytes();
    found.compute_units = host::thread_pool::shared().n_threads();
    return {found};
  }
  [[nodiscard]] std::string why_absent() const override { return {}; }
  [[nodiscard]] std::shared_ptr<queue> open(const device_info& device) const override {
    require_only_device(device);
    return std::make_shared<host_queue>(device);
  }
  /// Spectra are in natural order, for rows of every length.
  [[nodiscard]] std::optional<programs::program> realise(const std::shared_ptr<queue>&,
                                                         const step_request& step) const override {
    const host::named_set& set = host::chosen_set();
    if (std::holds_alternative<correlation_of_rows>(step)) return std::nullopt;
    programs::call work;
    if (std::holds_alternative<diagonal_rows>(step)) return std::nullopt;
    if (const auto* const convolution = std::get_if<convolution_of_rows>(&step)) {
      work = host::make_row_convolution(set, convolution->rows, convolution->spectra);
      if (work == nullptr) return std::nullopt;
    } else if (const auto* const lines = std::get_if<lines_of_reals>(&step)) {
      work = host::make_line_strips(set, *lines);
      if (work == nullptr) return std::nullopt;
    } else if (const auto* const bank = std::get_if<bank_request>(&step)) {
      work = host::make_filter_bank(set, *bank);
    } else {
      const auto* const spectra = std::get_if<spectra_of_rows>(&step);
      const auto* const transform = std::get_if<request::resolved_spec>(&step);
      const bool is_of_reals = transform != nullptr && transform->kind.is_real_to_real();
      if (is_of_reals) work = host::make_small_reals(set, *transform);
      if (is_of_reals && work == nullptr) return std::nullopt;
      if (work == nullptr)
        work = spectra ? host::make_plan(set, spectra->rows) : host::make_plan(set, *transform);
    }
    programs::program steps;
    steps.add(std::move(work));
    return steps;
  }
  [[nodiscard]] bool read_samples(std::span<const sample_run> runs) const override {
    host::read_samples(host::chosen_set(), runs);
    return true;
  }
};

}  // namespace

const engine& host_engine() {
  // Never destroyed, because destructors of static objects may use it.
  static const auto& instance = *std::make_unique<const host_engine_type>().release();
  return instance;
}

}  // namespace wingbeat::backend
