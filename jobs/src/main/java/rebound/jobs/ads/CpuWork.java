package rebound.jobs.ads;

/**
 * Real CPU work: a chain of dependent mixes, about 4 ns each on a warm JVM.
 * Its result is kept and shown as a metric, so that the compiler cannot drop it.
 */
final class CpuWork {
    private final int iterations;
    private long result;

    CpuWork(int iterations) {
        this.iterations = iterations;
    }

    void burn(long seed) {
        long z = seed;
        for (int i = 0; i < iterations; i++) {
            z = Mix64.mix(z + i);
        }
        result += z;
    }

    long result() {
        return result;
    }
}
