#include "core/verify/contract/new_objects.hpp"

#include <algorithm>
#include <string_view>

#include "core/include/ouroboros.h"
#include "core/object/live_objects.hpp"
#include "core/verify/contract/visits.hpp"

namespace ouro::contract {

using object::Own;

bool has_collector() {
    return std::string_view(Ouro_Setting("engine")) != "off";
}

Py_ssize_t collect_all() {
    PyGC_Enable();
    PyGC_Collect();
    const Py_ssize_t found = PyGC_Collect();
    PyGC_Disable();
    return found;
}

std::vector<Own> kept_garbage() {
    const Own gc(PyImport_ImportModule("gc"));
    const Own all(gc ? PyObject_GetAttrString(gc.get(), "DEBUG_SAVEALL") : nullptr);
    PyObject* list = Ouro_Garbage();
    std::vector<Own> found;
    if (all && list != nullptr && Own(PyObject_CallMethod(gc.get(), "set_debug", "O", all.get()))) {
        const Py_ssize_t before = PyList_GET_SIZE(list);
        PyGC_Enable();
        PyGC_Collect();
        PyGC_Disable();
        for (Py_ssize_t i = before; i < PyList_GET_SIZE(list); ++i) {
            found.emplace_back(Py_NewRef(PyList_GET_ITEM(list, i)));
        }
        PyList_SetSlice(list, before, PyList_GET_SIZE(list), nullptr);
        const Own none(PyObject_CallMethod(gc.get(), "set_debug", "i", 0));
    }
    PyErr_Clear();
    return found;
}

Numbers NewObjects::numbers() const {
    Numbers found;
    object::for_each_mortal([&](PyObject* op) {
        if (counts_(op)) {
            ++found[Py_TYPE(op)];
        }
    });
    return found;
}

Numbers NewObjects::more(const Numbers& now, const Numbers& before) {
    Numbers grown;
    for (const auto& [type, number] : now) {
        const auto found = before.find(type);
        const Py_ssize_t had = found == before.end() ? 0 : found->second;
        if (number > had) {
            grown.emplace(type, number - had);
        }
    }
    return grown;
}

void NewObjects::keep_same(Numbers& grown, const Numbers& again) {
    std::erase_if(grown, [&](const auto& each) {
        const auto found = again.find(each.first);
        return found == again.end() || found->second != each.second;
    });
}

void NewObjects::note_there() {
    object::for_each_mortal([&](const PyObject* op) { there_.insert(op); });
}

Py_ssize_t NewObjects::unexplained(const PyTypeObject* type) const {
    std::map<PyObject*, Py_ssize_t> visits;
    object::for_each_mortal([&](PyObject* op) {
        if (Py_TYPE(op) == type && !there_.contains(op) && counts_(op)) {
            visits.emplace(op, 0);
        }
    });
    count_visits_by_all(visits);
    return std::ranges::count_if(
        visits, [](const auto& each) { return Py_REFCNT(each.first) > each.second; });
}

}  // namespace ouro::contract
