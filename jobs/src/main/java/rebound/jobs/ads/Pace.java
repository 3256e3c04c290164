package rebound.jobs.ads;

/**
 * Limits a subtask to a capacity by wall clock: every view costs a fixed time,
 * and what its task did not spend on it otherwise is slept. So a run repeats
 * on a busy machine, and a subtask at part load is busy for its utilization,
 * as Flink counts it: all time in which the task is not idle.
 *
 * <p>What is owed is kept as a debt: each view adds its cost, the time that the
 * task was busy since the view before is subtracted: the work itself, reading
 * the record, barriers, and what was really slept. It is slept off when it
 * exceeds {@link #MIN_SLEEP}. Time above the cost leaves a credit of at most
 * {@link #MAX_CREDIT}, so that the mean rate stays the nominal one; idle time
 * gives none, else the subtask would burst above its capacity afterwards.
 */
final class Pace {
    /** Nanoseconds of debt that are worth a sleep: many times the timer's slack. */
    static final double MIN_SLEEP = 3e6;
    /**
     * Nanoseconds: the oversleeping of a starved machine, and a burst that
     * stays within the period of a marker.
     */
    static final double MAX_CREDIT = 50e6;
    /** One event in so many is a view, so a view stands for so many input records. */
    private static final int EVENTS_PER_VIEW = EventType.values().length;

    private final Clock clock;
    private final double cost;
    private double debt;
    private boolean begun;
    private long time;
    private long idle;

    /** {@code capacity} in input records a second; 0 means no limit. */
    Pace(double capacity, Clock clock) {
        this.clock = clock;
        this.cost = capacity > 0 ? EVENTS_PER_VIEW * 1e9 / capacity : 0;
    }

    /** Called once the work for a view is done: sleeps if enough is owed. */
    void viewDone() throws InterruptedException {
        if (cost == 0) {
            return;
        }
        debt = Math.max(debt + cost - busySinceLastView(), -MAX_CREDIT);
        if (debt > MIN_SLEEP) {
            clock.sleep((long) debt); // as time that is busy it is subtracted at the next view
        }
    }

    /** Nanoseconds; nothing for the first view, before which the task may have been starting. */
    private long busySinceLastView() {
        long now = clock.nanoTime();
        long idleNow = clock.idleNanos();
        long busy = begun ? (now - time) - (idleNow - idle) : 0;
        begun = true;
        time = now;
        idle = idleNow;
        return busy;
    }
}
