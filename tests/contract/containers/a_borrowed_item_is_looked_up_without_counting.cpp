// PyDict_GetItem and PyDict_GetItemWithError give what the dict has without touching its count. A cache can so hold objects
// without owning them, from which their tp_dealloc takes them out (as that of `persistent` does). Source: "Dictionary
// Objects", borrowed references.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

PyObject* cache;
using GetItem = PyObject* (*)(PyObject*, PyObject*);
GetItem get_item;
int deaths;
bool found_itself;

struct Cached {
    PyObject ob_base;
    PyObject* key;
};

void die(PyObject* op) {
    if (++deaths > 1) {
        return;  // within the look-up
    }
    auto* self = reinterpret_cast<Cached*>(op);
    found_itself = get_item(cache, self->key) == op;
    Py_INCREF(op);  // for the dict, which is about to drop one, and for the rest of this
    Py_INCREF(op);
    EXPECT_EQ(PyDict_DelItem(cache, self->key), 0);
    EXPECT_EQ(Py_REFCNT(op), 1);
    Py_DECREF(self->key);
    Py_TYPE(op)->tp_free(op);
}

PyTypeObject CachedType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "contract.Cached",
    .tp_basicsize = sizeof(Cached),
    .tp_dealloc = die,
    .tp_flags = Py_TPFLAGS_DEFAULT,
};

class ABorrowedItem : public Things {
protected:
    static void drop_what_is_cached(GetItem with) {
        ASSERT_EQ(PyType_Ready(&CachedType), 0);
        get_item = with;
        deaths = 0;
        cache = PyDict_New();
        auto* op = PyObject_New(Cached, &CachedType);
        op->key = PyLong_FromLong(1000);
        EXPECT_EQ(PyDict_SetItem(cache, op->key, reinterpret_cast<PyObject*>(op)), 0);
        Py_DECREF(op);  // the dict's own: it does not keep the object alive
        Py_DECREF(op);
        EXPECT_EQ(deaths, 1);
        EXPECT_TRUE(found_itself);
        EXPECT_EQ(PyDict_Size(cache), 0);
        Py_CLEAR(cache);
    }
};

TEST_P(ABorrowedItem, IsFoundByItsOwnDealloc) {
    drop_what_is_cached(PyDict_GetItem);
}
TEST_P(ABorrowedItem, IsFoundByItsOwnDeallocWithErrors) {
    drop_what_is_cached(PyDict_GetItemWithError);
}

EVERY_RUNTIME(ABorrowedItem);

}  // namespace
}  // namespace ouro::test
