// How collectors and mutators share the time while a full collection is in flight: the control law of pacing.
//
// In per cent of what survived the last full collection (Policy::growth), the heap had grown by b when this one began,
// and has by g now; the setting growth-limit is l. It should be over when the heap has grown by as much again as made
// it due, so that garbage waits for two such growths at most, where with the world stopped it waits for one:
//
//     most    m = b + l/2, at most l
//     goal    t = b + max(b, kLeast), at most midway between b and m
//     debt    d = (g - b) / ((m - b) / 2)
//
//     d < 1    the world may be stopped for a part of u = (1 + d^2) / 4 of the time
//     d >= 1   for half of it, and more towards m
//
// Mutators that allocate are held back for a part of their time, the pressure p. Where a collection works beside them
// that is expected to take as long as the last one, of which a part e is over, they may make three quarters of the room
// that there is in that time, evenly:
//
//     free     f = b + 3/4 (m - b) min(e, 1)
//     p        from 0 at f to 1 at f + (m - b)/4, and 1 from m on
//
// Slices that mutators make do all of a collection: each nanosecond of one is followed by 5/4 (1 - p) without, and e is
// the part of the work of the last one that is done, for half of the room instead of three quarters:
//
//     free     f = b + 1/2 (m - b) min(e, 1)
//
// So whoever makes more than can be found runs at that rate from the beginning of a collection to its end. Before this
// line was drawn all ran freely to the goal, and hardly at all from m on: half a second of next to nothing in each
// collection. Whoever makes less is below the line. Where nothing is known of the time:
//
//     p        from 0 at the goal to 1 at m
//
// Why it settles. Mutators make `a` objects for each second that they run, all of which die. To find D dead objects
// takes w seconds of marking beside mutators, then s D of stops. Meanwhile they make
//
//     D' = a (w + s D (1 - u) / u),
//
// the garbage of the next collection. With a constant u that is bounded while a s (1 - u) / u < 1: for u = 1/4 while they
// make less than a third of what stops alone could find, for u = 1/2 while they make less than all of it. To stop for
// half of the time always would cost those who make little; u grows with the debt instead. D' as a function of D then
// grows more and more slowly, from d = 0.68 on it falls, and nowhere by more than a s: D runs to its fixed point, or swings
// around it less each time while they make less than stops alone could find. (With u = (1 + d) / 4 and d = 1 at the goal,
// collections in the simulation that mark for 0.6 s left 0.59 of the worst 100 ms at 2.4 M objects a second and 0.56 at
// twice that, and let the heap grow by 46 and 117 %; so it is 0.72 and 0.57, 48 and 125 %.)
//
// Who is held back makes three quarters of the room and a part of the last quarter, whatever D was; a collection that takes
// longer than the last one finds mutators at that end of the line, and the next one's is longer. None finds more than
// l/2. If one had all of the room up to l, the next would have what it leaves: little after much, and much after little,
// which is a swing. (tests/unit/collector/pacing_settles_at_every_rate.cpp runs the law against rates, steps in the rate,
// and collectors of every speed.)
#pragma once

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>

namespace ouro::collector {

class Pace {
public:
    // Of the room, what mutators may make evenly beside a collection, and in one that they make in slices.
    static constexpr double kEven = 0.75;
    static constexpr double kEvenInSlices = 0.5;

    // As if nothing had been allocated since the collection began.
    Pace() = default;
    // Growth when the collection in flight began, growth now, and the limit, in per cent. `elapsed`: the part of the time
    // or work that it is expected to take, more than 1 if it takes more; of the room, `even` may be made in that.
    Pace(size_t at_begin, size_t now, size_t limit, std::optional<double> elapsed = {},
         double even = kEven) {
        const auto b = static_cast<double>(at_begin);
        const auto g = static_cast<double>(now);
        const auto l = static_cast<double>(limit);
        const double most = std::min(b + l / 2, l);
        left_ = std::max(most - g, 0.0);
        if (g >= most) {
            debt_ = pressure_ = 1;
            return;
        }
        const double room = most - b;
        const double goal = b + std::min(std::max(b, kLeast), room / 2);
        debt_ = std::clamp((g - b) / (room / 2), 0.0, 1.0);
        const double free = elapsed ? b + even * room * std::min(*elapsed, 1.0) : goal;
        const double full = elapsed ? free + kLine * room : most;
        pressure_ = std::clamp((g - free) / (full - free), 0.0, 1.0);
    }

    // For each nanosecond of a stop mutators run for so many: 3 at first, 1 when half of the room is used, and less the
    // more they are held back.
    double running() const {
        const double stopped = 0.25 + 0.25 * debt_ * debt_;
        return (1 - stopped) / stopped * (1 - pressure_);
    }
    // The same for each nanosecond of a slice that a mutator makes.
    double between_slices() const { return kBetweenSlices * (1 - pressure_); }
    // For what part of the time mutators that allocate are held back, from 0 to 1.
    double pressure() const { return pressure_; }
    // Growth until that is 1, in per cent.
    double left() const { return left_; }

private:
    // Of a collection that began beside next to nothing: CPython's condition for one.
    static constexpr double kLeast = 25;
    // Of the room, in what mutators are held back. With kEven less than the rest they wait where there is room (0.5, 0.6 and
    // 0.75 in the simulation, at twice the rate that can be found: the least that a window of 100 ms left was 0.25, 0.27
    // and 0.30, the heap's growth 181, 188 and 196 %); slices are made at once instead (0.4, 0.5 and 0.75: 0.28, 0.29 and
    // 0.32, and 125, 145 and 197 %).
    static constexpr double kLine = 0.25;
    static constexpr double kBetweenSlices = 1.25;

    double debt_ = 0;
    double pressure_ = 0;
    double left_ = std::numeric_limits<double>::infinity();
};

}  // namespace ouro::collector
