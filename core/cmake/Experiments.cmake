# The ouro command and the microbenchmarks: programs like any user's, above the public headers.

file(GLOB_RECURSE ouro_sources CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/experiments/runner/*.cpp)
file(GLOB_RECURSE workload_sources CONFIGURE_DEPENDS
    ${CMAKE_SOURCE_DIR}/experiments/workloads/*.cpp)
file(GLOB_RECURSE micro_sources CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/experiments/micro/*.cpp)

file(RELATIVE_PATH OURO_BIN_TO_PREFIX ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_PREFIX})
string(TOUPPER "${CMAKE_BUILD_TYPE}" build_type)
string(STRIP "${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${build_type}}" OURO_FLAGS)
set(OURO_DEFINITION "")
if(OURO_REFCOUNT STREQUAL "plain")
    set(OURO_DEFINITION "OURO_REFCOUNT_PLAIN")
endif()
# Where `ouro config` finds the headers and the library: experiments/runner/build_config.hpp.
configure_file(${CMAKE_CURRENT_LIST_DIR}/build_config.hpp.in
    ${OURO_GENERATED}/private/experiments/runner/build_config.hpp @ONLY)

# The workloads, and the runner but for main.cpp, are archives, which say nothing about where the runtime comes
# from: the command takes libouroboros.so, the tests take the objects.
add_library(ouro_workloads STATIC ${workload_sources})
target_link_libraries(ouro_workloads PUBLIC ouro_private_includes ouro_compiler
    nlohmann_json::nlohmann_json fmt::fmt Threads::Threads)
add_dependencies(ouro_workloads ouro_version)
set(headers ${ouro_standard_headers} <fmt/format.h> <nlohmann/json.hpp>)
ouro_precompile(ouro_workloads ${headers})

list(FILTER ouro_sources EXCLUDE REGEX "/experiments/runner/main\\.cpp$")
set(unmeasured ${ouro_sources})
list(FILTER unmeasured INCLUDE REGEX "/runner/(command|run)/")
list(REMOVE_ITEM ouro_sources ${unmeasured})
add_library(ouro_command OBJECT ${unmeasured})
add_library(ouro_experiments STATIC ${ouro_sources})
foreach(target ouro_command ouro_experiments)
    target_include_directories(${target} PUBLIC ${OURO_GENERATED}/private)
    target_link_libraries(${target} PUBLIC ouro_workloads
        CLI11::CLI11 nlohmann_json::nlohmann_json fmt::fmt toml11::toml11 valijson)
    ouro_unity(${target} EXCEPT "/runner/bench/")  # where each has the same names for its own
    ouro_precompile(${target} ${headers})
endforeach()
target_sources(ouro_experiments PRIVATE $<TARGET_OBJECTS:ouro_command>)
# Files and lines of modules' functions, for `ouro check`; without it they are named by symbol and offset.
find_path(OURO_DWFL_HEADERS elfutils/libdwfl.h)
find_library(OURO_DWFL dw)
if(OURO_DWFL_HEADERS AND OURO_DWFL)
    target_compile_definitions(ouro_experiments PRIVATE OURO_HAVE_DWFL)
    target_link_libraries(ouro_experiments PUBLIC ${OURO_DWFL})
endif()
# Templates take a minute each, and what is not measured takes none.
if(OURO_SANITIZE)
    target_compile_options(ouro_command PRIVATE -O0)
    target_compile_options(ouro_experiments PRIVATE -O0)
else()
    target_compile_options(ouro_command PRIVATE $<$<CONFIG:Release>:-O1>)
endif()

add_executable(ouro ${CMAKE_SOURCE_DIR}/experiments/runner/main.cpp)
target_link_libraries(ouro PRIVATE ouro_experiments ouroboros)
# All of the archives: nothing calls a workload that describes itself.
set_target_properties(ouro PROPERTIES
    LINK_LIBRARY_OVERRIDE_ouro_workloads WHOLE_ARCHIVE
    LINK_LIBRARY_OVERRIDE_ouro_experiments WHOLE_ARCHIVE)

add_executable(ouro_micro ${micro_sources})
target_link_libraries(ouro_micro PRIVATE ouro_experiments ouroboros
    benchmark::benchmark benchmark::benchmark_main)
# The loops of experiments/micro/protocols.cpp, all with the optimisation that modules are built with:
# in the program, there with bare counts, and in a shared object that the program loads.
set(count_loop ${CMAKE_SOURCE_DIR}/experiments/micro/count_loop.c)
add_library(ouro_micro_program OBJECT ${count_loop})
target_compile_definitions(ouro_micro_program PRIVATE
    OURO_ONE=ouro_program_one OURO_MANY=ouro_program_many)
add_library(ouro_micro_plain OBJECT ${count_loop})
target_compile_definitions(ouro_micro_plain PRIVATE
    OURO_ONE=ouro_plain_one OURO_MANY=ouro_plain_many OURO_REFCOUNT_PLAIN)
add_library(ouro_micro_module MODULE ${count_loop})
target_compile_definitions(ouro_micro_module PRIVATE
    OURO_ONE=ouro_module_one OURO_MANY=ouro_module_many)
target_link_libraries(ouro_micro_module PRIVATE ouroboros)
foreach(loop ouro_micro_program ouro_micro_plain ouro_micro_module)
    target_link_libraries(${loop} PRIVATE ouro_private_includes ouro_compiler)
    target_compile_options(${loop} PRIVATE -O2)
    add_dependencies(${loop} ouro_version)
endforeach()
target_link_libraries(ouro_micro PRIVATE ouro_micro_program ouro_micro_plain ${CMAKE_DL_LIBS})
target_compile_definitions(ouro_micro PRIVATE OURO_MICRO_MODULE="$<TARGET_FILE_NAME:ouro_micro_module>")
add_dependencies(ouro_micro ouro_micro_module)
# From there the program takes the library, the benchmark the module.
file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set_target_properties(ouro ouro_micro PROPERTIES INSTALL_RPATH "$ORIGIN/${bin_to_lib}")
