package rebound.jobs.ads;

/** What a visitor did with an ad. Only views reach the keyed operator. */
public enum EventType {
    VIEW("view"),
    CLICK("click"),
    PURCHASE("purchase");

    private final String text;

    EventType(String text) {
        this.text = text;
    }

    /** The type written as {@code text}, or null if there is none. */
    static EventType of(String text) {
        for (EventType t : values()) {
            if (t.text.equals(text)) {
                return t;
            }
        }
        return null;
    }
}
