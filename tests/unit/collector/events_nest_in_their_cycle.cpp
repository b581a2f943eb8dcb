// Each collection emits one cycle with at least one pause in it; every other event lies in time inside
// its cycle and carries its number. The same events stand in the JSONL file, a valid object a line.

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "core/event/clock.hpp"
#include "core/include/ouroboros.h"

namespace {

using nlohmann::json;

constexpr OuroPhase kPhases[] = {
#define X(name, text, meaning) OURO_PHASE_##name,
    OURO_PHASES(X)
#undef X
};

void collect_into(const OuroEvent* event, void* arg) {
    static_cast<std::vector<OuroEvent>*>(arg)->push_back(*event);
}

class Events : public testing::Test {
protected:
    void SetUp() override {
        // A budget that no pause spends, on the slowest machine: how many there are is not the machine's affair.
        ASSERT_EQ(Ouro_Configure("verify=on,pause-budget-us=1000000", nullptr), 0);
        Py_Initialize();
        ASSERT_EQ(Ouro_AddListener(collect_into, &heard_), 0);
    }
    void TearDown() override {
        EXPECT_EQ(Ouro_RemoveListener(collect_into, &heard_), 0);
        Py_Finalize();
    }
    std::vector<OuroEvent> heard_;
};

// Lists that hold themselves.
void make_garbage(int count) {
    for (int i = 0; i < count; ++i) {
        PyObject* list = PyList_New(0);
        PyList_Append(list, list);
        Py_DECREF(list);
    }
}

struct Finalized {
    PyObject_HEAD
    PyObject* self;
};
PyObject* saved = nullptr;

int traverse_self(PyObject* op, visitproc visit, void* arg) {
    Py_VISIT(reinterpret_cast<Finalized*>(op)->self);
    return 0;
}
int clear_self(PyObject* op) {
    Py_CLEAR(reinterpret_cast<Finalized*>(op)->self);
    return 0;
}

// An object in a cycle with itself that its finalizer saves.
PyTypeObject finalized_type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "Finalized",
    .tp_basicsize = sizeof(Finalized),
    .tp_dealloc =
        [](PyObject* op) {
            PyObject_GC_UnTrack(op);
            PyObject_GC_Del(op);
        },
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = traverse_self,
    .tp_clear = clear_self,
    .tp_finalize = [](PyObject* op) { saved = Py_NewRef(op); },
};

void make_finalized_garbage() {
    ASSERT_EQ(PyType_Ready(&finalized_type), 0);
    PyObject* op = PyType_GenericAlloc(&finalized_type, 0);
    reinterpret_cast<Finalized*>(op)->self = op;  // the only reference, owned by itself
}

TEST_F(Events, NestInTheirCycle) {
    for (int i = 0; i < 5; ++i) {
        make_garbage(10 * i);
        if (i == 3) {
            make_finalized_garbage();
        }
        EXPECT_EQ(PyGC_Collect(), 10 * i);
    }
    std::map<uint64_t, OuroEvent> cycles;
    for (const OuroEvent& event : heard_) {
        if (event.phase == OURO_PHASE_CYCLE) {
            EXPECT_TRUE(cycles.emplace(event.cycle, event).second) << "two with one number";
        }
    }
    ASSERT_EQ(cycles.size(), 5u);
    std::map<uint64_t, int> pauses;
    std::map<uint64_t, std::set<OuroPhase>> phases;
    for (const OuroEvent& event : heard_) {
        SCOPED_TRACE(std::string(Ouro_PhaseName(event.phase)) + " of cycle " +
                     std::to_string(event.cycle));
        ASSERT_TRUE(cycles.contains(event.cycle));
        const OuroEvent& cycle = cycles[event.cycle];
        EXPECT_LE(cycle.start_ns, event.start_ns);
        EXPECT_LE(event.start_ns, event.end_ns);
        EXPECT_LE(event.end_ns, cycle.end_ns);
        EXPECT_GE(event.cpu_ns, 0);
        pauses[event.cycle] += event.phase == OURO_PHASE_PAUSE ? 1 : 0;
        phases[event.cycle].insert(event.phase);
    }
    for (const auto& [number, cycle] : cycles) {
        EXPECT_GE(pauses[number], 1) << "cycle " << number;
        for (const OuroPhase phase : {OURO_PHASE_COUNT, OURO_PHASE_ROOTS, OURO_PHASE_MARK,
                                      OURO_PHASE_CANDIDATES, OURO_PHASE_CONDEMN}) {
            EXPECT_TRUE(phases[number].contains(phase)) << Ouro_PhaseName(phase);
        }
        for (const OuroPhase phase : {OURO_PHASE_FINALIZE, OURO_PHASE_CLEAR, OURO_PHASE_RELEASE}) {
            EXPECT_EQ(phases[number].contains(phase), cycle.condemned > 0) << Ouro_PhaseName(phase);
        }
        EXPECT_EQ(cycle.generation, 2u) << "a full collection was asked for";
        EXPECT_GT(cycle.rss_bytes, 0u);
    }
    // A finalizer ran in the fourth, so the condemned were tested again, in a pause of its own.
    const uint64_t first = cycles.begin()->first;
    EXPECT_EQ(pauses[first + 3], 2);
    EXPECT_TRUE(phases[first + 3].contains(OURO_PHASE_RESURRECT));
    EXPECT_EQ(cycles[first + 3].resurrected, 1u);
    EXPECT_EQ(cycles[first + 3].condemned, 31u);
    EXPECT_EQ(cycles[first + 3].freed, 30u);
    EXPECT_EQ(pauses[first + 2], 1);
    EXPECT_EQ(cycles[first + 2].condemned, 20u);
    EXPECT_EQ(cycles[first + 2].freed, 20u);
    ASSERT_NE(saved, nullptr);
    Py_CLEAR(reinterpret_cast<Finalized*>(saved)->self);
    Py_CLEAR(saved);
}

int64_t died_ns = 0;

// An object in a cycle with itself that notes when it is deallocated.
PyTypeObject mortal_type = {
    .ob_base = PyVarObject_HEAD_INIT(&PyType_Type, 0).tp_name = "Mortal",
    .tp_basicsize = sizeof(Finalized),
    .tp_dealloc =
        [](PyObject* op) {
            died_ns = ouro::event::monotonic_ns();
            PyObject_GC_UnTrack(op);
            PyObject_GC_Del(op);
        },
    .tp_flags = Py_TPFLAGS_DEFAULT | Py_TPFLAGS_HAVE_GC,
    .tp_traverse = traverse_self,
    .tp_clear = clear_self,
};

TEST_F(Events, TellHowLongReleasingTook) {
    ASSERT_EQ(PyType_Ready(&mortal_type), 0);
    PyObject* op = PyType_GenericAlloc(&mortal_type, 0);
    reinterpret_cast<Finalized*>(op)->self = op;
    ASSERT_EQ(PyGC_Collect(), 1);
    ASSERT_NE(died_ns, 0);
    int releases = 0;
    for (const OuroEvent& event : heard_) {
        if (event.phase == OURO_PHASE_RELEASE) {
            ++releases;
            EXPECT_LE(event.start_ns, died_ns);
            EXPECT_GE(event.end_ns, died_ns);
        }
    }
    EXPECT_EQ(releases, 1);
}

// Cycles that allocation started, young ones among them, are no different.
TEST_F(Events, NestInAutomaticCyclesToo) {
    make_garbage(40'000);
    std::map<uint64_t, OuroEvent> cycles;
    std::map<uint64_t, int> pauses;
    std::set<unsigned> generations;
    for (const OuroEvent& event : heard_) {
        if (event.phase == OURO_PHASE_CYCLE) {
            cycles[event.cycle] = event;
            generations.insert(event.generation);
        }
    }
    EXPECT_GE(cycles.size(), 10u);
    EXPECT_TRUE(generations.contains(0));
    size_t freed = 0;
    for (const OuroEvent& event : heard_) {
        ASSERT_TRUE(cycles.contains(event.cycle));
        const OuroEvent& cycle = cycles[event.cycle];
        EXPECT_LE(cycle.start_ns, event.start_ns);
        EXPECT_LE(event.end_ns, cycle.end_ns);
        EXPECT_EQ(event.generation, cycle.generation) << Ouro_PhaseName(event.phase);
        pauses[event.cycle] += event.phase == OURO_PHASE_PAUSE ? 1 : 0;
        freed += event.phase == OURO_PHASE_CYCLE ? event.freed : 0;
    }
    for (const auto& [number, cycle] : cycles) {
        EXPECT_EQ(pauses[number], 1) << "cycle " << number;
    }
    EXPECT_EQ(freed + static_cast<size_t>(PyGC_Collect()), 40'000u);
}

TEST_F(Events, HoldTheirStoppedPhasesInsideAPause) {
    make_garbage(100);
    PyGC_Collect();
    for (const OuroEvent& event : heard_) {
        switch (event.phase) {
            case OURO_PHASE_COUNT:
            case OURO_PHASE_ROOTS:
            case OURO_PHASE_MARK:
            case OURO_PHASE_CANDIDATES:
            case OURO_PHASE_CONDEMN: {
                bool inside = false;
                for (const OuroEvent& pause : heard_) {
                    inside = inside ||
                             (pause.phase == OURO_PHASE_PAUSE && pause.start_ns <= event.start_ns &&
                              event.end_ns <= pause.end_ns);
                }
                EXPECT_TRUE(inside) << Ouro_PhaseName(event.phase);
                break;
            }
            case OURO_PHASE_FINALIZE:
            case OURO_PHASE_CLEAR:
            case OURO_PHASE_RELEASE:
            case OURO_PHASE_PURGE:
                for (const OuroEvent& pause : heard_) {
                    if (pause.phase == OURO_PHASE_PAUSE) {
                        EXPECT_TRUE(event.end_ns <= pause.start_ns ||
                                    pause.end_ns <= event.start_ns)
                            << Ouro_PhaseName(event.phase) << " runs while the world stands";
                    }
                }
                break;
            default:
                break;
        }
    }
}

TEST_F(Events, StandInTheFileAsTheyWereHeard) {
    const std::string path = testing::TempDir() + "events-" + std::to_string(getpid()) + ".jsonl";
    ASSERT_EQ(Ouro_RecordEvents(path.c_str()), 0);
    EXPECT_EQ(Ouro_RecordEvents(path.c_str()), -1);
    EXPECT_EQ(errno, EBUSY);
    make_garbage(7);
    PyGC_Collect();
    PyGC_Collect();
    ASSERT_EQ(Ouro_StopRecordingEvents(), 0);
    const size_t recorded = heard_.size();
    PyGC_Collect();  // no longer recorded
    EXPECT_EQ(Ouro_StopRecordingEvents(), 0) << "nothing to stop";

    std::set<std::string> names;
    for (const OuroPhase phase : kPhases) {
        names.insert(Ouro_PhaseName(phase));
    }
    std::ifstream file(path);
    std::vector<json> lines;
    for (std::string line; std::getline(file, line);) {
        ASSERT_NO_THROW(lines.push_back(json::parse(line))) << line;
    }
    std::remove(path.c_str());
    ASSERT_EQ(lines.size(), recorded);
    for (size_t i = 0; i < recorded; ++i) {
        const json& line = lines[i];
        const OuroEvent& event = heard_[i];
        SCOPED_TRACE(line.dump());
        EXPECT_TRUE(names.contains(line.at("phase")));
        EXPECT_EQ(line.at("phase"), Ouro_PhaseName(event.phase));
        EXPECT_EQ(line.at("cycle"), event.cycle);
        EXPECT_EQ(line.at("start_ns"), event.start_ns);
        EXPECT_EQ(line.at("end_ns"), event.end_ns);
        EXPECT_EQ(line.at("cpu_ns"), event.cpu_ns);
        EXPECT_EQ(line.at("generation"), event.generation);
        EXPECT_EQ(line.value("uncollectable", size_t{0}), event.uncollectable);
        EXPECT_EQ(line.contains("time_to_safepoint_ns"), event.phase == OURO_PHASE_PAUSE);
        EXPECT_EQ(line.value("objects", size_t{0}), event.objects);
        EXPECT_EQ(line.value("candidates", size_t{0}), event.candidates);
        EXPECT_EQ(line.value("condemned", size_t{0}), event.condemned);
        EXPECT_EQ(line.value("resurrected", size_t{0}), event.resurrected);
        EXPECT_EQ(line.value("rejected", size_t{0}), event.rejected);
        EXPECT_EQ(line.value("freed", size_t{0}), event.freed);
        EXPECT_EQ(line.value("bytes", size_t{0}), event.bytes);
        EXPECT_EQ(line.value("rss_bytes", size_t{0}), event.rss_bytes);
    }
}

TEST_F(Events, AreAppendedToTheFile) {
    const std::string path = testing::TempDir() + "append-" + std::to_string(getpid()) + ".jsonl";
    std::ofstream(path) << "{}\n";
    ASSERT_EQ(Ouro_RecordEvents(path.c_str()), 0);
    PyGC_Collect();
    ASSERT_EQ(Ouro_StopRecordingEvents(), 0);
    std::ifstream file(path);
    std::string line;
    ASSERT_TRUE(std::getline(file, line));
    EXPECT_EQ(line, "{}");
    size_t lines = 0;
    while (std::getline(file, line)) {
        ++lines;
    }
    EXPECT_EQ(lines, heard_.size());
    std::remove(path.c_str());
}

TEST_F(Events, CannotBeRecordedWhereNoFileCanBe) {
    EXPECT_EQ(Ouro_RecordEvents("/nonexistent/events.jsonl"), -1);
    EXPECT_EQ(errno, ENOENT);
    EXPECT_EQ(Ouro_StopRecordingEvents(), 0);
}

TEST(APhase, HasANameOfItsOwn) {
    std::set<std::string> names;
    for (const OuroPhase phase : kPhases) {
        const std::string name = Ouro_PhaseName(phase);
        EXPECT_THAT(name, testing::MatchesRegex("[a-z]+"));
        EXPECT_NE(name, "unknown");
        EXPECT_TRUE(names.insert(name).second) << name << " twice";
    }
    EXPECT_EQ(names.size(), static_cast<size_t>(OURO_PHASE_COUNT_));
    EXPECT_STREQ(Ouro_PhaseName(OURO_PHASE_COUNT_), "unknown");
}

}  // namespace
