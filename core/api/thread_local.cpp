// Values of each thread: the C library's. Source: "Thread-local storage support" in the C API documentation.
#include "core/include/Python.h"

Py_tss_t* PyThread_tss_alloc(void) {
    return static_cast<Py_tss_t*>(PyMem_RawCalloc(1, sizeof(Py_tss_t)));
}

void PyThread_tss_free(Py_tss_t* key) {
    if (key != nullptr) {
        PyThread_tss_delete(key);
        PyMem_RawFree(key);
    }
}

int PyThread_tss_is_created(Py_tss_t* key) {
    return key->_is_initialized;
}

int PyThread_tss_create(Py_tss_t* key) {
    if (key->_is_initialized == 0) {
        key->_is_initialized = pthread_key_create(&key->_key, nullptr) == 0;
    }
    return key->_is_initialized != 0 ? 0 : -1;
}

void PyThread_tss_delete(Py_tss_t* key) {
    if (key->_is_initialized != 0) {
        pthread_key_delete(key->_key);
        key->_is_initialized = 0;
    }
}

int PyThread_tss_set(Py_tss_t* key, void* value) {
    return pthread_setspecific(key->_key, value) == 0 ? 0 : -1;
}

void* PyThread_tss_get(Py_tss_t* key) {
    return pthread_getspecific(key->_key);
}

int PyThread_create_key(void) {
    pthread_key_t key;
    return pthread_key_create(&key, nullptr) == 0 ? static_cast<int>(key) : -1;
}

void PyThread_delete_key(int key) {
    pthread_key_delete(static_cast<pthread_key_t>(key));
}

int PyThread_set_key_value(int key, void* value) {
    return pthread_setspecific(static_cast<pthread_key_t>(key), value) == 0 ? 0 : -1;
}

void* PyThread_get_key_value(int key) {
    return pthread_getspecific(static_cast<pthread_key_t>(key));
}

void PyThread_delete_key_value(int key) {
    pthread_setspecific(static_cast<pthread_key_t>(key), nullptr);
}

int64_t PyInterpreterState_GetID(PyInterpreterState*) {
    return 0;
}
