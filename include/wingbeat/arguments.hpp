// SPDX-License-Identifier: Apache-2.0
// Describes the parameters of kernels and of plans' functors, beside their input and output, and
// the arguments of each run.
#pragma once

#include <cstddef>  // size_t, byte
#include <cstring>  // memcpy
#include <initializer_list>
#include <span>
#include <stdexcept>  // out_of_range
#include <string>
#include <type_traits>  // is_trivially_copyable_v
#include <vector>

#include "wingbeat/buffer.hpp"  // buffer_view

namespace wingbeat {

/// The kind of a value, which distinguishes types of equal size.
enum class value_kind { real, signed_integer, unsigned_integer, other };

template <class Value>
inline constexpr value_kind kind_of_value =
    std::is_floating_point_v<Value>                       ? value_kind::real
    : std::is_integral_v<Value>&& std::is_signed_v<Value> ? value_kind::signed_integer
    : std::is_integral_v<Value>                           ? value_kind::unsigned_integer
                                                          : value_kind::other;

/// A parameter of a kernel's entry, or a member of a functor's `operands`.
class kernel_parameter {
 public:
  /// Memory that is read. A kernel has two parameters for it: `WINGBEAT_GLOBAL const T* name` and
  /// `wingbeat::device::size name_first`; the view begins at `name + name_first`. A functor has one
  /// member, `WINGBEAT_GLOBAL const T* name`, which points to where the view begins.
  static kernel_parameter input(std::size_t element_bytes) { return {element_bytes, true, false}; }
  /// Memory that is written, and perhaps read: declared as an input, but without `const`.
  static kernel_parameter output(std::size_t element_bytes) { return {element_bytes, true, true}; }
  /// A number or a plain struct, by value: one parameter of a kernel, one member of a functor.
  template <class Value>
  static kernel_parameter value() {
    static_assert(std::is_trivially_copyable_v<Value>, "values are copied byte by byte");
    return {sizeof(Value), false, false, kind_of_value<Value>};
  }

  [[nodiscard]] bool is_memory() const noexcept { return is_memory_; }
  [[nodiscard]] bool is_written() const noexcept { return is_written_; }
  /// Returns sizeof(T) for memory, or the bytes of a value.
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  /// Returns the kind of a value; unspecified for memory.
  [[nodiscard]] value_kind kind() const noexcept { return kind_; }

 private:
  kernel_parameter(std::size_t bytes, bool is_memory, bool is_written,
                   value_kind kind = value_kind::other)
      : bytes_(bytes), is_memory_(is_memory), is_written_(is_written), kind_(kind) {}
  std::size_t bytes_;
  bool is_memory_, is_written_;
  value_kind kind_;
};

/// The argument for a parameter in one launch: a view, or a value.
class kernel_argument {
 public:
  kernel_argument(buffer_view view) : view_(view) {}
  template <class Value, class = std::enable_if_t<std::is_trivially_copyable_v<Value> &&
                                                  !std::is_same_v<Value, buffer_view>>>
  kernel_argument(const Value& value) : value_(sizeof value), kind_(kind_of_value<Value>) {
    std::memcpy(value_.data(), &value, sizeof value);
  }

  [[nodiscard]] bool is_memory() const noexcept { return value_.empty(); }
  [[nodiscard]] const buffer_view& view() const noexcept { return view_; }
  [[nodiscard]] const std::vector<std::byte>& value() const noexcept { return value_; }
  [[nodiscard]] value_kind kind() const noexcept { return kind_; }

 private:
  buffer_view view_;
  std::vector<std::byte> value_;
  value_kind kind_ = value_kind::other;
};

/// The arguments of one run for a functor in this process, with the parameters that its plan_spec
/// declares.
class host_arguments {
 public:
  host_arguments() = default;
  /// `given` has one argument for each of `parameters`, of the same kind.
  host_arguments(std::span<const kernel_parameter> parameters,
                 std::span<const kernel_argument> given)
      : parameters_(parameters), given_(given) {}

  [[nodiscard]] std::size_t count() const noexcept { return given_.size(); }

  /// Returns the arguments from number `first` to the last, numbered from 0.
  [[nodiscard]] host_arguments from(std::size_t first) const {
    return {parameters_.subspan(first), given_.subspan(first)};
  }

  /// Returns where argument `i`, a view, begins. Throws `std::out_of_range` if it is not a view, if
  /// its parameter has elements of another size, or if it is an input and `Element` is not const.
  template <class Element>
  [[nodiscard]] Element* memory(std::size_t i) const {
    require(i, true);
    require_elements(i, sizeof(Element), !std::is_const_v<Element>);
    const buffer_view& view = given_[i].view();
    return reinterpret_cast<Element*>(static_cast<std::byte*>(view.handle) + view.offset_bytes);
  }

  /// Returns argument `i`, a value. Throws `std::out_of_range` if it is not a value of that size
  /// and kind.
  template <class Value>
  [[nodiscard]] Value value(std::size_t i) const {
    require(i, false);
    const std::vector<std::byte>& bytes = given_[i].value();
    if (bytes.size() != sizeof(Value) || given_[i].kind() != kind_of_value<Value>) {
      throw std::out_of_range("argument " + std::to_string(i) + " has " +
                              std::to_string(bytes.size()) + " bytes, and the callable takes " +
                              std::to_string(sizeof(Value)) +
                              " of it, perhaps of another kind; take the type that the request "
                              "states");
    }
    Value copy;
    std::memcpy(&copy, bytes.data(), sizeof copy);
    return copy;
  }

 private:
  void require(std::size_t i, bool is_memory) const {
    if (i < given_.size() && given_[i].is_memory() == is_memory) return;
    throw std::out_of_range("the functor has no " + std::string{is_memory ? "view" : "value"} +
                            " as argument " + std::to_string(i) + " of " +
                            std::to_string(given_.size()) + "; the request lists its operands");
  }
  void require_elements(std::size_t i, std::size_t bytes, bool is_written) const {
    const kernel_parameter& stated = parameters_[i];
    if (stated.bytes() != bytes) {
      throw std::out_of_range("argument " + std::to_string(i) + " has elements of " +
                              std::to_string(stated.bytes()) +
                              " bytes, and the callable takes elements of " +
                              std::to_string(bytes) + "; take the type that the request states");
    }
    if (is_written && !stated.is_written()) {
      throw std::out_of_range("argument " + std::to_string(i) +
                              " is an input, and the callable may write to it; take memory of "
                              "const elements, or state kernel_parameter::output");
    }
  }

  std::span<const kernel_parameter> parameters_;
  std::span<const kernel_argument> given_;
};

}  // namespace wingbeat
