import org.apache.flink.api.common.RuntimeExecutionMode;
import org.apache.flink.streaming.api.environment.StreamExecutionEnvironment;
import org.apache.flink.streaming.api.functions.sink.v2.DiscardingSink;

/** A bounded job that runs for longer than any test, and hardly works. */
public final class BatchJob {
    private BatchJob() {}

    public static void main(String[] args) throws Exception {
        StreamExecutionEnvironment env = StreamExecutionEnvironment.getExecutionEnvironment();
        env.setRuntimeMode(RuntimeExecutionMode.BATCH);
        env.setParallelism(1);
        env.fromSequence(1, Integer.MAX_VALUE).filter(BatchJob::slowly).sinkTo(new DiscardingSink<>());
        env.executeAsync("batch");
    }

    private static boolean slowly(long number) throws InterruptedException {
        Thread.sleep(1);
        return true;
    }
}
