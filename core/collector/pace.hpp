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
// So whoever makes more than can be found runs at that rate from the beginning of a collection to its end. Before this
// line was drawn all ran freely to the goal, and hardly at all from m on: half a second of next to nothing in each
// collection. Whoever makes less is below the line.
//
// Slices that mutators make do all of a collection: each nanosecond of one is followed by 5/4 (1 - p) without. What they
// will make until its end follows from the work that is left, a tenth more than the last one took, and the rates at which they have
// just allocated: c while slices are made, and between them, if these were as far apart as at p = 0, a. Three quarters of
// the room are for that:
//
//     p        1 - (b + 3/4 (m - b) - g - c) / a, within 0 and 1
//
// As long as work and rates are as expected that stays the same to the end; and who has made much, and makes little now,
// is not held back for it. (With the line above, of half of the room by the part of the work that is done, two mutators
// that had just built a heap of 10 M objects ran for a quarter of the next 0.2 s, with room for all that they made.)
// Where nothing is known of time or work:
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
    // For each nanosecond of a slice, if mutators are not held back.
    static constexpr double kBetweenSlices = 1.25;
    // What mutators will make until the end of a collection that they make in slices, in per cent.
    struct Expected {
        double beside;   // while others make slices
        double between;  // between slices, if they are held back for none of the time
    };

    // As if nothing had been allocated since the collection began.
    Pace() = default;
    // Growth when the collection in flight began, growth now, and the limit, in per cent. `elapsed`: the part of the time
    // that it is expected to take, more than 1 if it takes more.
    Pace(size_t at_begin, size_t now, size_t limit, std::optional<double> elapsed = {})
        : Pace(Room(at_begin, now, limit), elapsed) {}
    Pace(size_t at_begin, size_t now, size_t limit, const Expected& expected)
        : Pace(Room(at_begin, now, limit), expected) {}

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
    struct Room {
        Room(size_t at_begin, size_t now_, size_t limit)
            : begin(static_cast<double>(at_begin)), now(static_cast<double>(now_)),
              most(std::min(begin + static_cast<double>(limit) / 2, static_cast<double>(limit))) {}
        double all() const { return most - begin; }
        double left() const { return std::max(most - now, 0.0); }
        // Where so much of it has been used.
        double part(double used) const { return begin + used * all(); }
        double goal() const { return begin + std::min(std::max(begin, kLeast), all() / 2); }

        const double begin, now, most;
    };

    template <typename Known>
    Pace(const Room& room, const Known& known)
        : debt_(room.left() > 0 ? std::clamp((room.now - room.begin) / (room.all() / 2), 0.0, 1.0)
                                : 1),
          pressure_(room.left() > 0 ? pressure_in(room, known) : 1), left_(room.left()) {}

    static double pressure_in(const Room& room, const std::optional<double>& elapsed) {
        const double free = elapsed ? room.part(kEven * std::min(*elapsed, 1.0)) : room.goal();
        const double full = elapsed ? free + kLine * room.all() : room.most;
        return std::clamp((room.now - free) / (full - free), 0.0, 1.0);
    }
    static double pressure_in(const Room& room, const Expected& expected) {
        const double allowed = room.part(kEven) - room.now - expected.beside;
        return allowed >= expected.between
                   ? 0
                   : std::min((expected.between - allowed) / expected.between, 1.0);
    }

    // Of the room, what mutators may make evenly.
    static constexpr double kEven = 0.75;
    // Of a collection that began beside next to nothing: CPython's condition for one.
    static constexpr double kLeast = 25;
    // Of the room, in what mutators are held back. With kEven less than the rest they wait where there is room (0.5, 0.6 and
    // 0.75 in the simulation, at twice the rate that can be found: the least that a window of 100 ms left was 0.25, 0.27
    // and 0.30, the heap's growth 181, 188 and 196 %).
    static constexpr double kLine = 0.25;

    double debt_ = 0;
    double pressure_ = 0;
    double left_ = std::numeric_limits<double>::infinity();
};

}  // namespace ouro::collector
