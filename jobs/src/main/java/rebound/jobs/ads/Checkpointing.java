package rebound.jobs.ads;

import java.time.Duration;
import org.apache.flink.configuration.Configuration;

/**
 * The job's checkpointing in Flink's configuration keys, spelled so that 1.20
 * and 2.x both know them. Restart strategy and checkpoint directory are the
 * cluster's.
 */
final class Checkpointing {
    private static final String INTERVAL = "execution.checkpointing.interval";

    private Checkpointing() {}

    /** Reads the arguments that have to do with state; an interval of 0 leaves checkpointing off. */
    static Configuration configuration(Arguments a) {
        Configuration c = new Configuration();
        Duration interval = a.duration("interval", Duration.ofSeconds(10), Duration.ZERO);
        if (!interval.isZero()) {
            c.setString(INTERVAL, millis(interval));
        }
        c.setString("execution.checkpointing.min-pause", millis(a.duration("min-pause", Duration.ZERO, Duration.ZERO)));
        c.setString("execution.checkpointing.timeout",
                millis(a.duration("checkpoint-timeout", Duration.ofMinutes(10), Duration.ofMillis(10))));
        c.setString("execution.checkpointing.tolerable-failed-checkpoints",
                Integer.toString(a.number("tolerable-failures", 0, 0, Integer.MAX_VALUE)));
        c.setString("execution.checkpointing.unaligned.enabled", Boolean.toString(a.flag("unaligned", false)));
        c.setString("execution.checkpointing.mode",
                a.choice("checkpoint-mode", "exactly-once", "at-least-once").equals("exactly-once")
                        ? "EXACTLY_ONCE" : "AT_LEAST_ONCE");
        // a job that was canceled can be started again where it was
        c.setString("execution.checkpointing.externalized-checkpoint-retention", "RETAIN_ON_CANCELLATION");
        c.setString("state.backend.type", a.choice("backend", "hashmap", "rocksdb"));
        c.setString("execution.checkpointing.incremental", Boolean.toString(a.flag("incremental", true)));
        // no operator changes or keeps a record that it was given, so chains need not copy
        c.setString("pipeline.object-reuse", "true");
        return c;
    }

    static boolean isOn(Configuration c) {
        return c.containsKey(INTERVAL);
    }

    private static String millis(Duration d) {
        return d.toMillis() + " ms";
    }
}
