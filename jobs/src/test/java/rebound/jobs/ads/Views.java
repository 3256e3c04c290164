package rebound.jobs.ads;

/** Views for tests. */
final class Views {
    private Views() {}

    static View view(int partition, long id, int campaign, long at) {
        View v = new View();
        v.partition = partition;
        v.id = id;
        v.campaign = campaign;
        v.at = at;
        v.raw = new byte[] {1};
        return v;
    }
}
