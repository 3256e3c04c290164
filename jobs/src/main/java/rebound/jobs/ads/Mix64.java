package rebound.jobs.ads;

/**
 * The finalizer of splitmix64 (Steele, Lea and Flood, Fast splittable
 * pseudorandom number generators, OOPSLA 2014; constants of Stafford's variant
 * 13), and the hashes that the job shares with the load generator and the
 * audit. All arithmetic is modulo 2^64.
 */
final class Mix64 {
    private static final long GOLDEN_GAMMA = 0x9e3779b97f4a7c15L;

    private Mix64() {}

    /** A bijection of 64 bits in which every input bit moves every output bit. */
    static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xbf58476d1ce4e5b9L;
        z = (z ^ (z >>> 27)) * 0x94d049bb133111ebL;
        return z ^ (z >>> 31);
    }

    /** The place of an event as one number: partition in the upper 16 bits. */
    static long place(int partition, long id) {
        return ((long) partition << 48) | id;
    }

    /** What a view adds to the hash of its marker. */
    static long markerHash(int partition, long id) {
        return mix(place(partition, id));
    }

    /** The number that type and ad of a generated event follow from. */
    static long eventHash(long seed, int partition, long id) {
        return mix(seed + mix(place(partition, id) + GOLDEN_GAMMA));
    }
}
