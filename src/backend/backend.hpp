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

  // These defaults are of engines whose work is done when it is queued.
  [[nodiscard]] virtual bool is_reached() const { return true; }
  virtual void wait() const {}
};

class queue;

/// Scratch that a queue lends to one run. It ends before the queue does.
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

  /// Makes room for `size_bytes` of scratch ordered with this queue; see `workspace`.
  void reserve(std::size_t size_bytes);

  /// Drops the scratch, and has `reserve` make none from now on.
  void disown_workspace();

  /// Lends at least `size_bytes` of scratch ordered with this queue, to be held until every pass
  /// that uses the scratch is queued. Another run waits for it; on engines that run when they are
  /// called it has scratch of its own, because it may be a callable's of the run that has this.
  /// Throws `plan_error` where less was reserved: a run allocates nothing else.
  [[nodiscard]] lent_workspace lend(std::size_t size_bytes);

  [[nodiscard]] virtual void* allocate(std::size_t size_bytes) = 0;
  virtual void release(void* handle) noexcept = 0;
  virtual void write(buffer_view to, const void* from) = 0;  // to.size_bytes; returns when done
  virtual void read(void* to, buffer_view from) = 0;         // from.size_bytes; returns when done
  virtual void wait() = 0;
  [[nodiscard]] virtual std::unique_ptr<mark> record() = 0;

  /// Opens another queue of this device, in the same context: its work runs beside this one's.
  /// Returns nullptr on engines whose work is done when it is queued.
  [[nodiscard]] virtual std::shared_ptr<queue> open_beside() const { return nullptr; }

  /// Has work that is queued from now on wait for a mark of any queue of this context.
  virtual void after(const mark& /*awaited*/) {}

  /// Queue copies. The memory of this process must stay as it is until a later mark is reached.
  /// From and to pinned memory, they run beside the processor.
  virtual void write_later(buffer_view to, const void* from) { write(to, from); }
  virtual void read_later(void* to, buffer_view from) { read(to, from); }

  /// Memory of this process that the device reaches at the speed of its bus; by default ordinary
  /// memory.
  [[nodiscard]] virtual void* allocate_pinned(std::size_t size_bytes);
  virtual void release_pinned(void* memory) noexcept;

  /// Sets all bytes to 0, queued; offset and size are multiples of 4. This default copies zeros
  /// from the host.
  virtual void clear(buffer_view memory);

  /// Queues a copy of `from.size_bytes` on the device. This default goes through the host.
  virtual void copy(buffer_view to, buffer_view from);

  /// Queues a copy of rows one behind another to rows that begin `stride` bytes apart. This default
  /// copies one after another.
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
  bool runs_at_once_;  // without turns: a callable's run, or a forked child, would wait for ever
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
  buffer_view filter = {};  ///< Spectra, of programs that multiply by them.
  buffer_view other_out = {};
  std::span<const kernel_argument> load = {}, store = {}, multiplier = {};
};

/// A run as one call, from memory to memory: of calls that need no workspace, no functor and no
/// queue, because they are done when the call returns.
struct direct_run {
  void (*call)(const void* prepared, const std::byte* in, std::byte* out) = nullptr;
  const void* prepared = nullptr;  ///< Part of the call.
};

/// A step that an engine makes in this process. `enqueue` is const and thread-safe; every buffer
/// was checked.
class call {
 public:
  virtual ~call() = default;
  [[nodiscard]] virtual std::size_t workspace_bytes() const noexcept { return 0; }
  [[nodiscard]] virtual std::size_t traffic_bytes() const noexcept = 0;
  [[nodiscard]] virtual std::string explain() const = 0;
  virtual void enqueue(queue& on, const run& given) const = 0;
  /// Returns the call that `enqueue` makes, where it makes one; it lives as long as this.
  [[nodiscard]] virtual direct_run direct() const noexcept { return {}; }
};

/// The spectra that `convolution_of_rows` multiplies rows of this length and precision by: `rows`
/// is a forward transform of one axis.
struct spectra_of_rows {
  plan_spec rows;
  std::size_t turns = 0;  ///< As of the rows that meet them.
  bool is_cut = false;    ///< The same.
};

/// `rows`, a forward transform of one axis, times `spectra`, and transformed back, with the
/// layouts, ranges and scale of `rows`, in one crossing of memory; or in three.
struct convolution_of_rows {
  plan_spec rows;
  spectrum_array spectra;
  /// Of long kernels, each of which meets few rows: these ask for their spectrum when they begin.
  bool is_long = false;
  /// Rows of N reals give the first N values of their linear convolution with a spectrum's: the
  /// real part of a product modulo t^N + i, made in so many turns of transforms of N / turns points
  /// that fit a workgroup, which `rows` are; see `pass_numbers::turns`. 0: rows are circular.
  std::size_t turns = 0;
  /// Rows that outgrow a workgroup are columns, shorter rows that are convolved, and columns back.
  bool is_cut = false;
};

/// Sums of circular correlations, in one crossing of memory or in three: for each of the batch of
/// `rows`, a forward transform of one axis with a load functor, `terms` pairs of rows are read one
/// behind another, x[0], y[0], x[1], .., and the sum of the correlations of y with x is stored.
struct correlation_of_rows {
  plan_spec rows;
  std::size_t terms = 1;
  std::size_t turns = 0;  ///< As of rows convolved; lags from 0 on are stored.
  bool is_cut = false;    ///< As of rows convolved.
  /// Of rows that are cut: each y is convolved besides, as this says, whose batch is
  /// [row][1][term]. Its results are the output, and the sums the other one.
  std::optional<convolution_of_rows> returned = {};
};

/// `rows` of reals, forward to bins, which the load functor changes (a `diagonal_load`), and back,
/// in one crossing of memory; as a request their kind is `dht`, which has reals on both sides.
struct diagonal_rows {
  plan_spec rows;
};

/// Lines of reals along one axis, `count` of them, transformed from memory to memory: a kind from
/// reals to reals, times `factor`. Both sides have the length and all that is done at their ends.
struct lines_of_reals {
  transform kind = transform::dct2;
  precision real = precision::fp32;
  std::size_t count = 1;
  double factor = 1;
  device::functors::line_numbers in, out;
  precision in_stored = precision::fp32, out_stored = precision::fp32;
};

/// What an engine may make steps of. All was validated.
using step_request = std::variant<request::resolved_spec, spectra_of_rows, convolution_of_rows,
                                  correlation_of_rows, diagonal_rows, lines_of_reals, bank_request>;

/// Compiles text for the device of a queue. Uses the disk cache.
class kernel_compiler {
 public:
  virtual ~kernel_compiler() = default;
  [[nodiscard]] virtual std::shared_ptr<const kernel> compile(
      const std::shared_ptr<queue>& on, const kernel_source& source) const = 0;
};

/// An engine: its devices, its queues, the steps of its programs.
class engine : public kernel_compiler {
 public:
  /// Returns the devices; when empty, `why_absent` says why in one sentence.
  [[nodiscard]] virtual std::vector<device_info> devices() const = 0;
  [[nodiscard]] virtual std::string why_absent() const = 0;
  [[nodiscard]] virtual std::shared_ptr<queue> open(const device_info& device) const = 0;

  /// Adopts a native queue of the caller's (CUstream, cl_command_queue).
  [[nodiscard]] virtual std::shared_ptr<queue> adopt(void* native) const;

  /// Adopts one of a device's primary context. This default throws `plan_error`, of engines whose
  /// native queues know their device.
  [[nodiscard]] virtual std::shared_ptr<queue> adopt_of_device(void* native, int index) const;

  /// This default throws `plan_error`, of engines that compile no kernels.
  [[nodiscard]] std::shared_ptr<const kernel> compile(const std::shared_ptr<queue>& on,
                                                      const kernel_source& source) const override;

  /// Returns the steps of a request for a queue that this engine opened; nothing where it cannot
  /// make it. Every engine makes every transform, but those from reals to reals, which may be
  /// composed of others.
  [[nodiscard]] virtual std::optional<programs::program> realise(
      const std::shared_ptr<queue>& on, const step_request& step) const = 0;

  /// Reads samples into memory of this engine's, and counts them. Returns false, and does nothing,
  /// on engines whose memory is not this process's.
  [[nodiscard]] virtual bool read_samples(std::span<const sample_run> runs) const;
};

/// Throws `absent_error` unless `device` is device 0, of an engine that has no other.
void require_only_device(const device_info& device);

/// Returns the one instance of each engine. Always there; its devices may be none.
[[nodiscard]] const engine& reference_engine();
[[nodiscard]] const engine& host_engine();
[[nodiscard]] const engine& opencl_engine();
[[nodiscard]] const engine& cuda_engine();
[[nodiscard]] const engine& engine_of(wingbeat::engine kind);

}  // namespace wingbeat::backend
