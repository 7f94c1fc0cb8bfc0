// SPDX-License-Identifier: Apache-2.0
// A program made ready for one device: its kernels compiled, their tables there. The one place
// where steps are queued.
#pragma once

#include <complex>
#include <cstddef>  // size_t
#include <memory>   // shared_ptr, unique_ptr
#include <span>
#include <vector>

#include "backend/kernel.hpp"    // kernel, repeated_calls
#include "programs/program.hpp"  // program

namespace wingbeat::programs {

/// Compiles the kernels of all steps of several programs for the device of a queue, in threads:
/// with what `plan` throws. They are in the cache then; it returns those of the programs' steps,
/// one after another, nullptr for steps without.
std::vector<std::shared_ptr<const backend::kernel>> compiled_kernels(
    const backend::kernel_compiler& compiler, const std::shared_ptr<backend::queue>& on,
    std::span<const program> programs);

/// Compiles the kernels of transforms, which `engine` plans; all of both in threads.
void compile_transforms(const backend::engine& engine, const std::shared_ptr<backend::queue>& on,
                        std::span<const plan_spec> specs);

/// Immutable; many threads may run it, each on its own queue.
class prepared_program {
 public:
  /// Compiles the kernels for the device of a queue. Throws `plan_error` where the text of a
  /// functor does not compile.
  prepared_program(const backend::kernel_compiler& compiler,
                   const std::shared_ptr<backend::queue>& on, programs::program program);

  [[nodiscard]] const programs::program& program() const noexcept { return program_; }

  /// Returns one entry for each launch; none on engines that launch no kernels.
  [[nodiscard]] std::vector<pass_info> passes() const;
  [[nodiscard]] std::vector<kernel_resources> resources() const;

  /// Queues all steps; every buffer was checked. Behind `awaited`, a mark of another queue, come
  /// those from the first that reaches the output on.
  void enqueue(backend::queue& on, const backend::run& given,
               const backend::mark* awaited = nullptr) const;
  /// Queues step `number` alone, to measure it.
  void enqueue_step(backend::queue& on, const backend::run& given, std::size_t number) const;

  /// Returns the whole run as one call, where it is one; it lives as long as this.
  [[nodiscard]] backend::direct_run direct() const noexcept;

 private:
  using device_memory = std::shared_ptr<void>;
  struct prepared_launch {
    device_memory table;  ///< Of a pass.
    /// Constants among the step's arguments, in order; and among its store functor's.
    std::vector<device_memory> constants, of_store;
    std::shared_ptr<const backend::kernel> compiled;
  };

  void enqueue_step(backend::queue& on, const backend::run& given, std::size_t number,
                    backend::launch_sequence& launches) const;
  [[nodiscard]] buffer_view view_of(const backend::run& given, place location,
                                    std::size_t first_byte) const;
  /// Returns arguments of a step, with their constants, and `operands` of the functor that they are
  /// for among those that `given` has. `own` is the run of its arrays.
  [[nodiscard]] std::vector<kernel_argument> arguments_of(
      const std::vector<argument_source>& sources, const std::vector<device_memory>& constants,
      const backend::run& given, std::span<const kernel_argument> operands,
      const backend::run& own) const;

  programs::program program_;
  std::vector<prepared_launch> launches_;  ///< One for each step, without kernels for others.
  std::unique_ptr<backend::repeated_calls> calls_;
};

/// Transforms a row of a good length forward, on the engine `host`; its bins take the place of its
/// elements.
void transform_forward(std::vector<std::complex<double>>& row);

/// Returns the steps of a transform, prepared by the engine of a queue.
[[nodiscard]] std::shared_ptr<const prepared_program> prepared_transform(
    const std::shared_ptr<backend::queue>& on, const request::resolved_spec& transform);

}  // namespace wingbeat::programs
