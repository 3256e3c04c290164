package rebound.jobs.ads;

import org.apache.flink.api.common.state.MapState;

/**
 * Extra keyed state, to make snapshots and restores as large as wanted:
 * {@code keys} entries of {@code bytes} bytes for every campaign. The first
 * view of a campaign writes them all; each later view reads and rewrites one,
 * so that incremental checkpoints have something to upload.
 */
final class Ballast {
    private final MapState<Integer, byte[]> state;
    private final int keys;
    private final int bytes;
    private final long seed;

    /** {@code bytes} 0 means none. The entries follow from {@code seed}. */
    Ballast(MapState<Integer, byte[]> state, int keys, int bytes, long seed) {
        this.state = state;
        this.keys = keys;
        this.bytes = bytes;
        this.seed = seed;
    }

    /** Rewrites one entry of the current key; the view's id says which. */
    void touch(View v) throws Exception {
        if (bytes == 0 || keys == 0) {
            return;
        }
        long h = Mix64.markerHash(v.partition, v.id);
        int slot = (int) Long.remainderUnsigned(h, keys);
        byte[] entry = state.get(slot);
        if (entry == null) {
            fill(v.campaign);
            entry = state.get(slot);
        }
        scramble(entry, 0, Math.min(Long.BYTES, bytes), h);
        state.put(slot, entry);
    }

    private void fill(int campaign) throws Exception {
        for (int slot = 0; slot < keys; slot++) {
            byte[] entry = new byte[bytes];
            scramble(entry, 0, bytes, Mix64.mix(seed + campaign) + slot);
            state.put(slot, entry);
        }
    }

    /** Random bytes: a state backend compresses what it writes. */
    private static void scramble(byte[] entry, int from, int to, long seed) {
        long z = seed;
        for (int i = from; i < to; i++) {
            if ((i & 7) == 0) {
                z = Mix64.mix(z + i + 1);
            }
            entry[i] = (byte) (z >>> ((i & 7) * 8));
        }
    }
}
