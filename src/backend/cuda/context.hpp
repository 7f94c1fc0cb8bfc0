// SPDX-License-Identifier: Apache-2.0
// Turns the driver's errors into exceptions, makes a context current for one scope, and keeps calls
// out of captures.
#pragma once

#include <new>  // nothrow_t
#include <string_view>

#include "backend/cuda/driver.hpp"
#include "text/formatted.hpp"  // formatted
#include "wingbeat/error.hpp"  // device_error

namespace wingbeat::backend::cuda {

/// Returns "out of memory (CUDA_ERROR_OUT_OF_MEMORY)".
[[nodiscard]] inline std::string describe(const driver_api& api, result status) {
  const char* name = nullptr;
  const char* text = nullptr;
  api.error_name(status, &name);
  api.error_text(status, &text);
  return formatted("{} ({})", text != nullptr ? text : "unknown error",
                   name != nullptr ? name : std::to_string(status).c_str());
}

/// Throws `device_error` unless `status` is success: "the CUDA driver could not <doing>: ...".
inline void check(const driver_api& api, result status, std::string_view doing) {
  if (status == success) return;
  throw device_error(formatted("the CUDA driver could not {}: {}", doing, describe(api, status)));
}

/// Makes a context current to the calling thread for one scope, then restores the previous one.
class entered {
 public:
  entered(const driver_api& api, context_handle context) : entered(api, context, std::nothrow) {
    check(api, status_, "enter the device's context");
  }

  /// For destructors: a context that is gone, or a driver that has shut down, is no error there.
  entered(const driver_api& api, context_handle context, std::nothrow_t) noexcept : api_(api) {
    context_handle current = nullptr;
    if (api.context_current(&current) == success && current == context) return;
    status_ = api.context_push(context);
    is_pushed_ = status_ == success;
  }

  entered(const entered&) = delete;
  entered& operator=(const entered&) = delete;

  ~entered() {
    context_handle left = nullptr;
    if (is_pushed_) api_.context_pop(&left);
  }

  [[nodiscard]] bool is_current() const noexcept { return status_ == success; }

 private:
  const driver_api& api_;
  result status_ = success;
  bool is_pushed_ = false;  ///< The context was not current before.
};

/// Lets this thread allocate, free and copy, load kernels, and create and destroy graphs while a
/// stream is being captured anywhere in the process, for one scope: otherwise the driver could
/// refuse, and end the capture. The calls within the scope must not be part of a capture
/// themselves.
class relaxed_capture_mode {
 public:
  explicit relaxed_capture_mode(const driver_api& api) noexcept : api_(api) { exchange(); }
  relaxed_capture_mode(const relaxed_capture_mode&) = delete;
  relaxed_capture_mode& operator=(const relaxed_capture_mode&) = delete;
  ~relaxed_capture_mode() { exchange(); }

 private:
  void exchange() noexcept {
    if (api_.exchange_capture_mode != nullptr) api_.exchange_capture_mode(&mode_);
  }

  const driver_api& api_;
  int mode_ = capture_mode_relaxed;
};

}  // namespace wingbeat::backend::cuda
