// SPDX-License-Identifier: Apache-2.0
// Observes compilations of kernels, so that programs can report long ones.
#pragma once

namespace wingbeat::backend {

/// Called by the threads that compile, possibly several at once.
class compile_observer {
 public:
  virtual void begin() noexcept = 0;
  virtual void end() noexcept = 0;

 protected:
  compile_observer() = default;
  compile_observer(const compile_observer&) = default;
  ~compile_observer() = default;
};

/// Replaces the observer; nullptr: none. An observer must outlive all compilations that begin while
/// it is set.
void observe_compilations(compile_observer* observer) noexcept;

/// Lasts as long as one compilation: of a text, or at the first launch of a kernel.
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
