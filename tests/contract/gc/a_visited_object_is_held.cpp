// Querying Garbage Collector State, PyUnstable_GC_VisitObjects: the object that the callback is given is
// alive until the callback returns, also when it drops the last other reference to it.
#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

class VisitedObject : public Things {};

int drop_the_list(PyObject* op, void* arg) {
    auto** list = static_cast<PyObject**>(arg);
    if (!Py_IS_TYPE(op, &ThingType)) {
        return 1;
    }
    Py_CLEAR(*list);
    EXPECT_EQ(Py_REFCNT(op), 1);
    EXPECT_EQ(thing(op)->id, 7);
    return 0;
}

TEST_P(VisitedObject, OutlivesItsLastOtherReference) {
    PyObject* list = PyList_New(1);
    PyList_SetItem(list, 0, new_thing(7));
    PyUnstable_GC_VisitObjects(drop_the_list, &list);
    EXPECT_EQ(list, nullptr);
    EXPECT_EQ(record.count(Call::kDealloc, 7), 1);
}

EVERY_RUNTIME(VisitedObject);

}  // namespace
}  // namespace ouro::test
