#include "core/verify/contract/random_calls.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstring>
#include <map>
#include <new>
#include <set>
#include <string_view>
#include <utility>

#include "core/verify/contract/call_sequence.hpp"
#include "core/verify/contract/guessed_arguments.hpp"
#include "core/verify/contract/module_types.hpp"
#include "core/verify/contract/signature.hpp"
#include "core/verify/contract/visits.hpp"

namespace ouro::contract {
namespace {

constexpr size_t kMostSteps = 20, kMostGrown = 12;
constexpr size_t kMostShrinks = 120;  // runs
constexpr std::chrono::seconds kMostOfAll{60};

// What a process that runs a sequence leaves for the one that waits for it.
struct Trial {
    struct End {
        bool raised;
        int type;  // number of the value's, or -1
        uint64_t result;
        NotedArguments noted;
    };
    Captured captured;
    size_t ended;  // steps
    bool finished;
    End ends[kMostSteps];
};

uint64_t mixed(uint64_t hash, std::string_view text) {
    for (const char c : text) {
        hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    }
    return hash;
}

// A sequence, and the types of its steps' values as far as they are known.
struct Known {
    Sequence sequence{};
    std::vector<int> types{};
};

class RandomCalls {
public:
    RandomCalls(PyObject* module, Trial& trial, uint64_t seed, unsigned seconds)
        : module_(module), trial_(trial), seconds_(std::min(seconds, 3u)),
          actions_(actions_of(module)), experience_(actions_.size()), random_(seed) {
        for (size_t at = 0; at < actions_.size(); ++at) {
            experience_[at].signature = actions_[at].signature;
        }
    }

    // What made an instance is an argument list to begin with.
    void learn(const std::vector<Recipe>& recipes) {
        for (const Recipe& recipe : recipes) {
            for (size_t at = 0; at < actions_.size(); ++at) {
                if (actions_[at].kind == Action::kCall && actions_[at].type == recipe.type &&
                    recipe.type >= 0 && !recipe.iterate) {
                    experience_[at].learn(recipe);
                }
            }
        }
    }

    void run(size_t wanted) {
        const auto end = std::chrono::steady_clock::now() + kMostOfAll;
        for (size_t i = 0; i < wanted && std::chrono::steady_clock::now() < end; ++i) {
            Known made = generate();
            if (made.sequence.empty()) {
                return;
            }
            execute(made.sequence);
            note(made);
            tell_new(made.sequence);
        }
    }

private:
    using Key = std::pair<unsigned, std::string>;

    // ---- Making one.

    // After the end of a name there is less to be done with it.
    size_t weight_of(size_t action) const {
        constexpr size_t kLess = 4;
        const size_t weight = experience_[action].weight(actions_[action].most > 0);
        return actions_[action].kind == Action::kDrop ? weight / kLess : weight;
    }

    size_t chosen(const std::vector<size_t>& among) {
        size_t all = 0;
        for (const size_t each : among) {
            all += weight_of(each);
        }
        size_t at = all == 0 ? 0 : random_.below(all);
        for (const size_t each : among) {
            if (at < weight_of(each)) {
                return each;
            }
            at -= weight_of(each);
        }
        return actions_.size();
    }

    template <class Test>
    std::vector<size_t> actions_where(Test test) const {
        std::vector<size_t> found;
        for (size_t at = 0; at < actions_.size(); ++at) {
            if (test(actions_[at])) {
                found.push_back(at);
            }
        }
        return found;
    }

    static bool is_of(const Action& action, int type) {
        if (!action.has_receiver()) {
            return false;
        }
        for (const PyTypeObject* each = module_types()[static_cast<size_t>(type)]; each != nullptr;
             each = each->tp_base) {
            if (number_of(each) == action.type &&
                (action.kind != Action::kDrop || type == action.type)) {
                return true;
            }
        }
        return false;
    }

    // The steps whose values are instances that still have their names.
    std::vector<int> instances_of(const Known& known) const {
        std::vector<int> found;
        for (size_t at = 0; at < known.sequence.size(); ++at) {
            const auto number = static_cast<int>(at);
            const bool is_dropped = std::ranges::any_of(known.sequence, [&](const Step& step) {
                return actions_[static_cast<size_t>(step.action)].kind == Action::kDrop &&
                       step.receiver == number;
            });
            if (known.types[at] >= 0 && !is_dropped) {
                found.push_back(number);
            }
        }
        return found;
    }

    // The last call once more, as it was: what one stores the next must drop. False if there is none.
    bool repeat(Known& known) {
        if (known.sequence.empty()) {
            return false;
        }
        const Action& last = actions_[static_cast<size_t>(known.sequence.back().action)];
        if (last.kind == Action::kDrop || last.kind == Action::kCollect) {
            return false;
        }
        known.sequence.push_back(known.sequence.back());
        known.types.push_back(known.types.back());
        return true;
    }

    bool grow(Known& known) {
        if (random_.one_in(8) && repeat(known)) {
            return true;
        }
        const std::vector<int> instances = instances_of(known);
        Step step{};
        size_t action = actions_.size();
        if (!instances.empty() && !random_.one_in(6)) {
            step.receiver = instances[random_.below(instances.size())];
            const int type = known.types[static_cast<size_t>(step.receiver)];
            action = chosen(actions_where([&](const Action& each) { return is_of(each, type); }));
        }
        if (action == actions_.size()) {
            step.receiver = -1;
            const bool may_collect = !known.sequence.empty() && random_.one_in(8);
            action = chosen(actions_where([&](const Action& each) {
                return each.kind == (may_collect ? Action::kCollect : Action::kCall);
            }));
        }
        if (action == actions_.size()) {
            return false;
        }
        step.action = static_cast<int>(action);
        step.arguments =
            guessed_arguments(actions_[action], experience_[action], instances, random_);
        known.types.push_back(actions_[action].kind == Action::kCall ? actions_[action].type : -1);
        known.sequence.push_back(std::move(step));
        return true;
    }

    Known generate() {
        Known made;
        if (!kept_.empty() && !random_.one_in(4)) {
            constexpr size_t kRecent = 8;
            const size_t from =
                kept_.size() > kRecent && random_.one_in(2) ? kept_.size() - kRecent : 0;
            made = kept_[from + random_.below(kept_.size() - from)];
            const size_t whole = std::min(made.sequence.size(), kMostSteps - kMostGrown);
            const size_t length = random_.one_in(3) ? 1 + random_.below(whole) : whole;
            made.sequence.resize(length);
            made.types.resize(length);
        }
        size_t steps = 3 + random_.below(kMostGrown - 2);
        while (steps-- > 0 && made.sequence.size() < kMostSteps && grow(made)) {
        }
        return made;
    }

    // ---- Running it.

    void execute(const Sequence& sequence) {
        const std::vector<Line> lines = script_lines(actions_, sequence);
        std::memset(static_cast<void*>(&trial_), 0, sizeof trial_);
        capture(&trial_.captured);
        look_alone(seconds_, [&] {
            forget_noted_arguments();
            run_judged(module_, lines,
                       [&](size_t at, const Interpreter& interpreter, PyObject* raised) {
                           note_end(sequence, at, interpreter, raised);
                       });
            trial_.finished = true;
        });
        capture(nullptr);
    }

    // In the child.
    void note_end(const Sequence& sequence, size_t at, const Interpreter& interpreter,
                  PyObject* raised) {
        const auto value_of = [&](size_t step) -> PyObject* {
            const auto found = interpreter.names().find(name_of_step(step));
            return found == interpreter.names().end() ? nullptr : found->second.get();
        };
        const Step& step = sequence[at];
        PyObject* value =
            actions_[static_cast<size_t>(step.action)].has_value() ? value_of(at) : nullptr;
        PyObject* receiver =
            step.receiver < 0 ? nullptr : value_of(static_cast<size_t>(step.receiver));
        Trial::End& end = trial_.ends[at];
        end.raised = raised != nullptr;
        end.type = value == nullptr ? -1 : number_of(Py_TYPE(value));
        // A result: which call it is of, after which, what it returned, and to how much its receiver then refers.
        uint64_t result = mixed(static_cast<uint64_t>(step.action) + 1,
                                at == 0 ? "" : std::to_string(sequence[at - 1].action));
        const PyObject* seen = raised != nullptr ? raised : value;
        result = mixed(result, seen == nullptr ? "" : Py_TYPE(seen)->tp_name);
        if (receiver != nullptr && Py_TYPE(receiver)->tp_traverse != nullptr) {
            const Visits visits = visits_of(receiver, Py_TYPE(receiver)->tp_traverse);
            result = mixed(result, std::to_string(visits.objects.size()));
        }
        end.result = result;
        end.noted = noted_arguments();
        forget_noted_arguments();
        trial_.ended = at + 1;
    }

    void note(Known& made) {
        bool is_new = false;
        for (size_t at = 0; at < trial_.ended; ++at) {
            Experience& experience = experience_[static_cast<size_t>(made.sequence[at].action)];
            ++experience.tried;
            made.types[at] = trial_.ends[at].type;
            experience.learn(trial_.ends[at].noted);
            is_new = results_.insert(trial_.ends[at].result).second || is_new;
            if (!trial_.ends[at].raised) {
                ++experience.succeeded;
                experience.remember(made.sequence[at]);
            }
        }
        if (trial_.finished) {
            if (is_new) {
                kept_.push_back(made);
            }
            return;
        }
        const bool crashed = trial_.captured.signal != 0 && trial_.captured.signal != SIGALRM;
        if (trial_.ended < made.sequence.size()) {
            Experience& culprit =
                experience_[static_cast<size_t>(made.sequence[trial_.ended].action)];
            ++culprit.tried;
            culprit.crashed += crashed ? 1 : 0;
            culprit.is_banned = culprit.is_banned || !crashed;
        }
    }

    // Whether all that is given to somebody is a literal: instances do not come to refer to each other.
    static bool is_plain(const Step& step) {
        return std::ranges::none_of(step.arguments,
                                    [](const Argument& each) { return each.is_step; });
    }
    static bool is_plain(const Sequence& sequence) {
        return std::ranges::all_of(sequence, [](const Step& step) { return is_plain(step); });
    }

    // ---- What was found.

    // What is left at the end of the calls is told of the last one's type, and comes from any.
    static Key key_of(const Record& record) {
        const auto rule = static_cast<Rule>(record.rule);
        const bool is_of_all = rule == Rule::kCountsKept || rule == Rule::kCountsGivenAway;
        return {record.rule, is_of_all ? "" : record.type};
    }
    static int most_told(const Key& key) { return key.second.empty() ? 6 : 2; }

    // nullptr: the last run did not break it. What takes too long breaks nothing.
    const Record* broken(const Key& key) const {
        for (size_t i = 0; i < trial_.captured.count; ++i) {
            const Record& record = trial_.captured.records[i];
            if (key_of(record) == key &&
                (i + 1 < trial_.captured.count || trial_.captured.signal != SIGALRM)) {
                return &record;
            }
        }
        return nullptr;
    }

    static bool is(const Key& key, Rule rule) { return key.first == static_cast<unsigned>(rule); }

    // Calls, and which of them raised.
    struct Ended {
        Sequence sequence;
        std::vector<bool> raised;
    };
    Ended last_run_of(const Sequence& sequence) const {
        Ended run{sequence, std::vector<bool>(sequence.size())};
        for (size_t at = 0; at < trial_.ended; ++at) {
            run.raised[at] = trial_.ends[at].raised;
        }
        return run;
    }

    // Whether calls are among others, in their order; each that was given an instance is there, too, and what raised did.
    static bool is_within(const Ended& few, const Ended& many) {
        size_t found = 0;
        for (size_t at = 0; at < many.sequence.size() && found < few.sequence.size(); ++at) {
            const Step &one = few.sequence[found], &other = many.sequence[at];
            found += one.action == other.action && (is_plain(one) || !is_plain(other)) &&
                     few.raised[found] == many.raised[at];
        }
        return found == few.sequence.size();
    }

    // What was told in fewer calls is told no more, and hides nothing that other calls break.
    bool is_explained(const Ended& run, const Key& key) const {
        const auto [first, last] = explained_.equal_range(key);
        return std::any_of(first, last,
                           [&](const auto& each) { return is_within(each.second, run); });
    }

    // Who gives away what it does not own leaves others with what is no object: they are not accused.
    bool is_consequence(const Key& key) const {
        return gave_away_ && (is(key, Rule::kTraverseUnowned) || is(key, Rule::kTraverseNoObject) ||
                              is(key, Rule::kTraverseCrashes) || is(key, Rule::kCallCrashes));
    }

    void tell_new(const Sequence& sequence) {
        const Ended run = last_run_of(sequence);
        std::set<Key> keys;
        for (size_t i = 0; i < trial_.captured.count; ++i) {
            const Key key = key_of(trial_.captured.records[i]);
            gave_away_ = gave_away_ || is(key, Rule::kCountsGivenAway);
            keys.insert(key);
        }
        for (const Key& key : keys) {
            int& told = told_[{key, is_plain(sequence)}];
            if (told < most_told(key) && !is_consequence(key) && broken(key) != nullptr &&
                !is_explained(run, key)) {
                ++told;
                const Captured all = trial_.captured;
                tell_shrunk(sequence, key);
                trial_.captured = all;
            }
        }
    }

    bool breaks(const Sequence& sequence, const Key& key) {
        execute(sequence);
        return broken(key) != nullptr;
    }

    // An argument that is the value of a step becomes a literal; false if there is none.
    static bool make_plain(Step& step) {
        for (Argument& each : step.arguments) {
            if (each.is_step) {
                replace(each, {false, 0});
                return true;
            }
        }
        return false;
    }

    // The first argument with a keyword is given by its position; false if it cannot be.
    bool make_positional(Step& step) const {
        const auto& parameters = experience_[static_cast<size_t>(step.action)].signature.parameters;
        const auto named = std::ranges::find_if(
            step.arguments, [](const Argument& each) { return !each.keyword.empty(); });
        const auto at = static_cast<size_t>(named - step.arguments.begin());
        if (named == step.arguments.end() || at >= parameters.size() ||
            parameters[at].keyword != named->keyword || parameters[at].by_keyword) {
            return false;
        }
        named->keyword.clear();
        return true;
    }

    static bool make_fewer(const Action& action, Step& step) {
        const bool is_possible = step.arguments.size() > static_cast<size_t>(action.least);
        if (is_possible) {
            step.arguments.pop_back();
        }
        return is_possible;
    }

    // Takes out one step after the other, and arguments that are not needed, as long as the rule stays broken.
    Sequence shrunk(Sequence sequence, const Key& key) {
        size_t runs = 0;
        bool changed = true;
        const auto still_breaks = [&](Sequence less) {
            if (less.empty() || runs >= kMostShrinks || (++runs, !breaks(less, key))) {
                return false;
            }
            sequence = std::move(less);
            changed = true;
            return true;
        };
        const auto becomes_less = [&](size_t at, auto change) {
            Sequence less = sequence;
            return change(less[at]) && still_breaks(std::move(less));
        };
        while (std::exchange(changed, false)) {
            for (size_t at = sequence.size(); at-- > 0;) {
                if (at >= sequence.size() || still_breaks(without_step(sequence, at))) {
                    continue;
                }
                const Action& action = actions_[static_cast<size_t>(sequence[at].action)];
                becomes_less(at, [&](Step& step) { return make_fewer(action, step); }) ||
                    becomes_less(at, [](Step& step) { return make_plain(step); }) ||
                    becomes_less(at, [&](Step& step) { return make_positional(step); });
            }
        }
        return sequence;
    }

    void tell_shrunk(const Sequence& found, const Key& key) {
        const Sequence sequence = shrunk(found, key);
        if (!breaks(sequence, key)) {
            return;  // not each time
        }
        Record record = *broken(key);
        Ended run = last_run_of(sequence);
        std::string script, c;
        for (const Line& line : script_lines(actions_, sequence)) {
            script += line.text + "\n";
        }
        for (const std::string& line : c_lines(actions_, sequence, run.raised)) {
            c += line + "\n";
        }
        report_calls(record, script, c, is_plain(sequence));
        explained_.emplace(key, std::move(run));
    }

    PyObject* module_;
    Trial& trial_;
    const unsigned seconds_;
    const std::vector<Action> actions_;
    std::vector<Experience> experience_;
    Random random_;
    std::vector<Known> kept_;
    std::set<uint64_t> results_;
    std::map<std::pair<Key, bool>, int> told_;  // of calls that are plain, and of others
    std::multimap<Key, Ended> explained_;       // what was told, shrunk
    bool gave_away_ = false;
};

}  // namespace

void check_random_calls(PyObject* module, const std::vector<Recipe>& recipes,
                        const OuroCheckOptions& options) {
    void* memory = map_shared(sizeof(Trial));
    if (memory == nullptr) {
        return;
    }
    RandomCalls calls(module, *new (memory) Trial(), options.seed, options.seconds);
    calls.learn(recipes);
    calls.run(options.sequences * (1 + module_types().size()));
    munmap(memory, sizeof(Trial));
}

}  // namespace ouro::contract
