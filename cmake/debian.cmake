# SPDX-License-Identifier: Apache-2.0
# The Debian packages: what `cmake --install` installs, under /usr, and the configuration in /etc. What
# is of the component `telescope` is a package of its own.
#   cpack -G DEB --config <build>/CPackConfig.cmake
#   cpack -G DEB --config <build>/CPackTelescope.cmake
set(packaging ${PROJECT_SOURCE_DIR}/packaging)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME wingbeat)
set(CPACK_PACKAGE_CONTACT "the wingbeat authors <wingbeat@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION "wingbeat is a C++20 library for FFTs on GPUs and processors, with a \
program that transforms, convolves and channelises.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Drivers and compilers of devices are opened at run time, where they are.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ocl-icd-libopencl1)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake, pkg-config, pocl-opencl-icd, clang-15")
set(CPACK_INSTALL_CMAKE_PROJECTS "${PROJECT_BINARY_DIR};wingbeat;Unspecified;/"
    "${PROJECT_BINARY_DIR};wingbeat;documentation;/")
include(CPack)
if(TARGET wingbeat_telescope)
  file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/CPackTelescope.cmake @ONLY CONTENT [[
include("@PROJECT_BINARY_DIR@/CPackConfig.cmake")
set(CPACK_PACKAGE_NAME wingbeat-telescope)
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "From digitisers to correlators")
set(CPACK_PACKAGE_DESCRIPTION "The commands of wingbeat that run as an F-engine between digitisers \
and a correlator, simulate a digitiser and receive channelised voltages, as services of systemd.")
set(CPACK_PACKAGE_FILE_NAME "wingbeat-telescope-@PROJECT_VERSION@")
set(CPACK_INSTALL_CMAKE_PROJECTS "@PROJECT_BINARY_DIR@;wingbeat;telescope;/")
set(CPACK_INSTALLED_DIRECTORIES "@packaging@/etc" /etc)
set(CPACK_DEBIAN_PACKAGE_DEPENDS "wingbeat (= @PROJECT_VERSION@)")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
    "@packaging@/debian/conffiles" "@packaging@/debian/postinst" "@packaging@/debian/postrm")
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
]])
endif()
