// SPDX-License-Identifier: Apache-2.0
// Which elements may be loaded and not stored.
#pragma once

namespace wingbeat::device::io {

/// Is Reference, the type of at[i], a reference to const?
template <class Reference>
inline constexpr bool is_read_only = false;
template <class Value>
inline constexpr bool is_read_only<const Value&> = true;

}  // namespace wingbeat::device::io
