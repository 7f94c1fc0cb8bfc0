# SPDX-License-Identifier: Apache-2.0
# cmake -DWAY=find_package|pkg_config -DBUILD=dir -DWORK=dir ... -P consume.cmake
cmake_minimum_required(VERSION 3.25)

# Runs a command; the test fails where it does.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

set(prefix ${WORK}/prefix)
file(REMOVE_RECURSE ${WORK})
run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
set(sanitize)
if(SANITIZE)
  set(sanitize -fsanitize=${SANITIZE})
endif()

if(WAY STREQUAL "find_package")
  run(${CMAKE_COMMAND} -S ${CONSUMER} -B ${WORK}/build -G ${GENERATOR}
      -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${sanitize}
      -DWANTED_VERSION=${VERSION})
  run(${CMAKE_COMMAND} --build ${WORK}/build)
  run(${WORK}/build/kernel_author)
  run(${WORK}/build/consumer ${VERSION})
else()
  find_program(pkg_config NAMES pkg-config pkgconf)
  if(NOT pkg_config)
    message("SKIP: this machine has no pkg-config")
    return()
  endif()
  # Not under its final prefix: pkg-config is told where the files really are.
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${prefix}/${LIBDIR}/pkgconfig
            ${pkg_config} --define-variable=prefix=${prefix} --cflags --libs --static wingbeat
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${CXX} -std=c++20 ${sanitize} ${CONSUMER}/main.cpp -o ${WORK}/consumer ${flags})
  run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${prefix}/${LIBDIR} ${WORK}/consumer ${VERSION})
endif()
