# SPDX-License-Identifier: Apache-2.0
# cmake -DUNITS=dir -DPROGRAM=file -DWORK=dir -P units.cmake: systemd has no complaint about the
# units, for an instance of each that runs the program of this build.
cmake_minimum_required(VERSION 3.25)
find_program(systemd_analyze systemd-analyze)
if(NOT systemd_analyze)
  message("SKIP: this machine has no systemd-analyze")
  return()
endif()
file(GLOB units RELATIVE ${UNITS} ${UNITS}/*@.service)
if(NOT units STREQUAL "wingbeat-dsim@.service;wingbeat-fengine@.service")
  message(FATAL_ERROR "the units are ${units}")
endif()
foreach(unit IN LISTS units)
  file(READ ${UNITS}/${unit} text)
  string(REPLACE "ExecStart=wingbeat " "ExecStart=${PROGRAM} " text "${text}")
  if(NOT text MATCHES "ExecStart=${PROGRAM} (dsim --config /etc/wingbeat/%i.toml|fengine --config /etc/wingbeat/%i.toml --state state.json)\n")
    message(FATAL_ERROR "${unit} starts another program")
  endif()
  string(REPLACE "@" "@example" instance ${unit})
  file(WRITE ${WORK}/${instance} "${text}")
  # It has no error code for keys that it does not know.
  execute_process(COMMAND ${systemd_analyze} verify --man=no ${WORK}/${instance}
                  RESULT_VARIABLE result OUTPUT_VARIABLE words ERROR_VARIABLE words)
  if(NOT result EQUAL 0 OR words)
    message(FATAL_ERROR "${unit}: ${words}")
  endif()
endforeach()
