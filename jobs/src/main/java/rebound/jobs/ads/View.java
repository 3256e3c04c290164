package rebound.jobs.ads;

/**
 * A view with its campaign: what goes over the network to the keyed operator.
 * A Flink POJO, hence the public fields.
 */
public class View {
    /** The Kafka partition that it came from. */
    public int partition;
    /** Number within the partition. */
    public long id;
    public int campaign;
    /** Create time, milliseconds since the epoch; the event time. */
    public long at;
    /**
     * The record's value as read. It is carried along so that a view is as
     * large on the network as the event was: with small views the exchange's
     * buffers hold many seconds of a paced job's backlog, the source looks
     * idle long before the job has caught up, and barriers wait behind it.
     */
    public byte[] raw;
}
