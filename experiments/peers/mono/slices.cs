// The workload `slices` in C#; ../row.py says how it is started and what it prints.

using System;
using System.IO;
using System.Reflection;
using System.Runtime.InteropServices;
using System.Text;

sealed class Node {
    public Node next;
#pragma warning disable 649  // never assigned to
    public Node other;
#pragma warning restore 649
}

static unsafe class Slices {
    struct Time {
        public long seconds, nanoseconds;
    }

    const int MONOTONIC = 1;

    [DllImport("libc")]
    static extern int clock_gettime(int clock, out Time time);

    static Node[] rings;
    static bool shuffled;
    static ulong state;  // of the generator
    static uint turn;

    // Not Stopwatch, whose ticks are of 100 ns.
    static long Now() {
        Time time;
        clock_gettime(MONOTONIC, out time);
        return time.seconds * 1000000000 + time.nanoseconds;
    }

    static uint Draw(uint count) {
        state ^= state >> 12;
        state ^= state << 25;
        state ^= state >> 27;
        return (uint)((state * 2685821657736338717 >> 33) % count);
    }

    static uint Place() {
        if (shuffled) {
            return Draw((uint)rings.Length);
        }
        var now = turn;
        turn = now + 1 == rings.Length ? 0 : now + 1;
        return now;
    }

    static Node Ring() {
        var last = new Node();
        var first = new Node { next = new Node { next = new Node { next = last } } };
        last.next = first;
        return first;
    }

    static void Build() {
        if (!shuffled) {
            for (var i = 0; i < rings.Length; i++) {
                rings[i] = Ring();
            }
            return;
        }
        var order = (uint*)Marshal.AllocHGlobal((IntPtr)(4L * rings.Length));
        for (uint i = 0; i < rings.Length; i++) {
            order[i] = i;
        }
        for (var i = (uint)rings.Length - 1; i > 0; i--) {
            var other = Draw(i + 1);
            var kept = order[i];
            order[i] = order[other];
            order[other] = kept;
        }
        for (var i = 0; i < rings.Length; i++) {
            rings[order[i]] = Ring();
        }
        Marshal.FreeHGlobal((IntPtr)order);
    }

    static void Operate(int operations) {
        for (var i = 0; i < operations; i++) {
            rings[Place()] = Ring();
        }
    }

    // Of the places to come, which stay to come.
    static ulong Places() {
        var before = state;
        var figure = 14695981039346656037UL;
        for (var i = 0; i < 1000; i++) {
            figure = (figure ^ Place()) * 1099511628211;
        }
        state = before;
        turn = 0;
        return figure;
    }

    static bool Whole() {
        foreach (var first in rings) {
            var last = first.next.next.next;
            if (first.next == first || first.next.next == first || last == first || last.next != first) {
                return false;
            }
        }
        return true;
    }

    static void Mark(string name) {
        Console.Out.WriteLine("mark " + name);
        Console.Out.Flush();
        Console.In.ReadLine();
    }

    static string Version() {
        var name = typeof(object).Assembly.GetType("Mono.Runtime").GetMethod("GetDisplayName",
            BindingFlags.NonPublic | BindingFlags.Static);
        return "Mono " + name.Invoke(null, null);
    }

    static int Main(string[] arguments) {
        var slices = int.Parse(arguments[1]);
        var warmup = int.Parse(arguments[2]);
        var operations = int.Parse(arguments[3]);
        // Outside the collected heap, and touched.
        var samples = (long*)Marshal.AllocHGlobal((IntPtr)(8L * slices));
        for (var i = 0; i < slices; i++) {
            samples[i] = 0;
        }
        Mark("before");
        shuffled = arguments[5] == "1";
        state = ulong.Parse(arguments[4]) * 2 + 1;
        rings = new Node[int.Parse(arguments[0])];
        Build();
        var places = Places();
        Mark("live");
        long begun = 0, last = Now();
        for (var i = 0; i < slices; i++) {
            if (i == warmup) {
                Mark("begin");
                begun = last = Now();
            }
            Operate(operations);
            var end = Now();
            samples[i] = end - last;
            last = end;
        }
        var run = last - begun;
        Mark("end");
        var heap = GC.GetTotalMemory(false);
        if (!Whole()) {
            Console.Error.WriteLine("a ring is broken");
            return 1;
        }
        using (var output = new StreamWriter(Console.OpenStandardOutput(), Encoding.ASCII, 1 << 16)) {
            output.WriteLine("version " + Version());
            output.WriteLine("places " + places);
            output.WriteLine("run_ns " + run);
            output.WriteLine("heap " + heap);
            for (var i = 0; i < slices; i++) {
                output.WriteLine("sample " + samples[i]);
            }
        }
        return 0;
    }
}
