// SPDX-License-Identifier: Apache-2.0
// Who is told while kernels are compiled: programs, which say so where it takes long.
#pragma once

namespace wingbeat::backend {

/// Is told by the threads that compile, several of them at once perhaps.
class compile_observer {
 public:
  virtual void begin() noexcept = 0;
  virtual void end() noexcept = 0;

 protected:
  compile_observer() = default;
  compile_observer(const compile_observer&) = default;
  ~compile_observer() = default;
};

/// Has `observer` told from now on, in place of another; nullptr: nobody. It outlives all
/// compilations that began meanwhile.
void observe_compilations(compile_observer* observer) noexcept;

/// One compilation, as long as it lives: of a text, or at the first launch of a kernel.
class compilation {
 public:
  compilation() noexcept;
  compilation(const compilation&) = delete;
  compilation& operator=(const compilation&) = delete;
  ~compilation();

 private:
  compile_observer* observer_;
};

}  // namespace wingbeat::backend
