# SPDX-License-Identifier: Apache-2.0
# What `make install` puts where: header, libraries, pkg-config file, CMake package, command, man page, completion.
include(CMakePackageConfigHelpers)

install(TARGETS bitfold_shared bitfold_static bitfold_cmsis_nn_shared bitfold_cmsis_nn_static bitfold_cmsis_nn_drop_in
        EXPORT bitfold
        LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
        ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(FILES include/bitfold/bitfold.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bitfold)
install(DIRECTORY compat/cmsis_nn/include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/bitfold/cmsis_nn)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/bitfold)
configure_package_config_file(cmake/bitfold-config.cmake.in bitfold-config.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(bitfold-config-version.cmake COMPATIBILITY SameMinorVersion)
install(EXPORT bitfold NAMESPACE bitfold:: FILE bitfold-targets.cmake DESTINATION ${package_folder})
install(FILES ${PROJECT_BINARY_DIR}/bitfold-config.cmake ${PROJECT_BINARY_DIR}/bitfold-config-version.cmake
        DESTINATION ${package_folder})

# The .pc file finds its prefix from where it lies, so a staged or moved installation works as it is.
file(RELATIVE_PATH up_to_prefix /prefix/${CMAKE_INSTALL_LIBDIR}/pkgconfig /prefix)
configure_file(cmake/bitfold.pc.in bitfold.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/bitfold.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(BITFOLD_COMMAND)
  install(TARGETS bitfold_command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  install(FILES docs/bitfold.1 DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  install(FILES cli/completion.bash DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions RENAME bitfold)
endif()
