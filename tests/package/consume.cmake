# SPDX-License-Identifier: Apache-2.0
# cmake -DWAY=way -DBUILD=dir -DWORK=dir ... -P consume.cmake
# WAY: find_package, pkg_config, cuda, debian, add_subdirectory, fetch_content or links.
cmake_minimum_required(VERSION 3.25)

set(prefix ${WORK}/prefix)
set(sanitize)
if(SANITIZE)
  set(sanitize -fsanitize=${SANITIZE})
endif()

# Runs a command; the test fails where it does.
function(run)
  execute_process(COMMAND ${ARGV} COMMAND_ERROR_IS_FATAL ANY)
endfunction()

function(install_wingbeat)
  run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix})
  if(NOT EXISTS ${prefix}/share/doc/wingbeat/LICENSE)
    message(FATAL_ERROR "the license is not installed")
  endif()
endfunction()

# Runs a command that must fail, at one sentence about C++20 and no error of another kind.
function(expect_one_sentence)
  execute_process(COMMAND ${ARGV} RESULT_VARIABLE result OUTPUT_VARIABLE words ERROR_VARIABLE words)
  string(REGEX MATCHALL "error: [^\n]*C\\+\\+20[^\n]*-std=c\\+\\+20" sentences "${words}")
  string(REGEX MATCHALL "error: " errors "${words}")
  list(LENGTH sentences n_sentences)
  list(LENGTH errors n_errors)
  if(result EQUAL 0 OR NOT n_sentences EQUAL 1 OR n_errors GREATER 2)  # the other ends compilation
    message(FATAL_ERROR "C++17 gives ${n_sentences} sentences and ${n_errors} errors:\n${words}")
  endif()
endfunction()

function(consume_find_package)
  install_wingbeat()
  run(${CMAKE_COMMAND} -S ${TESTS}/consumer -B ${WORK}/build -G ${GENERATOR}
      -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${sanitize}
      -DWANTED_VERSION=${VERSION})
  run(${CMAKE_COMMAND} --build ${WORK}/build)
  run(${WORK}/build/kernel_author)
  run(${WORK}/build/consumer ${VERSION})
endfunction()

# From a prefix that is moved after the installation, which pkg-config is not told.
function(consume_pkg_config)
  find_program(pkg_config NAMES pkg-config pkgconf)
  if(NOT pkg_config)
    message("SKIP: this machine has no pkg-config")
    return()
  endif()
  install_wingbeat()
  set(moved ${WORK}/moved)
  file(RENAME ${prefix} ${moved})
  execute_process(
    COMMAND ${CMAKE_COMMAND} -E env PKG_CONFIG_PATH=${moved}/${LIBDIR}/pkgconfig
            ${pkg_config} --cflags --libs --static wingbeat
    OUTPUT_VARIABLE flags OUTPUT_STRIP_TRAILING_WHITESPACE COMMAND_ERROR_IS_FATAL ANY)
  separate_arguments(flags UNIX_COMMAND "${flags}")
  run(${CXX} -std=c++20 ${sanitize} ${TESTS}/consumer/main.cpp -o ${WORK}/consumer ${flags})
  run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${moved}/${LIBDIR} ${WORK}/consumer ${VERSION})
  expect_one_sentence(${CXX} -std=c++17 ${TESTS}/consumer/main.cpp -o ${WORK}/older ${flags})
endfunction()

# What a package says of itself.
function(check_debian_package file)
  execute_process(COMMAND dpkg-deb --info ${file} OUTPUT_VARIABLE control COMMAND_ERROR_IS_FATAL ANY)
  if(NOT control MATCHES "Version: ${VERSION}\n" OR NOT control MATCHES "Depends: [^\n]*libc6")
    message(FATAL_ERROR "the package says:\n${control}")
  endif()
  if(control MATCHES "Depends: [^\n]*(fftw|cuda|cufft|nvidia|opencl|clang|gtest)")
    message(FATAL_ERROR "it depends on what is opened at run time, if at all:\n${control}")
  endif()
endfunction()

# The files of both packages in `root`, those in /etc as `file` has them.
function(check_installed_files file)
  execute_process(COMMAND dpkg-deb --info ${file} conffiles OUTPUT_VARIABLE conffiles
                  COMMAND_ERROR_IS_FATAL ANY)
  file(GLOB examples RELATIVE ${root} ${root}/etc/wingbeat/*)
  string(REPLACE ";" "\n/" examples "/${examples}\n")
  if(NOT conffiles STREQUAL examples)
    message(FATAL_ERROR "in /etc are\n${examples}and the configuration files are\n${conffiles}")
  endif()
  foreach(path etc/wingbeat/example.toml usr/share/doc/wingbeat/copyright
          usr/share/doc/wingbeat/docs/telescope/service.md usr/lib/systemd/system/wingbeat-fengine@.service
          usr/lib/sysctl.d/10-wingbeat.conf usr/lib/pkgconfig/wingbeat.pc usr/include/wingbeat/plan.hpp)
    if(NOT EXISTS ${root}/${path})
      message(FATAL_ERROR "the packages have no ${path}")
    endif()
  endforeach()
endfunction()

# Unpacked, not installed: that would change the machine.
function(consume_debian)
  find_program(dpkg_shlibdeps dpkg-shlibdeps)
  if(NOT dpkg_shlibdeps OR SANITIZE)
    message("SKIP: this machine has no dpkg-shlibdeps, or sanitizers are on")
    return()
  endif()
  run(${CMAKE_CPACK_COMMAND} -G DEB --config ${BUILD}/CPackConfig.cmake -B ${WORK})
  run(${CMAKE_CPACK_COMMAND} -G DEB --config ${BUILD}/CPackTelescope.cmake -B ${WORK})
  file(GLOB package ${WORK}/wingbeat_*.deb)
  file(GLOB telescope ${WORK}/wingbeat-telescope_*.deb)
  set(root ${WORK}/root)
  run(dpkg-deb --extract ${package} ${root})
  if(EXISTS ${root}/etc OR EXISTS ${root}/lib OR EXISTS ${root}/usr/bin/wingbeat-telescope)
    message(FATAL_ERROR "${package} has files of wingbeat-telescope")
  endif()
  execute_process(COMMAND ${root}/usr/bin/wingbeat fengine ERROR_VARIABLE words RESULT_VARIABLE code)
  if(NOT code EQUAL 3 OR NOT words MATCHES "install that package")
    message(FATAL_ERROR "without wingbeat-telescope, exit code ${code}: ${words}")
  endif()
  run(dpkg-deb --extract ${telescope} ${root})
  run(${root}/usr/bin/wingbeat fengine --help)
  check_debian_package(${package})
  check_debian_package(${telescope})
  check_installed_files(${telescope})
  execute_process(COMMAND ${root}/usr/bin/wingbeat --version OUTPUT_VARIABLE version
                  COMMAND_ERROR_IS_FATAL ANY)
  if(NOT version MATCHES "${VERSION}")
    message(FATAL_ERROR "the packaged program is of version ${version}")
  endif()
  run(${root}/usr/bin/wingbeat devices)
  run(${CMAKE_COMMAND} -S ${TESTS}/consumer -B ${WORK}/build -G ${GENERATOR}
      -DCMAKE_PREFIX_PATH=${root}/usr -DCMAKE_CXX_COMPILER=${CXX} -DWANTED_VERSION=${VERSION})
  run(${CMAKE_COMMAND} --build ${WORK}/build)
  run(${WORK}/build/consumer ${VERSION})
endfunction()

function(consume_cuda)
  find_program(nvcc NAMES nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH /usr/local/cuda PATH_SUFFIXES bin)
  if(NOT nvcc OR SANITIZE)
    message("SKIP: this machine has no nvcc, or sanitizers are on")
    return()
  endif()
  install_wingbeat()
  run(${CMAKE_COMMAND} -S ${TESTS}/cuda -B ${WORK}/build -G ${GENERATOR}
      -DCMAKE_PREFIX_PATH=${prefix} -DCMAKE_CUDA_COMPILER=${nvcc} -DCMAKE_CUDA_HOST_COMPILER=${CXX}
      -DCMAKE_CUDA_ARCHITECTURES=90 -DWANTED_VERSION=${VERSION})
  run(${CMAKE_COMMAND} --build ${WORK}/build)
  run(${WORK}/build/host_program)
  expect_one_sentence(${CMAKE_COMMAND} --build ${WORK}/build --target older_program)
endfunction()

# Builds no more of wingbeat than it needs, which is the device headers: the library would take
# minutes.
function(consume_subproject)
  run(${CMAKE_COMMAND} -S ${TESTS}/subproject -B ${WORK}/build -G ${GENERATOR}
      -DCMAKE_CXX_COMPILER=${CXX} -DCMAKE_CXX_FLAGS=${sanitize}
      -DLANGUAGES=CXX -DWAY=${WAY} -DWINGBEAT=${WINGBEAT} -DCONSUMER=${TESTS}/consumer)
  run(${CMAKE_COMMAND} --build ${WORK}/build --target kernel_author)
  run(${WORK}/build/kernel_author)
  execute_process(
    COMMAND ${CMAKE_COMMAND} -S ${TESTS}/subproject -B ${WORK}/without_cxx -G ${GENERATOR}
            -DLANGUAGES=NONE -DWAY=${WAY} -DWINGBEAT=${WINGBEAT} -DCONSUMER=${TESTS}/consumer
    RESULT_VARIABLE result OUTPUT_QUIET ERROR_VARIABLE words)
  if(result EQUAL 0 OR NOT words MATCHES "name CXX in[ \n]+its project")
    message(FATAL_ERROR "a project without C++ is told:\n${words}")
  endif()
endfunction()

function(consume_links)
  run(${CMAKE_COMMAND} --install ${BUILD} --component documentation --prefix ${prefix})
  run(${PYTHON} ${LINKS} ${prefix}/share/doc/wingbeat)
endfunction()

file(REMOVE_RECURSE ${WORK})
if(WAY STREQUAL "add_subdirectory" OR WAY STREQUAL "fetch_content")
  consume_subproject()
else()
  cmake_language(CALL consume_${WAY})
endif()
