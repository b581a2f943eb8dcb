#include "experiments/runner/bench_ext.hpp"

#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "experiments/runner/clock.hpp"
#include "experiments/runner/latencies.hpp"
#include "experiments/runner/mutator_pauses.hpp"
#include "experiments/runner/pauses.hpp"
#include "experiments/runner/row.hpp"
#include "experiments/runner/words.hpp"
#include "ouroboros.h"

namespace ouro::runner {
namespace {

using nlohmann::json;

// A reference that is dropped at the end of its scope.
struct Drop {
    void operator()(PyObject* op) const { Py_DECREF(op); }
};
using Reference = std::unique_ptr<PyObject, Drop>;

// What is not an object is an exception, and ends the program's work.
Reference or_print(PyObject* op) {
    if (op == nullptr) {
        PyErr_Print();
        throw ExceptionPrinted();
    }
    return Reference(op);
}

// An int or a float if the text is one; nothing, with no exception, if it is not.
Reference read(PyObject* op) {
    if (op == nullptr && PyErr_ExceptionMatches(PyExc_ValueError) != 0) {
        PyErr_Clear();
        return nullptr;
    }
    return or_print(op);
}

Reference read_argument(const std::string& text) {
    if (Reference number = read(PyLong_FromString(text.c_str(), nullptr, 10))) {
        return number;
    }
    Reference str = or_print(PyUnicode_FromString(text.c_str()));
    Reference number = read(PyFloat_FromString(str.get()));
    return number ? std::move(number) : std::move(str);
}

Reference read_arguments(const std::vector<std::string>& call) {
    Reference args = or_print(PyTuple_New(static_cast<Py_ssize_t>(call.size()) - 1));
    for (size_t i = 1; i < call.size(); ++i) {
        PyTuple_SET_ITEM(args.get(), static_cast<Py_ssize_t>(i - 1),
                         read_argument(call[i]).release());
    }
    return args;
}

// "a.b": attribute b of attribute a.
Reference find(PyObject* module, const std::string& name) {
    Reference op(Py_NewRef(module));
    for (const std::string& part : words(name, '.')) {
        op = or_print(PyObject_GetAttrString(op.get(), part.c_str()));
    }
    return op;
}

std::string repr_of(PyObject* op) {
    const Reference text = or_print(PyObject_Repr(op));
    const char* utf8 = PyUnicode_AsUTF8(text.get());
    return utf8 == nullptr ? (or_print(nullptr), "") : utf8;
}

// The runtime has room for so many listeners, and a few of them are others'.
constexpr size_t kWatchedThreads = 8;

// One thread's calls.
struct Calls {
    Latencies latencies;
    std::optional<MutatorPauses> pauses;  // of the first few threads
    Reference result;
};

// False if a call raised, here or on another thread; what is set here is printed.
bool call(PyObject* function, PyObject* args, uint64_t times, std::atomic<bool>& failed,
          Calls& calls) {
    for (uint64_t i = 0; i < times && !failed.load(std::memory_order_relaxed); ++i) {
        const int64_t start = wall_ns();
        calls.result.reset(PyObject_Call(function, args, nullptr));
        calls.latencies.add(wall_ns() - start);
        if (calls.result == nullptr) {
            if (!failed.exchange(true)) {
                PyErr_Print();
            }
            PyErr_Clear();
        }
    }
    return !failed.load();
}

class Team {
public:
    Team(PyObject* function, PyObject* args, const ExtOptions& options)
        : function_(function), args_(args), repeat_(options.repeat), calls_(options.threads) {}

    // On the calling thread and as many others as are wanted.
    void run() {
        std::vector<std::thread> others;
        for (size_t i = 1; i < calls_.size(); ++i) {
            others.emplace_back([this, i] {
                const PyGILState_STATE state = PyGILState_Ensure();
                run_one(calls_[i]);
                PyGILState_Release(state);
            });
        }
        run_one(calls_[0]);
        PyThreadState* me = PyEval_SaveThread();
        for (std::thread& other : others) {
            other.join();
        }
        PyEval_RestoreThread(me);
        if (failed_) {
            throw ExceptionPrinted();
        }
    }

    const std::vector<std::unique_ptr<Calls>>& calls() const { return calls_; }
    Reference take_result() { return std::move(calls_[0]->result); }

private:
    void run_one(std::unique_ptr<Calls>& calls) {
        calls = std::make_unique<Calls>();
        if (&calls < calls_.data() + kWatchedThreads) {
            calls->pauses.emplace();
        }
        call(function_, args_, repeat_, failed_, *calls);
        if (&calls != &calls_[0]) {
            calls->result.reset();  // while this thread is attached
        }
    }

    PyObject* const function_;
    PyObject* const args_;
    const uint64_t repeat_;
    std::vector<std::unique_ptr<Calls>> calls_;
    std::atomic<bool> failed_{false};
};

// What the threads felt from start_ns on.
void add_calls(Row& row, const Team& team, int64_t start_ns, int64_t end_ns) {
    std::vector<Intervals> pauses;
    std::vector<int64_t> to_safepoint;
    Latencies latencies;
    for (const auto& calls : team.calls()) {
        if (calls->pauses) {
            pauses.push_back(calls->pauses->pauses());
        }
        latencies.add(calls->latencies);
    }
    const MutatorPauses& first = *team.calls()[0]->pauses;
    row["mutator_ops"] = latencies.count();
    row["run_ns"] = end_ns - start_ns;
    row["ns_per_op"] =
        static_cast<double>(end_ns - start_ns) / static_cast<double>(latencies.count());
    row["pauses"] = summary_of(pauses);
    row["pause_points"] = points_of(pauses.front(), start_ns);
    row["time_to_safepoint"] = percentiles(first.times_to_safepoint_ns());
    row["latency"] = latencies.summary();
    add_utilisation(row, pauses, start_ns, end_ns);
    first.add_cycles(row);
}

// Of a module that was imported and nothing more.
void add_no_calls(Row& row, const MutatorPauses& pauses) {
    row["mutator_ops"] = 0;
    row["pauses"] = pauses.summary();
    pauses.add_cycles(row);
}

std::string run(Row& row, const ExtOptions& options) {
    const MutatorPauses pauses;
    const Reference module = or_print(Ouro_ImportFile(options.module.c_str()));
    if (options.call.empty()) {
        add_no_calls(row, pauses);
        return repr_of(module.get());
    }
    const Reference function = find(module.get(), options.call[0]);
    const Reference args = read_arguments(options.call);
    Team team(function.get(), args.get(), options);
    const int64_t start = wall_ns();
    row["build_ns"] = start - row.wall_start_ns();
    team.run();
    const int64_t end = wall_ns();
    row["live_objects"] = tracked_objects();
    add_calls(row, team, start, end);
    const Reference result = team.take_result();
    return repr_of(result.get());
}

}  // namespace

nlohmann::json bench_ext(const ExtOptions& options) {
    Row row("ext");
    row["params"] = {{"module", options.module},
                     {"call", options.call},
                     {"repeat", options.repeat},
                     {"threads", options.threads}};
    row["threads"] = options.threads;
    row["live_objects"] = nullptr;
    row["backlog_max"] = nullptr;
    row["result"] = run(row, options);
    row.take_heap();
    const int64_t start = wall_ns();
    row["collected"] = PyGC_Collect();
    row["garbage_collect_ns"] = wall_ns() - start;
    Py_FinalizeEx();
    return row.finish();
}

}  // namespace ouro::runner
