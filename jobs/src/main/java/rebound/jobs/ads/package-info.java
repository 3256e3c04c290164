/**
 * The advertising pipeline of the Yahoo streaming benchmark (Chintapalli et
 * al., Benchmarking Streaming Computation Engines, IPDPS workshops 2016) on
 * the DataStream API, made to measure recovery.
 *
 * <pre>
 * Kafka -> source: parse -> views: filter -> join: campaign of the ad
 *       -> keyBy campaign -> work: windows and markers -> sink: Kafka, exactly once
 * </pre>
 *
 * <p>Beside its windows the keyed operator writes markers to the same
 * transactional topic: which views a subtask has processed, to 100 ms. They
 * show a recovery as it happens (read uncommitted), and prove that nothing was
 * lost or doubled (read committed), because an accumulator of a marker is
 * never part of the state: it is empty at every checkpoint barrier, so a view
 * is in the committed markers exactly as often as it is in the state.
 *
 * <p>The same source compiles for Flink 1.20 and 2.3.
 */
package rebound.jobs.ads;
