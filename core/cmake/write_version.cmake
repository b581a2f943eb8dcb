# Run by the build: writes HEADER from TEMPLATE with the commit of SOURCE, if it changed.
cmake_minimum_required(VERSION 3.25)
set(COMMIT unknown)
find_program(git git)
if(git)
    # A directory above that happens to be a checkout of something else is not ours.
    cmake_path(GET SOURCE PARENT_PATH above)
    set(run ${CMAKE_COMMAND} -E env GIT_CEILING_DIRECTORIES=${above} GIT_OPTIONAL_LOCKS=0 ${git})
    execute_process(COMMAND ${run} -C ${SOURCE} rev-parse --short=12 HEAD
        OUTPUT_VARIABLE hash OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
    if(NOT failed)
        set(COMMIT ${hash})
        execute_process(COMMAND ${run} -C ${SOURCE} status --porcelain
            OUTPUT_VARIABLE changes ERROR_QUIET)
        if(changes)
            string(APPEND COMMIT "+changes")
        endif()
    endif()
endif()
configure_file(${TEMPLATE} ${HEADER} @ONLY)
