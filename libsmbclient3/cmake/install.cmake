# What "cmake --install" puts into a prefix: the library, its public headers, and the files by which
# find_package(smbclient3) and pkg-config find them. Included by libsmbclient3/CMakeLists.txt.
include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/smbclient3)
install(DIRECTORY include/smbclient3 DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h")

# Two exports: who links the shared library needs nothing of what it is built on.
foreach(kind IN ITEMS Shared Static)
  string(TOLOWER ${kind} suffix)
  install(TARGETS smbclient3_${suffix} EXPORT smbclient3${kind}Targets)
  install(EXPORT smbclient3${kind}Targets NAMESPACE smbclient3:: DESTINATION ${package_dir})
endforeach()
set_target_properties(smbclient3_shared PROPERTIES EXPORT_NAME smbclient3 INSTALL_RPATH "")

configure_package_config_file(cmake/smbclient3Config.cmake.in
                              ${CMAKE_CURRENT_BINARY_DIR}/smbclient3Config.cmake
                              INSTALL_DESTINATION ${package_dir})
write_basic_package_version_file(${CMAKE_CURRENT_BINARY_DIR}/smbclient3ConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/smbclient3Config.cmake
              ${CMAKE_CURRENT_BINARY_DIR}/smbclient3ConfigVersion.cmake
        DESTINATION ${package_dir})

# relative to the file itself, so that the prefix may be moved
file(RELATIVE_PATH pc_prefix ${CMAKE_INSTALL_FULL_LIBDIR}/pkgconfig ${CMAKE_INSTALL_PREFIX})
file(RELATIVE_PATH pc_libdir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_LIBDIR})
file(RELATIVE_PATH pc_includedir ${CMAKE_INSTALL_PREFIX} ${CMAKE_INSTALL_FULL_INCLUDEDIR})
configure_file(cmake/smbclient3.pc.in ${CMAKE_CURRENT_BINARY_DIR}/smbclient3.pc @ONLY)
install(FILES ${CMAKE_CURRENT_BINARY_DIR}/smbclient3.pc
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
