// SPDX-License-Identifier: Apache-2.0
// Whether a sanitizer watches. The thread sanitizer makes code some twenty times slower; both make
// templates take minutes to compile, so that their products are compiled without: `make test-full`.
#pragma once

#include <gtest/gtest.h>

#include <type_traits>  // conditional_t

namespace wingbeat::test {

#if !defined(__has_feature)
#define __has_feature(name) 0  // of g++, which defines __SANITIZE_ names instead
#endif

#if defined(__SANITIZE_THREAD__) || __has_feature(thread_sanitizer)
inline constexpr bool has_thread_sanitizer = true;
#else
inline constexpr bool has_thread_sanitizer = false;
#endif

#if defined(__SANITIZE_ADDRESS__) || __has_feature(address_sanitizer)
inline constexpr bool has_sanitizer = true;
#else
inline constexpr bool has_sanitizer = has_thread_sanitizer;
#endif

template <class First, class Others>
struct sampled_types_of;
template <class... First, class... Others>
struct sampled_types_of<::testing::Types<First...>, ::testing::Types<Others...>> {
  using type = std::conditional_t<has_sanitizer, ::testing::Types<First...>,
                                  ::testing::Types<First..., Others...>>;
};

/// The types of a suite: those of `Others` too, but with sanitizers.
template <class First, class Others>
using sampled_types = typename sampled_types_of<First, Others>::type;

}  // namespace wingbeat::test
