#include "core/verify/contract/object_rules.hpp"

#include <fmt/format.h>

#include <atomic>
#include <cstring>

#include "core/heap/heap.hpp"
#include "core/heap/view.hpp"
#include "core/object/object.hpp"
#include "core/verify/contract/module_types.hpp"
#include "core/verify/contract/visits.hpp"

namespace ouro::contract {
namespace {

// What is in new memory until the module writes it: no address of anything.
constexpr unsigned char kUnwritten = 0xDB;

std::atomic<size_t> freed{0};
bool (*free_hook)(PyObject*) = nullptr;

// Pre: of a type of the module's.
bool is_taken_over(PyObject* op) {
    ++freed;
    return free_hook != nullptr && free_hook(op);
}

bool is_container_memory(const void* op) {
    return heap::has_metadata(op);
}

bool is_atom_memory(const void* op) {
    return heap::in_heap(op) && heap::block_of(op)->kind == heap::BlockKind::kAtom;
}

void check_family(const PyTypeObject* type, const char* function, bool for_containers,
                  Place place) {
    if (is_container_type(type) != for_containers) {
        report(Rule::kObjectWrongFamily, type->tp_name, place,
               fmt::format("{} allocates {}, and the type {} Py_TPFLAGS_HAVE_GC", function,
                           for_containers ? "a container" : "no container",
                           for_containers ? "lacks" : "has"));
    }
}

PyObject* mark_unwritten(PyObject* op, size_t header) {
    if (op != nullptr) {
        std::memset(reinterpret_cast<char*>(op) + header, kUnwritten,
                    heap::usable_size(op) - header);
    }
    return op;
}

PyObject* watched_gc_new(PyTypeObject* type) {
    check_family(type, "PyObject_GC_New", true, OURO_CALLER);
    return mark_unwritten(_PyObject_GC_New(type), sizeof(PyObject));
}

PyVarObject* watched_gc_new_var(PyTypeObject* type, Py_ssize_t items) {
    check_family(type, "PyObject_GC_NewVar", true, OURO_CALLER);
    PyVarObject* op = _PyObject_GC_NewVar(type, items);
    mark_unwritten(reinterpret_cast<PyObject*>(op), sizeof(PyVarObject));
    return op;
}

PyObject* watched_new(PyTypeObject* type) {
    check_family(type, "PyObject_New", false, OURO_CALLER);
    return _PyObject_New(type);
}

PyVarObject* watched_new_var(PyTypeObject* type, Py_ssize_t items) {
    check_family(type, "PyObject_NewVar", false, OURO_CALLER);
    return _PyObject_NewVar(type, items);
}

void check_memory(void* op, const PyTypeObject* type, Place place) {
    if (op == nullptr || !is_container_type(type) ||
        (type->tp_is_gc != nullptr && type->tp_is_gc(static_cast<PyObject*>(op)) == 0)) {
        return;
    }
    if (!is_container_memory(op)) {
        report(Rule::kObjectWrongFamily, type->tp_name, place,
               "PyObject_Init makes a container of memory that PyObject_GC_New did not allocate");
    }
}

PyObject* watched_init(PyObject* op, PyTypeObject* type) {
    const Place place = OURO_CALLER;
    PyObject* made = PyObject_Init(op, type);
    check_memory(op, type, place);
    return made;
}

PyVarObject* watched_init_var(PyVarObject* op, PyTypeObject* type, Py_ssize_t items) {
    const Place place = OURO_CALLER;
    PyVarObject* made = PyObject_InitVar(op, type, items);
    check_memory(op, type, place);
    return made;
}

PyVarObject* watched_resize(PyVarObject* op, Py_ssize_t items) {
    if (is_container_memory(op) && object::is_tracked(op)) {
        report(Rule::kObjectResizedTracked, Py_TYPE(op)->tp_name, OURO_CALLER,
               fmt::format("it is resized from {} items to {} while it is tracked", Py_SIZE(op),
                           items));
    }
    return _PyObject_GC_Resize(op, items);
}

// In the moment of PyObject_GC_Track: what a collection would see at once.
void check_fields(PyObject* op, Place place) {
    const PyTypeObject* type = Py_TYPE(op);
    if (type->tp_traverse == nullptr) {
        return;
    }
    const Announcing traversal(Rule::kObjectTrackedEarly, type->tp_name, place,
                               "a traversal at the moment of PyObject_GC_Track");
    const Visits visits = visits_of(op, type->tp_traverse);
    for (const void* address : visits.no_objects) {
        const void* unwritten;
        std::memset(&unwritten, kUnwritten, sizeof unwritten);
        report(Rule::kObjectTrackedEarly, type->tp_name, place,
               address == unwritten
                   ? "a field that tp_traverse follows was not written since PyObject_GC_New"
                   : fmt::format("a field that tp_traverse follows holds {}, which is no object",
                                 address));
    }
}

void watched_track(void* p) {
    auto* op = static_cast<PyObject*>(p);
    const char* type = Py_TYPE(op)->tp_name;
    if (!is_container_memory(op)) {
        report(Rule::kObjectWrongFamily, type, OURO_CALLER,
               "PyObject_GC_Track is called for an object that was not allocated as a container");
    } else if (object::is_tracked(op)) {
        report(Rule::kObjectTrackedTwice, type, OURO_CALLER,
               "PyObject_GC_Track is called for an instance that is tracked already");
    } else {
        check_fields(op, OURO_CALLER);
        PyObject_GC_Track(op);
    }
}

void check_untracked(PyObject* op, Place place) {
    if (is_container_memory(op) && object::is_tracked(op)) {
        report(Rule::kObjectFreedTracked, Py_TYPE(op)->tp_name, place,
               "an instance is freed that is still tracked: a collection in tp_dealloc would have "
               "traversed it");
    }
}

// Of a call that the module makes itself, not through tp_free.
void check_freed(PyObject* op, bool as_container, Place place) {
    const PyTypeObject* type = Py_TYPE(op);
    // What was allocated wrongly has been reported.
    if (is_container_type(type) != as_container && is_container_memory(op) != as_container) {
        report(Rule::kObjectFreedByOther, type->tp_name, place,
               as_container ? "PyObject_GC_Del frees what is no container"
                            : "PyObject_Free frees a container");
    }
    check_untracked(op, place);
}

// tp_dealloc of the type, or of the base whose it is.
Place dealloc_of(const PyTypeObject* type) {
    return place_of(type, type->tp_dealloc);
}

void watched_gc_del(void* p) {
    auto* op = static_cast<PyObject*>(p);
    check_freed(op, true, OURO_CALLER);
    if (!is_module_type(Py_TYPE(op)) || !is_taken_over(op)) {
        PyObject_GC_Del(op);
    }
}

// Of the runtime, because memory of any kind is freed so; what is an object was one of the module's.
void watched_object_free(void* p) {
    if (p != nullptr && (is_container_memory(p) || is_atom_memory(p)) &&
        is_module_type(Py_TYPE(static_cast<PyObject*>(p)))) {
        check_freed(static_cast<PyObject*>(p), false, OURO_CALLER);
        if (is_taken_over(static_cast<PyObject*>(p))) {
            return;
        }
    }
    PyObject_Free(p);
}

void watched_memory_free(void* p) {
    if (p != nullptr && is_container_memory(p)) {
        auto* op = static_cast<PyObject*>(p);
        report(Rule::kObjectFreedByOther, Py_TYPE(op)->tp_name, OURO_CALLER,
               "PyMem_Free frees a container");
        check_untracked(op, OURO_CALLER);
    }
    PyMem_Free(p);
}

}  // namespace

void watched_free(void* p) {
    auto* op = static_cast<PyObject*>(p);
    const PyTypeObject* type = Py_TYPE(op);
    if (!is_taken_over(op)) {
        check_untracked(op, dealloc_of(type));
        own_free(type)(op);
    }
}

void set_free_hook(bool (*hook)(PyObject* op)) {
    free_hook = hook;
}

bool is_freed(const PyObject* op) {
    return heap::has_metadata(op) && (object::load_state(op) & heap::kAllocated) == 0;
}

size_t freed_instances() {
    return freed.load();
}

freefunc original(freefunc function) {
    return function == watched_gc_del        ? PyObject_GC_Del
           : function == watched_object_free ? PyObject_Free
                                             : function;
}

void watch_objects() {
    const ModuleCalls& calls = module_calls();
    calls.redirect("_PyObject_GC_New", reinterpret_cast<void*>(watched_gc_new));
    calls.redirect("_PyObject_GC_NewVar", reinterpret_cast<void*>(watched_gc_new_var));
    calls.redirect("_PyObject_New", reinterpret_cast<void*>(watched_new));
    calls.redirect("_PyObject_NewVar", reinterpret_cast<void*>(watched_new_var));
    calls.redirect("PyObject_Init", reinterpret_cast<void*>(watched_init));
    calls.redirect("PyObject_InitVar", reinterpret_cast<void*>(watched_init_var));
    calls.redirect("PyMem_Free", reinterpret_cast<void*>(watched_memory_free));
    calls.redirect("_PyObject_GC_Resize", reinterpret_cast<void*>(watched_resize));
    calls.redirect("PyObject_GC_Track", reinterpret_cast<void*>(watched_track));
    calls.redirect("PyObject_GC_Del", reinterpret_cast<void*>(watched_gc_del));
    calls.redirect("PyObject_Free", reinterpret_cast<void*>(watched_object_free));
}

}  // namespace ouro::contract
