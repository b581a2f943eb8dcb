/* memoryview: made, read, written, cast, compared, released; and methods of bytes whose arguments are other memory. */
#include "tests/same/store.h"

#define MEMORYVIEW ((PyObject*)&PyMemoryView_Type)
#define CALL(op, name, ...) PyObject_CallMethod(op, name, __VA_ARGS__)
#define BYTEARRAY(text) T(PyByteArray_FromStringAndSize(text, sizeof(text) - 1))
#define VIEW(op) T(PyMemoryView_FromObject(op))

static void see_attributes(PyObject* view) {
    static const char* const names[] = {"nbytes",       "itemsize",     "format",    "ndim",
                                        "readonly",     "shape",        "strides",   "suboffsets",
                                        "c_contiguous", "f_contiguous", "contiguous"};
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); ++i) {
        got(names[i], PyObject_GetAttrString(view, names[i]));
    }
}

CASE(memoryviews_are_made) {
    PyObject* bytes = V("y", "abc");
    PyObject* view = VIEW(bytes);
    see_attributes(view);
    say("obj is the bytes: %d", T(PyObject_GetAttrString(view, "obj")) == bytes);
    say("base is the bytes: %d", PyMemoryView_GET_BASE(view) == bytes);
    say("buffer: %zd", PyMemoryView_GET_BUFFER(view)->len);
    see_attributes(VIEW(BYTEARRAY("")));
    see_attributes(VIEW(view));
    got("called", PyObject_CallFunction(MEMORYVIEW, "O", I(1)));
    got("called without", PyObject_CallNoArgs(MEMORYVIEW));
    got("by name",
        CALL(T(PyObject_Call(MEMORYVIEW, V("()"), V("{s:y}", "object", "xy"))), "tolist", NULL));
    got("of a str", PyMemoryView_FromObject(S("x")));
    see("repr", view);
    see_text("str", view);
    done("length", PyObject_Size(view));
    done("truth", PyObject_IsTrue(VIEW(BYTEARRAY(""))));
}

CASE(memoryviews_of_memory) {
    char memory[] = "abcd";
    PyObject* view = T(PyMemoryView_FromMemory(memory, 4, PyBUF_WRITE));
    PyObject* readonly = T(PyMemoryView_FromMemory(memory, 4, PyBUF_READ));
    done("write", PyObject_SetItem(view, I(0), I('A')));
    done("write", PyObject_SetItem(readonly, I(0), I('A')));
    done("as a sequence", PySequence_SetItem(view, 0, I('A')));
    say("memory: %s", memory);
    got("obj", PyObject_GetAttrString(view, "obj"));
    say("base: %d", PyMemoryView_GET_BASE(view) == NULL);
    Py_ssize_t shape[] = {2, 2};
    Py_ssize_t strides[] = {1, 2};
    Py_buffer buffer = {.buf = memory,
                        .len = 4,
                        .itemsize = 1,
                        .ndim = 2,
                        .format = "B",
                        .shape = shape,
                        .strides = strides};
    view = T(PyMemoryView_FromBuffer(&buffer));
    see_attributes(view);
    got("list", CALL(view, "tolist", NULL));
    got("bytes", CALL(view, "tobytes", NULL));
    got("bytes F", CALL(view, "tobytes", "s", "F"));
    got("bytes A", CALL(view, "tobytes", "s", "A"));
    got("bytes x", CALL(view, "tobytes", "s", "x"));
    got("contiguous", CALL(T(PyMemoryView_GetContiguous(view, PyBUF_READ, 'C')), "tolist", NULL));
    see_attributes(T(PyMemoryView_GetContiguous(view, PyBUF_READ, 'C')));
    got("contiguous F",
        CALL(T(PyMemoryView_GetContiguous(view, PyBUF_WRITE, 'F')), "tolist", NULL));
    got("to write", PyMemoryView_GetContiguous(view, PyBUF_WRITE, 'C'));
    got("to write", PyMemoryView_GetContiguous(readonly, PyBUF_WRITE, 'C'));
    buffer.buf = NULL;
    got("of nothing", PyMemoryView_FromBuffer(&buffer));
}

CASE(memoryviews_are_indexed) {
    PyObject* op = BYTEARRAY("abcdef");
    PyObject* view = VIEW(op);
    got("item", PySequence_GetItem(view, 1));
    got("last", PyObject_GetItem(view, I(-1)));
    got("too far", PyObject_GetItem(view, I(6)));
    got("by a str", PyObject_GetItem(view, S("x")));
    got("by a tuple", PyObject_GetItem(view, V("(i)", 2)));
    got("by two", PyObject_GetItem(view, V("(ii)", 2, 2)));
    got("by nothing", PyObject_GetItem(view, V("()")));
    got("by ...", PyObject_GetItem(view, Py_Ellipsis));
    got("by slices", PyObject_GetItem(view, V("(O)", T(PySlice_New(NULL, NULL, NULL)))));
    PyObject* part = T(PyObject_GetItem(view, T(PySlice_New(I(1), I(5), I(2)))));
    see_attributes(part);
    got("part", CALL(part, "tolist", NULL));
    got("its bytes", CALL(part, "tobytes", NULL));
    got("reversed",
        CALL(T(PyObject_GetItem(view, T(PySlice_New(NULL, NULL, I(-1))))), "tobytes", NULL));
    got("step 0", PyObject_GetItem(view, T(PySlice_New(NULL, NULL, I(0)))));
    done("item", PyObject_SetItem(view, I(0), I('A')));
    done("no byte", PyObject_SetItem(view, I(0), I(256)));
    done("negative", PyObject_SetItem(view, I(0), I(-1)));
    done("a str", PyObject_SetItem(view, I(0), S("x")));
    done("too far", PyObject_SetItem(view, I(9), I(1)));
    done("deleted", PyObject_DelItem(view, I(0)));
    done("slice", PyObject_SetItem(view, T(PySlice_New(I(0), I(2), NULL)), V("y", "12")));
    done("another size", PyObject_SetItem(view, T(PySlice_New(I(0), I(2), NULL)), V("y", "123")));
    done("of a str", PyObject_SetItem(view, T(PySlice_New(I(0), I(2), NULL)), S("12")));
    done("overlapping",
         PyObject_SetItem(view, T(PySlice_New(I(0), I(3), NULL)),
                          T(PyObject_GetItem(view, T(PySlice_New(I(1), I(4), NULL))))));
    done("every other", PyObject_SetItem(view, T(PySlice_New(NULL, NULL, I(2))), V("y", "xyz")));
    done("by a str", PyObject_SetItem(view, S("a"), I(1)));
    see("now", op);
    done("read-only", PyObject_SetItem(VIEW(V("y", "abc")), I(0), I(1)));
    done("contains", PySequence_Contains(view, I('x')));
    done("contains", PySequence_Contains(view, S("x")));
    got("list", PySequence_List(view));
    PyObject* iterator = T(PyObject_GetIter(view));
    got("type", PyObject_GetAttrString((PyObject*)Py_TYPE(iterator), "__name__"));
    got("first", PyIter_Next(iterator));
    got("reversed",
        PySequence_List(T(PyObject_CallFunction((PyObject*)&PyReversed_Type, "O", view))));
}

static void see_format(const char* format, PyObject* value) {
    PyObject* view =
        CALL(VIEW(T(PyByteArray_FromStringAndSize("\0\0\0\0\0\0\0\0", 8))), "cast", "s", format);
    if (view == NULL) {
        raised(format);
        return;
    }
    T(view);
    done(format, PyObject_SetItem(view, I(0), value));
    got("item", PyObject_GetItem(view, I(0)));
    got("hex", CALL(view, "hex", NULL));
}

CASE(memoryviews_have_formats) {
    static const char* const integers[] = {"b", "B", "h", "H", "i", "I",  "l",  "L",
                                           "q", "Q", "n", "N", "P", "@i", "<i", "x"};
    for (size_t i = 0; i < sizeof(integers) / sizeof(*integers); ++i) {
        see_format(integers[i], I(5));
        see_format(integers[i], I(-5));
        see_format(integers[i], I(70000));
        see_format(integers[i], V("K", 0xFFFFFFFFFFFFFFFFULL));
        see_format(integers[i], F(1.5));
    }
    see_format("c", V("y", "x"));
    see_format("c", V("y", "xy"));
    see_format("c", I(1));
    see_format("?", I(2));
    see_format("?", S(""));
    see_format("f", F(1.5));
    see_format("d", I(3));
    see_format("d", S("x"));
}

CASE(memoryviews_are_cast) {
    PyObject* view = VIEW(BYTEARRAY("abcdefgh"));
    PyObject* shaped = T(CALL(view, "cast", "s(ii)", "B", 2, 4));
    see_attributes(shaped);
    got("list", CALL(shaped, "tolist", NULL));
    got("item", PyObject_GetItem(shaped, V("(ii)", 1, 2)));
    got("last", PyObject_GetItem(shaped, V("(ii)", -1, -1)));
    got("too far", PyObject_GetItem(shaped, V("(ii)", 1, 4)));
    got("one index", PyObject_GetItem(shaped, I(1)));
    got("one of a tuple", PyObject_GetItem(shaped, V("(i)", 1)));
    got("three", PyObject_GetItem(shaped, V("(iii)", 1, 1, 1)));
    got("slices", PyObject_GetItem(shaped, V("(OO)", T(PySlice_New(NULL, NULL, NULL)),
                                             T(PySlice_New(NULL, NULL, NULL)))));
    done("set", PyObject_SetItem(shaped, V("(ii)", 0, 0), I('X')));
    done("set one", PyObject_SetItem(shaped, I(0), I('X')));
    done("set slice", PyObject_SetItem(shaped, T(PySlice_New(NULL, NULL, NULL)), V("y", "")));
    PyObject* half = T(PyObject_GetItem(shaped, T(PySlice_New(I(1), NULL, NULL))));
    see_attributes(half);
    got("half", CALL(half, "tolist", NULL));
    got("iterator", PyObject_GetIter(shaped));
    got("flat", CALL(T(CALL(shaped, "cast", "s", "H")), "tolist", NULL));
    got("between", CALL(T(CALL(view, "cast", "s", "h")), "cast", "s", "i"));
    got("bad size", CALL(VIEW(V("y", "abc")), "cast", "s", "h"));
    got("bad format", CALL(view, "cast", "s", "xy"));
    got("bad shape", CALL(view, "cast", "s(ii)", "B", 3, 3));
    got("zero", CALL(view, "cast", "s(ii)", "B", 0, 3));
    got("no number", CALL(view, "cast", "s(s)", "B", "x"));
    got("no list", CALL(view, "cast", "ss", "B", "x"));
    got("reshaped", CALL(shaped, "cast", "s(ii)", "B", 4, 2));
    got("of gaps",
        CALL(T(PyObject_GetItem(view, T(PySlice_New(NULL, NULL, I(2))))), "cast", "s", "b"));
    got("no str", CALL(view, "cast", "i", 1));
    PyObject* none = T(CALL(VIEW(BYTEARRAY("a")), "cast", "s()", "B"));
    see_attributes(none);
    got("item", PyObject_GetItem(none, V("()")));
    got("list", CALL(none, "tolist", NULL));
    got("index", PyObject_GetItem(none, I(0)));
    done("set", PyObject_SetItem(none, V("()"), I('b')));
    done("set", PyObject_SetItem(none, Py_Ellipsis, I('c')));
    got("bytes", CALL(none, "tobytes", NULL));
    got("readonly", PyObject_GetAttrString(T(CALL(view, "toreadonly", NULL)), "readonly"));
}

CASE(memoryviews_are_compared_and_hashed) {
    PyObject* view = VIEW(V("y", "abc"));
    got("equal", PyObject_RichCompare(view, V("y", "abc"), Py_EQ));
    got("equal", PyObject_RichCompare(V("y", "abc"), view, Py_EQ));
    got("not equal", PyObject_RichCompare(view, BYTEARRAY("abd"), Py_NE));
    got("longer", PyObject_RichCompare(view, BYTEARRAY("abcd"), Py_EQ));
    got("less", PyObject_RichCompare(view, V("y", "abd"), Py_LT));
    got("a str", PyObject_RichCompare(view, S("abc"), Py_EQ));
    PyObject* shorts = T(CALL(VIEW(V("y#", "\1\0\2\0", (Py_ssize_t)4)), "cast", "s", "h"));
    got("formats", PyObject_RichCompare(shorts, V("y", "\1\2"), Py_EQ));
    got("itself", PyObject_RichCompare(view, view, Py_EQ));
    got("shapes", PyObject_RichCompare(T(CALL(VIEW(V("y", "abcd")), "cast", "s(ii)", "B", 2, 2)),
                                       VIEW(V("y", "abcd")), Py_EQ));
    PyObject* nans = T(CALL(VIEW(BYTEARRAY("\0\0\0\0\0\0\xf8\x7f")), "cast", "s", "d"));
    got("nan", PyObject_RichCompare(nans, VIEW(nans), Py_EQ));
    say("hash is that of bytes: %d", PyObject_Hash(view) == PyObject_Hash(V("y", "abc")));
    done("hash of gaps",
         PyObject_Hash(T(PyObject_GetItem(view, T(PySlice_New(NULL, NULL, I(2)))))) ==
             PyObject_Hash(V("y", "ac")));
    done("hash", PyObject_Hash(shorts));
    done("hash", PyObject_Hash(VIEW(BYTEARRAY("x"))));
}

CASE(memoryviews_are_released) {
    Store* store = store_of(&Store_Type, "abc");
    PyObject* view = VIEW((PyObject*)store);
    see_store(store);
    PyObject* other = T(PyObject_GetItem(view, T(PySlice_New(I(1), NULL, NULL))));
    see_store(store);
    got("release", CALL(view, "release", NULL));
    got("again", CALL(view, "release", NULL));
    see_store(store);
    got("item", PyObject_GetItem(view, I(0)));
    got("nbytes", PyObject_GetAttrString(view, "nbytes"));
    done("length", PyObject_Size(view));
    got("list", CALL(view, "tolist", NULL));
    got("another", PyMemoryView_FromObject(view));
    see("repr", view);
    got("equal", PyObject_RichCompare(view, view, Py_EQ));
    got("equal", PyObject_RichCompare(view, other, Py_EQ));
    done("hash", PyObject_Hash(view));
    got("enter", CALL(view, "__enter__", NULL));
    got("the other", CALL(other, "tolist", NULL));
    say("enter is itself: %d", T(CALL(other, "__enter__", NULL)) == other);
    got("exit", CALL(other, "__exit__", "OOO", Py_None, Py_None, Py_None));
    see_store(store);
}

CASE(memoryviews_with_views_are_not_released) {
    PyObject* op = BYTEARRAY("abc");
    PyObject* view = VIEW(op);
    Py_buffer buffer;
    done("view", PyObject_GetBuffer(view, &buffer, PyBUF_FULL));
    see_view(&buffer);
    say("its object is the view: %d", buffer.obj == view);
    got("release", CALL(view, "release", NULL));
    got("append", CALL(op, "append", "i", 1));
    PyBuffer_Release(&buffer);
    got("release", CALL(view, "release", NULL));
    got("append", CALL(op, "append", "i", 1));
}

static void see_request(PyObject* view, const char* label, int flags) {
    Py_buffer buffer;
    if (PyObject_GetBuffer(view, &buffer, flags) < 0) {
        raised(label);
        return;
    }
    say("%s", label);
    see_view(&buffer);
    PyBuffer_Release(&buffer);
}

CASE(memoryviews_give_what_is_asked_for) {
    PyObject* whole = VIEW(BYTEARRAY("abcdef"));
    PyObject* gaps = T(PyObject_GetItem(whole, T(PySlice_New(NULL, NULL, I(2)))));
    PyObject* readonly = VIEW(V("y", "abc"));
    PyObject* const views[] = {whole, gaps, readonly};
    for (int i = 0; i < 3; ++i) {
        see_request(views[i], "simple", PyBUF_SIMPLE);
        see_request(views[i], "writable", PyBUF_WRITABLE);
        see_request(views[i], "format", PyBUF_FORMAT);
        see_request(views[i], "nd", PyBUF_ND);
        see_request(views[i], "strides", PyBUF_STRIDES);
        see_request(views[i], "C", PyBUF_C_CONTIGUOUS);
        see_request(views[i], "F", PyBUF_F_CONTIGUOUS);
        see_request(views[i], "any", PyBUF_ANY_CONTIGUOUS);
        see_request(views[i], "full", PyBUF_FULL_RO);
    }
}

CASE(memoryviews_keep_what_they_show_alive) {
    PyObject* op = PyByteArray_FromStringAndSize("abc", 3);
    PyObject* view = VIEW(op);
    PyObject* part = T(PyObject_GetItem(view, T(PySlice_New(I(1), NULL, NULL))));
    Py_DECREF(op);
    got("part", CALL(part, "tobytes", NULL));
    PyObject* reference = T(PyWeakref_NewRef(view, NULL));
    say("weak reference: %d", reference != NULL);
}

CASE(bytes_take_any_memory) {
    PyObject* op = V("y", "a-b-c");
    PyObject* dash = BYTEARRAY("-");
    PyObject* view = VIEW(dash);
    got("split", CALL(op, "split", "O", dash));
    got("rsplit", CALL(op, "rsplit", "Oi", view, 1));
    got("partition", CALL(op, "partition", "O", dash));
    got("rpartition", CALL(op, "rpartition", "O", view));
    got("find", CALL(op, "find", "O", view));
    got("rindex", CALL(op, "rindex", "O", dash));
    got("count", CALL(op, "count", "O", dash));
    got("replace", CALL(op, "replace", "OO", dash, BYTEARRAY("+")));
    got("strip", CALL(V("y", "-x-"), "strip", "O", dash));
    got("startswith", CALL(op, "startswith", "O", BYTEARRAY("a")));
    got("endswith", CALL(op, "endswith", "((OO))", dash, VIEW(V("y", "c"))));
    got("startswith", CALL(op, "startswith", "s", "a"));
    got("removeprefix", CALL(op, "removeprefix", "O", VIEW(V("y", "a-"))));
    got("removesuffix", CALL(op, "removesuffix", "O", BYTEARRAY("c")));
    got("join", CALL(op, "join", "[OOy]", dash, view, "x"));
    got("join", CALL(op, "join", "[Os]", dash, "x"));
    done("contains", PySequence_Contains(op, dash));
    done("contains", PySequence_Contains(op, S("a")));
    got("concatenated", PyNumber_Add(op, dash));
    got("concatenated", PySequence_Concat(op, view));
    got("with a str", PyNumber_Add(op, S("x")));
    got("bytes", PyObject_CallFunction((PyObject*)&PyBytes_Type, "O",
                                       T(CALL(VIEW(BYTEARRAY("abcd")), "cast", "s", "H"))));
    got("from an object", PyBytes_FromObject(dash));
    got("gaps", PyBytes_FromObject(T(
                    PyObject_GetItem(VIEW(BYTEARRAY("abcd")), T(PySlice_New(NULL, NULL, I(-2)))))));
    got("find in gaps",
        CALL(op, "find", "O",
             T(PyObject_GetItem(VIEW(BYTEARRAY("abcd")), T(PySlice_New(NULL, NULL, I(2)))))));
    got("a bytearray", PyObject_CallFunction((PyObject*)&PyByteArray_Type, "O", view));
}
