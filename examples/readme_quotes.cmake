# SPDX-License-Identifier: Apache-2.0
# cmake -DREADME=file -DEXAMPLE=file -P readme_quotes.cmake
# Fails unless the first C++ block of the README stands, line for line, in the example.
file(READ ${README} readme)
file(READ ${EXAMPLE} example)
string(FIND "${readme}" "```cpp\n" begin)
if(begin EQUAL -1)
  message(FATAL_ERROR "${README} has no C++ block; quote ${EXAMPLE}")
endif()
string(SUBSTRING "${readme}" ${begin} -1 block)
string(REGEX REPLACE "^```cpp\n" "" block "${block}")
string(FIND "${block}" "```" end)
string(SUBSTRING "${block}" 0 ${end} block)
string(REGEX REPLACE "\n +" "\n" block "${block}")  # the quotation may be indented less
string(REGEX REPLACE "\n +" "\n" example "${example}")
string(FIND "${example}" "${block}" found)
if(found EQUAL -1)
  message(FATAL_ERROR "the first C++ block of ${README} is no cut of ${EXAMPLE}; copy it again")
endif()
