# SPDX-License-Identifier: Apache-2.0
# Install: headers, library, find_package(wingbeat) and wingbeat.pc.
include(CMakePackageConfigHelpers)

install(DIRECTORY include/wingbeat DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS wingbeat wingbeat_device EXPORT wingbeat)
install(EXPORT wingbeat NAMESPACE wingbeat:: FILE wingbeat-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/wingbeat)
if(TARGET wingbeat_cli)
  install(TARGETS wingbeat_cli)
endif()

configure_package_config_file(cmake/wingbeat-config.cmake.in wingbeat-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/wingbeat)
write_basic_package_version_file(wingbeat-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_file(cmake/wingbeat.pc.in wingbeat.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/wingbeat-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/wingbeat-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/wingbeat)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/wingbeat.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
