#include "core/collector/engines/local_search.hpp"

#include <algorithm>

#include "core/collector/delay_ring.hpp"
#include "core/collector/engines/own_count.hpp"
#include "core/collector/engines/suspicion.hpp"
#include "core/collector/fetch.hpp"
#include "core/event/clock.hpp"
#include "core/heap/heap.hpp"
#include "core/object/object.hpp"

namespace ouro::collector {
namespace {

// References that are followed for each member that there may be: a long list of numbers has many.
constexpr size_t kReferences = 16;
// A suspect is in no cache: it is fetched while so many before it are looked at. In a server whose sessions are looked
// up, 256 that are not worth a look took 50 us.
constexpr size_t kAhead = 8;
// Suspects of which a later search looks as far as it may: alive as far as the first bound goes.
constexpr size_t kDeeper = 128;
// A score's bounds, and what it is at first.
constexpr int8_t kBestScore = 64;
constexpr int8_t kWorstScore = -127;
// A member that is looked at for nothing takes one away, one that is garbage adds so many; of credit, so many times what
// a look at one took.
constexpr int64_t kGainOfDead = 2;
// What that can be: the thread may have been without a processor.
constexpr int64_t kMostMemberNs = 1'000;
// The most credit, and what it is at first.
constexpr int64_t kMostCreditNs = 1'000'000;
// A far search begins with so much of it left.
constexpr int64_t kFarNs = kMostCreditNs / 2;

}  // namespace

LocalSearch::LocalSearch(Bounds bounds) : bounds_(bounds), credit_ns_(kMostCreditNs) {}

// Of slots in use. The table grows with the heap.
int8_t& LocalSearch::score_of(const PyObject* op) {
    return scores_[static_cast<size_t>(heap::block_of(op) - view_.first_block())];
}

bool LocalSearch::is_worth_a_look(int8_t score) const {
    return score >= 0 || credit_ns_ > 0 || !is_bounded();
}

void LocalSearch::add_credit(int64_t ns) {
    credit_ns_ = std::clamp(credit_ns_ + ns, -kMostCreditNs, kMostCreditNs);
}

void LocalSearch::forget_scores() {
    std::ranges::fill(scores_, kBestScore);
}

// Pre: a tracked container that is not a member.
void LocalSearch::add(PyObject* op, uint32_t slot, int32_t references) {
    const int32_t count = own_count(op);
    if (count > kMostReferences) {
        return;
    }
    members_.push_back({op, slot, count - references, view_.count(slot), 0});
    view_.count(slot) = static_cast<uint32_t>(members_.size() - 1);
    view_.set_mark(slot, view_.mark(slot) | heap::kMember);
    --room_;
}

int LocalSearch::visit_to_gather(PyObject* op, void* arg) {
    auto* self = static_cast<LocalSearch*>(arg);
    if (self->references_ == 0) {
        self->is_cut_off_ = true;
        return 1;
    }
    --self->references_;
    ++self->followed_;
    const uint32_t slot = self->view_.slot_of(op);
    const uint8_t mark = self->view_.mark(slot);
    if ((mark & heap::kMember) != 0) {
        --self->members_[self->view_.count(slot)].left;
        return 0;
    }
    if (slot == 0 || (mark & heap::kCondemned) != 0 ||
        (self->view_.state(slot) & heap::kTracked) == 0) {
        return 0;
    }
    if (self->room_ > 0) {
        self->add(op, slot, 1);
    } else {
        self->is_cut_off_ = true;
    }
    return 0;
}

void LocalSearch::gather(PyObject* suspect, size_t bound) {
    const size_t first = members_.size();
    room_ = std::min(bound, limit_ - first);
    references_ = kReferences * room_;
    is_cut_off_ = false;
    add(suspect, view_.slot_of(suspect), 0);
    for (size_t next = first; next < members_.size() && references_ > 0; ++next) {
        PyObject* op = members_[next].op;
        followed_ = 0;
        (void)Py_TYPE(op)->tp_traverse(op, visit_to_gather, this);
        members_[next].followed = followed_;
    }
    if (members_.size() > first) {
        groups_.push_back({first, &score_of(suspect), is_cut_off_});
    } else {
        object::make_quiet(
            suspect);  // it has too many references; one without an owner would be noted again
    }
}

void LocalSearch::reach(Member& member) {
    view_.set_mark(member.slot, view_.mark(member.slot) | heap::kReached);
    pending_.push_back(static_cast<uint32_t>(&member - members_.data()));
}

int LocalSearch::visit_to_mark(PyObject* op, void* arg) {
    auto* self = static_cast<LocalSearch*>(arg);
    if (self->followed_ == 0) {
        return 1;  // what the others refer to has them left of its count
    }
    --self->followed_;
    const uint32_t slot = self->view_.slot_of(op);
    if ((self->view_.mark(slot) & (heap::kMember | heap::kReached)) == heap::kMember) {
        self->reach(self->members_[self->view_.count(slot)]);
    }
    return 0;
}

void LocalSearch::mark() {
    for (Member& member : members_) {
        if (member.left != 0 && (view_.mark(member.slot) & heap::kReached) == 0) {
            reach(member);
        }
        while (!pending_.empty()) {
            const Member& next = members_[pending_.back()];
            PyObject* op = next.op;
            followed_ = next.followed;
            pending_.pop_back();
            (void)Py_TYPE(op)->tp_traverse(op, visit_to_mark, this);
        }
    }
}

// What is known of the first member is known of the suspect that it is.
void LocalSearch::judge(const Group& group, size_t end, int64_t member_ns) {
    int64_t gain = 0;
    for (size_t i = group.first; i < end; ++i) {
        gain += (view_.mark(members_[i].slot) & heap::kReached) != 0 ? -1 : kGainOfDead;
    }
    add_credit(gain * member_ns);
    *group.score =
        static_cast<int8_t>(std::clamp<int64_t>(*group.score + gain, kWorstScore, kBestScore));
    const Member& suspect = members_[group.first];
    if ((view_.mark(suspect.slot) & heap::kReached) == 0) {
        return;
    }
    if (!is_worth_a_look(*group.score)) {
        object::make_quiet(suspect.op);
        return;
    }
    make_noisy(suspect.op);
    if (group.is_cut_off && end - group.first < most_ && deeper_.size() < deeper_.capacity() &&
        credit_ns_ >= kFarNs) {
        deeper_.push_back(suspect.op);
    }
}

// Takes the search's marks and numbers away.
void LocalSearch::settle(Candidates& candidates, int64_t start_ns) {
    const auto members = static_cast<int64_t>(std::max(members_.size(), size_t{1}));
    const int64_t member_ns = std::min((event::monotonic_ns() - start_ns) / members, kMostMemberNs);
    for (size_t i = 0; i < groups_.size(); ++i) {
        judge(groups_[i], i + 1 < groups_.size() ? groups_[i + 1].first : members_.size(),
              member_ns);
    }
    for (const Member& member : members_) {
        const uint8_t mark = view_.mark(member.slot);
        if ((mark & heap::kReached) == 0) {
            candidates.push_back(member.op);
        }
        view_.set_mark(member.slot, mark & ~(heap::kMember | heap::kReached));
        view_.count(member.slot) = member.saved;
    }
}

void LocalSearch::reserve(Candidates& candidates) {
    most_ =
        is_bounded() ? bounds_.bound : view_.slot_limit();  // which looks at all blocks of the heap
    // Those that have been fetched when there are most members are looked at all the same.
    limit_ = most_ + kAhead * (is_bounded() ? bounds_.first_bound : 1);
    members_.reserve(limit_);
    pending_.reserve(limit_);
    groups_.reserve(limit_);
    deeper_.reserve(kDeeper);
    candidates.reserve(limit_);
    const auto blocks = static_cast<size_t>(view_.end_of_blocks() - view_.first_block());
    if (scores_.size() < blocks) {
        scores_.reserve(std::max(blocks, 2 * scores_.size()));
        scores_.resize(blocks, kBestScore);
    }
}

// A suspect's address is a hint.
bool LocalSearch::may_be_member(PyObject* op) const {
    return heap::address_is_object(op) &&
           (view_.mark(view_.slot_of(op)) & (heap::kMember | heap::kCondemned)) == 0;
}

void LocalSearch::gather_all() {
    // One far search, before there are members: at most as large as all others together.
    if (!deeper_.empty()) {
        PyObject* op = deeper_.back();
        deeper_.pop_back();
        if (may_be_member(op)) {
            gather(op, most_);
        }
    }
    mutator::gather_suspects();
    DelayRing<PyObject*, kAhead> ring;
    const auto look = [&](PyObject* op) { look_at(op); };
    for (size_t i = 0; i < most_ && members_.size() < most_; ++i) {
        PyObject* op = mutator::take_suspect();
        if (op == nullptr) {
            break;
        }
        const uint32_t slot = view_.slot_of(op);
        fetch(op);
        view_.prefetch_mark(slot);
        __builtin_prefetch(view_.states(slot));
        ring.push(op, look);
    }
    ring.flush(look);
}

void LocalSearch::look_at(PyObject* op) {
    if (!may_be_member(op)) {
        return;
    }
    if (is_worth_a_look(score_of(op))) {
        gather(op, bounds_.first_bound);
    } else {
        object::make_quiet(op);
    }
}

size_t LocalSearch::run(Candidates& candidates) {
    const int64_t start_ns = event::monotonic_ns();
    reserve(candidates);
    gather_all();
    const size_t seen = members_.size();
    mark();
    settle(candidates, start_ns);
    groups_.clear();
    members_.clear();
    return seen;
}

}  // namespace ouro::collector
