// The workload `slices` in Java; ../row.py says how it is started and what it prints.

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.IntBuffer;
import java.nio.LongBuffer;

final class Slices {
    static final class Node {
        Node next;
        Node other; // always null

        Node(Node next) {
            this.next = next;
        }
    }

    private final Node[] rings;
    private final boolean shuffled;
    private long state; // of the generator
    private int turn;

    private Slices(int count, long seed, boolean shuffled) {
        this.rings = new Node[count];
        this.shuffled = shuffled;
        this.state = seed * 2 + 1;
    }

    private int draw(int count) {
        state ^= state >>> 12;
        state ^= state << 25;
        state ^= state >>> 27;
        return (int) (((state * 2685821657736338717L) >>> 33) % count);
    }

    private int place() {
        if (shuffled) {
            return draw(rings.length);
        }
        final int now = turn;
        turn = now + 1 == rings.length ? 0 : now + 1;
        return now;
    }

    private static Node ring() {
        final Node last = new Node(null);
        final Node first = new Node(new Node(new Node(last)));
        last.next = first;
        return first;
    }

    private void build() {
        if (!shuffled) {
            for (int i = 0; i < rings.length; i++) {
                rings[i] = ring();
            }
            return;
        }
        final IntBuffer order =
            ByteBuffer.allocateDirect(4 * rings.length).order(ByteOrder.nativeOrder()).asIntBuffer();
        for (int i = 0; i < rings.length; i++) {
            order.put(i, i);
        }
        for (int i = rings.length - 1; i > 0; i--) {
            final int other = draw(i + 1);
            final int kept = order.get(i);
            order.put(i, order.get(other));
            order.put(other, kept);
        }
        for (int i = 0; i < rings.length; i++) {
            rings[order.get(i)] = ring();
        }
    }

    private void operate(int operations) {
        for (int i = 0; i < operations; i++) {
            rings[place()] = ring();
        }
    }

    // Of the places to come, which stay to come.
    private long places() {
        final long before = state;
        long figure = 0xcbf29ce484222325L;
        for (int i = 0; i < 1000; i++) {
            figure = (figure ^ place()) * 1099511628211L;
        }
        state = before;
        turn = 0;
        return figure;
    }

    private boolean whole() {
        for (final Node first : rings) {
            final Node last = first.next.next.next;
            if (first.next == first || first.next.next == first || last == first || last.next != first) {
                return false;
            }
        }
        return true;
    }

    private static void mark(String name) throws IOException {
        System.out.println("mark " + name);
        System.out.flush();
        System.in.read();
    }

    public static void main(String[] arguments) throws IOException {
        final int slices = Integer.parseInt(arguments[1]);
        final int warmup = Integer.parseInt(arguments[2]);
        final int operations = Integer.parseInt(arguments[3]);
        // Outside the collected heap, and touched.
        final LongBuffer samples =
            ByteBuffer.allocateDirect(8 * slices).order(ByteOrder.nativeOrder()).asLongBuffer();
        mark("before");
        final Slices all = new Slices(Integer.parseInt(arguments[0]), Long.parseLong(arguments[4]),
            arguments[5].equals("1"));
        all.build();
        final long places = all.places();
        mark("live");
        long begun = 0;
        long last = System.nanoTime();
        for (int i = 0; i < slices; i++) {
            if (i == warmup) {
                mark("begin");
                begun = System.nanoTime();
                last = begun;
            }
            all.operate(operations);
            final long end = System.nanoTime();
            samples.put(i, end - last);
            last = end;
        }
        final long run = last - begun;
        mark("end");
        final long heap = Runtime.getRuntime().totalMemory() - Runtime.getRuntime().freeMemory();
        if (!all.whole()) {
            System.err.println("a ring is broken");
            System.exit(1);
        }
        final PrintStream out = new PrintStream(new BufferedOutputStream(System.out, 1 << 16));
        out.println("version OpenJDK " + System.getProperty("java.vm.version") + " ("
            + System.getProperty("java.vm.name") + ", " + System.getProperty("java.vendor.version", "") + ")");
        out.println("places " + Long.toUnsignedString(places));
        out.println("run_ns " + run);
        out.println("heap " + heap);
        for (int i = 0; i < slices; i++) {
            out.println("sample " + samples.get(i));
        }
        out.flush();
    }
}
