package rebound.jobs.ads;

import static org.junit.jupiter.api.Assertions.assertEquals;

import org.junit.jupiter.api.Test;

class CpuWorkTest {
    /** The chain of two, by hand: mix(mix(5 + 0) + 1). */
    @Test
    void burnsAChainOfMixes() {
        CpuWork cpu = new CpuWork(2);
        cpu.burn(5);
        assertEquals(Mix64.mix(Mix64.mix(5) + 1), cpu.result());
        cpu.burn(5);
        assertEquals(2 * Mix64.mix(Mix64.mix(5) + 1), cpu.result());
    }
}
