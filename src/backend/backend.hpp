// SPDX-License-Identifier: Apache-2.0
// The interface of engines. One implementation per folder: reference, host, opencl, cuda.
#pragma once

#include <atomic>
#include <cstddef>  // byte, size_t
#include <memory>   // unique_ptr, shared_ptr
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <utility>  // move
#include <variant>
#include <vector>

#include "arrays/spectra.hpp"                       // spectrum_array
#include "backend/bank.hpp"                         // bank_request, sample_run
#include "request/resolved.hpp"                     // resolved_spec
#include "wingbeat/buffer.hpp"                      // buffer_view
#include "wingbeat/device/functors/real_lines.hpp"  // line_numbers
#include "wingbeat/devices.hpp"                     // device_info, engine
#include "wingbeat/plan.hpp"                        // plan_spec, kernel_argument

namespace wingbeat::programs {
struct program;
}

namespace wingbeat::backend {

class repeated_calls;

/// A point in a queue's time.
class mark {
 public:
  virtual ~mark() = default;

  /// Waits for this mark and returns the device's seconds since `earlier`, of the same queue.
  [[nodiscard]] virtual double seconds_since(const mark& earlier) const = 0;

  // These defaults are for engines that finish work before `enqueue` returns.
  [[nodiscard]] virtual bool is_reached() const { return true; }
  virtual void wait() const {}
};

class queue;

/// Scratch that a queue lends to one run. The queue must outlive it.
class lent_workspace {
 public:
  lent_workspace(queue& owner, std::unique_lock<std::mutex> turn,
                 std::unique_ptr<buffer_view> memory) noexcept
      : owner_(owner), turn_(std::move(turn)), memory_(std::move(memory)) {}
  ~lent_workspace();
  lent_workspace(const lent_workspace&) = delete;
  lent_workspace& operator=(const lent_workspace&) = delete;

  [[nodiscard]] buffer_view view() const noexcept { return *memory_; }

 private:
  queue& owner_;
  std::unique_lock<std::mutex> turn_;
  std::unique_ptr<buffer_view> memory_;
};

/// An ordered queue and the memory of its device. Throws `device_error`.
class queue {
 public:
  explicit queue(device_info device);
  virtual ~queue() = default;  // implementations call drop_workspace() in theirs
  queue(const queue&) = delete;
  queue& operator=(const queue&) = delete;

  [[nodiscard]] const device_info& device() const noexcept { return device_; }

  /// Returns the driver's context in which this queue allocates; null on engines without contexts.
  [[nodiscard]] virtual const void* native_context() const noexcept { return nullptr; }

  /// Reserves `size_bytes` of scratch ordered with this queue; see `workspace`.
  void reserve(std::size_t size_bytes);

  /// Frees the scratch; `reserve` allocates none from now on.
  void disown_workspace();

  /// Lends at least `size_bytes` of scratch ordered with this queue, to be held until every pass
  /// that uses the scratch is queued. Another run waits for it; on engines that run when they are
  /// called it gets its own scratch, because a callable of the first run may have started it.
  /// Throws `plan_error` if less was reserved: a run allocates nothing else.
  [[nodiscard]] lent_workspace lend(std::size_t size_bytes);

  [[nodiscard]] virtual void* allocate(std::size_t size_bytes) = 0;
  virtual void release(void* handle) noexcept = 0;
  virtual void write(buffer_view to, const void* from) = 0;  // to.size_bytes; returns when done
  virtual void read(void* to, buffer_view from) = 0;         // from.size_bytes; returns when done
  virtual void wait() = 0;
  [[nodiscard]] virtual std::unique_ptr<mark> record() = 0;

  /// Opens another queue of this device, in the same context: its work may run at the same time.
  /// Returns nullptr on engines that finish work before `enqueue` returns.
  [[nodiscard]] virtual std::shared_ptr<queue> open_beside() const { return nullptr; }

  /// Makes work that is queued from now on wait for a mark of any queue of this context.
  virtual void after(const mark& /*awaited*/) {}

  /// Queue copies. The memory of this process must not change until a later mark is reached. Copies
  /// from and to pinned memory run in the background.
  virtual void write_later(buffer_view to, const void* from) { write(to, from); }
  virtual void read_later(void* to, buffer_view from) { read(to, from); }

  /// Allocates memory of this process that the device reaches at the speed of its bus; by default
  /// ordinary memory.
  [[nodiscard]] virtual void* allocate_pinned(std::size_t size_bytes);
  virtual void release_pinned(void* memory) noexcept;

  /// Sets all bytes to 0, queued; offset and size are multiples of 4. This default copies zeros
  /// from the host.
  virtual void clear(buffer_view memory);

  /// Queues a copy of `from.size_bytes` on the device. This default goes through the host.
  virtual void copy(buffer_view to, buffer_view from);

  /// Queues a copy of adjacent rows to rows that begin `stride` bytes apart. This default copies
  /// one row after another.
  virtual void copy_rows(buffer_view to, buffer_view from, std::size_t row_bytes,
                         std::size_t stride);

  /// Returns calls for queues of this queue's context. This default records nothing.
  [[nodiscard]] virtual std::unique_ptr<repeated_calls> make_repeated_calls() const;

 protected:
  void drop_workspace() noexcept;

 private:
  friend class lent_workspace;
  [[nodiscard]] std::unique_lock<std::mutex> turn();
  [[nodiscard]] std::unique_ptr<buffer_view> make_workspace(std::size_t size_bytes);
  void put_back(std::unique_ptr<buffer_view> memory) noexcept;

  device_info device_;
  bool runs_at_once_;  // no waiting: a callable's run, or a forked child, would wait for ever
  int process_;
  std::mutex mutex_;
  std::atomic<buffer_view*> kept_ = nullptr;  // the workspace while it is not lent
  std::atomic<std::size_t> reserved_bytes_ = 0;
  std::atomic<bool> owns_workspace_ = true;
};

class kernel;
struct kernel_source;

/// The memory of one run, and the arguments of the functors' operands; all was checked.
struct run {
  buffer_view in, out, workspace;
  buffer_view filter = {};  ///< Spectra, for programs that multiply by them.
  buffer_view other_out = {};
  std::span<const kernel_argument> load = {}, store = {}, multiplier = {};
};

/// A run as one call, from memory to memory, for calls that need no workspace, functor or queue,
/// because they are done when the call returns.
struct direct_run {
  void (*call)(const void* prepared, const std::byte* in, std::byte* out) = nullptr;
  const void* prepared = nullptr;  ///< Part of the call.
};

/// A step that an engine runs in this process. `enqueue` is const and thread-safe; every buffer was
/// checked.
class call {
 public:
  virtual ~call() = default;
  [[nodiscard]] virtual std::size_t workspace_bytes() const noexcept { return 0; }
  [[nodiscard]] virtual std::size_t traffic_bytes() const noexcept = 0;
  [[nodiscard]] virtual std::string explain() const = 0;
  virtual void enqueue(queue& on, const run& given) const = 0;
  /// Returns the call that `enqueue` makes, if it is a single one; it lives as long as this.
  [[nodiscard]] virtual direct_run direct() const noexcept { return {}; }
};

/// The spectra that `convolution_of_rows` multiplies rows of this length and precision by: `rows`
/// is a forward transform of one axis.
struct spectra_of_rows {
  plan_spec rows;
  std::size_t n_turns = 0;    ///< As in the rows that they multiply.
  bool is_four_step = false;  ///< Likewise.
};

/// `rows`, a forward transform of one axis, times `spectra`, transformed back, with the layouts,
/// ranges and scale of `rows`, in one crossing of memory, or in three.
struct convolution_of_rows {
  plan_spec rows;
  spectrum_array spectra;
  /// Prefetch the spectrum: each long kernel is used for few rows.
  bool is_long = false;
  /// If not 0, rows of N reals yield the first N values of their linear convolution with the
  /// spectrum's signal, as the real part of a product modulo t^N + i. It is computed in T =
  /// n_turns transforms of N / T points, described by `rows`, which fit a workgroup; see
  /// `pass_numbers::n_turns`. 0: circular convolution.
  std::size_t n_turns = 0;
  /// Rows too long for a workgroup are cut: into columns, shorter rows that are convolved, and
  /// columns back.
  bool is_four_step = false;
};

/// Sums of circular correlations, in one crossing of memory or in three: for each of the batch of
/// `rows`, a forward transform of one axis with a load functor, reads `terms` pairs of consecutive
/// rows, x[0], y[0], x[1], .., and stores the sum of the correlations of y with x.
struct correlation_of_rows {
  plan_spec rows;
  std::size_t terms = 1;
  std::size_t n_turns = 0;    ///< As in convolutions; lags from 0 on are stored.
  bool is_four_step = false;  ///< As in convolutions.
  /// If rows are cut: how each y is also convolved, with batch [row][1][term]. The convolutions are
  /// then the first output, the sums the second.
  std::optional<convolution_of_rows> convolution = {};
};

/// `rows` of reals, forward to bins, which the load functor changes (a `diagonal_load`), and back,
/// in one crossing of memory; the kind of the request is `dht`, which has reals on both sides.
struct diagonal_rows {
  plan_spec rows;
};

/// `count` lines of reals along one axis, transformed from memory to memory by a kind from reals to
/// reals, times `factor`. Each side has its length and the operations at its end.
struct lines_of_reals {
  transform kind = transform::dct2;
  precision real = precision::fp32;
  std::size_t count = 1;
  double factor = 1;
  device::functors::line_numbers in, out;
  precision in_stored = precision::fp32, out_stored = precision::fp32;
};

/// The requests that an engine may realise; all were validated.
using step_request = std::variant<request::resolved_spec, spectra_of_rows, convolution_of_rows,
                                  correlation_of_rows, diagonal_rows, lines_of_reals, bank_request>;

/// Compiles text for the device of a queue. Uses the disk cache.
class kernel_compiler {
 public:
  virtual ~kernel_compiler() = default;
  [[nodiscard]] virtual std::shared_ptr<const kernel> compile(
      const std::shared_ptr<queue>& on, const kernel_source& source) const = 0;
};

/// An engine: devices, queues and steps of programs.
class engine : public kernel_compiler {
 public:
  /// Returns the devices; if there are none, `why_absent` has the reason in one sentence.
  [[nodiscard]] virtual std::vector<device_info> devices() const = 0;
  [[nodiscard]] virtual std::string why_absent() const = 0;
  [[nodiscard]] virtual std::shared_ptr<queue> open(const device_info& device) const = 0;

  /// Adopts a native queue of the caller's (CUstream, cl_command_queue).
  [[nodiscard]] virtual std::shared_ptr<queue> adopt(void* native) const;

  /// Adopts a native queue of a device's primary context. This default throws `plan_error`, for
  /// engines whose native queues know their device.
  [[nodiscard]] virtual std::shared_ptr<queue> adopt_of_device(void* native, int index) const;

  /// This default throws `plan_error`, for engines that compile no kernels.
  [[nodiscard]] std::shared_ptr<const kernel> compile(const std::shared_ptr<queue>& on,
                                                      const kernel_source& source) const override;

  /// Returns the steps of a request for a queue that this engine opened; nothing if the engine
  /// cannot realise it. Every engine realises every transform, except those from reals to reals,
  /// which may be composed of others.
  [[nodiscard]] virtual std::optional<programs::program> realise(
      const std::shared_ptr<queue>& on, const step_request& step) const = 0;

  /// Reads samples into memory of this engine, and counts them. Returns false, and does nothing, on
  /// engines whose memory is not in this process.
  [[nodiscard]] virtual bool read_samples(std::span<const sample_run> runs) const;
};

/// Throws `absent_error` unless `device` is device 0; for engines with one device.
void require_only_device(const device_info& device);

/// Returns the only instance of each engine, which always exists but may have no devices.
[[nodiscard]] const engine& reference_engine();
[[nodiscard]] const engine& host_engine();
[[nodiscard]] const engine& opencl_engine();
[[nodiscard]] const engine& cuda_engine();
[[nodiscard]] const engine& engine_of(wingbeat::engine kind);

}  // namespace wingbeat::backend
