package rebound.jobs.ads;

import java.time.Duration;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.connector.base.DeliveryGuarantee;

/**
 * Everything that the job can be told on its command line.
 *
 * @param brokers Kafka's bootstrap servers
 * @param input topic of the events
 * @param output topic of windows and markers
 * @param group consumer group that offsets are committed to
 * @param prefix of the transactional ids; must stay the same over restarts
 * @param name of the job
 * @param campaigns number of keys
 * @param adsPerCampaign ads in the table for each
 * @param parallelism of every operator; at most the partitions of the input,
 *     for a source subtask without partition would hold the watermark back
 * @param maxParallelism key groups, 1 to 32768
 * @param guarantee of the sink
 * @param transactionTimeout of the sink's transactions; must not exceed the
 *     broker's transaction.max.timeout.ms, and should exceed the longest outage
 * @param work what the keyed operator is told
 * @param flink checkpointing and state backend, in Flink's own keys
 */
record Options(
        String brokers,
        String input,
        String output,
        String group,
        String prefix,
        String name,
        int campaigns,
        int adsPerCampaign,
        int parallelism,
        int maxParallelism,
        DeliveryGuarantee guarantee,
        Duration transactionTimeout,
        WorkOptions work,
        Configuration flink) {
    private static final int MAX_ADS = 10_000_000; // the join table: 40 MB
    private static final int MAX_PARALLELISM = 1 << 15; // Flink's limit of key groups

    /** Parses {@code --name value} pairs, or throws an IllegalArgumentException that names every problem. */
    static Options parse(String... args) {
        Arguments a = new Arguments(args);
        Options o = new Options(
                a.required("brokers"),
                a.required("input"),
                a.required("output"),
                a.required("group"),
                a.required("prefix"),
                a.text("name", "ads"),
                a.number("campaigns", 100, 1, MAX_ADS),
                a.number("ads-per-campaign", 10, 1, MAX_ADS),
                a.number("parallelism", 1, 1, MAX_PARALLELISM),
                a.number("max-parallelism", 128, 1, MAX_PARALLELISM),
                guarantee(a),
                a.duration("transaction-timeout", Duration.ofMinutes(10), Duration.ofSeconds(1)),
                work(a),
                Checkpointing.configuration(a));
        o.checkTogether(a);
        a.done();
        return o;
    }

    private static DeliveryGuarantee guarantee(Arguments a) {
        return switch (a.choice("guarantee", "exactly-once", "at-least-once", "none")) {
            case "at-least-once" -> DeliveryGuarantee.AT_LEAST_ONCE;
            case "none" -> DeliveryGuarantee.NONE;
            default -> DeliveryGuarantee.EXACTLY_ONCE;
        };
    }

    private static WorkOptions work(Arguments a) {
        return new WorkOptions(
                a.duration("window", Duration.ofSeconds(10), Duration.ofMillis(1)).toMillis(),
                a.number("state-bytes", 0, 0, 1 << 26),
                a.number("state-keys", 1, 1, 1 << 24),
                a.seed("seed", 0),
                a.rate("capacity", 0),
                a.number("work", 0, 0, Integer.MAX_VALUE),
                a.text("fail-token", ""));
    }

    private void checkTogether(Arguments a) {
        if ((long) campaigns * adsPerCampaign > MAX_ADS) {
            a.refuse("--campaigns times --ads-per-campaign: got " + (long) campaigns * adsPerCampaign
                    + ", want at most " + MAX_ADS);
        }
        if (parallelism > maxParallelism) {
            a.refuse("--parallelism: got " + parallelism + ", want at most --max-parallelism, " + maxParallelism);
        }
        if (guarantee == DeliveryGuarantee.EXACTLY_ONCE && !Checkpointing.isOn(flink)) {
            a.refuse("--interval: got 0 with --guarantee exactly-once, which commits only with checkpoints;"
                    + " want an interval, or --guarantee at-least-once or none");
        }
    }
}
