# SPDX-License-Identifier: Apache-2.0
# cmake -DPROGRAM=... -DARGUMENT=... -DPICTURE=... -P is_current.cmake: fails unless PICTURE is, byte
# for byte, what PROGRAM ARGUMENT draws.
execute_process(COMMAND ${PROGRAM} ${ARGUMENT} OUTPUT_VARIABLE drawn RESULT_VARIABLE code)
if(NOT code EQUAL 0)
  message(FATAL_ERROR "${PROGRAM} ${ARGUMENT} ended with ${code}")
endif()
file(READ ${PICTURE} kept)
if(NOT drawn STREQUAL kept)
  message(FATAL_ERROR "${PICTURE} is out of date: ${PROGRAM} ${ARGUMENT} > ${PICTURE}")
endif()
