# cmake --install: the program, the libraries, the headers as <pliant/room/file.hpp>, scenes, and find_package(pliant).

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

# What a program links to: every room.
add_library(pliant_all INTERFACE)
set_target_properties(pliant_all PROPERTIES EXPORT_NAME pliant)
target_link_libraries(pliant_all INTERFACE ${PLIANT_ROOMS})

set(PLIANT_FIND_DEPENDENCIES "find_dependency(ZLIB)
find_dependency(PkgConfig)
pkg_check_modules(LUA REQUIRED IMPORTED_TARGET lua5.4-c++)")
if(TARGET pliant_render)
    string(APPEND PLIANT_FIND_DEPENDENCIES "\nfind_dependency(embree 3)\nfind_dependency(PNG)\nfind_dependency(JPEG)")
endif()
if(BULLET_FOUND)
    string(APPEND PLIANT_FIND_DEPENDENCIES "\npkg_check_modules(BULLET REQUIRED IMPORTED_TARGET bullet-float64)")
endif()
if(TARGET pliant_sound)
    string(APPEND PLIANT_FIND_DEPENDENCIES "\npkg_check_modules(SNDFILE REQUIRED IMPORTED_TARGET sndfile)")
endif()

install(TARGETS pliant RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS ${PLIANT_ROOMS} pliant_all EXPORT pliant-targets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY src/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/pliant FILES_MATCHING PATTERN "*.hpp")
install(DIRECTORY scenes DESTINATION ${CMAKE_INSTALL_DATADIR}/pliant)
# The studio's page, and the libraries that npm fetched for it; without them `pliant studio` says what is missing.
set(web ${CMAKE_INSTALL_DATADIR}/pliant/web)
file(GLOB web_files ${CMAKE_SOURCE_DIR}/web/*.html ${CMAKE_SOURCE_DIR}/web/*.css ${CMAKE_SOURCE_DIR}/web/*.js ${CMAKE_SOURCE_DIR}/web/*.svg)
install(FILES ${web_files} DESTINATION ${web})
install(DIRECTORY web/thumbs DESTINATION ${web} OPTIONAL)
set(libraries ${CMAKE_SOURCE_DIR}/web/node_modules)
install(FILES ${libraries}/three/build/three.module.js ${libraries}/three/build/three.core.js DESTINATION ${web}/vendor OPTIONAL)
install(FILES ${libraries}/uplot/dist/uPlot.esm.js DESTINATION ${web}/vendor RENAME uplot.js OPTIONAL)
install(FILES ${libraries}/uplot/dist/uPlot.min.css DESTINATION ${web}/vendor RENAME uplot.css OPTIONAL)
install(EXPORT pliant-targets NAMESPACE pliant:: DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)
configure_package_config_file(cmake/pliant-config.cmake.in ${CMAKE_BINARY_DIR}/pliant-config.cmake
    INSTALL_DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/pliant-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/pliant-config.cmake ${CMAKE_BINARY_DIR}/pliant-config-version.cmake cmake/FindMETIS.cmake
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/cmake/pliant)
