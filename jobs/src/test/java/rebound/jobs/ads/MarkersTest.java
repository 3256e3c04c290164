package rebound.jobs.ads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static rebound.jobs.ads.Views.view;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import org.junit.jupiter.api.Test;

class MarkersTest {
    private final List<String> out = new ArrayList<>();
    private long now = 5000;
    private final Markers markers = new Markers(1, 2, () -> now, out::add);

    /**
     * mix64(3 * 2^48 + 123456) is 8643118843029851869, a vector of Mix64Test;
     * with the id after it the sum is 9448195185764067954 modulo 2^64 (worked
     * with Python's integers), above 2^63 and so to be written unsigned.
     */
    @Test
    void aMarkerSumsUpItsViews() {
        markers.add(view(3, 123456, 0, 4000), false);
        markers.add(view(3, 123460, 7, 4100), true);
        assertEquals(List.of(), out);
        markers.flush();
        assertEquals(List.of("m,1,3,123,123456,123460,2,9448195185764067954,4100,5000,1,2"), out);
    }

    @Test
    void nothingIsWrittenTwice() {
        markers.add(view(0, 1, 0, 10), false);
        markers.flush();
        markers.flush();
        assertEquals(1, out.size());
    }

    @Test
    void anotherBucketClosesTheMarkerOfItsPartitionOnly() {
        markers.add(view(0, 999, 0, 10), false);
        markers.add(view(1, 998, 0, 11), false);
        now = 5001;
        markers.add(view(0, 1000, 0, 12), false);
        assertEquals(1, out.size());
        now = 5100;
        markers.flush();
        assertEquals(List.of("0,0,999,999,5001", "0,1,1000,1000,5100", "1,0,998,998,5100"),
                out.stream().map(MarkersTest::places).toList());
    }

    /** Law: however flushes fall, counts and hashes over (partition, bucket) are those of the views. */
    @Test
    void sumsDoNotDependOnFlushes() {
        Random random = new Random(7);
        Map<String, long[]> want = new HashMap<>();
        long[] next = new long[4];
        for (int i = 0; i < 20_000; i++) {
            int partition = random.nextInt(next.length);
            next[partition] += 1 + random.nextInt(5);
            View v = view(partition, next[partition], 0, i);
            markers.add(v, random.nextInt(10) == 0);
            long[] sums = want.computeIfAbsent(partition + "," + v.id / 1000, k -> new long[2]);
            sums[0]++;
            sums[1] += Mix64.mix(((long) partition << 48) | v.id);
            if (random.nextInt(50) == 0) {
                markers.flush();
            }
        }
        markers.flush();

        Map<String, long[]> got = new HashMap<>();
        for (String line : out) {
            String[] f = line.split(",");
            assertEquals(Long.parseLong(f[4]) / 1000, Long.parseLong(f[3]));
            assertEquals(Long.parseLong(f[5]) / 1000, Long.parseLong(f[3]));
            long[] sums = got.computeIfAbsent(f[2] + "," + f[3], k -> new long[2]);
            sums[0] += Long.parseLong(f[6]);
            sums[1] += Long.parseUnsignedLong(f[7]);
        }
        assertEquals(want.keySet(), got.keySet());
        want.forEach((k, v) -> assertEquals(v[0] + " " + v[1], got.get(k)[0] + " " + got.get(k)[1], k));
    }

    /** partition, bucket, first id, last id, emitted at. */
    private static String places(String line) {
        String[] f = line.split(",");
        return String.join(",", f[2], f[3], f[4], f[5], f[9]);
    }
}
