# Language level, warnings, optimisation and sanitizers. `ouro_compiler` carries what our own
# sources are compiled with; nothing of it reaches a program that uses the installed library.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_C_STANDARD_REQUIRED ON)
set(CMAKE_C_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Release, RelWithDebInfo or Debug" FORCE)
endif()
# Release keeps line tables, so that a profile or a crash names its line; a debug build is optimised
# as far as a debugger can follow, or the larger tests would take minutes.
foreach(language C CXX)
    string(APPEND CMAKE_${language}_FLAGS_RELEASE " -g1")
    set(CMAKE_${language}_FLAGS_DEBUG "-Og -g")
endforeach()

find_program(OURO_CCACHE ccache)
if(OURO_CCACHE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    # It refuses precompiled headers otherwise.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros ${OURO_CCACHE})
    set(CMAKE_C_COMPILER_LAUNCHER ${OURO_CCACHE})
endif()

add_library(ouro_compiler INTERFACE)
target_compile_options(ouro_compiler INTERFACE
    -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wvla -Wpointer-arith
    $<$<COMPILE_LANGUAGE:CXX>:-Wnon-virtual-dtor -Woverloaded-virtual -Wextra-semi>
    # A static PyTypeObject names the slots that it fills and leaves the rest to be zero.
    -Wno-missing-field-initializers
    # Our own calls of our exported functions need not go through the symbol table.
    -fno-semantic-interposition
    $<$<BOOL:${OURO_WERROR}>:-Werror>)
target_compile_definitions(ouro_compiler INTERFACE
    $<$<CONFIG:Debug>:_GLIBCXX_ASSERTIONS>
    $<$<BOOL:${OURO_POISON}>:OURO_POISON=1>)

if(OURO_SANITIZE)
    string(REPLACE "," ";" sanitizers "${OURO_SANITIZE}")
    foreach(sanitizer IN LISTS sanitizers)
        if(NOT sanitizer MATCHES "^(address|thread|undefined)$")
            message(FATAL_ERROR "OURO_SANITIZE=${OURO_SANITIZE}: '${sanitizer}' is none of "
                "address, thread, undefined")
        endif()
    endforeach()
    if("thread" IN_LIST sanitizers AND "address" IN_LIST sanitizers)
        message(FATAL_ERROR "OURO_SANITIZE=${OURO_SANITIZE}: thread and address exclude each other")
    endif()
    # Directory-wide: a program and the library that it loads must agree about the sanitizer. Of debug information
    # a report needs the lines; the rest is a fifth of the time of compiling.
    add_compile_options(-fsanitize=${OURO_SANITIZE} -fno-omit-frame-pointer
        -fno-sanitize-recover=all -g1)
    add_link_options(-fsanitize=${OURO_SANITIZE})
endif()

if(OURO_REFCOUNT STREQUAL "plain")
    # Directory-wide: a program and the library that it loads must agree about the count words.
    add_compile_definitions(OURO_REFCOUNT_PLAIN)
elseif(OURO_REFCOUNT)
    message(FATAL_ERROR "OURO_REFCOUNT=${OURO_REFCOUNT}: allowed: plain, or nothing")
endif()

if(OURO_FUZZ)
    if(NOT CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
        message(FATAL_ERROR "OURO_FUZZ needs clang, for libFuzzer; this is ${CMAKE_CXX_COMPILER_ID}")
    endif()
    # Every source counts what it covers; tests/CMakeLists.txt links the fuzzers' main.
    add_compile_options(-fsanitize=fuzzer-no-link -fno-sanitize-coverage=trace-cmp)
    add_link_options(-fsanitize=fuzzer-no-link)
endif()

# ouro_unity(target [EXCEPT regex]): most of the time of a source is that of the headers and templates that its
# neighbours use too: eight of a folder are compiled as one. Their names must differ, those of unnamed namespaces too;
# sources whose path matches are compiled by themselves.
function(ouro_unity target)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" EXCEPT "")
    set_target_properties(${target} PROPERTIES UNITY_BUILD ${OURO_UNITY} UNITY_BUILD_MODE GROUP)
    get_target_property(sources ${target} SOURCES)
    foreach(source IN LISTS sources)
        if(arg_EXCEPT AND source MATCHES "${arg_EXCEPT}")
            continue()
        endif()
        cmake_path(GET source PARENT_PATH folder)
        cmake_path(RELATIVE_PATH folder BASE_DIRECTORY ${CMAKE_SOURCE_DIR})
        string(MAKE_C_IDENTIFIER ${folder} folder)
        list(APPEND of_${folder} ${source})
        list(LENGTH of_${folder} count)
        math(EXPR group "(${count} - 1) / 8")
        set_source_files_properties(${source} PROPERTIES UNITY_GROUP ${folder}_${group})
    endforeach()
endfunction()

# What most sources of the library include of the standard one.
set(ouro_standard_headers <algorithm> <array> <atomic> <cstdint> <cstring> <functional> <memory> <mutex> <optional>
    <span> <string> <string_view> <utility> <vector>)

# ouro_precompile(target header...): the headers, which are not ours, are compiled once for its C++ sources. Each
# source includes what it uses all the same: clang, which compiles them one by one, would not find it otherwise.
function(ouro_precompile target)
    if(NOT OURO_UNITY)
        return()
    endif()
    target_precompile_headers(${target} PRIVATE ${ARGN})
    # Or ccache has nothing to go by.
    target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-fpch-preprocess>)
endfunction()
