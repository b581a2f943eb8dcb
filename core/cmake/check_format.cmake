# Run by the target check-format: fails and shows each place that clang-format would change.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/sources.cmake)
if(NOT CLANG_FORMAT)
    message(FATAL_ERROR "clang-format-16 was not found: tests/run installs it")
endif()
ouro_sources(files *.cpp *.hpp *.c *.h)
list(LENGTH files count)
execute_process(COMMAND ${CLANG_FORMAT} --dry-run -Werror ${files}
    WORKING_DIRECTORY ${SOURCE} RESULT_VARIABLE failed)
if(failed)
    message(FATAL_ERROR "not formatted; to mend: clang-format-16 -i FILE...")
endif()
message(STATUS "${count} files are formatted")
