// SPDX-License-Identifier: Apache-2.0
// Detects elements that can be loaded but not stored.
#pragma once

namespace wingbeat::device::io {

/// Whether Reference, the type of address[i], is a reference to const.
template <class Reference>
inline constexpr bool is_read_only = false;
template <class Value>
inline constexpr bool is_read_only<const Value&> = true;

}  // namespace wingbeat::device::io
