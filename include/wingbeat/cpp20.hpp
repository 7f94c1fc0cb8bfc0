// SPDX-License-Identifier: Apache-2.0
// Stops the compilation of the host API by an older C++ with one sentence, not dozens of errors.
#pragma once

#if !defined(__cplusplus) || __cplusplus <= 201703L
#error \
    "wingbeat's host headers need C++20: compile with -std=c++20, in .cu files as well, \
or include only wingbeat/device/ and link wingbeat::device, which need C++17"
#include "compilation stops here"  // compilers go on after #error, but not without an include
#endif
