package live

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"rebound/internal/flink"
	"rebound/internal/job"
	"rebound/internal/twin"
	"rebound/internal/twinserve"

	"github.com/google/go-cmp/cmp"
)

// simulated is a small job behind the dialect, with all that was asked of it.
func simulated(t *testing.T, speed float64) (world *twin.Twin, url string, requests *[]string) {
	t.Helper()
	s, err := twin.Builtin("constant")
	if err != nil {
		t.Fatal(err)
	}
	w, err := twin.New(s, 1)
	if err != nil {
		t.Fatal(err)
	}
	server := &twinserve.Server{World: w, Clock: w, Speed: speed, Fail: w.Inject, Truth: func() any { return w.Truth() }}
	h, asked := server.Handler(), []string{}
	web := httptest.NewServer(http.HandlerFunc(func(out http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet {
			asked = append(asked, r.Method+" "+r.URL.Path)
		}
		h.ServeHTTP(out, r)
	}))
	t.Cleanup(web.Close)
	return w, web.URL, &asked
}

func TestTwinIsAWorldWithAClock(t *testing.T) {
	w, url, _ := simulated(t, 0)
	d, err := DialTwin(t.Context(), url, "twin")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := d.Capabilities(), w.Capabilities(); got.Restart[job.KnobParallelism] != want.Restart[job.KnobParallelism] || len(got.Ways) != len(want.Ways) || !got.Pacing {
		t.Errorf("capabilities %+v, want %+v", got, want)
	}
	for range 3 {
		if err := d.Wait(t.Context(), 10*time.Second); err != nil {
			t.Fatal(err)
		}
		if _, err := d.Observe(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	o, err := d.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if !o.At.Equal(w.Now()) || !d.Now().Equal(w.Now()) || o.Job != (job.Identity{Cluster: "twin", Name: "constant"}) || o.InputRate() == nil {
		t.Errorf("seen at %v, by our clock %v, it is %v: %+v", o.At, d.Now(), w.Now(), o.Job)
	}
	slots := *o.Settings.SlotsPerTaskManager%2 + 1
	change := job.Change{ID: "d1", Job: o.Job, Way: job.LastState, Want: job.Settings{SlotsPerTaskManager: &slots}}
	for range 2 { // the second does nothing
		if err := d.Apply(t.Context(), change); err != nil {
			t.Fatal(err)
		}
	}
	if err := d.Wait(t.Context(), 5*time.Minute); err != nil {
		t.Fatal(err)
	}
	if o, err = d.Observe(t.Context()); err != nil || o.LastChange != "d1" || *o.Settings.SlotsPerTaskManager != slots {
		t.Errorf("after the change: %+v, %v", o.Settings, err)
	}
	if got := w.Truth().Changes; got.Redeploy != 1 {
		t.Errorf("changes %+v, want 1", got)
	}
}

func TestTwinTakesRequestsForCheckpointsOnce(t *testing.T) {
	w, url, asked := simulated(t, 0)
	d, err := DialTwin(t.Context(), url, "twin")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Wait(t.Context(), 5*time.Second); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"pace-1", "pace-1"} {
		if err := d.Checkpoint(t.Context(), id); err != nil {
			t.Fatal(err)
		}
		if err := d.Wait(t.Context(), 20*time.Second); err != nil {
			t.Fatal(err)
		}
	}
	if n := w.Truth().Checkpoints.Requested; n != 1 {
		t.Errorf("%d checkpoints were requested, want 1; asked %v", n, *asked)
	}
}

// A copy runs beside the job, once however often it is asked for, and shows the same
// through the dialect as in the process.
func TestTwinRunsCopies(t *testing.T) {
	w, url, _ := simulated(t, 0)
	d, err := DialTwin(t.Context(), url, "mine")
	if err != nil {
		t.Fatal(err)
	}
	o, err := d.Observe(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	k, _ := o.Knobs()
	if _, known, err := d.Profile(t.Context(), "a/b"); known || err != nil {
		t.Errorf("one that was never begun: known %v, error %v", known, err)
	}
	for range 2 {
		if err := d.StartProfile(t.Context(), job.Trial{ID: "a/b", Job: o.Job, Knobs: k, Seconds: 600}); err != nil {
			t.Fatal(err)
		}
	}
	for _, want := range []job.ProfileState{job.ProfileRunning, job.ProfileDone} {
		if err := d.Wait(t.Context(), 5*time.Minute); err != nil {
			t.Fatal(err)
		}
		got, known, err := d.Profile(t.Context(), "a/b")
		same, _, _ := w.Profile(t.Context(), "a/b")
		if err != nil || !known || got.State != want || got.Knobs != k {
			t.Errorf("%+v, known %v, error %v; want one that is %s", got, known, err, want)
		}
		if diff := cmp.Diff(same, got); diff != "" {
			t.Errorf("-twin +reader\n%s", diff)
		}
	}
	if n := w.Truth().Copies; n != 1 {
		t.Errorf("%d copies, want 1", n)
	}
	k.Parallelism = 10_000
	if err := d.StartProfile(t.Context(), job.Trial{ID: "c", Job: o.Job, Knobs: k, Seconds: 600}); err == nil || !strings.Contains(err.Error(), "partitions") {
		t.Errorf("error %v, want that there are fewer partitions", err)
	}
	o.Job.Name = "other"
	if err := d.StartProfile(t.Context(), job.Trial{ID: "d", Job: o.Job, Knobs: k, Seconds: 600}); err == nil || !strings.Contains(err.Error(), "not here") {
		t.Errorf("error %v, want that there is no such job", err)
	}
}

func TestTwinFailsAndTellsTheTruth(t *testing.T) {
	w, url, _ := simulated(t, 0)
	d, err := DialTwin(t.Context(), url, "twin")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Fail(t.Context(), job.TaskFailure); err != nil {
		t.Fatal(err)
	}
	if err := d.Wait(t.Context(), 10*time.Minute); err != nil {
		t.Fatal(err)
	}
	var truth struct{ Recoveries []twin.Recovery }
	if err := d.Truth(t.Context(), &truth); err != nil || len(truth.Recoveries) != 1 || truth.Recoveries[0].Failure != job.TaskFailure {
		t.Errorf("told %+v, %v; the truth is %+v", truth, err, w.Truth().Recoveries)
	}
	if err := d.Apply(t.Context(), job.Change{Way: job.InPlace}); err == nil || !strings.Contains(err.Error(), "id: want one") {
		t.Errorf("a change without an ID: %v", err)
	}
}

func TestTwinClockRuns(t *testing.T) {
	_, url, _ := simulated(t, 1000)
	d, err := DialTwin(t.Context(), url, "twin")
	if err != nil {
		t.Fatal(err)
	}
	before := d.Now()
	if err := d.Wait(t.Context(), time.Minute); err != nil {
		t.Fatal(err)
	}
	if passed := d.Now().Sub(before); passed < time.Minute {
		t.Errorf("waited a minute, %v passed", passed)
	}
}

func TestDialTwinWantsATwin(t *testing.T) {
	flinks := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/jobs/overview" {
			w.Write([]byte(`{"jobs":[{"jid":"a","name":"ads","state":"RUNNING"}]}`))
			return
		}
		http.NotFound(w, r)
	}))
	url := flinks.URL
	if _, err := DialTwin(t.Context(), url, "twin"); err == nil || !strings.Contains(err.Error(), "rebound twin serve") {
		t.Errorf("a real cluster: %v", err)
	}
	flinks.Close()
	if _, err := DialTwin(t.Context(), url, "twin"); err == nil {
		t.Error("nobody is there, and it is connected")
	}
}

// A job on a cluster is watched and asked for checkpoints, and nothing else.
func TestWorldOfACluster(t *testing.T) {
	w, url, asked := simulated(t, 0)
	c, err := flink.New(flink.Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	world := NewWorld(c, "prod", "")
	if err := world.Apply(t.Context(), job.Change{ID: "d1"}); err == nil || !strings.Contains(err.Error(), "recommend") {
		t.Errorf("a change: %v", err)
	}
	w.Advance(5 * time.Second)
	for range 2 {
		if err := world.Checkpoint(t.Context(), "pace-1"); err != nil {
			t.Fatal(err)
		}
	}
	o, err := world.Observe(t.Context())
	if err != nil || o.Job.Cluster != "prod" {
		t.Errorf("seen %+v, %v", o.Job, err)
	}
	if want := "POST /jobs/" + o.ID + "/checkpoints"; len(*asked) != 2 || (*asked)[0] != want {
		t.Errorf("asked %v, want %s", *asked, want)
	}
	if id := triggerID("pace-1"); len(id) != 32 || id == triggerID("pace-2") {
		t.Errorf("trigger %s", id)
	}
}
