// SPDX-License-Identifier: Apache-2.0
// The error for moved-from objects.
#pragma once

#include <memory>  // unique_ptr
#include <string_view>

#include "text/reject.hpp"  // reject

namespace wingbeat {

[[noreturn, gnu::cold]] inline void refuse_moved_from(std::string_view noun) {
  reject("this {0} was moved from; use the {0} that it was moved to", noun);
}

/// Returns what `impl` owns. Throws `plan_error` if it owns nothing; `noun` is the name of its
/// owner.
template <class Impl>
[[nodiscard]] Impl& require_owned(const std::unique_ptr<Impl>& impl, std::string_view noun) {
  if (impl) return *impl;
  refuse_moved_from(noun);
}

}  // namespace wingbeat
