# SPDX-License-Identifier: Apache-2.0
# cmake -DOUT=<file> -DSOURCES=<file;..> -P batch.cmake: writes a translation unit of several tests,
# because headers and templates are then compiled once for all of them. Names at the top of one test
# do not meet those of another: each test is within a namespace of its own, where its #include
# lines, which stand before all namespaces too, have no effect.
set(includes)
set(tests)
set(n 0)
foreach(source IN LISTS SOURCES)
  file(STRINGS ${source} lines REGEX "^#include ")
  foreach(line IN LISTS lines)
    string(REGEX MATCH "^#include (<[^>]+>|\"[^\"]+\")" line "${line}")
    list(APPEND includes "${line}")
  endforeach()
  math(EXPR n "${n} + 1")
  string(APPEND tests "namespace batched_${n} {\n#include \"${source}\"\n}\n")
endforeach()
list(REMOVE_DUPLICATES includes)
list(JOIN includes "\n" includes)
file(CONFIGURE OUTPUT ${OUT} CONTENT "${includes}\n\n${tests}" @ONLY)
