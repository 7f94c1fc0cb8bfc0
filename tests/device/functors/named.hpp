// SPDX-License-Identifier: Apache-2.0
// Do the numbers and operands of a functor name each member? One that is not named is 0 in kernels.
#pragma once

#include <set>
#include <string_view>

#include "wingbeat/device/ends/operands.hpp"  // has_members

namespace wingbeat::test {

/// Returns whether `each` visits so many members, each by its own name.
template <class Numbers>
bool names_numbers(const Numbers& numbers, std::size_t count) {
  std::set<std::string_view> names;
  std::size_t visits = 0;
  numbers.each([&](std::string_view name, const auto&) {
    names.insert(name);
    ++visits;
  });
  return visits == count && names.size() == count;
}

/// Returns whether `each` visits all of a functor's operands, of which `numbers` need each.
template <class Functor, unsigned Count>
bool names_operands(const typename Functor::numbers& numbers) {
  using operands = typename Functor::operands;
  std::set<std::string_view> names;
  operands::each(numbers, [&](std::string_view name, auto) { names.insert(name); });
  return device::ends::has_members<operands, Count> && names.size() == Count;
}

}  // namespace wingbeat::test
