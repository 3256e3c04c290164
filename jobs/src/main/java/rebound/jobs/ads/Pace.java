package rebound.jobs.ads;

/**
 * Limits a subtask to a capacity by wall clock: every view costs a fixed time,
 * and what the work itself did not take is slept. So a run repeats on a busy
 * machine, and the sleep counts as busy time: a subtask at part load is busy
 * for exactly its utilization.
 *
 * <p>What is owed is kept as a debt and slept when it exceeds {@link
 * #MIN_SLEEP}, less what was really slept. Oversleeping leaves a credit of at
 * most {@link #MAX_CREDIT}, so that the mean rate stays the nominal one; idle
 * time gives none, else the subtask would burst above its capacity afterwards.
 */
final class Pace {
    /** Nanoseconds of debt that are worth a sleep: many times the timer's slack. */
    static final double MIN_SLEEP = 3e6;
    /** Nanoseconds: a few slices of a busy scheduler. */
    static final double MAX_CREDIT = 20e6;
    /** One event in so many is a view, so a view stands for so many input records. */
    private static final int EVENTS_PER_VIEW = EventType.values().length;

    private final Clock clock;
    private final double cost;
    private double debt;
    private long begun;

    /** {@code capacity} in input records a second; 0 means no limit. */
    Pace(double capacity, Clock clock) {
        this.clock = clock;
        this.cost = capacity > 0 ? EVENTS_PER_VIEW * 1e9 / capacity : 0;
    }

    /** Called before the work for a view. */
    void begin() {
        if (cost > 0) {
            begun = clock.nanoTime();
        }
    }

    /** Called after it: sleeps if enough is owed. */
    void end() throws InterruptedException {
        if (cost == 0) {
            return;
        }
        long now = clock.nanoTime();
        owe(cost - (now - begun));
        if (debt > MIN_SLEEP) {
            clock.sleep((long) debt);
            owe(now - clock.nanoTime());
        }
    }

    private void owe(double nanos) {
        debt = Math.max(debt + nanos, -MAX_CREDIT);
    }
}
