# SPDX-License-Identifier: Apache-2.0
# cmake -DNM=nm -DLIBRARY=libwingbeat.a -P static_objects.cmake
# Nothing of the library is made before main: a static object of a user may plan while others are
# still to be made, and finds all of the library's tables.
execute_process(COMMAND ${NM} -A ${LIBRARY} OUTPUT_VARIABLE symbols COMMAND_ERROR_IS_FATAL ANY)
if(NOT symbols MATCHES " T ")
  message(FATAL_ERROR "${LIBRARY} has no symbols")
endif()
string(REGEX MATCHALL "[^:\n]*:[^:\n]*_GLOBAL__sub_I_[^\n]*" made_early "${symbols}")
if(made_early)
  list(JOIN made_early "\n  " made_early)
  message(FATAL_ERROR "made before main; write constexpr, or a static object of a function:\n  ${made_early}")
endif()
