package rebound.jobs.ads;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class EventParserTest {
    private static final String GOOD = "{\"id\":42,\"ad\":7,\"type\":\"view\",\"at\":1796056170123,\"pad\":\"xxxx\"}";

    private final EventParser parser = new EventParser();

    @ParameterizedTest
    @ValueSource(strings = {
        GOOD,
        "{\"id\":42,\"ad\":7,\"type\":\"view\",\"at\":1796056170123}",
        " { \"at\" : 1796056170123 , \"type\" : \"view\" , \"ad\" : 7 , \"id\" : 42 } \n",
        "{\"more\":{\"id\":[1,{\"id\":2}]},\"id\":42,\"ad\":7,\"type\":\"v\\u0069ew\",\"at\":1796056170123,\"none\":null}",
    })
    void acceptsEveryFormOfTheSameEvent(String text) throws IOException {
        byte[] raw = bytes(text);
        Event e = parser.parse(3, 42, raw);
        assertEquals(3, e.partition);
        assertEquals(42, e.id);
        assertEquals(7, e.ad);
        assertEquals(EventType.VIEW, e.type);
        assertEquals(1796056170123L, e.at);
        assertArrayEquals(raw, e.raw);
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '`', value = {
        "``|not a JSON object",
        "[1]|not a JSON object",
        "{}|missing field: id",
        "{\"id\":1,\"ad\":2,\"type\":\"view\"}|missing field: at",
        "{\"id\":1,\"ad\":2,\"at\":3}|missing field: type",
        "{\"id\":1,\"type\":\"view\",\"at\":3}|missing field: ad",
        "{\"id\":\"1\",\"ad\":2,\"type\":\"view\",\"at\":3}|id: got 1, want a whole number from 0",
        "{\"id\":1.5,\"ad\":2,\"type\":\"view\",\"at\":3}|id: got 1.5, want a whole number from 0",
        "{\"id\":1,\"ad\":-2,\"type\":\"view\",\"at\":3}|ad: got -2, want a whole number from 0",
        "{\"id\":1,\"ad\":2,\"type\":\"sale\",\"at\":3}|type: got sale, want view, click or purchase",
        "{\"id\":1,\"ad\":2,\"type\":null,\"at\":3}|type: got null, want view, click or purchase",
        "{\"id\":1,\"ad\":2,\"type\":\"view\",\"at\":3}{}|more than one JSON object",
    })
    void refusesWithPartitionAndOffset(String text, String why) {
        IOException e = assertThrows(IOException.class, () -> parser.parse(3, 99, bytes(text)));
        assertEquals("event at partition 3 offset 99: " + why, e.getMessage());
    }

    @Test
    void refusesATombstone() {
        IOException e = assertThrows(IOException.class, () -> parser.parse(0, 5, null));
        assertEquals("event at partition 0 offset 5: no value", e.getMessage());
    }

    /** Whatever the bytes are, the answer is an event or an IOException that names the offset. */
    @Test
    void survivesDamage() {
        Random random = new Random(1);
        for (int i = 0; i < 20_000; i++) {
            byte[] raw = bytes(GOOD);
            for (int n = random.nextInt(3); n >= 0; n--) {
                raw[random.nextInt(raw.length)] = (byte) random.nextInt();
            }
            byte[] cut = java.util.Arrays.copyOf(raw, 1 + random.nextInt(raw.length));
            try {
                Event e = parser.parse(1, i, cut);
                assertEquals(true, e.type != null && e.id >= 0 && e.ad >= 0 && e.at >= 0);
            } catch (IOException e) {
                assertEquals(true, e.getMessage().startsWith("event at partition 1 offset " + i + ": "), e.getMessage());
            }
        }
    }

    private static byte[] bytes(String s) {
        return s.getBytes(StandardCharsets.UTF_8);
    }
}
