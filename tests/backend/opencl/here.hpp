// SPDX-License-Identifier: Apache-2.0
// The OpenCL of this machine, for tests that run on it; they are skipped where there is none.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "backend/kernel.hpp"  // kernel_source
#include "backend/opencl/engine.hpp"
#include "support/folder.hpp"  // folder

namespace wingbeat::test {

/// An engine with a cache of its own, and one queue of its first device.
class opencl_here : public ::testing::Test {
 protected:
  void SetUp() override {
    if (engine.devices().empty()) GTEST_SKIP() << engine.why_absent();
    info = engine.devices().front();
    queue = engine.open(info);
  }

  /// A device buffer that goes with the test.
  buffer_view filled(const std::vector<float>& values) {
    const buffer_view result = room(values.size());
    queue->write(result, values.data());
    return result;
  }
  buffer_view room(std::size_t n_floats) {
    const std::size_t size_bytes = n_floats * sizeof(float);
    const auto release = [on = queue](void* handle) { on->release(handle); };
    memory_.emplace_back(queue->allocate(size_bytes), release);
    return {memory_.back().get(), 0, size_bytes};
  }
  std::vector<float> content(buffer_view view) const {
    std::vector<float> values(view.size_bytes / sizeof(float));
    queue->read(values.data(), view);
    return values;
  }

  /// A text in the dialect of the device headers, which it may include.
  static backend::kernel_source source_of(const std::string& text, unsigned threads,
                                          std::size_t scratch_bytes = 0) {
    return {.text = text,
            .entry = "entry",
            .threads = threads,
            .scratch_bytes = scratch_bytes,
            .path = "test_kernel.cl"};
  }

  /// Such a kernel.
  std::shared_ptr<const backend::kernel> compiled(const std::string& text, unsigned threads,
                                                  std::size_t scratch_bytes = 0) const {
    return engine.compile(queue, source_of(text, threads, scratch_bytes));
  }

  static wingbeat::opened<backend::opencl::driver_api> driver() {
    const std::vector<std::string> names{"libOpenCL.so.1"};
    return backend::opencl::open_driver(names);
  }

  folder directory;
  backend::kernel_cache cache{directory / "cache"};
  const wingbeat::opened<backend::opencl::driver_api> opened = driver();
  const backend::opencl::engine engine{opened.api, opened.problem, cache};
  device_info info;
  std::shared_ptr<backend::queue> queue;

 private:
  std::vector<std::shared_ptr<void>> memory_;
};

}  // namespace wingbeat::test
