"""The public headers compile as C11 and as C++20 without one warning: Python.h and ouroboros.h alone,
the parts in ouroboros/ after Python.h."""
# not with a sanitizer: runs nothing of the build

import os
import re
import shutil
import subprocess
import unittest

SOURCE = os.path.realpath(os.environ.get("OURO_SOURCE") or
                          os.path.join(os.path.dirname(__file__), "..", ".."))
BUILD = os.environ.get("OURO_BUILD")
INCLUDE = os.path.join(SOURCE, "core", "include")
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-Wundef", "-Wconversion", "-Werror")
COMPILERS = {"c": ("gcc", "clang-16"), "c++": ("g++", "clang++-16")}
STANDARDS = {"c": "c11", "c++": "c++20"}


def public_headers():
    for directory, _, names in os.walk(INCLUDE):
        for name in sorted(names):
            if name.endswith(".h"):
                yield os.path.relpath(os.path.join(directory, name), INCLUDE)


class PublicHeadersCompileClean(unittest.TestCase):
    def complaints(self, compiler, language, text):
        command = [compiler, "-x", language, f"-std={STANDARDS[language]}", *WARNINGS,
                   "-fsyntax-only", "-O2", "-I", INCLUDE, "-I", SOURCE, "-"]
        if BUILD:
            command[-1:-1] = ["-I", os.path.join(BUILD, "generated", "public")]
        done = subprocess.run(command, input=text, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, check=False)
        return done.stdout if done.returncode else ""

    def each_compiler(self):
        for language, compilers in COMPILERS.items():
            for compiler in compilers:
                if shutil.which(compiler):
                    yield compiler, language

    def test_each_header(self):
        headers = list(public_headers())
        self.assertIn("Python.h", headers)
        parts = [header for header in headers if "/" in header]
        self.assertGreater(len(parts), 30)
        texts = {header: f"#include <{header}>\n" for header in headers if header not in parts}
        texts["the parts"] = "#include <Python.h>\n" + "".join(f"#include <{header}>\n" for header in parts)
        for compiler, language in self.each_compiler():
            for name, text in texts.items():
                with self.subTest(header=name, compiler=compiler, language=language):
                    found = self.complaints(compiler, language, text)
                    if found:
                        self.fail("\n" + found)

    # All before Python.h, too: authors include them in any order.
    @unittest.skipUnless(BUILD, "they are made with the build")
    def test_the_names_of_other_headers_of_cpython(self):
        names = sorted(name for name in os.listdir(os.path.join(BUILD, "generated", "public"))
                       if name.endswith(".h"))
        for asked in ("pyconfig.h", "bytesobject.h", "frameobject.h", "pythread.h", "modsupport.h", "pyport.h"):
            self.assertIn(asked, names)
        text = "".join(f"#include <{name}>\n" for name in names)
        for compiler, language in self.each_compiler():
            with self.subTest(compiler=compiler, language=language):
                self.assertEqual(self.complaints(compiler, language, text + "PyObject *op;\n"
                                                 "void f(void) { printf(\"%d\", errno + INT_MAX); }\n"), "")

    # HAVE_SYS_TYPES_H: sys/types.h; HAVE_FORK: what those headers and a few more declare.
    def test_what_the_configuration_says_is_there(self):
        with open(os.path.join(INCLUDE, "ouroboros", "config.h"), encoding="utf-8") as file:
            text = file.read()
        headers = [name[:-2].lower() for name in re.findall(r"#define HAVE_([A-Z0-9_]+_H) 1", text)]
        functions = text.partition("/* Functions of the system. */")[2].partition("/*")[0]
        functions = [name.lower() for name in re.findall(r"#define HAVE_([A-Z0-9_]+) 1", functions)]
        self.assertGreater(min(len(headers), len(functions)), 50)
        source = "#define _GNU_SOURCE\n" + "".join(
            f"#include <{name}.h>\n" for name in ("locale", "math", "pwd", "semaphore", "stdio", "sys/timeb", "time", "wchar"))
        for header in headers:
            places = (header, header.replace("_", "/", 1), header.replace("_", "/"))
            # Those of the kernel define what those of the C library do.
            include = "#include <{}.h>\n" if not header.startswith("linux_") else ""
            source += "".join(f"#{'elif' if k else 'if'} __has_include(<{place}.h>)\n{include.format(place)}"
                              for k, place in enumerate(places)) + f"#else\n#error no {header}\n#endif\n"
        source += "".join(f"void* of_{name}(void) {{ return (void*){name}; }}\n" for name in functions)
        run = subprocess.run(["gcc", "-x", "c", "-std=c11", "-w", "-fsyntax-only", "-"], input=source, capture_output=True,
                             text=True, check=False)
        self.assertEqual(run.returncode, 0, run.stderr)

    def test_a_warning_would_be_noticed(self):
        for compiler, language in self.each_compiler():
            self.assertTrue(self.complaints(
                compiler, language, "#include <Python.h>\nint f(long x) { return (x); }\n"
                "static int unused;\n"), compiler)


if __name__ == "__main__":
    unittest.main()
