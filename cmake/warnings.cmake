# SPDX-License-Identifier: Apache-2.0
# One place for the warnings and sanitizers of everything we compile.
add_library(wingbeat_warnings INTERFACE)
target_compile_options(wingbeat_warnings INTERFACE -Wall -Wextra -Wshadow -Wno-psabi)

if(WINGBEAT_SANITIZE)
  add_compile_options(-fsanitize=${WINGBEAT_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${WINGBEAT_SANITIZE})
endif()
