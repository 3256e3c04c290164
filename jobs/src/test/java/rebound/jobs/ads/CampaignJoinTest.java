package rebound.jobs.ads;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.Test;

class CampaignJoinTest {
    private final CampaignJoin join = new CampaignJoin(100, 10);

    @Test
    void adsOfACampaignAreAdjacent() {
        assertEquals(0, join.map(event(9)).campaign);
        assertEquals(1, join.map(event(10)).campaign);
        assertEquals(99, join.map(event(999)).campaign);
    }

    @Test
    void refusesAnAdOfNobody() {
        Exception e = assertThrows(IllegalArgumentException.class, () -> join.map(event(1000)));
        assertEquals("event at partition 2 id 8: ad 1000 is not among the 1000 of the table;"
                + " --campaigns and --ads-per-campaign must be those of the generator", e.getMessage());
    }

    private static Event event(long ad) {
        Event e = new Event();
        e.partition = 2;
        e.id = 8;
        e.ad = ad;
        e.type = EventType.VIEW;
        return e;
    }
}
