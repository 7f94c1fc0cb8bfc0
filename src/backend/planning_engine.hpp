// SPDX-License-Identifier: Apache-2.0
// The steps of the engine `cuda` for an absent device, for tests and programs that inspect launches
// on a machine without a GPU. The steps cannot be run.
#pragma once

#include <memory>  // make_shared
#include <optional>
#include <string>
#include <utility>  // move
#include <vector>

#include "backend/backend.hpp"      // engine, queue
#include "programs/catalogue.hpp"   // sample_device
#include "programs/transforms.hpp"  // launches_of

namespace wingbeat::backend {

/// Plans for an H200, or for a sample device of another architecture.
class planning_engine : public engine {
 public:
  explicit planning_engine(std::string architecture = "sm_90")
      : architecture_(std::move(architecture)) {}

  [[nodiscard]] std::vector<device_info> devices() const override {
    return {programs::sample_device(architecture_)};
  }
  [[nodiscard]] std::string why_absent() const override { return {}; }
  [[nodiscard]] std::shared_ptr<queue> open(const device_info& device) const override {
    return std::make_shared<queue_without_memory>(device);
  }
  [[nodiscard]] std::optional<programs::program> realise(const std::shared_ptr<queue>& on,
                                                         const step_request& step) const override {
    return programs::launches_of(step, on->device());
  }

 private:
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

  std::string architecture_;
};

}  // namespace wingbeat::backend
