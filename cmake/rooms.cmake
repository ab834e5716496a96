# pliant_room(name deps…): src/<name>/*.cpp → target pliant_<name>, tests/<name>/*_test.cpp → test_<name>.
# Files named *_kernels.cpp are compiled once per vector unit and chosen at run time (see docs/performance.md).

find_package(Threads REQUIRED)
find_package(Eigen3 3.4 REQUIRED NO_MODULE)
if(PLIANT_TESTS)
    enable_testing()
    find_package(GTest REQUIRED)
    include(GoogleTest)
endif()

# Sources say #include "pliant/room/file.hpp", in this tree and in an installed one alike.
file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/include)
file(CREATE_LINK ${CMAKE_SOURCE_DIR}/src ${CMAKE_BINARY_DIR}/include/pliant SYMBOLIC)

# The compiler's own memory is tidied less often: with precompiled headers that is a tenth of its time.
add_compile_options("SHELL:--param ggc-min-expand=1000" "SHELL:--param ggc-min-heapsize=1000000")
add_compile_options(-Wall -Wextra -Wshadow -Wno-restrict -Wno-maybe-uninitialized -Werror -march=x86-64-v2)
if(PLIANT_ASAN)
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    add_link_options(-fsanitize=address,undefined)
endif()

set(PLIANT_ROOMS "" CACHE INTERNAL "")

# CMAKE_UNITY_BUILD (on in the release preset) compiles a few files of a room at a time: a whole build takes half as long,
# one file anew a few seconds more. Names in anonymous namespaces are therefore told apart within a room.
set(CMAKE_UNITY_BUILD_BATCH_SIZE 6)
if(CMAKE_UNITY_BUILD)
    add_compile_options(-Wno-subobject-linkage)  # files are included there, so this warning takes them for headers
endif()

# Almost every file includes these, and reading them is most of the time a compiler takes. Compiled once for the rooms,
# once for programs (their code is placed otherwise) and once for tests; files still say what they include:
# -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON builds without.
file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cpp "")
function(pliant_precompile name)
    add_library(${name} OBJECT ${CMAKE_BINARY_DIR}/precompiled.cpp)
    if(NOT name STREQUAL room_headers)
        set_target_properties(${name} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
        target_compile_options(${name} PRIVATE -fPIE)
    endif()
    target_link_libraries(${name} PRIVATE Eigen3::Eigen Threads::Threads)
    target_precompile_headers(${name} PRIVATE <Eigen/Core> <Eigen/Geometry> <algorithm> <array> <cmath> <filesystem>
        <functional> <limits> <map> <memory> <numbers> <numeric> <optional> <set> <span> <string> <vector> ${ARGN})
endfunction()
pliant_precompile(room_headers)
pliant_precompile(program_headers)
if(PLIANT_TESTS)
    pliant_precompile(test_headers <gtest/gtest.h> <iostream>)
    target_link_libraries(test_headers PRIVATE GTest::gtest)
endif()

# Suites whose name starts with Soak take long and run with `make soak` only.
function(pliant_discover_tests target name)
    gtest_discover_tests(${target} TEST_PREFIX "${name}/" TEST_FILTER "-*Soak*" NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST
        PROPERTIES LABELS ${name} TIMEOUT 300)
    gtest_discover_tests(${target} TEST_PREFIX "${name}/" TEST_FILTER "*Soak*" NO_PRETTY_VALUES DISCOVERY_MODE PRE_TEST
        PROPERTIES LABELS soak TIMEOUT 7200)
endfunction()

function(pliant_room name)
    file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/src/${name}/*.cpp)
    set(kernels ${sources})
    list(FILTER kernels INCLUDE REGEX "_kernels\\.cpp$")
    list(FILTER sources EXCLUDE REGEX "_kernels\\.cpp$")
    set(target pliant_${name})
    set(objects "")
    foreach(kernel IN LISTS kernels)
        get_filename_component(stem ${kernel} NAME_WE)
        foreach(level v2 v3 v4)
            set(object ${target}_${stem}_${level})
            add_library(${object} OBJECT ${kernel})
            target_include_directories(${object} PRIVATE ${CMAKE_BINARY_DIR}/include)
            target_compile_definitions(${object} PRIVATE PLIANT_KERNEL=${level})
            target_compile_options(${object} PRIVATE -march=x86-64-${level} -Wno-psabi $<$<CONFIG:Release>:-O3>)
            if(level STREQUAL v4)
                target_compile_options(${object} PRIVATE -mprefer-vector-width=512)
            endif()
            list(APPEND objects $<TARGET_OBJECTS:${object}>)
        endforeach()
    endforeach()
    if(sources)
        add_library(${target} STATIC ${sources} ${objects})
        target_precompile_headers(${target} REUSE_FROM room_headers)
        set(scope PUBLIC)
    else()
        add_library(${target} INTERFACE)
        set(scope INTERFACE)
    endif()
    target_include_directories(${target} ${scope} $<BUILD_INTERFACE:${CMAKE_BINARY_DIR}/include> $<INSTALL_INTERFACE:include>)
    target_link_libraries(${target} ${scope} Eigen3::Eigen Threads::Threads)
    foreach(dep IN LISTS ARGN)
        target_link_libraries(${target} ${scope} pliant_${dep})
    endforeach()
    set(PLIANT_ROOMS ${PLIANT_ROOMS} ${target} CACHE INTERNAL "")

    file(GLOB tests CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/tests/${name}/*_test.cpp)
    if(PLIANT_TESTS AND tests)
        add_executable(test_${name} ${tests})
        target_precompile_headers(test_${name} REUSE_FROM test_headers)
        target_include_directories(test_${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
        target_link_libraries(test_${name} PRIVATE ${target} GTest::gtest_main)
        pliant_discover_tests(test_${name} ${name})
    endif()
endfunction()
