# SPDX-License-Identifier: Apache-2.0
# cmake -DREADME=file -DEXAMPLE=file -P readme_quotes.cmake
# Fails unless every C++ block of the README stands, line for line, in the example.
file(READ ${README} readme)
file(READ ${EXAMPLE} example)
string(REGEX REPLACE "\n +" "\n" example "${example}")  # a quotation may be indented less
string(FIND "${readme}" "```cpp\n" begin)
if(begin EQUAL -1)
  message(FATAL_ERROR "${README} has no C++ block; quote ${EXAMPLE}")
endif()
while(NOT begin EQUAL -1)
  math(EXPR begin "${begin} + 7")
  string(SUBSTRING "${readme}" ${begin} -1 readme)
  string(FIND "${readme}" "```" end)
  string(SUBSTRING "${readme}" 0 ${end} block)
  string(REGEX REPLACE "\n +" "\n" block "${block}")
  string(FIND "${example}" "${block}" found)
  if(found EQUAL -1)
    message(FATAL_ERROR "a C++ block of ${README} is no cut of ${EXAMPLE}; copy it again:\n${block}")
  endif()
  math(EXPR end "${end} + 3")
  string(SUBSTRING "${readme}" ${end} -1 readme)
  string(FIND "${readme}" "```cpp\n" begin)
endwhile()
