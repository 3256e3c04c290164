package rebound.jobs.ads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import org.junit.jupiter.api.Test;

class PaceTest {
    private static final double MS = 1e6;

    /** A clock that stands still unless somebody works or sleeps; every sleep lasts {@code over} longer. */
    private static final class ManualClock implements Clock {
        long now = 1_000_000_000L;
        long slept;
        int sleeps;
        double over;
        long idle;

        void idle(long nanos) {
            now += nanos;
            idle += nanos;
        }

        @Override
        public long idleNanos() {
            return idle;
        }

        @Override
        public long nanoTime() {
            return now;
        }

        @Override
        public void sleep(long nanos) {
            sleeps++;
            slept += nanos;
            now += nanos + (long) over;
        }
    }

    private final ManualClock clock = new ManualClock();

    /** Capacity 3000 input records/s: a view costs 1 ms; slept as soon as more than 3 ms are owed. */
    @Test
    void sleepsWhenThreeMillisecondsAreOwed() throws Exception {
        Pace pace = new Pace(3000, clock);
        views(pace, 3, 0);
        assertEquals(0, clock.sleeps);
        views(pace, 1, 0);
        assertEquals(1, clock.sleeps);
        assertEquals(4 * MS, clock.slept, 1);
    }

    /** Work of 0.4 ms and oversleeping of 5 ms a time come out of the same budget: 3000 views, 3 s. */
    @Test
    void keepsTheNominalRateUnderSaturation() throws Exception {
        Pace pace = new Pace(3000, clock);
        clock.over = 5 * MS;
        long begun = clock.now;
        views(pace, 3000, (long) (0.4 * MS));
        assertEquals(3000 * MS, clock.now - begun, 10 * MS);
    }

    /** After a stall of 200 ms only 50 ms are made up for: 1000 views cost 1000 ms + 150 ms. */
    @Test
    void creditIsBounded() throws Exception {
        Pace pace = new Pace(3000, clock);
        views(pace, 1, 0);
        long begun = clock.now;
        views(pace, 1, (long) (201 * MS));
        views(pace, 999, 0);
        assertEquals((1000 + 200 - 50) * MS, clock.now - begun, 5 * MS);
    }

    /** Half load: each second 500 views and then nothing. The subtask is busy for 500 ms of it. */
    @Test
    void idleTimeGivesNoCredit() throws Exception {
        Pace pace = new Pace(3000, clock);
        for (int second = 0; second < 10; second++) {
            long begun = clock.now;
            views(pace, 500, 0);
            assertEquals(500 * MS, clock.now - begun, 5 * MS);
            clock.idle(500 * (long) MS);
        }
    }

    /** Reading a record takes 0.3 ms outside of the operator: it is part of the 1 ms. */
    @Test
    void timeBetweenViewsIsPaidUnlessIdle() throws Exception {
        Pace pace = new Pace(3000, clock);
        long begun = clock.now;
        for (int i = 0; i < 1000; i++) {
            clock.now += (long) (0.3 * MS);
            views(pace, 1, 0);
        }
        assertEquals(1000 * MS, clock.now - begun, 5 * MS);
    }

    /** Law: whatever work and oversleeping are, below capacity the time for n views is n costs, within credit and debt. */
    @Test
    void meanRateIsNominal() throws Exception {
        Random random = new Random(3);
        for (int round = 0; round < 50; round++) {
            double capacity = 300 * Math.pow(10, 2 * random.nextDouble());
            double cost = 3e9 / capacity;
            Pace pace = new Pace(capacity, clock);
            long begun = clock.now;
            for (int i = 0; i < 2000; i++) {
                clock.over = random.nextDouble() * 2 * MS;
                views(pace, 1, (long) (random.nextDouble() * cost));
            }
            double ratio = (clock.now - begun) / (2000 * cost);
            assertTrue(Math.abs(clock.now - begun - 2000 * cost) < Pace.MAX_CREDIT + Pace.MIN_SLEEP + 2 * cost, "ratio " + ratio);
        }
    }

    @Test
    void noCapacityMeansNoSleep() throws Exception {
        views(new Pace(0, clock), 100_000, 0);
        assertEquals(0, clock.sleeps);
    }

    private void views(Pace pace, int n, long work) throws InterruptedException {
        for (int i = 0; i < n; i++) {
            clock.now += work;
            pace.viewDone();
        }
    }
}
