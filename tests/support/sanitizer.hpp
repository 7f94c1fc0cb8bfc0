// SPDX-License-Identifier: Apache-2.0
// Whether the thread sanitizer watches, which makes code some twenty times slower.
#pragma once

namespace wingbeat::test {

#if defined(__SANITIZE_THREAD__)
inline constexpr bool has_thread_sanitizer = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer)
inline constexpr bool has_thread_sanitizer = true;
#else
inline constexpr bool has_thread_sanitizer = false;
#endif
#else
inline constexpr bool has_thread_sanitizer = false;
#endif

}  // namespace wingbeat::test
