package rebound.jobs.ads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FailTokenTest {
    @Test
    void oneOfTwoSubtasksFails(@TempDir Path dir) throws Exception {
        Path file = dir.resolve("fail");
        FailToken one = new FailToken(file.toString());
        FailToken other = new FailToken(file.toString());
        one.check();
        Files.createFile(file);
        Exception e = assertThrows(RuntimeException.class, one::check);
        assertEquals("failed on request: " + file + " was there", e.getMessage());
        assertFalse(Files.exists(file));
        other.check();
        one.check();
    }

    @Test
    void noPathNoFailure() throws Exception {
        new FailToken("").check();
    }
}
