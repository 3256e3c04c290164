package rebound.jobs.ads;

import org.apache.flink.api.common.state.MapStateDescriptor;
import org.apache.flink.api.common.typeinfo.PrimitiveArrayTypeInfo;
import org.apache.flink.api.common.typeinfo.Types;
import org.apache.flink.api.java.tuple.Tuple2;
import org.apache.flink.metrics.Gauge;
import org.apache.flink.runtime.metrics.TimerGauge;
import org.apache.flink.runtime.state.VoidNamespace;
import org.apache.flink.runtime.state.VoidNamespaceSerializer;
import org.apache.flink.streaming.api.operators.AbstractStreamOperator;
import org.apache.flink.streaming.api.operators.InternalTimer;
import org.apache.flink.streaming.api.operators.OneInputStreamOperator;
import org.apache.flink.streaming.api.operators.Triggerable;
import org.apache.flink.streaming.runtime.streamrecord.StreamRecord;

/**
 * The keyed operator: windows per campaign, markers, extra state, and the time
 * that a view costs. It is an operator and not a process function because
 * markers belong to the subtask, not to a key: they are flushed by a timer
 * without key and before each checkpoint barrier.
 */
final class WorkOperator extends AbstractStreamOperator<String>
        implements OneInputStreamOperator<View, String>, Triggerable<Integer, VoidNamespace> {
    /** Milliseconds between two flushes of the markers, and between two looks for the fail token. */
    static final long TICK_MS = 100;
    private static final long serialVersionUID = 1L;

    private final WorkOptions options;

    private transient StreamRecord<String> reuse;
    private transient Windows windows;
    private transient Ballast ballast;
    private transient Markers markers;
    private transient Pace pace;
    private transient CpuWork cpu;
    private transient FailToken failToken;
    private transient boolean tokenDue;

    WorkOperator(WorkOptions options) {
        this.options = options;
    }

    @Override
    public void open() throws Exception {
        super.open();
        reuse = new StreamRecord<>(null);
        windows = new Windows(
                options.windowMs(),
                getRuntimeContext().getMapState(new MapStateDescriptor<Long, Tuple2<Long, Long>>(
                        "windows", Types.LONG, Types.TUPLE(Types.LONG, Types.LONG))),
                getInternalTimerService("windows", VoidNamespaceSerializer.INSTANCE, this));
        ballast = new Ballast(
                getRuntimeContext().getMapState(new MapStateDescriptor<Integer, byte[]>(
                        "ballast", Types.INT, PrimitiveArrayTypeInfo.BYTE_PRIMITIVE_ARRAY_TYPE_INFO)),
                options.stateKeys(), options.stateBytes(), options.seed());
        markers = new Markers(
                getRuntimeContext().getTaskInfo().getIndexOfThisSubtask(),
                getRuntimeContext().getTaskInfo().getAttemptNumber(),
                getProcessingTimeService()::getCurrentProcessingTime,
                this::emit);
        pace = new Pace(options.capacity(), Clock.system(idleTime()::getAccumulatedCount));
        cpu = new CpuWork(options.work());
        failToken = new FailToken(options.failToken());
        getMetricGroup().gauge("cpuWorkResult", (Gauge<Long>) cpu::result);
        scheduleTick();
    }

    @Override
    public void processElement(StreamRecord<View> record) throws Exception {
        checkToken();
        View v = record.getValue();
        boolean onTime = windows.add(v);
        ballast.touch(v);
        cpu.burn(v.id);
        markers.add(v, !onTime);
        pace.viewDone();
    }

    @Override
    public void onEventTime(InternalTimer<Integer, VoidNamespace> timer) throws Exception {
        emit(windows.fire(timer.getKey(), timer.getTimestamp()));
    }

    @Override
    public void onProcessingTime(InternalTimer<Integer, VoidNamespace> timer) {
        throw new UnsupportedOperationException("no keyed processing-time timer is ever registered");
    }

    @Override
    public void prepareSnapshotPreBarrier(long checkpointId) throws Exception {
        super.prepareSnapshotPreBarrier(checkpointId);
        markers.flush();
    }

    @Override
    public void finish() throws Exception {
        markers.flush();
        super.finish();
    }

    private TimerGauge idleTime() {
        return getContainingTask().getEnvironment().getMetricGroup().getIOMetricGroup().getIdleTimeMsPerSecond();
    }

    private void scheduleTick() {
        long now = getProcessingTimeService().getCurrentProcessingTime();
        getProcessingTimeService().registerTimer(now + TICK_MS, t -> tick());
    }

    private void tick() throws Exception {
        tokenDue = true;
        markers.flush();
        scheduleTick();
    }

    /** Looks once a tick, from within a record, so that the failure looks like one of user code. */
    private void checkToken() throws Exception {
        if (tokenDue) {
            tokenDue = false;
            failToken.check();
        }
    }

    private void emit(String line) {
        output.collect(reuse.replace(line));
    }
}
