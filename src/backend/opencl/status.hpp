// SPDX-License-Identifier: Apache-2.0
// The driver's errors as exceptions, and its objects as owned values.
#pragma once

#include <string>
#include <string_view>
#include <utility>  // exchange

#include "backend/opencl/driver.hpp"
#include "backend/opencl/lifetime.hpp"  // is_driver_usable

namespace wingbeat::backend::opencl {

/// Returns "CL_OUT_OF_RESOURCES (-5)".
[[nodiscard]] std::string describe(status code);

/// Throws `memory_error` if the driver had no memory for an object, otherwise as `check` does.
void check_allocation(status code, std::string_view doing);

/// Throws `device_error` unless `code` is success: "OpenCL could not <doing>: ...".
void check(status code, std::string_view doing);

/// Owns one reference to an object of the driver, released while the driver is usable.
template <class Handle>
class owned {
 public:
  using release_function = status (*)(Handle);

  owned() = default;
  owned(Handle handle, release_function release) noexcept : handle_(handle), release_(release) {}
  owned(owned&& other) noexcept
      : handle_(std::exchange(other.handle_, nullptr)), release_(other.release_) {}
  owned& operator=(owned&& other) noexcept {
    std::swap(handle_, other.handle_);
    std::swap(release_, other.release_);
    return *this;
  }
  ~owned() {
    if (handle_ != nullptr && is_driver_usable()) release_(handle_);
  }

  [[nodiscard]] Handle get() const noexcept { return handle_; }
  [[nodiscard]] Handle let_go() noexcept { return std::exchange(handle_, nullptr); }

 private:
  Handle handle_ = nullptr;
  release_function release_ = nullptr;
};

}  // namespace wingbeat::backend::opencl
