// SPDX-License-Identifier: Apache-2.0
// Checks of the arguments that a kernel or a functor is given, the same on every engine.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "backend/backend.hpp"     // queue
#include "views/views.hpp"         // operand
#include "wingbeat/arguments.hpp"  // kernel_parameter, kernel_argument

namespace wingbeat {

/// Throws `plan_error` unless each argument is a view, or a value of the right size, as its
/// parameter says, and each view starts at an element. `owner` is "kernel 'sum'", for example.
void require_arguments(std::string_view owner, std::span<const kernel_parameter> parameters,
                       std::span<const kernel_argument> given);

/// Views among arguments, each as an operand with a name; what reads them is unknown, so all of a
/// view counts.
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

/// Throws `plan_error` unless the arguments of a run's functors are as their parameters say, views
/// that are written overlap no other, and what is read overlaps nothing that is written. `read` and
/// `written` are the run's other operands, which were compared.
void require_functors(std::span<const given_functor> functors, std::span<const operand> read,
                      std::span<const operand> written, const backend::queue& on);

/// Throws `plan_error` where a view is empty, or of memory that `on` cannot reach. `of_owner`
/// names the owner where names of views do not: " of kernel 'sum'".
void require_views(std::span<const operand> views, const backend::queue& on,
                   std::string_view of_owner = "");

}  // namespace wingbeat
