# Read by ctest, once for each GoogleTest program, before it runs any test: adds the program's tests.
#
#   OURO_PROGRAM      the program
#   OURO_PREFIX       of its tests' names
#   OURO_BY           case: a test of ctest, and a process, for each case; suite: one for all cases of a suite
#   OURO_SPLIT        of a program by suite: regular expression of the suites that are by case all the same
#   OURO_LABELS, OURO_ENVIRONMENT, OURO_DIRECTORY   properties of its tests

cmake_policy(SET CMP0054 NEW)  # quoted words are no variables

if(NOT EXISTS "${OURO_PROGRAM}")
    add_test("${OURO_PREFIX}NOT_BUILT" "${OURO_PROGRAM}")
    return()
endif()

# What the program said when it was last asked, without what gtest says of parameters.
set(said "${OURO_PROGRAM}.tests")
if(NOT EXISTS "${said}" OR "${OURO_PROGRAM}" IS_NEWER_THAN "${said}")
    execute_process(COMMAND "${OURO_PROGRAM}" --gtest_list_tests
        TIMEOUT 60 OUTPUT_VARIABLE output COMMAND_ERROR_IS_FATAL ANY)
    string(REGEX REPLACE " *#[^\n]*" "" output "${output}")
    file(WRITE "${said}" "${output}")
endif()

file(STRINGS "${said}" lines)
foreach(line IN LISTS lines)
    set(cases "")
    if(line MATCHES "^([^ ]+)\\.$")
        set(suite "${CMAKE_MATCH_1}")
        set(by "${OURO_BY}")
        if(NOT "${OURO_SPLIT}" STREQUAL "" AND suite MATCHES "(^|/)(${OURO_SPLIT})(/|$)")
            set(by case)
        endif()
        if(by STREQUAL "suite")
            set(name "${OURO_PREFIX}${suite}")
            set(cases "${suite}.*")
            set(skipped "")  # a suite with one skipped case has run the others
        endif()
    elseif(line MATCHES "^  ([^ ]+)$" AND by STREQUAL "case")
        set(name "${OURO_PREFIX}${suite}.${CMAKE_MATCH_1}")
        set(cases "${suite}.${CMAKE_MATCH_1}")
        set(skipped SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
    endif()
    if(NOT cases STREQUAL "")
        add_test("${name}" "${OURO_PROGRAM}" "--gtest_filter=${cases}")
        set_tests_properties("${name}" PROPERTIES TIMEOUT 600 WORKING_DIRECTORY "${OURO_DIRECTORY}"
            LABELS "${OURO_LABELS}" ENVIRONMENT "${OURO_ENVIRONMENT}" ${skipped})
    endif()
endforeach()
