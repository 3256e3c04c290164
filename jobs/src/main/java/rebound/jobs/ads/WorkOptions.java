package rebound.jobs.ads;

import java.io.Serializable;

/**
 * What the keyed operator is told.
 *
 * @param windowMs length of a window, milliseconds, at least 1
 * @param stateBytes extra state of an entry, bytes; 0 means none
 * @param stateKeys entries of extra state a campaign
 * @param seed of the extra state's bytes
 * @param capacity input records a second that a subtask can stand for; 0 means not paced
 * @param work iterations of CPU work a view; 0 means none
 * @param failToken path of the file that fails a task; empty means none
 */
record WorkOptions(
        long windowMs, int stateBytes, int stateKeys, long seed, double capacity, int work, String failToken)
        implements Serializable {}
