#include "core/verify/contract/judged_run.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "core/object/object.hpp"
#include "core/verify/contract/instances.hpp"
#include "core/verify/contract/module_rules.hpp"
#include "core/verify/contract/module_types.hpp"
#include "core/verify/contract/new_objects.hpp"
#include "core/verify/contract/object_rules.hpp"
#include "core/verify/contract/traverse_rules.hpp"
#include "core/verify/contract/visits.hpp"

namespace ouro::contract {
namespace {

using object::Own;

bool is_judged_type(const PyTypeObject* type) {
    return is_module_type(type) && is_container_type(type) && type->tp_traverse != nullptr;
}

// Whether it is a container that may come to be part of a cycle: not a tuple of numbers, or a weak reference.
bool leads_to_container(PyObject* op) {
    const PyTypeObject* type = Py_TYPE(op);
    if (!is_container_type(type) || type->tp_traverse == nullptr) {
        return false;
    }
    const bool is_fixed = PyTuple_CheckExact(op) || PyWeakref_Check(op);
    return !is_fixed ||
           std::ranges::any_of(visits_of(op, type->tp_traverse).objects, leads_to_container);
}

// Of the exception that PyObject_Call makes of a call that breaks the rule.
bool is_about_result(PyObject* raised) {
    const Own text(PyErr_GivenExceptionMatches(raised, PyExc_SystemError) != 0
                       ? PyObject_Str(raised)
                       : nullptr);
    const char* said = text ? PyUnicode_AsUTF8(text.get()) : nullptr;
    const std::string_view message(said == nullptr ? "" : said);
    return message.ends_with("returned NULL without setting an exception") ||
           message.ends_with("returned a result with an exception set");
}

class Judge {
public:
    Judge(PyObject* module, const std::vector<Line>& lines)
        : lines_(lines), interpreter_(module, &literals_), process_(getpid()),
          others_([this](PyObject* op) { return is_other(op); }), others_before_(others_.numbers()),
          instances_([](PyObject* op) { return is_judged_type(Py_TYPE(op)); }),
          instances_before_(instances_.numbers()) {
        unowned_before_ = left_behind().unowned_in_all;
    }

    template <class After>
    void run(const After& after) {
        if (Left first = round(after); first.any()) {
            repeat(std::move(first));
        }
        look_for_cycles();
    }

private:
    // What a round has left behind.
    struct Left {
        std::vector<Py_ssize_t> kept;  // references to each literal that nobody visits
        Numbers unowned_in_all{};      // such references to instances of the module's types
        Numbers unowned{};             // more of them than before
        Numbers others{};              // more objects of other types than before, whoever has them

        bool any() const {
            return std::ranges::any_of(kept, [](Py_ssize_t number) { return number > 0; }) ||
                   !unowned.empty() || !others.empty();
        }
    };

    // What the same calls leave each time.
    void repeat(Left first) {
        constexpr int kRounds = 4;
        for (int i = 1; i < kRounds; ++i) {
            const Left next = round([](size_t, const Interpreter&, PyObject*) {});
            for (size_t at = 0; at < first.kept.size(); ++at) {
                first.kept[at] = next.kept[at] == first.kept[at] ? first.kept[at] : 0;
            }
            NewObjects::keep_same(first.unowned, next.unowned);
            if (i == 1) {
                first.others = next.others;  // the first round makes what is made once, too
                others_.note_there();
            }
            NewObjects::keep_same(first.others, next.others);
        }
        report_left(first, kRounds);
    }

    template <class After>
    Left round(const After& after) {
        literals_.begin();
        for (size_t at = 0; at < lines_.size(); ++at) {
            const Line& line = lines_[at];
            announce(Rule::kCallCrashes, line.type, line.place,
                     fmt::format("line {}: {}", at + 1, line.text));
            const bool done = interpreter_.run(line.text);
            if (getpid() != process_) {
                _exit(0);  // the line made this process
            }
            const Own raised(PyErr_GetRaisedException());
            if (breaks_exception_rule(done ? Py_None : nullptr, raised.get())) {
                report(
                    Rule::kCallNoException, line.type, line.place,
                    fmt::format("'{}' {}", line.text,
                                done ? "succeeds, and an exception is set"
                                     : "returns NULL without an exception, or a result with one"));
            }
            check_names(interpreter_);
            after(at, interpreter_, raised.get());
        }
        end_names();
        Left left = left_behind();
        if (left.any()) {
            collect_all();
            left = left_behind();
        }
        unowned_before_ = left.unowned_in_all;
        others_before_ = others_.numbers();
        for (size_t at = 0; at < left.kept.size(); ++at) {
            const Py_ssize_t kept = left.kept[at];
            if (kept < 0) {
                report(Rule::kCountsGivenAway, last().type, last().place,
                       fmt::format("at the end of the calls {} references to a {} were given back "
                                   "that nobody owned",
                                   -kept, Py_TYPE(literals_.all()[at])->tp_name));
            }
            left.kept[at] -= at < before_.size() ? before_[at] : 0;
        }
        before_.resize(left.kept.size());
        for (size_t at = 0; at < left.kept.size(); ++at) {
            before_[at] += left.kept[at];
        }
        return left;
    }

    // Garbage that collections find and do not free: what of it leads back to itself when all of it is cleared. The last
    // that is done with the process: nothing that it clears is as it was.
    void look_for_cycles() const {
        if (!has_collector() || NewObjects::more(instances_.numbers(), instances_before_).empty()) {
            return;
        }
        announce(Rule::kClearCrashes, last().type, last().place, "collections after the calls");
        collect_all();
        if (collect_all() == 0) {
            return;
        }
        const std::vector<Own> garbage = kept_garbage();
        for (const Own& each : garbage) {
            PyTypeObject* type = Py_TYPE(each.get());
            if (type->tp_clear != nullptr) {
                announce(Rule::kClearCrashes, type->tp_name, place_of(type, type->tp_clear),
                         "tp_clear of garbage");
                type->tp_clear(each.get());
                PyErr_Clear();
            }
        }
        std::set<const PyTypeObject*> left;
        for (const Own& each : garbage) {
            const PyTypeObject* type = Py_TYPE(each.get());
            if (is_judged_type(type) && type->tp_clear != nullptr && !left.contains(type) &&
                reached_from({each.get()}, each.get()).visits > 0) {
                left.insert(type);
            }
        }
        for (const PyTypeObject* type : left) {
            report(Rule::kClearLeaves, type->tp_name, place_of(type, type->tp_clear),
                   "after the calls each collection finds garbage again, and frees nothing: an "
                   "instance that has been cleared still leads back to itself",
                   left.size() == 1 ? Certainty::kCertain : Certainty::kProbable);
        }
    }

    // Literals are counted by themselves, and so are instances of the module's container types.
    bool is_other(PyObject* op) const {
        return !(is_container_type(Py_TYPE(op)) && is_module_type(Py_TYPE(op))) &&
               std::ranges::find(literals_.all(), op) == literals_.all().end();
    }

    // The last line that calls a function of the module's.
    const Line& last() const {
        for (size_t at = lines_.size(); at-- > 0;) {
            if (lines_[at].place.address != nullptr) {
                return lines_[at];
            }
        }
        return lines_.back();
    }

    // Drops the names; an instance that owned more than it visited has forgotten something.
    void end_names() {
        std::vector<std::string> names;
        for (const auto& [name, value] : interpreter_.names()) {
            if (is_judged_type(Py_TYPE(value.get()))) {
                names.push_back(name);
            }
        }
        for (const std::string& name : names) {
            end_instance(name, names.size() == 1);
        }
        announce(Rule::kCallCrashes, last().type, last().place, "the end of the calls");
        interpreter_.forget_names();
    }

    void end_instance(const std::string& name, bool is_alone) {
        PyObject* op = interpreter_.names().at(name).get();
        const PyTypeObject* type = Py_TYPE(op);
        // A finalizer may revive it, and drop anything else.
        if (Py_REFCNT(op) != 1 || !object::is_tracked(op) || type->tp_finalize != nullptr ||
            type->tp_del != nullptr) {
            return;
        }
        const size_t freed_before = freed_instances();
        struct Watched {
            PyObject* op;
            Py_ssize_t count;
            Reached reached;
            Py_ssize_t visits;  // by all
        };
        std::vector<Watched> watched;
        for (PyObject* each : containers_beside(op)) {
            watched.push_back(
                {each, Py_REFCNT(each), reached_from({op}, each), visits_by_all(each)});
        }
        announce(Rule::kCallCrashes, type->tp_name, place_of(type, type->tp_dealloc),
                 "the death of " + name);
        interpreter_.forget(name);
        if (freed_instances() != freed_before + 1) {
            return;
        }
        for (const auto& [each, count, reached, visits] : watched) {
            const Py_ssize_t given = count - Py_REFCNT(each);
            if (given > reached.visits && given > visits - visits_by_all(each)) {
                report(Rule::kTraverseForgets, type->tp_name, place_of(type, type->tp_traverse),
                       fmt::format("after the calls {} owned {} references to a {}, which it "
                                   "dropped when it died, and visited {}",
                                   name, given, Py_TYPE(each)->tp_name, reached.visits),
                       reached.is_plain && is_alone ? Certainty::kCertain : Certainty::kProbable);
            }
        }
    }

    // Literals, and instances that have names, to which one may refer.
    std::vector<PyObject*> containers_beside(const PyObject* op) const {
        std::vector<PyObject*> found;
        for (PyObject* each : literals_.all()) {
            if (PyList_Check(each) || PyDict_Check(each)) {
                found.push_back(each);
            }
        }
        for (const auto& [name, value] : interpreter_.names()) {
            PyObject* each = value.get();
            if (each != op && is_judged_type(Py_TYPE(each)) &&
                std::ranges::find(found, each) == found.end()) {
                found.push_back(each);
            }
        }
        return found;
    }

    Left left_behind() const {
        std::map<PyObject*, Py_ssize_t> visits;
        for (PyObject* each : literals_.all()) {
            visits[each];
        }
        std::map<PyObject*, Py_ssize_t> instances;
        PyUnstable_GC_VisitObjects(
            [](PyObject* op, void* arg) {
                if (is_module_type(Py_TYPE(op))) {
                    static_cast<std::map<PyObject*, Py_ssize_t>*>(arg)->emplace(op, 0);
                }
                return 1;
            },
            &instances);
        visits.insert(instances.begin(), instances.end());
        count_visits_by_all(visits);
        Left left;
        for (const auto& [op, none] : instances) {
            left.unowned_in_all[Py_TYPE(op)] += std::max<Py_ssize_t>(Py_REFCNT(op) - visits[op], 0);
        }
        left.unowned = NewObjects::more(left.unowned_in_all, unowned_before_);
        left.others = NewObjects::more(others_.numbers(), others_before_);
        for (PyObject* each : literals_.all()) {
            const Py_ssize_t owned = Py_REFCNT(each) - Literals::kHeld;
            left.kept.push_back(owned < 0 ? owned : std::max<Py_ssize_t>(owned - visits[each], 0));
        }
        return left;
    }

    void report_left(const Left& left, int rounds) const {
        for (size_t at = 0; at < left.kept.size(); ++at) {
            if (left.kept[at] > 0) {
                report(Rule::kCountsKept, last().type, last().place,
                       fmt::format("{} times the same calls: {} references to a {} are left that "
                                   "nobody visits",
                                   rounds, rounds * left.kept[at],
                                   Py_TYPE(literals_.all()[at])->tp_name),
                       Certainty::kProbable);
                return;
            }
        }
        for (const auto& [type, number] : left.unowned) {
            report(Rule::kCountsKept, type->tp_name, place_of(type, type->tp_dealloc),
                   fmt::format("{} times the same calls: {} references to instances are left that "
                               "nobody visits",
                               rounds, rounds * number),
                   Certainty::kProbable);
            return;
        }
        for (const auto& [type, number] : left.others) {
            if (others_.unexplained(type) >= rounds - 2) {
                report(
                    Rule::kCountsKept, last().type, last().place,
                    fmt::format("each time the same calls leave {} more of type {}, and to one at "
                                "least there are references of nobody who visits it",
                                number, type->tp_name),
                    Certainty::kProbable);
                return;
            }
        }
    }

    const std::vector<Line>& lines_;
    Literals literals_;
    Interpreter interpreter_;
    const pid_t process_;
    std::vector<Py_ssize_t> before_;  // what the rounds so far have left
    NewObjects others_;
    Numbers others_before_;
    NewObjects instances_;
    Numbers instances_before_;
    Numbers unowned_before_;
};

}  // namespace

bool breaks_exception_rule(const PyObject* value, PyObject* raised) {
    return value != nullptr ? raised != nullptr : raised == nullptr || is_about_result(raised);
}

void check_names(const Interpreter& interpreter) {
    std::map<PyObject*, Py_ssize_t> visits;
    std::map<PyObject*, const PyTypeObject*> visitors;
    for (const auto& [name, op] : interpreter.names()) {
        const PyTypeObject* type = Py_TYPE(op.get());
        if (!is_judged_type(type)) {
            continue;
        }
        announce(Rule::kTraverseCrashes, type->tp_name, place_of(type, type->tp_traverse),
                 "a traversal of " + name);
        const Visits seen = visits_of(op.get(), type->tp_traverse);
        if (seen.nulls != 0) {
            report(Rule::kTraverseNull, type->tp_name, place_of(type, type->tp_traverse),
                   fmt::format("{} visits NULL", name));
        }
        if (!seen.no_objects.empty()) {
            report(Rule::kTraverseNoObject, type->tp_name, place_of(type, type->tp_traverse),
                   fmt::format("{} visits what is no object, or not any more", name));
        }
        check_answers(op.get(), name, seen);
        for (PyObject* each : seen.objects) {
            visits[each];
            visitors.emplace(each, type);
            if (!object::is_tracked(op.get()) && !PyType_Check(each) && leads_to_container(each)) {
                report(Rule::kObjectNeverTracked, type->tp_name, place_of(type, type->tp_new),
                       fmt::format("{} refers to a {}, and is not tracked", name,
                                   Py_TYPE(each)->tp_name));
            }
        }
    }
    if (visits.empty()) {
        return;
    }
    count_visits_by_all(visits);
    for (const auto& [op, count] : visits) {
        const Py_ssize_t owned = Py_REFCNT(op) - interpreter.references_to(op);
        if (PyUnstable_IsImmortal(op) == 0 && count > owned) {
            const PyTypeObject* type = visitors[op];
            report(Rule::kTraverseUnowned, type->tp_name, place_of(type, type->tp_traverse),
                   fmt::format("a {} has {} references that containers may own, and all containers "
                               "together visit it {} times",
                               Py_TYPE(op)->tp_name, owned, count));
        }
    }
}

void run_judged(PyObject* module, const std::vector<Line>& lines,
                const std::function<void(size_t, const Interpreter&, PyObject*)>& after) {
    if (!lines.empty()) {
        Judge(module, lines).run(after);
        check_module_state(module);
    }
}

}  // namespace ouro::contract
