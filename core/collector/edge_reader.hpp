// Reads the references among the members of a set, for their components, by as many threads as there are: the collector's
// own. What mutators change meanwhile is read or is not.
#pragma once

#include <atomic>

#include "core/collector/components.hpp"
#include "core/collector/numbering.hpp"
#include "core/collector/world.hpp"

namespace ouro::collector {

class SliceWorkers;

class EdgeReader {
public:
    // A thread's.
    struct alignas(64) Worker {
        Components::Part* part = nullptr;
        const Numbering* numbers = nullptr;
        Lookups lookups;            // of references; null: the next node begins
        Components::Node next = 0;  // of those that it has taken
        Components::Node end = 0;
        uint32_t work = 0;           // objects and references, of one object
        bool must_stop = false;      // for the next one
        bool out_of_memory = false;  // in a traversal, which cannot throw
    };
    // Kept from one to the next.
    struct Memory {
        heap::PageVector<Components::Part> parts;
        heap::PageVector<Worker> workers;
    };

    // `threads` null: the calling one alone. All outlive it. Throws std::bad_alloc, as what follows does.
    EdgeReader(const Numbering& numbers, Memory& memory, SliceWorkers* threads);
    ~EdgeReader();
    EdgeReader(const EdgeReader&) = delete;
    EdgeReader& operator=(const EdgeReader&) = delete;

    // Until the deadline, one object at least; kDone when all have been read. kStop: the next one may not be traversed
    // concurrently with mutators. Concurrently with them the calling thread is the traversing one.
    Next read(Deadline& deadline, World world);
    // When all have been read: makes the graph, until the deadline, true when it is whole.
    bool join(Components& components, Deadline& deadline);
    // Gives the memory back until the deadline; true when it is done.
    bool drop(Deadline& deadline);

private:
    bool take_nodes(Worker& self);
    void read(Worker& self, Deadline& deadline, World world) noexcept;
    void read_some(Worker& self, Deadline& deadline, World world);
    static void ask(Worker& self, const PyObject* op);
    static void add_edges(Worker& self);
    static int visit(PyObject* op, void* arg);

    const Numbering& numbers_;
    SliceWorkers* const threads_;
    heap::PageVector<Components::Part>& parts_;  // of each worker
    heap::PageVector<Worker>& workers_;
    std::atomic<size_t> taken_{0};
    bool is_joined_ = false;
};

}  // namespace ouro::collector
