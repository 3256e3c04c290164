package rebound.jobs.ads;

/** One event as it was read from Kafka. A Flink POJO, hence the public fields. */
public class Event {
    /** The Kafka partition that it came from. */
    public int partition;
    /** Number within the partition, from 0; the generator makes it the Kafka offset. */
    public long id;
    public long ad;
    public EventType type;
    /** Create time, milliseconds since the epoch; the event time. */
    public long at;
    /** The record's value as read. */
    public byte[] raw;
}
