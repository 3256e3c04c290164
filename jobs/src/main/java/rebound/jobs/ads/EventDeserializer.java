package rebound.jobs.ads;

import java.io.IOException;
import org.apache.flink.api.common.typeinfo.TypeInformation;
import org.apache.flink.connector.kafka.source.reader.deserializer.KafkaRecordDeserializationSchema;
import org.apache.flink.util.Collector;
import org.apache.kafka.clients.consumer.ConsumerRecord;

/**
 * Turns Kafka records into events inside the source, where the watermark of
 * each partition needs the event time.
 */
final class EventDeserializer implements KafkaRecordDeserializationSchema<Event> {
    private static final long serialVersionUID = 1L;

    private final EventParser parser = new EventParser();

    @Override
    public void deserialize(ConsumerRecord<byte[], byte[]> r, Collector<Event> out) throws IOException {
        out.collect(parser.parse(r.partition(), r.offset(), r.value()));
    }

    @Override
    public TypeInformation<Event> getProducedType() {
        return TypeInformation.of(Event.class);
    }
}
