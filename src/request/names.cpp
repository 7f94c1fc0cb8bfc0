// SPDX-License-Identifier: Apache-2.0
// The names of a plan's choices.
#include "request/names.hpp"

#include <cstddef>  // size_t
#include <initializer_list>
#include <iterator>  // size

#include "request/traits.hpp"  // kinds
#include "wingbeat/plan.hpp"   // name_of

namespace wingbeat {
namespace {

/// Returns the name of an enumerator; `names` are in the order of the enumeration.
template <class Enumeration>
std::string_view name_among(std::initializer_list<std::string_view> names, Enumeration value) {
  const auto number = static_cast<std::size_t>(value);
  return number < names.size() ? names.begin()[number] : request::unnamed;
}

}  // namespace

std::string_view name_of(transform kind) noexcept {
  const auto row = static_cast<std::size_t>(kind);
  return row < std::size(request::kinds) ? request::kinds[row].name : request::unnamed;
}

std::string_view name_of(precision real) noexcept {
  return name_among({"fp32", "fp64", "fp16", "bf16"}, real);
}

std::string_view name_of(scaling scale) noexcept {
  return name_among({"none", "by_length", "by_sqrt_length"}, scale);
}

std::string_view name_of(bin_order bins) noexcept {
  return name_among({"natural", "scrambled"}, bins);
}

std::string_view name_of(placement placed) noexcept {
  return name_among({"out_of_place", "in_place"}, placed);
}

}  // namespace wingbeat
