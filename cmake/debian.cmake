# SPDX-License-Identifier: Apache-2.0
# The Debian package: what `cmake --install` installs, under /usr, and the configuration in /etc.
#   cpack -G DEB --config <build>/CPackConfig.cmake
set(packaging ${PROJECT_SOURCE_DIR}/packaging)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME wingbeat)
set(CPACK_PACKAGE_CONTACT "the wingbeat authors <wingbeat@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY ${PROJECT_DESCRIPTION})
set(CPACK_PACKAGE_DESCRIPTION "wingbeat is a C++20 library for FFTs on GPUs and processors, with a \
program that transforms, convolves and channelises, and that runs as an F-engine between digitisers \
and a correlator.")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)

set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# Drivers and compilers of devices are opened at run time, where they are.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS ocl-icd-libopencl1)
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, cmake, pkg-config, pocl-opencl-icd, clang-15")
if(TARGET wingbeat_cli AND TARGET wingbeat_fengine)
  set(CPACK_INSTALLED_DIRECTORIES ${packaging}/etc /etc)
  set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA
      ${packaging}/debian/conffiles ${packaging}/debian/postinst ${packaging}/debian/postrm)
  set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
endif()
include(CPack)
