package rebound.jobs.ads;

/**
 * Which views of one input partition a subtask has processed since the last
 * marker of that partition. All its ids lie in one bucket, so that markers
 * over (partition, bucket) can be summed and compared with what was sent.
 */
final class Marker {
    /** Ids in a bucket. */
    static final long BUCKET = 1000;

    final int partition;
    final long bucket;
    final long firstId;
    long lastId;
    long lastAt;
    long count;
    long hash;
    long late;

    Marker(View first) {
        partition = first.partition;
        bucket = first.id / BUCKET;
        firstId = first.id;
    }

    boolean takes(View v) {
        return v.id / BUCKET == bucket;
    }

    void add(View v, boolean wasLate) {
        lastId = v.id;
        lastAt = v.at;
        count++;
        hash += Mix64.markerHash(v.partition, v.id);
        if (wasLate) {
            late++;
        }
    }

    /**
     * The line {@code m,subtask,partition,bucket,firstId,lastId,count,hash,lastAtMs,emittedMs,late,attempt};
     * times in milliseconds since the epoch, the hash unsigned.
     */
    String line(int subtask, int attempt, long emittedMs) {
        return new StringBuilder(96)
                .append("m,").append(subtask)
                .append(',').append(partition)
                .append(',').append(bucket)
                .append(',').append(firstId)
                .append(',').append(lastId)
                .append(',').append(count)
                .append(',').append(Long.toUnsignedString(hash))
                .append(',').append(lastAt)
                .append(',').append(emittedMs)
                .append(',').append(late)
                .append(',').append(attempt)
                .toString();
    }
}
