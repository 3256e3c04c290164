package flink

import (
	"encoding/json"
	"os"
	"testing"
	"time"
)

// A real cluster with at least one running job: REBOUND_TEST_FLINK is its URL.
func live(t *testing.T) *Client {
	t.Helper()
	url := os.Getenv("REBOUND_TEST_FLINK")
	if url == "" {
		t.Skip("REBOUND_TEST_FLINK is not set: no Flink to ask")
	}
	c, err := New(Config{URL: url})
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func TestLiveObserve(t *testing.T) {
	c := live(t)
	for _, quick := range []bool{false, true} {
		began := time.Now()
		all, err := c.Observe(t.Context(), ObserveOptions{Cluster: "live", Quick: quick, Progress: func(s string) { t.Log(s) }})
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("quick %v took %v", quick, time.Since(began))
		for _, o := range all {
			b, err := json.MarshalIndent(o, "", " ")
			if err != nil {
				t.Fatal(err)
			}
			t.Logf("%s", b)
			if o.State != "RUNNING" {
				continue
			}
			for _, v := range o.Vertices {
				for _, s := range v.Subtasks {
					if s.State == "RUNNING" && s.BusyRatio == nil && len(o.Lacks) == 0 {
						t.Errorf("%s %d: no busy ratio, and nothing said of it", v.Name, s.Index)
					}
				}
			}
		}
	}
}
