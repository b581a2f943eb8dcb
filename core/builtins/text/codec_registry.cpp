// The registry of codecs and error handlers. Source: "Codec registry and support functions" in the C API documentation.
#include "core/builtins/text/codec_registry.hpp"

#include <string>
#include <string_view>
#include <utility>

#include "core/builtins/text/encodings.hpp"
#include "core/object/own.hpp"

using namespace ouro;
using object::Own;

namespace {

// What is registered; NULL: nothing yet. The tuple is never changed: another one takes its place.
PyMutex registry_mutex = {0};
PyObject* searches = nullptr;        // a tuple of functions
PyObject* found_codecs = nullptr;    // a dict: what they found, by name
PyObject* error_handlers = nullptr;  // a dict, by name

class RegistryLock {
public:
    RegistryLock() { PyMutex_Lock(&registry_mutex); }
    ~RegistryLock() { PyMutex_Unlock(&registry_mutex); }
    RegistryLock(const RegistryLock&) = delete;
    RegistryLock& operator=(const RegistryLock&) = delete;
};

Own part_of_registry(PyObject* const& place) {
    const RegistryLock lock;
    return Own(Py_XNewRef(place));
}

// What was there before; the new value is stolen.
Own exchange(PyObject*& place, PyObject* value) {
    const RegistryLock lock;
    return Own(std::exchange(place, value));
}

// The dict; made by whoever asks first. None with MemoryError.
Own dict_of_registry(PyObject*& place) {
    Own known = part_of_registry(place);
    if (known) {
        return known;
    }
    Own made(PyDict_New());
    const RegistryLock lock;
    if (made && place == nullptr) {
        place = Py_NewRef(made.get());
        return made;
    }
    return Own(Py_XNewRef(place));
}

// In lower case, and an underscore for each run of other characters.
std::string normalized(std::string_view name) {
    std::string text;
    bool has_gap = false;
    for (const char c : name) {
        if (Py_ISALNUM(c) || c == '.') {
            if (has_gap && !text.empty()) {
                text.push_back('_');
            }
            has_gap = false;
            text.push_back(static_cast<char>(Py_TOLOWER(c)));
        } else {
            has_gap = true;
        }
    }
    return text;
}

// ---- the codecs that are here by themselves ----

bool take_codec_arguments(PyObject* args, PyObject** op, const char** errors) {
    *errors = nullptr;
    return PyArg_ParseTuple(args, "O|z", op, errors) != 0;
}

const text::Encoding* encoding_named_by(PyObject* name) {
    return text::find_encoding(PyUnicode_AsUTF8(name));
}

// encode(str, errors=None): the bytes, and how many code points were used.
PyObject* own_encode(PyObject* name, PyObject* args) {
    PyObject* op;
    const char* errors;
    if (!take_codec_arguments(args, &op, &errors)) {
        return nullptr;
    }
    PyObject* bytes = encoding_named_by(name)->encode(op, errors);
    return bytes == nullptr ? nullptr : Py_BuildValue("(Nn)", bytes, PyUnicode_GET_LENGTH(op));
}

// decode(bytes, errors=None): the str, and how many bytes were used.
PyObject* own_decode(PyObject* name, PyObject* args) {
    PyObject* op;
    const char* errors;
    Py_buffer view;
    if (!take_codec_arguments(args, &op, &errors) ||
        PyObject_GetBuffer(op, &view, PyBUF_SIMPLE) < 0) {
        return nullptr;
    }
    PyObject* text =
        encoding_named_by(name)->decode(static_cast<const char*>(view.buf), view.len, errors);
    const Py_ssize_t size = view.len;
    PyBuffer_Release(&view);
    return text == nullptr ? nullptr : Py_BuildValue("(Nn)", text, size);
}

PyMethodDef encode_definition = {"encode", own_encode, METH_VARARGS, nullptr};
PyMethodDef decode_definition = {"decode", own_decode, METH_VARARGS, nullptr};

Own own_codec(const text::Encoding* encoding) {
    const Own name(PyUnicode_FromString(encoding->name));
    return Own(name ? Py_BuildValue("(NNOO)", PyCFunction_New(&encode_definition, name.get()),
                                    PyCFunction_New(&decode_definition, name.get()), Py_None,
                                    Py_None)
                    : nullptr);
}

// ---- looking up ----

// What one of the functions finds; none with an exception, or without one if none knows the name.
Own search_codec(PyObject* functions, PyObject* name) {
    for (Py_ssize_t i = 0; i < PyTuple_GET_SIZE(functions); ++i) {
        Own codec(PyObject_CallOneArg(PyTuple_GET_ITEM(functions, i), name));
        if (!codec) {
            return Own();
        }
        if (codec.get() == Py_None) {
            continue;
        }
        if (!PyTuple_Check(codec.get()) || PyTuple_GET_SIZE(codec.get()) != 4) {
            PyErr_SetString(PyExc_TypeError, "codec search functions must return 4-tuples");
            return Own();
        }
        return codec;
    }
    return Own();
}

// The tuple of four; none with an exception.
Own find_codec_of(const char* encoding) {
    if (encoding == nullptr) {
        PyErr_BadArgument();
        return Own();
    }
    if (const text::Encoding* own = text::find_encoding(encoding)) {
        return own_codec(own);
    }
    const std::string text = normalized(encoding);
    const Own name(PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size())));
    const Own functions = part_of_registry(searches);
    if (!name) {
        return Own();
    }
    if (functions) {
        const Own known = dict_of_registry(found_codecs);
        PyObject* codec = nullptr;
        if (!known || PyDict_GetItemRef(known.get(), name.get(), &codec) != 0) {
            return Own(codec);
        }
        Own found = search_codec(functions.get(), name.get());
        if (found && PyDict_SetItem(known.get(), name.get(), found.get()) < 0) {
            return Own();
        }
        if (found || PyErr_Occurred() != nullptr) {
            return found;
        }
    }
    PyErr_Format(PyExc_LookupError, "unknown encoding: %s", encoding);
    return Own();
}

enum CodecPart : Py_ssize_t { kEncoder, kDecoder, kReader, kWriter };

PyObject* part_of_codec(const char* encoding, CodecPart part) {
    const Own codec = find_codec_of(encoding);
    return codec ? Py_NewRef(PyTuple_GET_ITEM(codec.get(), part)) : nullptr;
}

// function(op), or with the errors.
PyObject* call_with_errors(PyObject* function, PyObject* op, const char* errors) {
    return errors == nullptr ? PyObject_CallOneArg(function, op)
                             : PyObject_CallFunction(function, "Os", op, errors);
}

// The first of the two that an encoder or a decoder returns.
PyObject* call_codec(PyObject* op, const char* encoding, const char* errors, CodecPart part,
                     const char* wanted) {
    const Own function(part_of_codec(encoding, part));
    const Own result(function ? call_with_errors(function.get(), op, errors) : nullptr);
    if (!result) {
        return nullptr;
    }
    if (!PyTuple_Check(result.get()) || PyTuple_GET_SIZE(result.get()) != 2) {
        PyErr_SetString(PyExc_TypeError, wanted);
        return nullptr;
    }
    return Py_NewRef(PyTuple_GET_ITEM(result.get(), 0));
}

PyObject* has_no(const char* what, const char* encoding) {
    return PyErr_Format(PyExc_LookupError, "encoding '%s' has no %s here", encoding, what);
}

PyObject* incremental(const char* encoding, const char* errors, const char* attribute,
                      const char* what) {
    if (encoding != nullptr && text::find_encoding(encoding) != nullptr) {
        return has_no(what, encoding);
    }
    const Own codec = find_codec_of(encoding);
    const Own maker(codec ? PyObject_GetAttrString(codec.get(), attribute) : nullptr);
    return !maker              ? nullptr
           : errors == nullptr ? PyObject_CallNoArgs(maker.get())
                               : PyObject_CallFunction(maker.get(), "s", errors);
}

PyObject* stream(const char* encoding, PyObject* file, const char* errors, CodecPart part,
                 const char* what) {
    if (encoding != nullptr && text::find_encoding(encoding) != nullptr) {
        return has_no(what, encoding);
    }
    const Own maker(part_of_codec(encoding, part));
    return maker ? call_with_errors(maker.get(), file, errors) : nullptr;
}

}  // namespace

void text::forget_codecs() {
    for (PyObject** place : {&searches, &found_codecs, &error_handlers}) {
        const Own old = exchange(*place, nullptr);
    }
}

int PyCodec_Register(PyObject* search) {
    if (search == nullptr || PyCallable_Check(search) == 0) {
        PyErr_SetString(PyExc_TypeError, "argument must be callable");
        return -1;
    }
    const Own before = part_of_registry(searches);
    const Own added(PyTuple_Pack(1, search));
    Own all(!added   ? nullptr
            : before ? PySequence_Concat(before.get(), added.get())
                     : Py_NewRef(added.get()));
    if (!all) {
        return -1;
    }
    const Own old = exchange(searches, all.release());
    return 0;
}

int PyCodec_Unregister(PyObject* search) {
    const Own before = part_of_registry(searches);
    const Py_ssize_t many = before ? PyTuple_GET_SIZE(before.get()) : 0;
    for (Py_ssize_t i = 0; i < many; ++i) {
        if (PyTuple_GET_ITEM(before.get(), i) != search) {
            continue;
        }
        Own rest;
        if (many > 1) {
            const Own first(PyTuple_GetSlice(before.get(), 0, i));
            const Own last(PyTuple_GetSlice(before.get(), i + 1, many));
            rest = Own(first && last ? PySequence_Concat(first.get(), last.get()) : nullptr);
            if (!rest) {
                return -1;
            }
        }
        const Own old = exchange(searches, rest.release());
        const Own known = exchange(found_codecs, nullptr);
        break;
    }
    return 0;
}

int PyCodec_KnownEncoding(const char* encoding) {
    const Own codec = find_codec_of(encoding);
    PyErr_Clear();
    return codec ? 1 : 0;
}

PyObject* PyCodec_Encode(PyObject* op, const char* encoding, const char* errors) {
    return call_codec(op, encoding, errors, kEncoder,
                      "encoder must return a tuple (object, integer)");
}

PyObject* PyCodec_Decode(PyObject* op, const char* encoding, const char* errors) {
    return call_codec(op, encoding, errors, kDecoder,
                      "decoder must return a tuple (object,integer)");
}

PyObject* PyCodec_Encoder(const char* encoding) {
    return part_of_codec(encoding, kEncoder);
}

PyObject* PyCodec_Decoder(const char* encoding) {
    return part_of_codec(encoding, kDecoder);
}

PyObject* PyCodec_IncrementalEncoder(const char* encoding, const char* errors) {
    return incremental(encoding, errors, "incrementalencoder", "incremental encoder");
}

PyObject* PyCodec_IncrementalDecoder(const char* encoding, const char* errors) {
    return incremental(encoding, errors, "incrementaldecoder", "incremental decoder");
}

PyObject* PyCodec_StreamReader(const char* encoding, PyObject* file, const char* errors) {
    return stream(encoding, file, errors, kReader, "stream reader");
}

PyObject* PyCodec_StreamWriter(const char* encoding, PyObject* file, const char* errors) {
    return stream(encoding, file, errors, kWriter, "stream writer");
}

int PyCodec_RegisterError(const char* name, PyObject* handler) {
    if (handler == nullptr || PyCallable_Check(handler) == 0) {
        PyErr_SetString(PyExc_TypeError, "handler must be callable");
        return -1;
    }
    const Own handlers = dict_of_registry(error_handlers);
    return handlers ? PyDict_SetItemString(handlers.get(), name, handler) : -1;
}

PyObject* PyCodec_LookupError(const char* name) {
    const char* wanted = name == nullptr ? "strict" : name;
    const Own handlers = part_of_registry(error_handlers);
    PyObject* handler = nullptr;
    if (handlers && PyDict_GetItemStringRef(handlers.get(), wanted, &handler) != 0) {
        return handler;
    }
    handler = text::own_error_handler(wanted);
    return handler != nullptr || PyErr_Occurred() != nullptr
               ? handler
               : PyErr_Format(PyExc_LookupError, "unknown error handler name '%.400s'", wanted);
}
