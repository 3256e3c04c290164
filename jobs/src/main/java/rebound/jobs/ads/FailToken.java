package rebound.jobs.ads;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Fails a task on request: a file that somebody puts there. The one subtask
 * that manages to delete it fails, the others go on until the job restarts.
 */
final class FailToken {
    private final Path file;

    /** {@code file} may be empty: no failure is ever asked for. */
    FailToken(String file) {
        this.file = file.isEmpty() ? null : Path.of(file);
    }

    void check() throws IOException {
        if (file != null && Files.deleteIfExists(file)) {
            throw new RuntimeException("failed on request: " + file + " was there");
        }
    }
}
