// SPDX-License-Identifier: Apache-2.0
// Reads the fields of a description from Python by name. Each description has one list bound to all
// of its fields, so that an added field does not compile until it is read.
#pragma once

#include <optional>
#include <string>
#include <type_traits>  // is_enum_v

#include "array.hpp"     // element_type_named
#include "bindings.hpp"  // nb

namespace wingbeat::python {

template <class Field>
struct is_optional : std::false_type {};
template <class Field>
struct is_optional<std::optional<Field>> : std::true_type {};

/// Reads attributes of `given` by name: numbers, texts and lists directly, enumerations by number,
/// precisions by the name of a dtype. Optional fields stay unset for None.
template <class Field, class... Rest>
void read(nb::handle given, const char* name, Field& field, Rest&&... rest) {
  const nb::object value = given.attr(name);
  if constexpr (is_optional<Field>::value) {
    if (!value.is_none()) read(given, name, field.emplace());
  } else if constexpr (std::is_same_v<Field, precision>) {
    const auto element = element_type_named(nb::cast<std::string>(value));
    if (!element) throw nb::type_error((std::string{name} + " is no dtype of floats").c_str());
    field = element->real;
  } else if constexpr (std::is_enum_v<Field>) {
    field = static_cast<Field>(nb::cast<int>(value));
  } else {
    field = nb::cast<Field>(value);
  }
  if constexpr (sizeof...(rest) > 0) read(given, rest...);
}

}  // namespace wingbeat::python
