# SPDX-License-Identifier: Apache-2.0
# Install: headers, library, license, find_package(wingbeat) and wingbeat.pc.
include(CMakePackageConfigHelpers)

# Not CMAKE_INSTALL_DOCDIR: in another project's build that is the folder of the other project.
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/wingbeat
        COMPONENT documentation)
install(DIRECTORY include/wingbeat DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(TARGETS wingbeat wingbeat_device EXPORT wingbeat)
install(EXPORT wingbeat NAMESPACE wingbeat:: FILE wingbeat-targets.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/wingbeat)
if(TARGET wingbeat_cli)
  install(TARGETS wingbeat_cli)
endif()
# Pages with all that they link to; the test package/links follows the links. A component of its own,
# so that the test need not build the programs.
if(PROJECT_IS_TOP_LEVEL)
  install(FILES README.md CHANGELOG.md CONTRIBUTING.md packaging/debian/copyright
          DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/wingbeat COMPONENT documentation)
  install(DIRECTORY docs bench DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/wingbeat
          COMPONENT documentation FILES_MATCHING PATTERN "*.md" PATTERN "*.png" PATTERN "*.svg"
          PATTERN diagrams EXCLUDE PATTERN peers EXCLUDE)
  install(DIRECTORY examples DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/wingbeat
          COMPONENT documentation FILES_MATCHING PATTERN "*.[ch]pp" PATTERN "*.cu")
endif()
# Not CMAKE_INSTALL_LIBDIR: systemd seeks units in lib alone. The example belongs in /etc/wingbeat.
if(TARGET wingbeat_telescope)
  install(TARGETS wingbeat_telescope COMPONENT telescope)
  install(FILES packaging/wingbeat-dsim@.service packaging/wingbeat-fengine@.service
          DESTINATION lib/systemd/system COMPONENT telescope)
  install(FILES packaging/10-wingbeat.conf DESTINATION lib/sysctl.d COMPONENT telescope)
  install(DIRECTORY packaging/etc/wingbeat/ packaging/monitoring
          DESTINATION ${CMAKE_INSTALL_DATAROOTDIR}/doc/wingbeat/examples COMPONENT telescope)
endif()

configure_package_config_file(cmake/wingbeat-config.cmake.in wingbeat-config.cmake
  INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/wingbeat)
write_basic_package_version_file(wingbeat-config-version.cmake COMPATIBILITY SameMinorVersion)

# pkg-config finds the prefix from where wingbeat.pc lies, so that the whole tree may be moved. A
# library folder with an absolute path stays where it is, and the prefix with it.
set(pc_folder ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
set(pc_prefix ${CMAKE_INSTALL_PREFIX})
if(NOT IS_ABSOLUTE ${CMAKE_INSTALL_LIBDIR})
  file(RELATIVE_PATH up /prefix/${pc_folder} /prefix)
  string(REGEX REPLACE "/$" "" pc_prefix "\${pcfiledir}/${up}")
endif()
foreach(folder includedir libdir)
  string(TOUPPER ${folder} variable)
  set(pc_${folder} ${CMAKE_INSTALL_${variable}})
  if(NOT IS_ABSOLUTE ${pc_${folder}})
    string(PREPEND pc_${folder} "\${prefix}/")
  endif()
endforeach()
configure_file(cmake/wingbeat.pc.in wingbeat.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/wingbeat-config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/wingbeat-config-version.cmake
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/wingbeat)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/wingbeat.pc
        DESTINATION ${pc_folder})
