// SPDX-License-Identifier: Apache-2.0
// Plans as the engine `cuda` makes them for a device that is not here, for tests and programs that
// look at launches on a machine without a GPU. None of them can be run.
#pragma once

#include <memory>  // make_shared, make_unique
#include <string>
#include <utility>  // move
#include <vector>

#include "backend/backend.hpp"    // engine, plan, queue
#include "planner/catalogue.hpp"  // sample_device
#include "planner/program.hpp"    // program, make_program
#include "tuning/tuning.hpp"      // for_device

namespace wingbeat::backend {

/// Plans for an H200, or for a sample device of another architecture.
class planning_engine final : public engine {
 public:
  explicit planning_engine(std::string architecture = "sm_90")
      : architecture_(std::move(architecture)) {}

  [[nodiscard]] std::vector<device_info> devices() const override {
    return {planner::sample_device(architecture_)};
  }
  [[nodiscard]] std::string why_absent() const override { return {}; }
  [[nodiscard]] std::shared_ptr<queue> open(const device_info& device) const override {
    return std::make_shared<queue_without_memory>(device);
  }
  [[nodiscard]] std::shared_ptr<const plan> make_plan(
      const std::shared_ptr<queue>& on, const request::resolved_spec& request) const override {
    return planned(planner::make_program(request, on->device()));
  }
  [[nodiscard]] std::shared_ptr<const plan> make_spectra(const std::shared_ptr<queue>& on,
                                                         const plan_spec& rows) const override {
    if (!planner::can_convolve(rows, on->device())) return nullptr;
    return planned(planner::make_spectrum_program(rows, on->device()));
  }
  [[nodiscard]] std::shared_ptr<const plan> make_convolution(
      const std::shared_ptr<queue>& on, const plan_spec& rows,
      const spectrum_array& spectra) const override {
    if (!planner::can_convolve(rows, on->device())) return nullptr;
    return planned(planner::make_convolution_program(rows, spectra, on->device()));
  }
  [[nodiscard]] std::size_t result_block(const device_info& device) const override {
    return tuning::for_device(device).placing.result_block;
  }

  /// Returns the launches of a plan, which this engine made.
  [[nodiscard]] const planner::program& program_of(const plan& made) const {
    return dynamic_cast<const planned_only&>(made).program();
  }

 private:
  class planned_only final : public plan {
   public:
    explicit planned_only(planner::program program) : program_(std::move(program)) {}
    [[nodiscard]] std::size_t workspace_bytes() const noexcept override {
      return program_.workspace_bytes();
    }
    [[nodiscard]] std::size_t traffic_bytes() const noexcept override {
      return program_.traffic_bytes();
    }
    [[nodiscard]] std::string explain() const override { return program_.describe(); }
    void enqueue(queue&, const run&) const override {}
    [[nodiscard]] const planner::program& program() const { return program_; }

   private:
    planner::program program_;
  };

  class queue_without_memory final : public queue {
   public:
    using queue::queue;
    void* allocate(std::size_t) override { return nullptr; }
    void release(void*) noexcept override {}
    void write(buffer_view, const void*) override {}
    void read(void*, buffer_view) override {}
    void wait() override {}
    std::unique_ptr<mark> record() override { return nullptr; }
  };

  static std::shared_ptr<const plan> planned(planner::program program) {
    return std::make_shared<planned_only>(std::move(program));
  }

  std::string architecture_;
};

}  // namespace wingbeat::backend
