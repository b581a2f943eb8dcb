#include "core/verify/contract/instances.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <new>

#include "core/object/own.hpp"
#include "core/verify/contract/interpreter.hpp"
#include "core/verify/contract/module_types.hpp"
#include "core/verify/contract/signature.hpp"
#include "core/verify/contract/visits.hpp"

namespace ouro::contract {
namespace {

using object::Own;

// Arguments, by number; each call has new ones.
struct Kind {
    const char* text;
    PyObject* (*make)();
};
constexpr Kind kKinds[] = {
    {"[]", [] { return PyList_New(0); }},
    {"1", [] { return PyLong_FromLong(1); }},
    {"'a'", [] { return PyUnicode_FromString("a"); }},
    {"None", [] { return Py_NewRef(Py_None); }},
    {"{}", [] { return PyDict_New(); }},
    {"(1, 2)", [] { return Py_BuildValue("(ii)", 1, 2); }},
    {"1.5", [] { return PyFloat_FromDouble(1.5); }},
    {"b'a'", [] { return PyBytes_FromString("a"); }},
    {"dict.fromkeys", new_callable},
    {"list", [] { return Py_NewRef(reinterpret_cast<PyObject*>(&PyList_Type)); }},
};
constexpr int kAllKinds = static_cast<int>(std::size(kKinds));
constexpr int kMostCombined = 3;  // arguments, of all kinds each
constexpr int kFewKinds = 4;      // where there are three of them
constexpr int kMostGuided = 24;   // calls of a source by its signature

struct Source {
    PyObject* callable;  // borrowed: the module or the list of types has it
    std::string name;
};

// The module's types, then its functions; the same list in each process.
std::vector<Source> sources_of(PyObject* module) {
    std::vector<Source> sources;
    for (PyTypeObject* type : module_types()) {
        sources.push_back({reinterpret_cast<PyObject*>(type), type->tp_name});
    }
    PyObject *name, *value;
    for (Py_ssize_t at = 0; PyDict_Next(PyModule_GetDict(module), &at, &name, &value) != 0;) {
        const char* text = PyUnicode_Check(name) ? PyUnicode_AsUTF8(name) : nullptr;
        if (text != nullptr && PyCFunction_Check(value)) {
            sources.push_back({value, text});
        }
    }
    return sources;
}

// As the call that was made last has told it, or the documentation.
Signature signature_of(const Source& source) {
    const NotedArguments& noted = noted_arguments();
    if (noted.format[0] != '\0') {
        return signature_of_format(noted.format, noted.keywords);
    }
    return documented_signature(source.callable, source.name);
}

// Nothing is lost by an exception here: the call was a guess.
PyObject* or_clear(PyObject* op) {
    if (op == nullptr) {
        PyErr_Clear();
    }
    return op;
}

PyObject* call_plainly(const Source& source, const Recipe& recipe, PyObject* probe, int at) {
    const Own arguments(PyTuple_New(recipe.count));
    for (int i = 0; arguments && i < recipe.count; ++i) {
        PyTuple_SET_ITEM(arguments.get(), i,
                         probe != nullptr && i == at ? Py_NewRef(probe)
                                                     : kKinds[recipe.arguments[i]].make());
    }
    return PyObject_Call(source.callable, arguments.get(), nullptr);
}

PyObject* call(const Source& source, const Recipe& recipe, PyObject* probe, int at) {
    PyObject* result = or_clear(call_plainly(source, recipe, probe, at));
    if (result != nullptr && recipe.iterate) {
        PyObject* iterator = or_clear(PyObject_GetIter(result));
        Py_DECREF(result);
        return iterator;
    }
    return result;
}

// What the process that searches leaves for the one that waits for it.
struct Found {
    static constexpr size_t kMost = 512;
    size_t attempts;  // begun
    size_t count;
    Recipe recipes[kMost];
    size_t visits[kMost];  // of the instance: more is better
};

constexpr size_t kRecipesOfType = 3;

size_t visits_of_new(PyObject* op) {
    const PyTypeObject* type = Py_TYPE(op);
    if (type->tp_traverse == nullptr) {
        return 0;
    }
    announce(Rule::kTraverseCrashes, type->tp_name, place_of(type, type->tp_traverse),
             "a traversal of a new instance");
    const size_t visits = visits_of(op, type->tp_traverse).objects.size();
    PyErr_Clear();  // which it may not have set: that is reported elsewhere
    announce(Rule::kCallCrashes, type->tp_name, place_of(type, type->tp_dealloc),
             "the death of a new instance");
    return visits;
}

// Keeps the recipe if its instance refers to more than those of the others: a few of each type, the first ones and the last.
void consider(Found& found, Recipe recipe, PyObject* made) {
    recipe.type = number_of(Py_TYPE(made));
    if (recipe.type < 0) {
        return;
    }
    const size_t visits = visits_of_new(made);
    size_t known = 0, last = 0;
    for (size_t i = 0; i < found.count; ++i) {
        if (found.recipes[i].type == recipe.type) {
            if (found.visits[i] >= visits) {
                return;
            }
            ++known;
            last = i;
        }
    }
    const size_t place = known < kRecipesOfType ? found.count : last;
    if (place < Found::kMost) {
        found.recipes[place] = recipe;
        found.visits[place] = visits;
        found.count = std::max(found.count, place + 1);
    }
}

void attempt(Found& found, const Source& source, Recipe recipe) {
    announce(Rule::kCallCrashes, source.name.c_str(), {}, "a call of " + source.name);
    const Own made(call(source, recipe, nullptr, 0));
    if (!made) {
        return;
    }
    consider(found, recipe, made.get());
    recipe.iterate = true;
    if (Py_TYPE(made.get())->tp_iter != nullptr && number_of(Py_TYPE(made.get())) >= 0) {
        if (const Own iterator(or_clear(PyObject_GetIter(made.get()))); iterator) {
            consider(found, recipe, iterator.get());
        }
    }
}

// The kinds of literals that may stand for a unit, in order.
std::vector<int> kinds_of(char unit) {
    std::vector<int> kinds;
    for (int kind = 0; kind < kAllKinds; ++kind) {
        if (fits(unit, kKinds[kind].text)) {
            kinds.push_back(kind);
        }
    }
    return kinds;
}

// Call number `number` by a signature: what must be given, and one after the other what may be; the kinds that fit in turn,
// and when all has been given, from the next one on. False if all combinations have been tried anyway, or there are too many parameters.
bool guide(Recipe& recipe, const Signature& signature, int number) {
    const size_t least = signature.least, most = signature.parameters.size();
    const size_t choices = most - least + 1;
    const size_t count = least + static_cast<size_t>(number) % choices;
    if (count <= kMostCombined || count > Recipe::kMost) {
        return false;
    }
    recipe.count = static_cast<int>(count);
    for (size_t i = 0; i < count; ++i) {
        const std::vector<int> kinds = kinds_of(signature.parameters[i].unit);
        if (kinds.empty()) {
            return false;
        }
        recipe.arguments[i] = kinds[(static_cast<size_t>(number) / choices + i) % kinds.size()];
    }
    return true;
}

// Calls `visit` with all combinations of so many arguments, and with no recipe where those of a source end.
template <class Visit>
void for_each_call(int sources, Visit visit) {
    for (int source = 0; source < sources; ++source) {
        for (int count = 0; count <= kMostCombined; ++count) {
            const int kinds = count == kMostCombined ? kFewKinds : kAllKinds;
            int combinations = 1;
            for (int i = 0; i < count; ++i) {
                combinations *= kinds;
            }
            for (int number = 0; number < combinations; ++number) {
                Recipe recipe;
                recipe.source = source;
                recipe.count = count;
                for (int i = 0, rest = number; i < count; ++i, rest /= kinds) {
                    recipe.arguments[i] = rest % kinds;
                }
                visit(&recipe, source);
            }
        }
        for (int number = 0; number < kMostGuided; ++number) {
            visit(nullptr, source);
        }
    }
}

bool search(PyObject* module, Found& found, size_t from) {
    const std::vector<Source> sources = sources_of(module);
    PyGC_Disable();
    size_t number = 0;
    int guided = 0;
    Signature signature;
    for_each_call(static_cast<int>(sources.size()), [&](const Recipe* recipe, int source_number) {
        if (number++ < from) {
            return;
        }
        found.attempts = number;
        const Source& source = sources[static_cast<size_t>(source_number)];
        if (recipe != nullptr) {
            if (recipe->count == 0) {
                signature = {};
                guided = 0;
            }
            forget_noted_arguments();
            attempt(found, source, *recipe);
            if (!signature.is_known()) {
                signature = signature_of(source);
            }
            return;
        }
        Recipe by_signature;
        by_signature.source = source_number;
        if (signature.is_known() && guide(by_signature, signature, guided++)) {
            attempt(found, source, by_signature);
        }
    });
    return true;
}

}  // namespace

void look_alone(unsigned seconds, const std::function<void()>& look) {
    in_child(seconds, [&] {
        PyGC_Disable();
        look();
        return true;
    });
}

std::vector<Recipe> find_recipes(PyObject* module, unsigned seconds) {
    void* memory = map_shared(sizeof(Found));
    if (memory == nullptr) {
        return {};
    }
    auto& found = *new (memory) Found();
    // After a crash with the next call.
    constexpr int kMostCrashes = 8;
    for (int i = 0; i < kMostCrashes; ++i) {
        const size_t from = found.attempts;
        if (in_child(seconds, [&] { return search(module, found, from); })) {
            break;
        }
    }
    std::vector<Recipe> recipes(found.recipes, found.recipes + found.count);
    munmap(memory, sizeof(Found));
    return recipes;
}

PyObject* make_instance(PyObject* module, const Recipe& recipe, PyObject* probe, int at) {
    const std::vector<Source> sources = sources_of(module);
    PyObject* made = call(sources[static_cast<size_t>(recipe.source)], recipe, probe, at);
    if (made != nullptr && number_of(Py_TYPE(made)) != recipe.type) {
        Py_CLEAR(made);
    }
    return made;
}

PyObject* call_of(PyObject* module, const Recipe& recipe, PyObject* probe, int at) {
    const std::vector<Source> sources = sources_of(module);
    return call_plainly(sources[static_cast<size_t>(recipe.source)], recipe, probe, at);
}

std::string text_of_argument(const Recipe& recipe, int at) {
    return kKinds[recipe.arguments[at]].text;
}

std::string text_of(PyObject* module, const Recipe& recipe) {
    std::string text = sources_of(module)[static_cast<size_t>(recipe.source)].name + "(";
    for (int i = 0; i < recipe.count; ++i) {
        text += (i == 0 ? "" : ", ") + text_of_argument(recipe, i);
    }
    text += ")";
    return recipe.iterate ? "iter(" + text + ")" : text;
}

}  // namespace ouro::contract
