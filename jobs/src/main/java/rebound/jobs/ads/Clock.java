package rebound.jobs.ads;

/** The wall clock as pacing sees it; tests have one of their own. */
interface Clock {
    /** A monotonic time in nanoseconds. */
    long nanoTime();

    /** Sleeps for about {@code nanos} nanoseconds, usually a little longer. */
    void sleep(long nanos) throws InterruptedException;

    /** The machine's. */
    static Clock system() {
        return new Clock() {
            @Override
            public long nanoTime() {
                return System.nanoTime();
            }

            @Override
            public void sleep(long nanos) throws InterruptedException {
                Thread.sleep(nanos / 1_000_000, (int) (nanos % 1_000_000));
            }
        };
    }
}
