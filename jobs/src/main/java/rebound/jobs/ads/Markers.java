package rebound.jobs.ads;

import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;

/**
 * The open markers of a subtask, one a partition. Never part of the state:
 * whoever owns it flushes it before each checkpoint barrier.
 */
final class Markers {
    private final int subtask;
    private final int attempt;
    private final LongSupplier nowMs;
    private final Consumer<String> out;
    private final Map<Integer, Marker> open = new TreeMap<>();

    /** {@code nowMs} stamps the lines: milliseconds since the epoch. */
    Markers(int subtask, int attempt, LongSupplier nowMs, Consumer<String> out) {
        this.subtask = subtask;
        this.attempt = attempt;
        this.nowMs = nowMs;
        this.out = out;
    }

    /** Counts a view; writes the partition's marker first if the view begins another bucket. */
    void add(View v, boolean late) {
        Marker m = open.get(v.partition);
        if (m == null || !m.takes(v)) {
            if (m != null) {
                write(m);
            }
            m = new Marker(v);
            open.put(v.partition, m);
        }
        m.add(v, late);
    }

    /** Writes all that is open, in the order of partitions, and leaves nothing. */
    void flush() {
        open.values().forEach(this::write);
        open.clear();
    }

    private void write(Marker m) {
        out.accept(m.line(subtask, attempt, nowMs.getAsLong()));
    }
}
