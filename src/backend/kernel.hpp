// SPDX-License-Identifier: Apache-2.0
// Kernels compiled when a plan is made: the common part of the compiled engines (opencl, cuda).
#pragma once

#include <array>
#include <cstddef>  // size_t
#include <cstdint>  // uint64_t
#include <functional>
#include <span>
#include <string>

#include "backend/backend.hpp"  // queue
#include "wingbeat/error.hpp"   // device_error

namespace wingbeat::backend {

/// Parameters of an entry that transforms one buffer into another: see `transform_arguments`.
inline constexpr unsigned transform_parameters = 6;
/// Further parameters of a pass that multiplies by spectra: their buffer and its first element.
inline constexpr unsigned filter_parameters = 2;

/// A compiler refused a kernel's text; the sentence ends with its messages.
class compile_error : public device_error {
  using device_error::device_error;
};

/// One translation unit in the dialect of `wingbeat/device/port.hpp`, and the entry point to run.
struct kernel_source {
  std::string text;
  std::string entry;  ///< Name of the entry point.
  /// Number of the entry point's parameters, without OpenCL's pointer to local memory.
  unsigned n_parameters = transform_parameters;
  unsigned threads = 1;                ///< Threads of a workgroup.
  std::size_t scratch_bytes = 0;       ///< Local memory of one workgroup.
  std::size_t workgroups = 1;          ///< Expected per launch: a hint, any number runs.
  unsigned workgroups_of_cluster = 1;  ///< As the text states; more than 1 on CUDA only.
  unsigned resident = 0;  ///< Limit of workgroups at once on a multiprocessor, to leave each more
                          ///< cache; 0: as many as fit. CUDA only.
  /// Launched before earlier launches have ended; the text waits for them by `follow_launches`.
  /// CUDA only.
  bool starts_early = false;
  std::string path = {};  ///< The text's name in messages. Includes of device headers are replaced
                          ///< before the text is compiled; empty: it has none.
  /// Whether `scratch_bytes` is a macro in the text, so that a transform which needs more is
  /// refused. False for plans, which compute both.
  bool states_scratch = false;

  /// Returns the text that a compiler reads; see `flatten`.
  [[nodiscard]] std::string full_text() const;
  /// Returns a text that identifies the full text in keys of the cache, and is cheaper to make;
  /// empty if nothing does, because the compiler may read other files.
  [[nodiscard]] std::string key_text() const;
};

/// One argument of an entry point: the bytes of a number, or of the handle of device memory. The
/// caller owns them; `launch` reads them before it returns.
struct kernel_argument {
  const void* data = nullptr;
  std::size_t size_bytes = 0;

  template <class Value>
  static kernel_argument of(const Value& value) {
    return {&value, sizeof value};
  }
};

/// One argument for each parameter of an entry point, in order. On OpenCL engines append the
/// pointer to local memory.
using kernel_arguments = std::span<const kernel_argument>;
inline constexpr std::size_t max_kernel_arguments = 64;

/// The arguments of a transform from one buffer to another:
///     entry(global const In* in, global Out* out, global const Table* table,
///           uint64 in_first, uint64 out_first, uint64 batch)
/// Offsets of the views are not passed: they are part of `in_first` and `out_first`.
struct transform_arguments {
  buffer_view in, out, table;   ///< `offset_bytes` of `table` is 0.
  std::uint64_t in_first = 0;   ///< First element read.
  std::uint64_t out_first = 0;  ///< First element written.
  std::uint64_t batch = 1;      ///< Rows in the whole grid; 0: touches no memory.

  /// Returns the arguments in order; they live as long as this.
  [[nodiscard]] std::array<kernel_argument, transform_parameters> list() const {
    return {kernel_argument::of(in.handle),    kernel_argument::of(out.handle),
            kernel_argument::of(table.handle), kernel_argument::of(in_first),
            kernel_argument::of(out_first),    kernel_argument::of(batch)};
  }
};

/// A kernel loaded on one device. Immutable; `launch` may be called from many threads.
class kernel {
 public:
  virtual ~kernel() = default;
  [[nodiscard]] virtual kernel_resources resources() const = 0;
  /// Queues one launch. Throws `device_error`.
  virtual void launch(queue& on, std::size_t workgroups, kernel_arguments arguments) const = 0;
};

/// Receives the launches of one call, in order.
class launch_sequence {
 public:
  virtual ~launch_sequence() = default;
  /// Throws as `kernel::launch` does.
  virtual void launch(const kernel& kernel, std::size_t workgroups, kernel_arguments arguments) = 0;
};

/// Queues each launch at once.
class immediate_launches final : public launch_sequence {
 public:
  explicit immediate_launches(queue& target) : target_(target) {}
  void launch(const kernel& kernel, std::size_t workgroups, kernel_arguments arguments) override {
    kernel.launch(target_, workgroups, arguments);
  }

 private:
  queue& target_;
};

/// Repeats the calls of one plan: the same kernels in the same order, with any arguments of the
/// same sizes. An engine may record a call to repeat it at lower cost. Thread-safe.
class repeated_calls {
 public:
  using call_body = std::function<void(launch_sequence&)>;

  virtual ~repeated_calls() = default;
  /// Queues the launches that `body` makes.
  virtual void call(queue& target, const call_body& body) = 0;
};

/// Records nothing.
class unrecorded_calls final : public repeated_calls {
 public:
  void call(queue& target, const call_body& body) override {
    immediate_launches launches{target};
    body(launches);
  }
};

}  // namespace wingbeat::backend
