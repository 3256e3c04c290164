package rebound.jobs.ads;

import org.apache.flink.api.common.functions.MapFunction;

/**
 * Joins a view with the table ad to campaign, which is held in memory (the
 * benchmark asks a Redis and caches the answers). Ads are numbered so that a
 * campaign's are adjacent.
 */
final class CampaignJoin implements MapFunction<Event, View> {
    private static final long serialVersionUID = 1L;

    private final int[] campaignOf;

    CampaignJoin(int campaigns, int adsPerCampaign) {
        campaignOf = new int[Math.multiplyExact(campaigns, adsPerCampaign)];
        for (int ad = 0; ad < campaignOf.length; ad++) {
            campaignOf[ad] = ad / adsPerCampaign;
        }
    }

    @Override
    public View map(Event e) {
        if (e.ad >= campaignOf.length) {
            throw new IllegalArgumentException(
                    "event at partition " + e.partition + " id " + e.id + ": ad " + e.ad + " is not among the "
                            + campaignOf.length + " of the table; --campaigns and --ads-per-campaign must be those of the generator");
        }
        View v = new View();
        v.partition = e.partition;
        v.id = e.id;
        v.campaign = campaignOf[(int) e.ad];
        v.at = e.at;
        v.raw = e.raw;
        return v;
    }
}
