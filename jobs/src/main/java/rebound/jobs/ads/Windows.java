package rebound.jobs.ads;

import org.apache.flink.api.common.state.MapState;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.streaming.api.operators.InternalTimerService;

/**
 * Tumbling event-time windows of the current key: count and sum of the ids of
 * its views, kept in state from the first view until the watermark has passed
 * the end. There is no allowed lateness.
 */
final class Windows {
    private final long size;
    private final MapState<Long, Tuple2<Long, Long>> open;
    private final InternalTimerService<VoidNamespace> timers;

    /** {@code size} in milliseconds; {@code open} maps the start of a window to (count, sum). */
    Windows(long size, MapState<Long, Tuple2<Long, Long>> open, InternalTimerService<VoidNamespace> timers) {
        this.size = size;
        this.open = open;
        this.timers = timers;
    }

    /** Adds a view to its window, or returns false if that has been fired: the view is late. */
    boolean add(View v) throws Exception {
        long start = v.at - Math.floorMod(v.at, size);
        long last = start + size - 1;
        if (last <= timers.currentWatermark()) {
            return false;
        }
        Tuple2<Long, Long> sums = open.get(start);
        if (sums == null) {
            sums = Tuple2.of(0L, 0L);
            timers.registerEventTimeTimer(VoidNamespace.INSTANCE, last);
        }
        sums.f0++;
        sums.f1 += v.id;
        open.put(start, sums);
        return true;
    }

    /**
     * Removes the window whose last millisecond is {@code last} and returns its
     * line {@code w,campaign,windowStartMs,windowEndMs,count,sumIds}; the sum is
     * modulo 2^64, unsigned.
     */
    String fire(int campaign, long last) throws Exception {
        long end = last + 1;
        long start = end - size;
        Tuple2<Long, Long> sums = open.get(start);
        open.remove(start);
        return "w," + campaign + ',' + start + ',' + end + ',' + sums.f0 + ',' + Long.toUnsignedString(sums.f1);
    }
}
