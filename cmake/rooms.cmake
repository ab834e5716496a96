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

add_compile_options(-Wall -Wextra -Wshadow -Werror)
if(PLIANT_MARCH)
    add_compile_options(-march=${PLIANT_MARCH})
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-restrict -Wno-maybe-uninitialized)  # g++ 12 finds both in the standard library's own code
    # The compiler's own memory is tidied less often: with precompiled headers that is a tenth of its time.
    add_compile_options("SHELL:--param ggc-min-expand=1000" "SHELL:--param ggc-min-heapsize=1000000")
endif()
if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    add_compile_options(-Wno-unknown-attributes -Wno-unknown-pragmas)  # of GCC, such as optimize and ivdep
    add_compile_options(-Wno-bitwise-instead-of-logical)  # comparisons joined without a branch are meant so
endif()
if(PLIANT_ASAN)
    add_compile_options(-fsanitize=address,undefined -fno-sanitize-recover=undefined -fno-omit-frame-pointer)
    add_link_options(-fsanitize=address,undefined)
endif()
if(PLIANT_TSAN)
    add_compile_options(-fsanitize=thread -fno-omit-frame-pointer)
    add_link_options(-fsanitize=thread)
endif()

set(PLIANT_ROOMS "" CACHE INTERNAL "")

# CMAKE_UNITY_BUILD (on in the release preset) compiles some files of a room at a time. A unit costs as much as three or four
# of its files before it has compiled any (what the headers leave to be instantiated, and the strings and vectors that every
# file uses), so twelve together take a fifth less than twice six; one file anew takes some seconds more, see CONTRIBUTING.md.
# Names in anonymous namespaces are told apart within a room. Units of a target are alike in size, so that none is left over.
function(pliant_units target most)
    list(LENGTH ARGN files)
    math(EXPR units "(${files} + ${most} - 1) / ${most}")
    math(EXPR batch "(${files} + ${units} - 1) / ${units}")
    set_target_properties(${target} PROPERTIES UNITY_BUILD_BATCH_SIZE ${batch})
endfunction()
if(CMAKE_UNITY_BUILD AND CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    add_compile_options(-Wno-subobject-linkage)  # files are included there, so this warning takes them for headers
elseif(CMAKE_UNITY_BUILD)
    add_compile_options(-Wno-shadow)  # Clang's takes a name in one file for the shadow of a namesake in another
endif()

# Reading headers, and the Eigen types that they spell out, is most of the time a compiler takes. Those that almost every
# file includes are compiled once for the rooms, and with world.hpp once more for the rooms and programs above the world;
# the same twice for tests, with GoogleTest. Files still say what they include: `make check-includes` builds without.
file(WRITE ${CMAKE_BINARY_DIR}/precompiled.cpp "")
function(pliant_precompile name)
    add_library(${name} OBJECT EXCLUDE_FROM_ALL ${CMAKE_BINARY_DIR}/precompiled.cpp)
    target_include_directories(${name} PRIVATE ${CMAKE_BINARY_DIR}/include)
    target_link_libraries(${name} PRIVATE Eigen3::Eigen Threads::Threads)
    target_precompile_headers(${name} PRIVATE <Eigen/Core> <Eigen/Geometry> <algorithm> <array> <atomic> <chrono> <cmath>
        <cstring> <filesystem> <functional> <limits> <map> <memory> <numbers> <numeric> <optional> <set> <span> <sstream>
        <string> <thread> <vector> <pliant/core/error.hpp> <pliant/core/types.hpp> ${ARGN})
endfunction()
pliant_precompile(room_headers)
pliant_precompile(world_headers <pliant/core/params.hpp> <pliant/world/world.hpp>)
if(PLIANT_TESTS)
    pliant_precompile(test_headers <gtest/gtest.h> <iostream>)
    pliant_precompile(world_test_headers <gtest/gtest.h> <iostream> <pliant/core/params.hpp> <pliant/world/world.hpp>)
    # What is quick to compile is worth more here than what is quick to run. Options of precompiled headers hold for all
    # that is compiled with them.
    foreach(name test_headers world_test_headers)
        target_link_libraries(${name} PRIVATE GTest::gtest)
        target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)
    endforeach()
endif()

# A program that uses precompiled headers: compiled as the libraries are, because the headers were.
function(pliant_program target headers)
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
    target_precompile_headers(${target} REUSE_FROM ${headers})
endfunction()

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
    set(above room_)
    set(test_above "")
    if(ARGN MATCHES "(^|;)(world|scene)(;|$)")
        set(above world_)
        set(test_above world_)
    endif()
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
        pliant_units(${target} 20 ${sources})
        target_precompile_headers(${target} REUSE_FROM ${above}headers)
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
        pliant_program(test_${name} ${test_above}test_headers)
        pliant_units(test_${name} 8 ${tests})  # test files share more names
        target_include_directories(test_${name} PRIVATE ${CMAKE_SOURCE_DIR}/tests)
        target_link_libraries(test_${name} PRIVATE ${target} GTest::gtest_main)
        pliant_discover_tests(test_${name} ${name})
    endif()
endfunction()
