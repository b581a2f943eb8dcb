# The bridge to stock CPython (core/bridge): an extension module of the Python package `ouroboros`, in
# build/python/ouroboros beside its scripts, for each interpreter of OURO_PYTHON. The same sources as `pip install
# ./core/bridge`. Left out for an interpreter that has no headers.

set(OURO_PYTHON /usr/bin/python3 CACHE STRING "The interpreters that the bridge is built for")

file(GLOB bridge_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/core/bridge/*.cpp)
# What the collector of this runtime and that of CPython have in common.
list(APPEND bridge_sources
    ${CMAKE_SOURCE_DIR}/core/collector/components.cpp ${CMAKE_SOURCE_DIR}/core/event/memory.cpp)
file(GLOB bridge_scripts CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/core/bridge/python/ouroboros/*.py)
set(bridge_directory ${CMAKE_BINARY_DIR}/python/ouroboros)
# An interpreter without a sanitizer loads no module that has one.
if(OURO_SANITIZE)
    set(all "")
else()
    set(all ALL)
endif()
add_custom_target(ouroboros_bridge ${all}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${bridge_directory}
    COMMAND ${CMAKE_COMMAND} -E copy_if_different ${bridge_scripts} ${bridge_directory} VERBATIM)

foreach(interpreter IN LISTS OURO_PYTHON)
    execute_process(
        COMMAND ${interpreter} -c "import sysconfig
print(sysconfig.get_path('include'), sysconfig.get_config_var('EXT_SUFFIX'), sep=';')"
        OUTPUT_VARIABLE python OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
    list(POP_FRONT python python_headers python_suffix)
    if(NOT EXISTS "${python_headers}/Python.h")
        message(STATUS "core/bridge is left out: ${interpreter} has no Python.h (Debian: python3-dev)")
        continue()
    endif()
    string(MAKE_C_IDENTIFIER "ouroboros_bridge${python_suffix}" target)
    if(TARGET ${target})
        continue()
    endif()
    add_library(${target} MODULE EXCLUDE_FROM_ALL ${bridge_sources})
    set_target_properties(${target} PROPERTIES
        PREFIX "" OUTPUT_NAME _bridge SUFFIX "${python_suffix}" LIBRARY_OUTPUT_DIRECTORY ${bridge_directory}
        CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON)
    # CPython's Python.h, and not that of this project.
    target_include_directories(${target} PRIVATE ${CMAKE_SOURCE_DIR})
    target_include_directories(${target} SYSTEM PRIVATE ${python_headers})
    target_compile_options(${target} PRIVATE -fno-strict-aliasing)  # as CPython's own sources
    target_link_libraries(${target} PRIVATE ouro_compiler)
    add_dependencies(ouroboros_bridge ${target})
endforeach()
