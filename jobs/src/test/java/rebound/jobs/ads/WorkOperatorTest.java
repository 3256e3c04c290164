package rebound.jobs.ads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static rebound.jobs.ads.Views.view;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.configuration.Configuration;
import org.apache.flink.runtime.checkpoint.OperatorSubtaskState;
import org.apache.flink.runtime.state.StateBackendLoader;
import org.apache.flink.streaming.util.KeyedOneInputStreamOperatorTestHarness;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WorkOperatorTest {
    private static final WorkOptions PLAIN = new WorkOptions(10_000, 0, 1, 0, 0, 100, "");
    private static final WorkOptions HEAVY = new WorkOptions(10_000, 50, 20, 9, 0, 0, "");

    @Test
    void aWindowFiresWithCountAndSumOfIds() throws Exception {
        try (Harness h = new Harness(PLAIN, "hashmap", null)) {
            h.process(view(0, 4, 7, 10_000));
            h.process(view(0, 9, 7, 19_999));
            h.process(view(0, 11, 8, 15_000));
            h.process(view(0, 12, 7, 20_000));
            h.processWatermark(19_998);
            assertEquals(List.of(), h.windows());
            h.processWatermark(19_999);
            assertEquals(List.of("w,7,10000,20000,2,13", "w,8,10000,20000,1,11"), h.windows().stream().sorted().toList());
            h.processWatermark(29_999);
            assertEquals("w,7,20000,30000,1,12", h.windows().get(2));
            assertEquals(0, h.numKeyedStateEntries(), "a fired window stays in the state");
        }
    }

    @Test
    void aLateViewIsInTheMarkerButInNoWindow() throws Exception {
        try (Harness h = new Harness(PLAIN, "hashmap", null)) {
            h.processWatermark(19_999);
            h.process(view(0, 1, 7, 19_999));
            h.process(view(0, 2, 7, 20_000));
            h.processWatermark(Long.MAX_VALUE);
            h.setProcessingTime(100);
            assertEquals(List.of("w,7,20000,30000,1,2"), h.windows());
            String hash = Long.toUnsignedString(Mix64.markerHash(0, 1) + Mix64.markerHash(0, 2));
            assertEquals(List.of("m,0,0,0,1,2,2," + hash + ",20000,100,1,0"), h.markers());
        }
    }

    @Test
    void markersAreWrittenEveryHundredMilliseconds() throws Exception {
        try (Harness h = new Harness(PLAIN, "hashmap", null)) {
            h.process(view(0, 1, 7, 10));
            h.setProcessingTime(99);
            assertEquals(0, h.markers().size());
            h.setProcessingTime(100);
            assertEquals(1, h.markers().size());
            h.setProcessingTime(1000);
            assertEquals(1, h.markers().size(), "nothing to write");
            h.process(view(0, 2, 7, 10));
            h.setProcessingTime(1100);
            assertEquals(2, h.markers().size());
        }
    }

    @Test
    void markersAreWrittenAtTheEnd() throws Exception {
        try (Harness h = new Harness(PLAIN, "hashmap", null)) {
            h.process(view(0, 1, 7, 10));
            h.getOneInputOperator().finish();
            assertEquals(1, h.markers().size());
        }
    }

    /**
     * A failure after a checkpoint: the attempt that is restored from it writes
     * the windows that an undisturbed run writes, and what was marked before
     * the barrier is not marked again.
     */
    @ParameterizedTest
    @ValueSource(strings = {"hashmap", "rocksdb"})
    void restoreGivesTheSameWindowsAndNoMarkerTwice(String backend) throws Exception {
        List<View> before = views(0, 500);
        List<View> after = views(500, 1200);
        List<String> wantWindows;
        try (Harness h = new Harness(HEAVY, backend, null)) {
            h.processAll(before);
            h.processAll(after);
            h.processWatermark(Long.MAX_VALUE);
            wantWindows = h.windows().stream().sorted().toList();
        }

        List<String> windows = new ArrayList<>();
        List<String> markers = new ArrayList<>();
        OperatorSubtaskState state;
        try (Harness h = new Harness(HEAVY, backend, null)) {
            h.processAll(before);
            state = h.checkpoint();
            windows.addAll(h.windows());
            markers.addAll(h.markers());
            h.processAll(after.subList(0, 300)); // lost with the process, never committed
        }
        try (Harness h = new Harness(HEAVY, backend, state)) {
            h.setProcessingTime(1_000_000);
            assertEquals(List.of(), h.markers(), "a marker came out of the state");
            h.processAll(after);
            h.processWatermark(Long.MAX_VALUE);
            h.checkpoint();
            windows.addAll(h.windows());
            markers.addAll(h.markers());
        }
        assertEquals(wantWindows, windows.stream().sorted().toList());
        assertSums(before, after, markers);
    }

    /** 20 entries of 50 bytes for each of two campaigns: the snapshot grows by 2000 bytes and keys. */
    @Test
    void ballastIsInTheState() throws Exception {
        long plain = snapshotSize(PLAIN);
        long heavy = snapshotSize(HEAVY);
        assertTrue(heavy - plain >= 2000 && heavy - plain < 3000, "grew by " + (heavy - plain));
    }

    @Test
    void theTokenFailsTheTask(@TempDir Path dir) throws Exception {
        Path token = dir.resolve("fail");
        try (Harness h = new Harness(new WorkOptions(10_000, 0, 1, 0, 0, 0, token.toString()), "hashmap", null)) {
            h.process(view(0, 1, 7, 10));
            Files.createFile(token);
            h.process(view(0, 2, 7, 10)); // the next look is due with the next tick
            h.setProcessingTime(100);
            Exception e = assertThrows(RuntimeException.class, () -> h.process(view(0, 3, 7, 10)));
            assertEquals("failed on request: " + token + " was there", e.getMessage());
            assertFalse(Files.exists(token));
        }
    }

    private static long snapshotSize(WorkOptions o) throws Exception {
        try (Harness h = new Harness(o, "hashmap", null)) {
            h.process(view(0, 1, 7, 10));
            h.process(view(0, 2, 8, 10));
            return h.checkpoint().getStateSize();
        }
    }

    /** Views of two partitions and seven campaigns over some windows; the watermark comes last. */
    private static List<View> views(int from, int to) {
        List<View> views = new ArrayList<>();
        for (int i = from; i < to; i++) {
            views.add(view(i % 2, i * 3L, i % 7, i * 40L));
        }
        return views;
    }

    private static void assertSums(List<View> before, List<View> after, List<String> markers) {
        long count = 0;
        long hash = 0;
        for (String line : markers) {
            String[] f = line.split(",");
            count += Long.parseLong(f[6]);
            hash += Long.parseUnsignedLong(f[7]);
        }
        for (List<View> views : List.of(before, after)) {
            for (View v : views) {
                count--;
                hash -= Mix64.markerHash(v.partition, v.id);
            }
        }
        assertEquals(0, count, "views marked more often than processed");
        assertEquals(0, hash, "other views marked than processed");
    }

    private static final class Harness extends KeyedOneInputStreamOperatorTestHarness<Integer, View, String> {
        private long checkpoints;

        Harness(WorkOptions o, String backend, OperatorSubtaskState state) throws Exception {
            super(new WorkOperator(o), v -> v.campaign, Types.INT);
            Configuration c = new Configuration();
            c.setString("state.backend.type", backend);
            setStateBackend(StateBackendLoader.loadStateBackendFromConfig(c, getClass().getClassLoader(), null));
            setProcessingTime(0);
            if (state != null) {
                initializeState(state);
            }
            open();
        }

        void process(View v) throws Exception {
            processElement(v, v.at);
        }

        void processAll(List<View> views) throws Exception {
            for (View v : views) {
                process(v);
            }
        }

        OperatorSubtaskState checkpoint() throws Exception {
            prepareSnapshotPreBarrier(++checkpoints);
            return snapshot(checkpoints, checkpoints);
        }

        List<String> windows() {
            return extractOutputValues().stream().filter(s -> s.startsWith("w")).toList();
        }

        List<String> markers() {
            return extractOutputValues().stream().filter(s -> s.startsWith("m")).toList();
        }
    }
}
