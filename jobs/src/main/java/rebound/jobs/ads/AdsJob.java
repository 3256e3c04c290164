package rebound.jobs.ads;

import org.apache.flink.api.common.eventtime.WatermarkStrategy;
import org.apache.flink.api.common.serialization.SimpleStringSchema;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.connector.base.DeliveryGuarantee;
import org.apache.flink.connector.kafka.sink.KafkaRecordSerializationSchema;
import org.apache.flink.connector.kafka.sink.KafkaSink;
import org.apache.flink.connector.kafka.sink.KafkaSinkBuilder;
import org.apache.flink.connector.kafka.source.KafkaSource;
import org.apache.flink.connector.kafka.source.enumerator.initializer.OffsetsInitializer;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;

/** The main class: builds the pipeline from its arguments and submits it. */
public final class AdsJob {
    private AdsJob() {}

    public static void main(String[] args) throws Exception {
        Options o = Options.parse(args);
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment(o.flink());
        env.setParallelism(o.parallelism());
        env.setMaxParallelism(o.maxParallelism());
        build(env, o);
        env.execute(o.name());
    }

    /** Adds the pipeline to {@code env}. The uids tie operators to their state and never change. */
    static void build(StreamExecutionEnvironment env, Options o) {
        env.fromSource(source(o), watermarks(), "source").uid("source")
                .filter(e -> e.type == EventType.VIEW).name("views").uid("views")
                .map(new CampaignJoin(o.campaigns(), o.adsPerCampaign())).returns(View.class).name("join").uid("join")
                .keyBy(v -> v.campaign, Types.INT)
                .transform("work", Types.STRING, new WorkOperator(o.work())).uid("work")
                .sinkTo(sink(o)).name("sink").uid("sink");
    }

    private static KafkaSource<Event> source(Options o) {
        return KafkaSource.<Event>builder()
                .setBootstrapServers(o.brokers())
                .setTopics(o.input())
                .setGroupId(o.group())
                .setStartingOffsets(OffsetsInitializer.earliest())
                .setDeserializer(new EventDeserializer())
                .build();
    }

    /**
     * Event time is the create time, which never goes back within a partition;
     * the source keeps a watermark for each. There is no idleness timeout: the
     * generator writes to all partitions, and a partition that falls silent in
     * an outage must not let the windows of the others fire without it.
     */
    private static WatermarkStrategy<Event> watermarks() {
        return WatermarkStrategy.<Event>forMonotonousTimestamps().withTimestampAssigner((e, t) -> e.at);
    }

    private static KafkaSink<String> sink(Options o) {
        KafkaSinkBuilder<String> b = KafkaSink.<String>builder()
                .setBootstrapServers(o.brokers())
                .setRecordSerializer(KafkaRecordSerializationSchema.<String>builder()
                        .setTopic(o.output())
                        .setValueSerializationSchema(new SimpleStringSchema())
                        .build())
                .setDeliveryGuarantee(o.guarantee());
        if (o.guarantee() == DeliveryGuarantee.EXACTLY_ONCE) {
            b.setTransactionalIdPrefix(o.prefix());
            // the connector's default, 1 h, is above the broker's default maximum
            b.setProperty("transaction.timeout.ms", Long.toString(o.transactionTimeout().toMillis()));
        }
        return b.build();
    }
}
