// SPDX-License-Identifier: Apache-2.0
// Checks the arguments of a kernel or a functor, in the same way on every engine.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"     // queue
#include "views/views.hpp"         // operand
#include "wingbeat/arguments.hpp"  // kernel_parameter, kernel_argument

namespace wingbeat {

/// Throws `plan_error` unless each argument matches its parameter, a view or a value of the right
/// size, and each view starts at an element. `owner` is "kernel 'sum'", for example.
void require_arguments(std::string_view owner, std::span<const kernel_parameter> parameters,
                       std::span<const kernel_argument> given);

/// The views among arguments, each as an operand with a name. What reads them is unknown, so all of
/// a view counts as used.
class argument_views {
 public:
  /// `given` was checked by `require_arguments`, and outlives this.
  argument_views(std::string_view owner, std::span<const kernel_parameter> parameters,
                 std::span<const kernel_argument> given);

  [[nodiscard]] const std::vector<operand>& read() const noexcept { return read_; }
  [[nodiscard]] const std::vector<operand>& written() const noexcept { return written_; }

 private:
  std::vector<std::string> names_;
  std::vector<operand> read_, written_;
};

/// A functor, and the arguments that a run gives it.
struct given_functor {
  std::string_view name;  ///< "the store functor"
  std::span<const kernel_parameter> parameters;
  std::span<const kernel_argument> arguments;
};

/// Throws `plan_error` unless the arguments of a run's functors match their parameters, written
/// views overlap no other view, and views that are read overlap no written one. `read` and
/// `written` are the run's other operands, which are already checked against each other.
void require_functors(std::span<const given_functor> functors, std::span<const operand> read,
                      std::span<const operand> written, const backend::queue& on);

/// Throws `plan_error` if a view is empty, or of memory that `on` cannot reach. `of_owner` names
/// the owner if the names of views do not: " of kernel 'sum'".
void require_views(std::span<const operand> views, const backend::queue& on,
                   std::string_view of_owner = "");

}  // namespace wingbeat
