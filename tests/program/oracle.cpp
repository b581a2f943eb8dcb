#include "tests/program/oracle.hpp"

#include <algorithm>
#include <utility>

#include "core/collector/candidates.hpp"
#include "tests/program/report.hpp"

namespace ouro::program {
namespace {

size_t members(const Set& set) {
    return static_cast<size_t>(std::count(set.begin(), set.end(), true));
}

Set without(Set set, const Set& removed) {
    for (size_t i = 0; i < set.size(); ++i) {
        set[i] = set[i] && !removed[i];
    }
    return set;
}

Set both(Set set, const Set& other) {
    for (size_t i = 0; i < set.size(); ++i) {
        set[i] = set[i] && other[i];
    }
    return set;
}

}  // namespace

void Counts::add(const Counts& other) {
#define X(name, text) name += other.name;
    OURO_PROGRAM_COUNTS(X)
#undef X
}

void Oracle::on_event(const OuroEvent& event) {
    switch (event.phase) {
        case OURO_PHASE_TEST:
            return tested();
        case OURO_PHASE_CONDEMN:
            return condemn(event);
        case OURO_PHASE_CALLBACKS:
            return callbacks_ran(kCollected);
        case OURO_PHASE_FINALIZE:
            return finalizers_ran();
        case OURO_PHASE_RESURRECT:
            return test_again(event);
        case OURO_PHASE_CLEAR:
            return stage_ == Stage::kTested ? cleared_early() : cleared();
        case OURO_PHASE_RELEASE:
            return stage_ == Stage::kTested ? released_early() : released();
        case OURO_PHASE_CYCLE:
            return end_cycle(event);
        default:
            return;
    }
}

// ---- the first pause, or pauses between which what is apart is reclaimed ------------------------

void Oracle::begin_cycle() {
    code_ran_ = 0;
    code_may_run_ = false;
    reclaimed_early_ = 0;
    for (int i = 0; i < shadow_.size(); ++i) {
        shadow_[i].cleared = false;
        shadow_[i].was_untracked = false;
    }
}

// All candidates, or those so far.
void Oracle::tested() {
    if (stage_ != Stage::kNone && stage_ != Stage::kTested) {
        fail("candidates are tested after they were condemned");
    }
    if (stage_ == Stage::kNone) {
        begin_cycle();
        garbage_when_tested_ = shadow_.garbage(2, true);
    }
    stage_ = Stage::kTested;
    const Set possible = shadow_.garbage(2, false);
    compare_condemned(Set(possible.size()), possible, "by a part of the test");
    for (int i = 0; i < shadow_.size(); ++i) {
        if (shadow_[i].condemned) {
            shadow_[i].pin = Node::Pin::kSure;
        }
    }
    note_callbacks_due();
    kill_weak_references();
}

void Oracle::cleared_early() {
    for (int i = 0; i < shadow_.size(); ++i) {
        if (shadow_[i].condemned) {
            shadow_[i].pin = Node::Pin::kMaybe;
        }
    }
}

void Oracle::released_early() {
    garbage_when_tested_.resize(static_cast<size_t>(shadow_.size()));
    for (int i = 0; i < shadow_.size(); ++i) {
        Node& node = shadow_[i];
        if (!node.alive || !node.condemned) {
            continue;
        }
        if (!collector::is_condemned(node.op)) {  // released, but no tp_clear broke its cycle
            node.condemned = false;
            node.pin = Node::Pin::kNone;
            garbage_when_tested_[static_cast<size_t>(i)] = false;
            ++reclaimed_early_;
            continue;
        }
        if (node.cleared) {
            fail("o{} is cleared, and held while others are tested: {}", i, shadow_.describe(i));
        }
        node.pin = Node::Pin::kSure;
    }
}

void Oracle::condemn(const OuroEvent& event) {
    const bool was_tested = stage_ == Stage::kTested;
    if (stage_ != Stage::kNone && !was_tested) {
        fail("a collection began inside another");
    }
    if (!was_tested) {
        begin_cycle();
    }
    is_local_ = event.trigger == OURO_TRIGGER_SUSPECTS;
    constexpr const char* kNames[] = {"young", "middle", "full"};
    if (event.condemned + event.uncollectable > 0) {
        report.say("(a {} collection condemns {} and keeps {})",
                   is_local_ ? "local" : kNames[event.generation], event.condemned,
                   event.uncollectable);
    }
    stage_ = Stage::kCondemned;
    generation_ = event.generation;
    tested_again_ = false;

    Set sure = is_local_ ? Set(static_cast<size_t>(shadow_.size()))
                         : shadow_.garbage(event.generation, true);
    if (was_tested) {  // and tp_clear may have run since
        garbage_when_tested_.resize(sure.size());
        sure = both(std::move(sure), garbage_when_tested_);
    }
    const Set possible = shadow_.garbage(is_local_ ? 2 : event.generation, false);
    surely_kept_ = shadow_.reached_from_del(sure);
    possibly_kept_ = shadow_.reached_from_del(possible);
    compare_condemned(without(sure, possibly_kept_), without(possible, surely_kept_),
                      "by the collection");
    size_t condemned = reclaimed_early_;
    for (int i = 0; i < shadow_.size(); ++i) {
        Node& node = shadow_[i];
        condemned += node.condemned ? 1 : 0;
        if (node.condemned) {
            node.pin = Node::Pin::kSure;
        }
        if (surely_kept_[static_cast<size_t>(i)] && node.traits.del) {
            ++node.temporary;  // until it is listed
        } else if (possibly_kept_[static_cast<size_t>(i)] && node.traits.del) {
            ++node.uncertain;
        }
    }
    if (event.condemned != condemned) {
        fail("{} objects are condemned, {} of them the program's", event.condemned, condemned);
    }
    if (event.uncollectable < members(surely_kept_) ||
        event.uncollectable > members(possibly_kept_)) {
        fail("{} objects are uncollectable, not {} (or {})", event.uncollectable,
             members(surely_kept_), members(possibly_kept_));
    }
    found_ = condemned + event.uncollectable;
    counts.condemned += condemned;
    counts.condemned_young += generation_ < 2 && !is_local_ ? condemned : 0;
    counts.condemned_local += is_local_ ? condemned : 0;
    counts.uncollectable += event.uncollectable;
    note_callbacks_due();
    kill_weak_references();
    grow_older();
}

void Oracle::note_callbacks_due() {
    for (int i = 0; i < shadow_.size(); ++i) {
        Node& weak = shadow_[i];
        if (weak.alive && weak.target != kNothing && shadow_[weak.target].condemned &&
            !weak.condemned && weak.slots[0] != kNothing) {
            weak.due_because = kCollected;
            // Otherwise it is dying, or the library holds it for the moment.
            weak.due_surely = shadow_.references(i) > 0;
            code_ran_ += weak.due_surely ? 1 : 0;
            code_may_run_ = true;
        }
    }
}

// Notes what is condemned, and compares that with the bounds.
void Oracle::compare_condemned(const Set& sure, const Set& possible, const char* when) {
    for (int i = 0; i < shadow_.size(); ++i) {
        Node& node = shadow_[i];
        const bool condemned = node.alive && collector::is_condemned(node.op);
        if (condemned && !possible[static_cast<size_t>(i)]) {
            fail("condemned {}, but alive, or not in its scope: {}", when, shadow_.describe(i));
        }
        if (!condemned && sure[static_cast<size_t>(i)]) {
            fail("not condemned {}, but garbage: {}", when, shadow_.describe(i));
        }
        node.condemned = condemned;
    }
}

void Oracle::kill_weak_references() {
    for (int i = 0; i < shadow_.size(); ++i) {
        Node& weak = shadow_[i];
        if (weak.target != kNothing && (weak.condemned || shadow_[weak.target].condemned)) {
            weak.target = kNothing;
            ++counts.weak_killed;
            if (PyWeakref_IsDead(weak.op) == 0) {
                fail("a weak reference to or among the condemned is not dead: o{}", i);
            }
        }
    }
}

// A collection that looked at nothing.
void Oracle::left_out(const OuroEvent& event) {
    if (!ages_at_once_ || event.generation != 0 || event.trigger != OURO_TRIGGER_ALLOCATION) {
        fail("a collection of generation {} condemned nothing, not even nothing", event.generation);
    }
    generation_ = 0;
    is_local_ = false;
    surely_kept_ = possibly_kept_ = Set(static_cast<size_t>(shadow_.size()));
    grow_older();
    ++counts.left_out;
}

void Oracle::grow_older() {
    if (is_local_) {
        return;
    }
    for (int i = 0; i < shadow_.size(); ++i) {
        Age& age = shadow_[i].age;
        if (generation_ > 0 || ages_at_once_) {
            // What a collection of the middle does not look at is old already.
            age = Age::kOld;
        } else if (age == Age::kYoung) {
            age = Age::kMiddle;
        }
    }
}

// ---- code runs ---------------------------------------------------------------------------------

void Oracle::callbacks_ran(int because) {
    for (int i = 0; i < shadow_.size(); ++i) {
        Node& weak = shadow_[i];
        if (weak.due_because == because) {
            if (weak.due_surely) {
                fail("the callback of o{} was not called", i);
            }
            weak.due_because = kNothing;
        }
    }
}

void Oracle::callback_begins(int weak, int callback) {
    Node& node = shadow_[weak];
    report.say("callback of o{}: o{} is called", weak, callback);
    if (node.due_because == kNothing) {
        fail("the callback of o{} is called, but not due", weak);
    }
    if (node.slots[0] != callback) {
        fail("o{} is called for o{}, whose callback is o{}", callback, weak, node.slots[0]);
    }
    if (node.target != kNothing || PyWeakref_IsDead(node.op) == 0) {
        fail("the callback of o{} is called before it is dead", weak);
    }
    node.due_because = kNothing;
    ++counts.called_back;
}

int Oracle::expect(int node) {
    return std::exchange(expected_, node);
}

void Oracle::finalizer_begins(int number) {
    Node& node = shadow_[number];
    report.say("finalizer of o{}", number);
    if (!node.alive || node.finalized) {
        fail("o{} is finalized {}", number, node.alive ? "twice" : "after its death");
    }
    if (expected_ == number) {
        expected_ = kNothing;
    } else if (stage_ != Stage::kCondemned || !node.condemned || !node.tracked) {
        fail("o{} is finalized, but is no garbage", number);
    } else {
        ++code_ran_;
        for (int i = 0; i < shadow_.size(); ++i) {
            if (shadow_[i].due_because == kCollected) {
                fail("o{} is finalized before the callback of o{}", number, i);
            }
        }
    }
    node.finalized = true;
    ++counts.finalized;
}

void Oracle::finalizers_ran() {
    stage_ = Stage::kFinalized;
    for (int i = 0; i < shadow_.size(); ++i) {
        const Node& node = shadow_[i];
        if (node.condemned && node.traits.finalizer && !node.finalized && node.tracked &&
            !node.was_untracked) {
            fail("o{} is garbage and was not finalized", i);
        }
        if (node.condemned && shadow_.references(i) == 0 && node.uncertain == 0) {
            fail("only the collection holds o{}, and it was not let go", i);
        }
    }
}

void Oracle::test_again(const OuroEvent& event) {
    tested_again_ = true;
    Set before(static_cast<size_t>(shadow_.size()));
    for (int i = 0; i < shadow_.size(); ++i) {
        before[static_cast<size_t>(i)] = shadow_[i].condemned;
    }
    compare_condemned(shadow_.still_condemned(true), shadow_.still_condemned(false),
                      "after finalizers");
    size_t garbage = 0;
    for (int i = 0; i < shadow_.size(); ++i) {
        garbage += shadow_[i].condemned ? 1 : 0;
    }
    const size_t survivors = members(before) - garbage;
    if (event.resurrected != survivors) {
        fail("{} objects were resurrected, not {}", event.resurrected, survivors);
    }
    counts.resurrected += survivors;
    found_ -= survivors;
    kill_weak_references();
}

// ---- reclaiming --------------------------------------------------------------------------------

void Oracle::clear_begins(int number) {
    Node& node = shadow_[number];
    if (expected_ == number) {
        expected_ = kNothing;
        return;
    }
    const bool early = stage_ == Stage::kTested;
    if ((stage_ != Stage::kFinalized && !early) || !node.condemned || !node.tracked) {
        fail("o{} is cleared, but is not to be reclaimed", number);
    }
    if (early && node.traits.finalizer && !node.finalized) {
        fail("o{} is cleared before its finalizer ran", number);
    }
    if (node.cleared) {
        fail("o{} is cleared twice", number);
    }
    if (code_ran_ > 0 && !tested_again_ && !early) {
        fail("o{} is cleared without a second test, though code ran", number);
    }
    node.cleared = true;
    ++counts.cleared;
}

void Oracle::cleared() {
    if (tested_again_ ? code_ran_ == 0 && !code_may_run_ : code_ran_ > 0) {
        fail("code ran {} times, and the condemned were {}tested again", code_ran_,
             tested_again_ ? "" : "not ");
    }
    stage_ = Stage::kCleared;
    for (int i = 0; i < shadow_.size(); ++i) {
        Node& node = shadow_[i];
        if (node.condemned && node.traits.has_clear && !node.cleared && node.tracked &&
            !node.was_untracked) {
            fail("o{} is garbage and was not cleared", i);
        }
        if (node.pin == Node::Pin::kSure) {
            node.pin = Node::Pin::kMaybe;  // dropped one after the other
        }
    }
}

void Oracle::released() {
    for (int i = 0; i < shadow_.size(); ++i) {
        shadow_[i].pin = Node::Pin::kNone;
        shadow_[i].condemned = false;
    }
}

void Oracle::end_cycle(const OuroEvent& event) {
    if (stage_ == Stage::kNone) {
        left_out(event);
    }
    check_uncollectable();
    for (int i = 0; i < shadow_.size(); ++i) {
        const Node& node = shadow_[i];
        if (node.condemned || node.pin != Node::Pin::kNone) {
            fail("o{} is still condemned after the collection", i);
        }
    }
    stage_ = Stage::kNone;
    ++cycles_;
    size_t* scopes[] = {&counts.young, &counts.middle, &counts.full};
    ++(is_local_ ? counts.local : *scopes[generation_]);
}

// The list of uncollectable objects has grown by those with tp_del, once each.
void Oracle::check_uncollectable() {
    std::vector<int> listed(static_cast<size_t>(shadow_.size()));
    PyObject* list = Ouro_Garbage();
    for (Py_ssize_t i = 0; i < PyList_Size(list); ++i) {
        const int node = shadow_.find(PyList_GetItem(list, i));
        if (node == kNothing || !shadow_[node].traits.del) {
            fail("the list of uncollectable objects has one without tp_del");
        }
        ++listed[static_cast<size_t>(node)];
    }
    for (int i = 0; i < shadow_.size(); ++i) {
        Node& node = shadow_[i];
        const bool surely = surely_kept_.size() > static_cast<size_t>(i) && node.traits.del &&
                            surely_kept_[static_cast<size_t>(i)];
        const bool possibly = surely || (possibly_kept_.size() > static_cast<size_t>(i) &&
                                         node.traits.del && possibly_kept_[static_cast<size_t>(i)]);
        const int added = listed[static_cast<size_t>(i)] - node.listed;
        if (added < (surely ? 1 : 0) || added > (possibly ? 1 : 0)) {
            fail("o{} was added {} times to the list of uncollectable objects", i, added);
        }
        node.listed += added;
        if (surely) {
            --node.temporary;
        } else if (possibly) {
            --node.uncertain;
        }
    }
}

// ---- deaths ------------------------------------------------------------------------------------

void Oracle::deallocation_begins(int number) {
    Node& node = shadow_[number];
    if (!node.alive) {
        fail("o{} dies twice", number);
    }
    if (stage_ == Stage::kTested && node.condemned) {
        node.condemned = false;
        node.pin = node.pin == Node::Pin::kMaybe ? Node::Pin::kNone : node.pin;
        ++reclaimed_early_;
        ++counts.reclaimed_early;
    } else if (stage_ == Stage::kCondemned && node.condemned && shadow_.references(number) == 0) {
        report.say("(o{} is let go)", number);
        if (code_ran_ == 0) {
            fail("o{} is let go before any code ran", number);
        }
        node.condemned = false;
        node.pin = Node::Pin::kNone;
        --found_;
        ++counts.let_go;
    }
    if (shadow_.count(number) != 0) {
        fail("deallocated, but{} referenced: {}",
             node.pin == Node::Pin::kSure ? " condemned, not all cleared yet, or" : "",
             shadow_.describe(number));
    }
}

std::vector<int> Oracle::weak_references_die(int number) {
    std::vector<int> due;
    for (int i = 0; i < shadow_.size(); ++i) {
        Node& weak = shadow_[i];
        if (weak.target != number) {
            continue;
        }
        weak.target = kNothing;
        if (weak.slots[0] != kNothing) {
            weak.due_because = number;
            weak.due_surely = shadow_.count(i) > 0;
            ++weak.uncertain;  // held until it is called
            due.push_back(i);
        }
    }
    return due;
}

void Oracle::weak_references_died(int number, const std::vector<int>& due) {
    callbacks_ran(number);
    for (const int weak : due) {
        --shadow_[weak].uncertain;
    }
}

void Oracle::moved(int number) {
    Node& node = shadow_[number];
    if (node.condemned) {
        if (stage_ == Stage::kCondemned) {
            --found_;  // what stays behind has the collector's reference alone, and is let go
            ++counts.let_go;
        }
        node.condemned = false;
        node.pin = Node::Pin::kNone;
    }
}

}  // namespace ouro::program
