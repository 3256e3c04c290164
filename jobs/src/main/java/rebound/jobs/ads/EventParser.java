package rebound.jobs.ads;

import java.io.IOException;
import java.io.Serializable;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonFactory;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonParser;
import org.apache.flink.shaded.jackson2.com.fasterxml.jackson.core.JsonToken;

/**
 * Parses events such as {@code {"id":42,"ad":7,"type":"view","at":1796056170123,"pad":"xx"}}.
 * Fields may come in any order, unknown ones are skipped, a missing one is an
 * error. It streams: no tree is built.
 */
final class EventParser implements Serializable {
    private static final long serialVersionUID = 1L;
    private static final int HAS_ID = 1;
    private static final int HAS_AD = 2;
    private static final int HAS_TYPE = 4;
    private static final int HAS_AT = 8;
    private static final int HAS_ALL = HAS_ID | HAS_AD | HAS_TYPE | HAS_AT;

    private transient JsonFactory json;

    /**
     * The event in {@code value}, which the event keeps. An error names
     * partition and offset, so that the record can be looked up.
     */
    Event parse(int partition, long offset, byte[] value) throws IOException {
        Event e = new Event();
        e.partition = partition;
        e.raw = value;
        if (value == null) {
            throw malformed(partition, offset, "no value", null);
        }
        try {
            int seen = readFields(value, e);
            if (seen != HAS_ALL) {
                throw new IOException("missing field: " + firstMissing(seen));
            }
        } catch (IOException cause) {
            throw malformed(partition, offset, cause.getMessage(), cause);
        }
        return e;
    }

    private int readFields(byte[] value, Event e) throws IOException {
        if (json == null) {
            json = new JsonFactory();
        }
        try (JsonParser p = json.createParser(value)) {
            if (p.nextToken() != JsonToken.START_OBJECT) {
                throw new IOException("not a JSON object");
            }
            int seen = 0;
            while (p.nextToken() == JsonToken.FIELD_NAME) {
                seen |= readField(p, e);
            }
            if (p.currentToken() != JsonToken.END_OBJECT || p.nextToken() != null) {
                throw new IOException("more than one JSON object");
            }
            return seen;
        }
    }

    private static int readField(JsonParser p, Event e) throws IOException {
        String name = p.currentName();
        p.nextToken();
        switch (name) {
            case "id":
                e.id = readNumber(p, name);
                return HAS_ID;
            case "ad":
                e.ad = readNumber(p, name);
                return HAS_AD;
            case "at":
                e.at = readNumber(p, name);
                return HAS_AT;
            case "type":
                e.type = p.currentToken() == JsonToken.VALUE_STRING ? EventType.of(p.getText()) : null;
                if (e.type == null) {
                    throw new IOException("type: got " + p.getText() + ", want view, click or purchase");
                }
                return HAS_TYPE;
            default:
                p.skipChildren();
                return 0;
        }
    }

    private static long readNumber(JsonParser p, String field) throws IOException {
        if (p.currentToken() != JsonToken.VALUE_NUMBER_INT || p.getLongValue() < 0) {
            throw new IOException(field + ": got " + p.getText() + ", want a whole number from 0");
        }
        return p.getLongValue();
    }

    private static String firstMissing(int seen) {
        if ((seen & HAS_ID) == 0) {
            return "id";
        }
        if ((seen & HAS_AD) == 0) {
            return "ad";
        }
        return (seen & HAS_TYPE) == 0 ? "type" : "at";
    }

    private static IOException malformed(int partition, long offset, String why, Throwable cause) {
        return new IOException("event at partition " + partition + " offset " + offset + ": " + why, cause);
    }
}
