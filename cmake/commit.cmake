# SPDX-License-Identifier: Apache-2.0
# Writes OUT, a header that names the commit being built: what the environment says of a copy of the
# tree, else what the history of SOURCE says. Touches the file only if that changed.
cmake_minimum_required(VERSION 3.25)
set(commit "$ENV{WINGBEAT_COMMIT}")
if(NOT commit)
  execute_process(COMMAND git describe --always --dirty --abbrev=12 WORKING_DIRECTORY ${SOURCE}
                  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "#define WINGBEAT_COMMIT \"@commit@\"\n" @ONLY)
