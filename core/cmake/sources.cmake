# ouro_sources(result pattern...): the project's own files below SOURCE that end in one of the
# patterns, relative to SOURCE, build directories and results left out.
function(ouro_sources result)
    set(globs)
    foreach(room core concurrency experiments tests)
        foreach(pattern IN LISTS ARGN)
            list(APPEND globs ${SOURCE}/${room}/${pattern})
        endforeach()
    endforeach()
    file(GLOB_RECURSE files RELATIVE ${SOURCE} ${globs})
    list(FILTER files EXCLUDE REGEX "^experiments/results/")
    list(SORT files)
    set(${result} ${files} PARENT_SCOPE)
endfunction()
