#include "core/verify/contract/finalizer_rules.hpp"

#include <fmt/format.h>

#include "core/object/own.hpp"
#include "core/verify/contract/module_types.hpp"
#include "core/verify/contract/ways.hpp"

namespace ouro::contract {
namespace {

using object::Own;

void call_finalizer(PyObject* op) {
    const PyTypeObject* type = Py_TYPE(op);
    announce(Rule::kCallCrashes, type->tp_name, function_at(type->tp_finalize),
             "a call of tp_finalize");
    type->tp_finalize(op);
}

void look_at_exception(PyObject* module, const Recipe& recipe) {
    PyObject* op = make_instance(module, recipe);
    if (op == nullptr) {
        return;
    }
    fill_attributes(op);
    const PyTypeObject* type = Py_TYPE(op);
    PyErr_SetString(PyExc_KeyError, "of the caller");
    const Own before(PyErr_GetRaisedException());
    PyErr_SetRaisedException(Py_NewRef(before.get()));
    call_finalizer(op);
    const Own after(PyErr_GetRaisedException());
    if (after.get() != before.get()) {
        report(Rule::kFinalizeException, type->tp_name, function_at(type->tp_finalize),
               fmt::format("KeyError was set when it was called, and when it returned {}",
                           after ? Py_TYPE(after.get())->tp_name : "nothing"));
        return;
    }
    op = make_instance(module, recipe);
    if (op == nullptr) {
        return;
    }
    call_finalizer(op);
    if (const Own raised(PyErr_GetRaisedException()); raised) {
        report(Rule::kFinalizeException, type->tp_name, function_at(type->tp_finalize),
               fmt::format("no exception was set when it was called, and when it returned {}",
                           Py_TYPE(raised.get())->tp_name));
    }
}

// ---- Calls through the slot.

destructor own_finalizer = nullptr;
PyObject* counted_instance = nullptr;
size_t finalizer_calls = 0;

void count_finalizer(PyObject* op) {
    finalizer_calls += op == counted_instance ? 1 : 0;
    own_finalizer(op);
}

void look_at_calls_of_it(PyObject* module, const Recipe& recipe, bool was_called) {
    PyObject* op = make_instance(module, recipe);
    if (op == nullptr || Py_REFCNT(op) != 1) {
        return;
    }
    PyTypeObject* type = Py_TYPE(op);
    const Place place = place_of(type, type->tp_dealloc);
    own_finalizer = type->tp_finalize;
    type->tp_finalize = count_finalizer;
    counted_instance = op;
    announce(Rule::kCallCrashes, type->tp_name, place, "the death of an instance");
    if (was_called) {
        PyObject_CallFinalizer(op);  // as a collection does
        if (Py_REFCNT(op) != 1) {
            return;
        }
    }
    Py_DECREF(op);
    if (finalizer_calls > 1) {
        report(Rule::kFinalizeTwice, type->tp_name, place,
               "an instance whose finalizer had been called, as by a collection, died, and it was "
               "called again");
    } else if (finalizer_calls == 0) {
        report(Rule::kFinalizeNotCalled, type->tp_name, place,
               "an instance died by its count, and tp_finalize was not called");
    }
}

}  // namespace

void check_finalizer(PyObject* module, const Recipe& recipe, unsigned seconds) {
    const PyTypeObject* type = module_types()[static_cast<size_t>(recipe.type)];
    if (!module_calls().contains(reinterpret_cast<const void*>(type->tp_finalize))) {
        return;
    }
    look_alone(seconds, [&] { look_at_exception(module, recipe); });
    look_alone(seconds, [&] { look_at_calls_of_it(module, recipe, false); });
    if (is_container_type(type)) {  // no collection comes to any other
        look_alone(seconds, [&] { look_at_calls_of_it(module, recipe, true); });
    }
}

}  // namespace ouro::contract
