// memoryview: how long it has its memory, and what it lets others see of it.
#include "core/builtins/container/memoryview.hpp"

#include <algorithm>
#include <cstring>

#include "core/builtins/call/new_arguments.hpp"
#include "core/builtins/container/memory_format.hpp"
#include "core/mutator/critical_section.hpp"
#include "core/object/object.hpp"
#include "core/object/weakref.hpp"

using namespace ouro;
using container::memoryview;
using container::view_of;
using mutator::Guard;
using object::Own;

namespace {

// What an exporter gave.
struct SharedBuffer {
    PyObject ob_base;
    Py_ssize_t users;  // memoryviews that are not released, and functions that hold the memory
    Py_buffer given;
    char* format;  // of the items, in PyMem_ memory; nullptr where it is the exporter's
    bool cleared;  // by the collector
};

SharedBuffer* shared(PyObject* op) {
    return reinterpret_cast<SharedBuffer*>(op);
}

// Pre: there is a user, which stays one meanwhile.
void use(PyObject* op) {
    __atomic_add_fetch(&shared(op)->users, 1, __ATOMIC_RELAXED);
}

void end_use(PyObject* op) {
    // acq_rel: the one that releases comes after what all others did with the memory.
    if (__atomic_sub_fetch(&shared(op)->users, 1, __ATOMIC_ACQ_REL) == 0) {
        PyBuffer_Release(&shared(op)->given);
    }
}

void shared_dealloc(PyObject* op) {
    PyObject_GC_UnTrack(op);
    PyBuffer_Release(&shared(op)->given);
    PyMem_Free(shared(op)->format);
    Py_TYPE(op)->tp_free(op);
}

int shared_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(shared(op)->given.obj);
    return 0;
}

int shared_clear(PyObject* op) {
    shared(op)->cleared = true;
    PyBuffer_Release(&shared(op)->given);
    return 0;
}

}  // namespace

PyTypeObject container::SharedBufferType = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "managedbuffer",
    .tp_basicsize = sizeof(SharedBuffer),
    .tp_dealloc = shared_dealloc,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_DISALLOW_INSTANTIATION,
    .tp_traverse = shared_traverse,
    .tp_clear = shared_clear,
};

namespace {

bool check_dimensions(int ndim) {
    if (ndim <= PyBUF_MAX_NDIM) {
        return true;
    }
    PyErr_Format(PyExc_ValueError, "memoryview: number of dimensions must not exceed %d",
                 PyBUF_MAX_NDIM);
    return false;
}

// A memoryview of a shared buffer, as `like` says, but without shape, strides and suboffsets, for which there is room.
// The caller has the memory held.
PyObject* new_memoryview(PyObject* buffer, const Py_buffer& like, int ndim) {
    auto* self = PyObject_GC_NewVar(PyMemoryViewObject, &PyMemoryView_Type, 3 * ndim);
    if (self == nullptr) {
        return nullptr;
    }
    use(buffer);
    self->shared = Py_NewRef(buffer);
    self->view = like;
    self->view.ndim = ndim;
    self->view.format = like.format == nullptr ? const_cast<char*>(container::kBytes) : like.format;
    Py_ssize_t* array = self->ob_array;
    self->view.shape = ndim == 0 ? nullptr : array;
    self->view.strides = ndim == 0 ? nullptr : array + ndim;
    self->view.suboffsets = ndim == 0 || like.suboffsets == nullptr ? nullptr : array + 2 * ndim;
    self->hash = -1;
    self->released = 0;
    self->exports = 0;
    self->weakreflist = nullptr;
    PyObject* op = reinterpret_cast<PyObject*>(self);
    object::track_new(op);
    return op;
}

// The same with the shape of `like`, which may leave out what is clear.
PyObject* same_view(PyObject* buffer, const Py_buffer& like) {
    const int ndim = like.ndim;
    if (!check_dimensions(ndim)) {
        return nullptr;
    }
    PyObject* op = new_memoryview(buffer, like, ndim);
    if (op == nullptr || ndim == 0) {
        return op;
    }
    Py_buffer& view = memoryview(op)->view;
    if (like.shape != nullptr) {
        std::copy_n(like.shape, ndim, view.shape);
    } else {
        view.shape[0] = like.len / like.itemsize;
    }
    if (like.strides != nullptr) {
        std::copy_n(like.strides, ndim, view.strides);
    } else {
        PyBuffer_FillContiguousStrides(ndim, view.shape, view.strides,
                                       static_cast<int>(like.itemsize), 'C');
    }
    if (like.suboffsets != nullptr) {
        std::copy_n(like.suboffsets, ndim, view.suboffsets);
    }
    return op;
}

// Of what fill(Py_buffer*) gives, in place, as its fields may point to others of it; false with an exception.
template <class Fill>
PyObject* new_memoryview(Fill fill) {
    auto* self = PyObject_GC_New(SharedBuffer, &container::SharedBufferType);
    if (self == nullptr) {
        return nullptr;
    }
    self->given = {};
    self->users = 1;
    self->format = nullptr;
    self->cleared = false;
    const Own buffer(&self->ob_base);
    if (!fill(&self->given)) {
        self->given.obj = nullptr;
        return nullptr;
    }
    // Not before: an exporter need not own what it has put into the view until it returns.
    PyObject_GC_Track(buffer.get());
    PyObject* op = same_view(buffer.get(), self->given);
    end_use(buffer.get());
    return op;
}

// Whether there is nothing to see any more. Under its lock.
bool is_released(PyObject* op) {
    return memoryview(op)->released != 0 || shared(memoryview(op)->shared)->cleared;
}

bool refuse_released(PyObject* op) {
    if (is_released(op)) {
        PyErr_SetString(PyExc_ValueError, "operation forbidden on released memoryview object");
    }
    return is_released(op);
}

void memoryview_dealloc(PyObject* op) {
    PyMemoryViewObject* self = memoryview(op);
    PyObject_GC_UnTrack(op);
    object::clear_weak_references(op, &self->weakreflist);
    if (self->released == 0) {
        end_use(self->shared);
    }
    Py_DECREF(self->shared);
    Py_TYPE(op)->tp_free(op);
}

int memoryview_traverse(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(memoryview(op)->shared);
    return 0;
}

PyObject* memoryview_repr(PyObject* op) {
    return PyUnicode_FromFormat(
        container::Held::is_possible(op) ? "<memory at %p>" : "<released memory at %p>", op);
}

PyObject* memoryview_new(PyTypeObject*, PyObject* args, PyObject* kwargs) {
    static const char* const names[] = {"object", nullptr};
    PyObject* of;
    return PyArg_ParseTupleAndKeywords(args, kwargs, "O:memoryview", names, &of) == 0
               ? nullptr
               : PyMemoryView_FromObject(of);
}

bool asks(int flags, int what) {
    return (flags & what) == what;
}

// Why a view cannot be given as the flags ask for it; nullptr if it can.
const char* refusal(const Py_buffer& view, int flags) {
    const bool is_c = PyBuffer_IsContiguous(&view, 'C') != 0;
    const bool is_fortran = PyBuffer_IsContiguous(&view, 'F') != 0;
    if (asks(flags, PyBUF_WRITABLE) && view.readonly != 0) {
        return "memoryview: underlying buffer is not writable";
    }
    if (asks(flags, PyBUF_C_CONTIGUOUS) && !is_c) {
        return "memoryview: underlying buffer is not C-contiguous";
    }
    if (asks(flags, PyBUF_F_CONTIGUOUS) && !is_fortran) {
        return "memoryview: underlying buffer is not Fortran contiguous";
    }
    if (asks(flags, PyBUF_ANY_CONTIGUOUS) && !is_c && !is_fortran) {
        return "memoryview: underlying buffer is not contiguous";
    }
    if (!asks(flags, PyBUF_INDIRECT) && view.suboffsets != nullptr) {
        return "memoryview: underlying buffer requires suboffsets";
    }
    if (!asks(flags, PyBUF_STRIDES) && !is_c) {
        return "memoryview: underlying buffer is not C-contiguous";
    }
    if (!asks(flags, PyBUF_ND) && asks(flags, PyBUF_FORMAT)) {
        return "memoryview: cannot cast to unsigned bytes if the format flag is present";
    }
    return nullptr;
}

int memoryview_getbuffer(PyObject* op, Py_buffer* view, int flags) {
    const Guard guard(op);
    view->obj = nullptr;
    if (refuse_released(op)) {
        return -1;
    }
    if (const char* why = refusal(view_of(op), flags)) {
        PyErr_SetString(PyExc_BufferError, why);
        return -1;
    }
    *view = view_of(op);
    view->obj = Py_NewRef(op);
    if (!asks(flags, PyBUF_FORMAT)) {
        view->format = nullptr;
    }
    if (!asks(flags, PyBUF_STRIDES)) {
        view->strides = nullptr;
    }
    if (!asks(flags, PyBUF_ND)) {
        view->ndim = 1;
        view->shape = nullptr;
    }
    ++memoryview(op)->exports;
    return 0;
}

void memoryview_releasebuffer(PyObject* op, Py_buffer*) {
    const Guard guard(op);
    --memoryview(op)->exports;
}

// A copy of a view's memory without gaps, and a memoryview of it.
PyObject* contiguous_copy(PyObject* op, char order) {
    const Own bytes(container::bytes_in_order(op, order));
    const Own simple(bytes ? PyMemoryView_FromObject(bytes.get()) : nullptr);
    if (!simple) {
        return nullptr;
    }
    // Of the bytes, with the format and the shape of what was copied.
    const Py_buffer& like = view_of(op);
    SharedBuffer* buffer = shared(memoryview(simple.get())->shared);
    const size_t size = std::strlen(like.format) + 1;
    buffer->format = static_cast<char*>(PyMem_Malloc(size));
    if (buffer->format == nullptr) {
        return PyErr_NoMemory();
    }
    std::memcpy(buffer->format, like.format, size);
    PyObject* made = new_memoryview(&buffer->ob_base, view_of(simple.get()), like.ndim);
    if (made != nullptr) {
        Py_buffer& view = memoryview(made)->view;
        view.format = buffer->format;
        view.itemsize = like.itemsize;
        if (view.ndim > 0) {
            std::copy_n(like.shape, view.ndim, view.shape);
            PyBuffer_FillContiguousStrides(view.ndim, view.shape, view.strides,
                                           static_cast<int>(view.itemsize),
                                           order == 'F' ? 'F' : 'C');
        }
    }
    return made;
}

PySequenceMethods as_sequence = {
    .sq_length = container::memoryview_length,
    .sq_item = container::memoryview_item,
};

PyMappingMethods as_mapping = {
    .mp_length = container::memoryview_length,
    .mp_subscript = container::memoryview_subscript,
    .mp_ass_subscript = container::memoryview_ass_subscript,
};

PyBufferProcs as_buffer = {
    .bf_getbuffer = memoryview_getbuffer,
    .bf_releasebuffer = memoryview_releasebuffer,
};

}  // namespace

PyTypeObject PyMemoryView_Type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "memoryview",
    .tp_basicsize = offsetof(PyMemoryViewObject, ob_array),
    .tp_itemsize = sizeof(Py_ssize_t),
    .tp_dealloc = memoryview_dealloc,
    .tp_repr = memoryview_repr,
    .tp_as_sequence = &as_sequence,
    .tp_as_mapping = &as_mapping,
    .tp_hash = container::memoryview_hash,
    .tp_as_buffer = &as_buffer,
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC | Py_TPFLAGS_SEQUENCE |
                OURO_TPFLAGS_CONCURRENT_TRAVERSE,
    .tp_doc = PyDoc_STR("An object's memory, as an array of numbers."),
    .tp_traverse = memoryview_traverse,
    .tp_richcompare = container::memoryview_richcompare,
    .tp_weaklistoffset = offsetof(PyMemoryViewObject, weakreflist),
    .tp_iter = container::memoryview_iterate,
    .tp_methods = container::memoryview_methods,
    .tp_getset = container::memoryview_getset,
    .tp_new = memoryview_new,
};

bool container::Held::is_possible(PyObject* op) {
    const Guard guard(op);
    return !is_released(op);
}

container::Held::Held(PyObject* op) {
    const Guard guard(op);
    if (!refuse_released(op)) {
        use(memoryview(op)->shared);
        shared_.reset(Py_NewRef(memoryview(op)->shared));
    }
}

container::Held::~Held() {
    if (shared_) {
        end_use(shared_.get());
    }
}

PyObject* container::another_view(PyObject* op, int ndim) {
    if (!check_dimensions(ndim)) {
        return nullptr;
    }
    const Py_buffer& view = view_of(op);
    return ndim == view.ndim ? same_view(memoryview(op)->shared, view)
                             : new_memoryview(memoryview(op)->shared, view, ndim);
}

void container::take_length(PyObject* op) {
    Py_buffer& view = memoryview(op)->view;
    view.len = view.itemsize;
    for (int i = 0; i < view.ndim; ++i) {
        view.len *= view.shape[i];
    }
}

PyObject* container::memoryview_release(PyObject* op, PyObject*) {
    {
        const Guard guard(op);
        PyMemoryViewObject* self = memoryview(op);
        if (self->released != 0) {
            return Py_NewRef(Py_None);
        }
        if (self->exports > 0) {
            return PyErr_Format(PyExc_BufferError, "memoryview has %zd exported buffer%s",
                                self->exports, self->exports == 1 ? "" : "s");
        }
        self->released = 1;
    }
    end_use(memoryview(op)->shared);
    return Py_NewRef(Py_None);
}

PyObject* PyMemoryView_FromObject(PyObject* op) {
    if (PyMemoryView_Check(op)) {
        const container::Held held(op);
        return held ? same_view(memoryview(op)->shared, view_of(op)) : nullptr;
    }
    if (PyObject_CheckBuffer(op) == 0) {
        return PyErr_Format(PyExc_TypeError,
                            "memoryview: a bytes-like object is required, not '%.200s'",
                            Py_TYPE(op)->tp_name);
    }
    return new_memoryview(
        [op](Py_buffer* view) { return PyObject_GetBuffer(op, view, PyBUF_FULL_RO) == 0; });
}

PyObject* PyMemoryView_FromMemory(char* memory, Py_ssize_t size, int flags) {
    return new_memoryview([=](Py_buffer* view) {
        const int readonly = flags == PyBUF_WRITE ? 0 : 1;
        return PyBuffer_FillInfo(view, nullptr, memory, size, readonly, PyBUF_FULL_RO) == 0;
    });
}

PyObject* PyMemoryView_FromBuffer(const Py_buffer* given) {
    if (given->buf == nullptr) {
        PyErr_SetString(PyExc_ValueError, "PyMemoryView_FromBuffer(): info->buf must not be NULL");
        return nullptr;
    }
    return new_memoryview([given](Py_buffer* view) {
        *view = *given;
        view->obj = nullptr;
        return true;
    });
}

PyObject* PyMemoryView_GetContiguous(PyObject* op, int access, char order) {
    Own made(PyMemoryView_FromObject(op));
    if (!made) {
        return nullptr;
    }
    const Py_buffer& view = view_of(made.get());
    if (access == PyBUF_WRITE && view.readonly != 0) {
        PyErr_SetString(PyExc_BufferError, "underlying buffer is not writable");
        return nullptr;
    }
    if (PyBuffer_IsContiguous(&view, order) != 0) {
        return made.release();
    }
    if (access == PyBUF_WRITE) {
        PyErr_SetString(PyExc_BufferError,
                        "writable contiguous buffer requested for a non-contiguous object.");
        return nullptr;
    }
    return contiguous_copy(made.get(), order);
}
