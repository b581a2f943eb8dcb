# What is used from the system. A missing piece is reported with its Debian package and the command
# that installs it.

macro(ouro_need package debian)
    find_package(${package} QUIET ${ARGN})
    if(NOT ${package}_FOUND)
        message(FATAL_ERROR "${package} was not found (Debian: ${debian}). "
            "experiments/run installs what the ouro command needs, tests/run what the tests need.")
    endif()
endmacro()

set(THREADS_PREFER_PTHREAD_FLAG ON)
ouro_need(Threads libc6-dev)
ouro_need(Boost "libboost-dev libboost-context-dev" COMPONENTS headers context)
ouro_need(fmt libfmt-dev)
ouro_need(nlohmann_json nlohmann-json3-dev)
ouro_need(toml11 libtoml11-dev)
if(OURO_BUILD_EXPERIMENTS)
    ouro_need(CLI11 libcli11-dev)
    ouro_need(valijson libvalijson-dev)
    ouro_need(benchmark libbenchmark-dev)
endif()
if(OURO_BUILD_TESTS)
    ouro_need(GTest "libgtest-dev libgmock-dev")
    ouro_need(rapidcheck librapidcheck-dev)
endif()
