# Read by ctest, once for each GoogleTest program, before it runs any test: adds the program's tests.
#
#   OURO_PROGRAM      the program
#   OURO_PREFIX       of its tests' names
#   OURO_BY           case: a test of ctest, and a process, for each case; suite: one for all cases of a suite
#   OURO_SPLIT        of a program by suite: regular expression of the suites that are by case all the same
#   OURO_LABELS, OURO_ENVIRONMENT, OURO_DIRECTORY   properties of its tests

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
set(left_out "")
set(of_suite "")
# By a pattern: to ctest a word in quotes that is the name of a variable is its value.
set(whole_suites NO)
if(OURO_BY MATCHES "^suite$")
    set(whole_suites YES)
endif()
foreach(line IN LISTS lines)
    set(cases "")
    if(line MATCHES "^([^ ]+)\\.$")
        set(suite "${CMAKE_MATCH_1}")
        set(whole "${whole_suites}")
        if(NOT "${OURO_SPLIT}" STREQUAL "" AND suite MATCHES "(^|/)(${OURO_SPLIT})(/|$)")
            set(whole NO)
        endif()
        if(whole)
            set(name "${OURO_PREFIX}${suite}")
            set(cases "${suite}.*")
            set(skipped "")  # a suite with one skipped case has run the others
        endif()
        set(of_suite "${cases}")
    elseif(line MATCHES "^  ([^ ]+)$" AND NOT whole)
        set(name "${OURO_PREFIX}${suite}.${CMAKE_MATCH_1}")
        set(cases "${suite}.${CMAKE_MATCH_1}")
        set(skipped SKIP_REGULAR_EXPRESSION "\\[  SKIPPED \\]")
    elseif(line MATCHES "^  " AND "${of_suite}" STREQUAL "")
        list(APPEND left_out "${line}")
    endif()
    if(NOT "${cases}" STREQUAL "")
        add_test("${name}" "${OURO_PROGRAM}" "--gtest_filter=${cases}")
        set_tests_properties("${name}" PROPERTIES TIMEOUT 600 WORKING_DIRECTORY "${OURO_DIRECTORY}"
            LABELS "${OURO_LABELS}" ENVIRONMENT "${OURO_ENVIRONMENT}"
            FAIL_REGULAR_EXPRESSION "Running 0 tests" ${skipped})
    endif()
endforeach()

# A case that no test runs fails.
if(NOT "${left_out}" STREQUAL "")
    add_test("${OURO_PREFIX}LEFT_OUT" "${CMAKE_COMMAND}" -E cat "${said}" LEFT_OUT)
endif()
