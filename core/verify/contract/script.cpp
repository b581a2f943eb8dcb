#include "core/verify/contract/script.hpp"

#include <fmt/format.h>

#include <map>
#include <sstream>
#include <vector>

#include "core/object/own.hpp"
#include "core/verify/contract/instances.hpp"
#include "core/verify/contract/judged_run.hpp"
#include "core/verify/contract/module_types.hpp"
#include "core/verify/contract/visits.hpp"

namespace ouro::contract {
namespace {

using object::Own;

using Left = std::map<PyObject*, PyTypeObject*>;

Left instances_alive() {
    Left left;
    PyUnstable_GC_VisitObjects(
        [](PyObject* op, void* arg) {
            if (is_module_type(Py_TYPE(op))) {
                static_cast<Left*>(arg)->emplace(op, Py_TYPE(op));
            }
            return 1;
        },
        &left);
    return left;
}

void check_left(const Left& before) {
    for (const auto& [op, type] : instances_alive()) {
        const Py_ssize_t unknown = Py_REFCNT(op) - visits_by_all(op);
        if (!before.contains(op) && unknown > 0) {
            report(Rule::kCountsKept, type->tp_name, place_of(type, type->tp_dealloc),
                   fmt::format("at the end of the script an instance is left, of whose {} "
                               "references {} are of nobody who visits it",
                               Py_REFCNT(op), unknown),
                   Certainty::kProbable);
        }
    }
}

void interpret(PyObject* module, const std::string& text) {
    const Left before = instances_alive();
    Interpreter interpreter(module);
    std::istringstream lines(text);
    size_t number = 0;
    for (std::string line; std::getline(lines, line);) {
        announce(Rule::kCallCrashes, "", {},
                 fmt::format("line {} of the script: {}", ++number, line));
        if (!interpreter.run(line)) {
            const Own raised(PyErr_GetRaisedException());
            const Own said(raised ? PyObject_Str(raised.get()) : nullptr);
            report_problem(fmt::format("line {} of the script: {}: {}", number,
                                       raised ? Py_TYPE(raised.get())->tp_name : "no exception",
                                       said ? PyUnicode_AsUTF8(said.get()) : ""));
            return;
        }
        check_names(interpreter);
    }
    announce(Rule::kCallCrashes, "", {}, "the end of the script");
    interpreter.forget_names();
    PyGC_Enable();
    PyGC_Collect();
    PyGC_Collect();
    check_left(before);
}

}  // namespace

void run_script(PyObject* module, const std::string& text, unsigned seconds) {
    look_alone(seconds, [&] { interpret(module, text); });
    std::vector<Line> judged;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        judged.push_back({line, {}, ""});
    }
    look_alone(seconds,
               [&] { run_judged(module, judged, [](size_t, const Interpreter&, PyObject*) {}); });
}

}  // namespace ouro::contract
