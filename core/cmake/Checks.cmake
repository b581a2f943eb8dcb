# check-format: clang-format over every source. check-tidy: clang-tidy over every source, or, with
# OURO_TIDY_BASE=<revision> in the environment, over what changed since then.

find_program(OURO_CLANG_FORMAT clang-format-16)
find_program(OURO_CLANG_TIDY clang-tidy-16)

add_custom_target(check-format
    COMMAND ${CMAKE_COMMAND} -D SOURCE=${CMAKE_SOURCE_DIR} -D CLANG_FORMAT=${OURO_CLANG_FORMAT}
        -P ${CMAKE_CURRENT_LIST_DIR}/check_format.cmake
    VERBATIM USES_TERMINAL)
add_custom_target(check-tidy
    COMMAND ${CMAKE_COMMAND} -D SOURCE=${CMAKE_SOURCE_DIR} -D BINARY=${CMAKE_BINARY_DIR}
        -D CLANG_TIDY=${OURO_CLANG_TIDY}
        -P ${CMAKE_CURRENT_LIST_DIR}/check_tidy.cmake
    VERBATIM USES_TERMINAL)
add_dependencies(check-tidy ouro_version)
