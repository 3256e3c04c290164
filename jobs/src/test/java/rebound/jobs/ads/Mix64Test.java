package rebound.jobs.ads;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

/** The vectors are those of the load generator's tests: both sides must agree. */
class Mix64Test {
    @Test
    void mixIsTheFinalizerOfSplitmix64() {
        assertEquals(0L, Mix64.mix(0));
        assertEquals(0x5692161d100b05e5L, Mix64.mix(1));
        // SplittableRandom is splitmix64: its first number after seed s is mix(s + gamma)
        long gamma = 0x9e3779b97f4a7c15L;
        for (long seed : new long[] {0, 1, -1, 42, Long.MIN_VALUE}) {
            assertEquals(new java.util.SplittableRandom(seed).nextLong(), Mix64.mix(seed + gamma));
        }
    }

    @Test
    void hashesOfSeedSevenPartitionThree() {
        long h = Mix64.eventHash(7, 3, 123456);
        assertEquals(1221949395738794003L, h);
        assertEquals(2, Long.remainderUnsigned(h, 3)); // a purchase
        assertEquals(664, Long.remainderUnsigned(h >>> 8, 1000)); // the ad
        assertEquals(8643118843029851869L, Mix64.markerHash(3, 123456));
    }
}
