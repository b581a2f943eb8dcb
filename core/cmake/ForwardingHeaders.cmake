# The other headers that CPython installs and that authors include beside Python.h: everything that they would declare
# is there, so each includes that.
foreach(name IN ITEMS
        abstract audit bltinmodule boolobject bytearrayobject bytesobject ceval codecs compile complexobject context
        critical_section descrobject dictobject enumobject errcode exports fileobject fileutils floatobject
        frameobject genericaliasobject import intrcheck iterobject listobject lock longobject marshal memoryobject
        methodobject modsupport moduleobject object objimpl osmodule patchlevel pybuffer pycapsule pyconfig
        pyerrors pyframe pyhash pylifecycle pymacro pymath pymem pyport pystate pystrcmp pystrtod pythonrun
        pythread pytypedefs rangeobject refcount setobject sliceobject structseq sysmodule traceback
        tracemalloc tupleobject typeslots unicodeobject warnings weakrefobject)
    file(CONFIGURE OUTPUT ${OURO_GENERATED_PUBLIC}/${name}.h
        CONTENT "/* One of CPython's headers: what it declares is in Python.h. */\n#include \"Python.h\"\n")
endforeach()
file(CONFIGURE OUTPUT ${OURO_GENERATED_PUBLIC}/osdefs.h
    CONTENT "/* One of CPython's headers: of paths. */
#ifndef MAXPATHLEN
#include <limits.h>
#define MAXPATHLEN PATH_MAX
#endif
#ifndef SEP
#define SEP L'/'
#endif
#ifndef DELIM
#define DELIM L':'
#endif
")
file(CONFIGURE OUTPUT ${OURO_GENERATED_PUBLIC}/datetime.h
    CONTENT "/* One of CPython's headers. */\n#include \"ouroboros/datetime.h\"\n")
