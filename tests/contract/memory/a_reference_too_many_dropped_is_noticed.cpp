// Dropping a reference that nobody owns ends the program with a message, before anything is freed
// twice. Source: "Reference Counting"; CPython's test_refcount_errors.

#include "tests/contract/things.hpp"

namespace ouro::test {
namespace {

using Dropping = Things;

TEST_P(Dropping, OfADyingObject) {
    EXPECT_DEATH(
        {
            record.on_dealloc = [](Thing* self) { Py_DECREF(object(self)); };
            Py_DECREF(new_thing(1));
        },
        "contract.Thing.*nobody owns");
}

EVERY_RUNTIME(Dropping);

}  // namespace
}  // namespace ouro::test
