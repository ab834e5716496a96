# METIS has no CMake files of its own: METIS::METIS, found where the build and whoever uses an installation looks for it.
find_library(METIS_LIBRARY metis)
find_path(METIS_INCLUDE_DIR metis.h)
mark_as_advanced(METIS_LIBRARY METIS_INCLUDE_DIR)
include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(METIS REQUIRED_VARS METIS_LIBRARY METIS_INCLUDE_DIR)
if(METIS_FOUND AND NOT TARGET METIS::METIS)
    add_library(METIS::METIS UNKNOWN IMPORTED)
    set_target_properties(METIS::METIS PROPERTIES IMPORTED_LOCATION "${METIS_LIBRARY}"
        INTERFACE_INCLUDE_DIRECTORIES "${METIS_INCLUDE_DIR}")
endif()
