// SPDX-License-Identifier: Apache-2.0
// A program prepared for one device: its kernels are compiled and its tables uploaded. Only this
// class queues steps.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <memory>   // shared_ptr, unique_ptr
#include <span>
#include <vector>

#include "backend/kernel.hpp"    // kernel, repeated_calls
#include "programs/program.hpp"  // program

namespace wingbeat::programs {

/// Compiles the kernels of several programs for the device of a queue, in threads, and leaves them
/// in the cache. Returns one entry for each step, program after program; nullptr for steps without
/// a kernel. Throws what `plan` throws.
std::vector<std::shared_ptr<const backend::kernel>> compiled_kernels(
    const backend::kernel_compiler& compiler, const std::shared_ptr<backend::queue>& on,
    std::span<const program> programs);

/// Compiles the kernels of transforms that `engine` plans, all in threads.
void compile_transforms(const backend::engine& engine, const std::shared_ptr<backend::queue>& on,
                        std::span<const plan_spec> specs);

/// A prepared program. Immutable; many threads may run it, each on its own queue.
class prepared_program {
 public:
  /// Compiles the kernels for the device of a queue. Throws `plan_error` if the text of a functor
  /// does not compile.
  prepared_program(const backend::kernel_compiler& compiler,
                   const std::shared_ptr<backend::queue>& on, programs::program program);

  [[nodiscard]] const programs::program& program() const noexcept { return program_; }

  /// Returns one entry for each launch; none on engines without kernels.
  [[nodiscard]] std::vector<pass_info> passes() const;
  [[nodiscard]] std::vector<kernel_resources> resources() const;

  /// Queues all steps; the buffers are already checked. The queue waits for `awaited`, a mark of
  /// another queue, before the first step that writes the output.
  void enqueue(backend::queue& on, const backend::run& given,
               const backend::mark* awaited = nullptr) const;
  /// Queues step `number` alone, to measure it.
  void enqueue_step(backend::queue& on, const backend::run& given, std::size_t number) const;

  /// Returns the whole run as one call, if it is one; the call lives as long as this object.
  [[nodiscard]] backend::direct_run direct() const noexcept;

 private:
  using device_memory = std::shared_ptr<void>;
  struct prepared_launch {
    device_memory table;  ///< Table of a pass.
    /// Constants among the step's arguments, in order; and among those of its store functor.
    std::vector<device_memory> constants, of_store;
    std::shared_ptr<const backend::kernel> compiled;
  };

  void enqueue_step(backend::queue& on, const backend::run& given, std::size_t number,
                    backend::launch_sequence& launches) const;
  [[nodiscard]] buffer_view view_of(const backend::run& given, place location,
                                    std::size_t first_byte) const;
  /// Returns the arguments of a step, with its constants and those of `operands` that `given`
  /// supplies. `own`: the run with this step's arrays.
  [[nodiscard]] std::vector<kernel_argument> arguments_of(
      const std::vector<argument_source>& sources, const std::vector<device_memory>& constants,
      const backend::run& given, std::span<const kernel_argument> operands,
      const backend::run& own) const;

  programs::program program_;
  std::vector<prepared_launch> launches_;  ///< One for each step; without kernel for some.
  std::unique_ptr<backend::repeated_calls> calls_;
};

/// Transforms a row of a good length forward in place, on the engine `host`.
void transform_forward(std::vector<std::complex<double>>& row);

/// Returns the steps of a transform, prepared by the engine of a queue.
[[nodiscard]] std::shared_ptr<const prepared_program> prepared_transform(
    const std::shared_ptr<backend::queue>& on, const request::resolved_spec& transform);

}  // namespace wingbeat::programs
