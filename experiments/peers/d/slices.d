// The workload `slices` in D; ../row.py says how it is started and what it prints.

import core.memory : GC;
import core.stdc.stdio;
import core.stdc.stdlib : free, malloc;
import core.time : MonoTime;
import std.conv : to;
import std.string : toStringz;

struct Node
{
    Node* next;
    Node* other; // always null
}

Node*[] rings;
bool shuffled;
ulong state; // of the generator
uint turn;

uint draw(uint count)
{
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return cast(uint)((state * 2_685_821_657_736_338_717 >> 33) % count);
}

uint place()
{
    if (shuffled)
        return draw(cast(uint) rings.length);
    const now = turn;
    turn = now + 1 == rings.length ? 0 : now + 1;
    return now;
}

Node* ring()
{
    auto last = new Node;
    auto first = new Node(new Node(new Node(last)));
    last.next = first;
    return first;
}

void build()
{
    if (!shuffled)
    {
        foreach (ref first; rings)
            first = ring();
        return;
    }
    auto order = cast(uint*) malloc(uint.sizeof * rings.length);
    foreach (i; 0 .. cast(uint) rings.length)
        order[i] = i;
    for (uint i = cast(uint) rings.length - 1; i > 0; i--)
    {
        const other = draw(i + 1);
        const kept = order[i];
        order[i] = order[other];
        order[other] = kept;
    }
    foreach (i; 0 .. rings.length)
        rings[order[i]] = ring();
    free(order);
}

void operate(long operations)
{
    foreach (_; 0 .. operations)
        rings[place()] = ring();
}

// Of the places to come, which stay to come.
ulong places()
{
    const before = state;
    ulong figure = 14_695_981_039_346_656_037UL;
    foreach (_; 0 .. 1000)
        figure = (figure ^ place()) * 1_099_511_628_211;
    state = before;
    turn = 0;
    return figure;
}

bool whole()
{
    foreach (first; rings)
    {
        const last = first.next.next.next;
        if (first.next == first || first.next.next == first || last == first || last.next != first)
            return false;
    }
    return true;
}

void mark(string name)
{
    printf("mark %s\n", name.toStringz);
    fflush(stdout);
    getchar();
}

long now()
{
    return MonoTime.currTime.ticks; // of one ns: MonoTime.ticksPerSecond, asserted in main
}

int main(string[] arguments)
{
    assert(MonoTime.ticksPerSecond == 1_000_000_000);
    const slices = arguments[2].to!size_t, warmup = arguments[3].to!size_t;
    const operations = arguments[4].to!long;
    // Outside the collected heap, and touched. There are fewer own pauses than slices: it is asked after each.
    auto samples = cast(long*) malloc(long.sizeof * slices), pauses = cast(long*) malloc(long.sizeof * slices);
    samples[0 .. slices] = 0;
    pauses[0 .. slices] = 0;
    mark("before");
    shuffled = arguments[6] == "1";
    state = arguments[5].to!ulong * 2 + 1;
    rings = new Node*[arguments[1].to!size_t];
    build();
    const expected = places();
    mark("live");
    long begun, paused, last = now();
    size_t count;
    foreach (i; 0 .. slices)
    {
        if (i == warmup)
        {
            mark("begin");
            paused = GC.profileStats.totalPauseTime.total!"hnsecs";
            begun = last = now();
        }
        operate(operations);
        const end = now();
        samples[i] = end - last;
        last = end;
        const until = GC.profileStats.totalPauseTime.total!"hnsecs";
        if (i >= warmup && until != paused)
            pauses[count++] = (until - paused) * 100;
        paused = until;
    }
    const run = last - begun;
    mark("end");
    const heap = GC.stats.usedSize;
    if (!whole())
    {
        fputs("a ring is broken\n", stderr);
        return 1;
    }
    printf("version %s\nplaces %lu\nrun_ns %ld\nheap %zu\n", import("version").toStringz, expected, run, heap);
    foreach (pause; pauses[0 .. count])
        printf("pause %ld\n", pause);
    foreach (sample; samples[0 .. slices])
        printf("sample %ld\n", sample);
    return 0;
}
