#include "core/verify/contract/guessed_arguments.hpp"

#include <algorithm>
#include <utility>

namespace ouro::contract {
namespace {

constexpr size_t kMostGuessed = 8;  // arguments by a signature

class Guess {
public:
    Guess(const Action& action, Experience& experience, Random& random)
        : action_(action), experience_(experience), signature_(experience.signature),
          random_(random) {}

    std::vector<Argument> arguments(const std::vector<int>& instances) {
        std::vector<Argument> arguments = literals_and_steps();
        for (Argument& each : arguments) {
            if (!instances.empty() && (each.is_step || random_.one_in(4))) {
                replace(each, {true, instances[random_.below(instances.size())]});
            } else if (each.is_step) {
                replace(each, any_literal());
            }
        }
        return arguments;
    }

private:
    std::vector<Argument> literals_and_steps() {
        const auto [least, most] = counts();
        const auto& good = experience_.arguments;
        std::vector<Argument> arguments;
        if (most > 0 && experience_.in_turn < literals().size() && random_.one_in(2)) {
            arguments.push_back({false, static_cast<int>(experience_.in_turn++)});
            while (arguments.size() < least) {
                arguments.push_back(literal_for(arguments.size()));
            }
        } else if (!good.empty() && !random_.one_in(6)) {
            arguments = good[random_.below(good.size())];
            if (random_.one_in(3)) {
                const bool is_named = !arguments.empty() && !arguments.back().keyword.empty();
                if (arguments.size() < most && !is_named && random_.one_in(2)) {
                    arguments.push_back(any_literal());
                } else if (!arguments.empty()) {
                    replace(arguments[random_.below(arguments.size())], any_literal());
                }
            }
        } else {
            const size_t count = least + random_.below(most - least + 1);
            while (arguments.size() < count) {
                arguments.push_back(literal_for(arguments.size()));
            }
            if (action_.is_by_signature()) {
                name(arguments);
            }
        }
        return arguments;
    }

    Argument any_literal() {
        return {false, static_cast<int>(random_.one_in(2) ? 0 : random_.below(literals().size()))};
    }

    // Most often one that may be what is asked for there.
    Argument literal_for(size_t position) {
        std::vector<int> fitting;
        if (position < signature_.parameters.size() && !random_.one_in(4)) {
            const char unit = signature_.parameters[position].unit;
            for (size_t number = 0; unit != 'O' && number < literals().size(); ++number) {
                if (fits(unit, literals()[number].text)) {
                    fitting.push_back(static_cast<int>(number));
                }
            }
        }
        return fitting.empty() ? any_literal()
                               : Argument{false, fitting[random_.below(fitting.size())]};
    }

    // How many arguments at least and at most: as its signature says, or now and then more or fewer.
    std::pair<size_t, size_t> counts() {
        if (!action_.is_by_signature() || !signature_.is_known() || random_.one_in(6)) {
            return {static_cast<size_t>(action_.least), static_cast<size_t>(action_.most)};
        }
        const size_t most = std::min(signature_.parameters.size(), kMostGuessed);
        return {std::min(signature_.least, most), most};
    }

    // The last ones by their keywords, now and then; those that must be, always; and then perhaps one of those after them.
    // One more where no keywords are known: it may take any.
    void name(std::vector<Argument>& arguments) {
        const auto& parameters = signature_.parameters;
        if (!signature_.is_known()) {
            if (random_.one_in(8)) {
                arguments.push_back(any_literal());
                arguments.back().keyword = "key";
            }
            return;
        }
        const size_t count = arguments.size();
        size_t from = random_.one_in(3) ? random_.below(count + 1) : count;
        if (count > parameters.size()) {
            return;
        }
        for (size_t i = 0; i < count; ++i) {
            if (parameters[i].keyword.empty()) {
                from = std::max(from, i + 1);
            } else if (parameters[i].by_keyword) {
                from = std::min(from, i);
            }
        }
        for (size_t i = from; i < count; ++i) {
            arguments[i].keyword = parameters[i].keyword;
        }
        if (from < count && count < parameters.size() && random_.one_in(2)) {
            const size_t at = count + random_.below(parameters.size() - count);
            arguments.push_back(literal_for(at));
            arguments.back().keyword = parameters[at].keyword;
        }
    }

    const Action& action_;
    Experience& experience_;
    const Signature& signature_;
    Random& random_;
};

}  // namespace

size_t Experience::weight(bool takes_arguments) const {
    constexpr size_t kNew = 24, kGood = 16, kBad = 4;
    const bool is_open = takes_arguments && in_turn < literals().size();
    const size_t weight = tried == 0 ? kNew : succeeded != 0 || is_open ? kGood : kBad;
    return is_banned ? 0 : weight >> std::min(2 * crashed, 4u);
}

void Experience::learn(const Recipe& recipe) {
    std::vector<Argument> taken;
    for (int i = 0; i < recipe.count; ++i) {
        for (size_t number = 0; number < literals().size(); ++number) {
            if (text_of_argument(recipe, i) == literals()[number].text) {
                taken.push_back({false, static_cast<int>(number)});
            }
        }
    }
    arguments.push_back(std::move(taken));
}

void Experience::learn(const NotedArguments& noted) {
    if (!has_told && noted.format[0] != '\0') {
        has_told = true;
        signature = signature_of_format(noted.format, noted.keywords);
    }
}

// Another instance will take the place of one.
void Experience::remember(const Step& step) {
    constexpr size_t kRemembered = 8;
    std::vector<Argument> taken = step.arguments;
    for (Argument& each : taken) {
        each.number = each.is_step ? -1 : each.number;
    }
    if (!taken.empty() && arguments.size() < kRemembered &&
        std::ranges::find(arguments, taken) == arguments.end()) {
        arguments.push_back(std::move(taken));
    }
}

void replace(Argument& old, Argument with) {
    with.keyword = std::move(old.keyword);
    old = std::move(with);
}

std::vector<Argument> guessed_arguments(const Action& action, Experience& experience,
                                        const std::vector<int>& instances, Random& random) {
    return Guess(action, experience, random).arguments(instances);
}

}  // namespace ouro::contract
