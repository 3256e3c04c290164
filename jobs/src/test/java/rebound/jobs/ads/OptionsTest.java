package rebound.jobs.ads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.stream.Stream;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class OptionsTest {
    private static final String[] LEAST = {
        "--brokers", "127.0.0.1:9092", "--input", "in", "--output", "out", "--group", "g", "--prefix", "p"
    };

    @Test
    void defaults() {
        Options o = parse();
        assertEquals("ads", o.name());
        assertEquals(100, o.campaigns());
        assertEquals(10, o.adsPerCampaign());
        assertEquals(1, o.parallelism());
        assertEquals(128, o.maxParallelism());
        assertEquals(DeliveryGuarantee.EXACTLY_ONCE, o.guarantee());
        assertEquals(Duration.ofMinutes(10), o.transactionTimeout());
        assertEquals(new WorkOptions(10_000, 0, 1, 0, 0, 0, ""), o.work());
        assertEquals("10000 ms", flink(o, "execution.checkpointing.interval"));
        assertEquals("0", flink(o, "execution.checkpointing.tolerable-failed-checkpoints"));
        assertEquals("EXACTLY_ONCE", flink(o, "execution.checkpointing.mode"));
        assertEquals("RETAIN_ON_CANCELLATION", flink(o, "execution.checkpointing.externalized-checkpoint-retention"));
        assertEquals("hashmap", flink(o, "state.backend.type"));
    }

    @Test
    void everythingCanBeSet() {
        Options o = parse("--name", "a job", "--seed", "18446744073709551615", "--window", "500ms", "--capacity", "1000.5",
                "--work", "7", "--state-bytes", "64", "--state-keys", "3", "--fail-token", "/tmp/x", "--interval", "1min",
                "--min-pause", "2s", "--checkpoint-timeout", "30s", "--tolerable-failures", "3", "--unaligned", "true",
                "--checkpoint-mode", "at-least-once", "--backend", "rocksdb", "--incremental", "false",
                "--guarantee", "at-least-once", "--transaction-timeout", "15min", "--parallelism", "4");
        assertEquals(new WorkOptions(500, 64, 3, -1, 1000.5, 7, "/tmp/x"), o.work());
        assertEquals("60000 ms", flink(o, "execution.checkpointing.interval"));
        assertEquals("2000 ms", flink(o, "execution.checkpointing.min-pause"));
        assertEquals("30000 ms", flink(o, "execution.checkpointing.timeout"));
        assertEquals("3", flink(o, "execution.checkpointing.tolerable-failed-checkpoints"));
        assertEquals("true", flink(o, "execution.checkpointing.unaligned.enabled"));
        assertEquals("AT_LEAST_ONCE", flink(o, "execution.checkpointing.mode"));
        assertEquals("rocksdb", flink(o, "state.backend.type"));
        assertEquals("false", flink(o, "execution.checkpointing.incremental"));
        assertEquals(DeliveryGuarantee.AT_LEAST_ONCE, o.guarantee());
        assertEquals(Duration.ofMinutes(15), o.transactionTimeout());
    }

    @Test
    void intervalZeroLeavesCheckpointingOff() {
        Options o = parse("--interval", "0", "--guarantee", "none");
        assertFalse(o.flink().containsKey("execution.checkpointing.interval"));
        assertRefused("--interval: got 0 with --guarantee exactly-once, which commits only with checkpoints;"
                + " want an interval, or --guarantee at-least-once or none", "--interval", "0");
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = {
        "--window|soon|--window: got \"soon\", want a duration such as 10s, 500ms or 10min of at least 1ms",
        "--window|0|--window: got \"0\", want a duration such as 10s, 500ms or 10min of at least 1ms",
        "--interval|-1s|--interval: got \"-1s\", want a duration such as 10s, 500ms or 10min of at least 0ms",
        "--campaigns|0|--campaigns: got \"0\", want a whole number from 1 to 10000000",
        "--campaigns|1e3|--campaigns: got \"1e3\", want a whole number from 1 to 10000000",
        "--capacity|-1|--capacity: got \"-1\", want a number from 0",
        "--capacity|NaN|--capacity: got \"NaN\", want a number from 0",
        "--seed|x|--seed: got \"x\", want a whole number of at most 64 bits",
        "--backend|heap|--backend: got \"heap\", want one of hashmap, rocksdb",
        "--unaligned|yes|--unaligned: got \"yes\", want true or false",
        "--parallelism|129|--parallelism: got 129, want at most --max-parallelism, 128",
        "--ads-per-campaign|1000000|--campaigns times --ads-per-campaign: got 100000000, want at most 10000000",
        "--name|a b|",
    })
    void refusesWithWords(String name, String value, String problem) {
        if (problem == null) {
            assertEquals(value, parse(name, value).name());
            return;
        }
        assertRefused(problem, name, value);
    }

    @Test
    void namesEveryProblemAtOnce() {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class,
                () -> Options.parse("--brokers", "b", "--input", "in", "--output", "out", "--group", "g", "--window", "x"));
        assertTrue(e.getMessage().contains("--prefix: missing\n--window: got \"x\""), e.getMessage());
    }

    @Test
    void unknownArgumentsAreRefusedWithTheKnownOnes() {
        IllegalArgumentException e = assertThrows(IllegalArgumentException.class, () -> parse("--windw", "1s"));
        assertTrue(e.getMessage().startsWith("--windw: unknown, known are --ads-per-campaign, --backend, --brokers, "), e.getMessage());
        assertTrue(e.getMessage().endsWith("--unaligned, --window, --work"), e.getMessage());
    }

    @Test
    void refusesArgumentsThatAreNoPairs() {
        assertRefused("--name: value missing", "--name");
        assertRefused("name: want --name value", "name", "x");
        assertRefused("--group: given twice", "--group", "h");
    }

    private static void assertRefused(String want, String... more) {
        assertEquals(want, assertThrows(IllegalArgumentException.class, () -> parse(more)).getMessage());
    }

    private static Options parse(String... more) {
        return Options.parse(Stream.concat(Stream.of(LEAST), Stream.of(more)).toArray(String[]::new));
    }

    private static String flink(Options o, String key) {
        return o.flink().toMap().get(key);
    }
}
