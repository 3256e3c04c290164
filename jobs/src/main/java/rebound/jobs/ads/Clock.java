package rebound.jobs.ads;

import java.util.function.LongSupplier;

/** Time as pacing sees it; tests have a clock of their own. */
interface Clock {
    /** A monotonic time in nanoseconds. */
    long nanoTime();

    /** Nanoseconds that the task has spent without input, up to the record at hand. */
    long idleNanos();

    /** Sleeps for about {@code nanos} nanoseconds, usually a little longer. */
    void sleep(long nanos) throws InterruptedException;

    /** The machine's clock, with the task's own account of its idle time in milliseconds. */
    static Clock system(LongSupplier idleMs) {
        return new Clock() {
            @Override
            public long nanoTime() {
                return System.nanoTime();
            }

            @Override
            public long idleNanos() {
                return idleMs.getAsLong() * 1_000_000;
            }

            @Override
            public void sleep(long nanos) throws InterruptedException {
                Thread.sleep(nanos / 1_000_000, (int) (nanos % 1_000_000));
            }
        };
    }
}
