package kafka

import (
	"encoding/json"
	"testing"

	"pgregory.net/rapid"
)

// The same vectors are tested in the Java job. They were computed by a third
// implementation (Python 3.11, integers masked to 64 bits).
func TestStreamVectors(t *testing.T) {
	s := Stream{Seed: 7, Campaigns: 100, AdsPerCampaign: 10}
	if Mix64(0) != 0 || Mix64(1) != 6238072747940578789 {
		t.Errorf("mix64(0) = %d, mix64(1) = %d", Mix64(0), Mix64(1))
	}
	if h := s.Hash(3, 123456); h != 1221949395738794003 {
		t.Errorf("hash = %d", h)
	}
	if s.Type(3, 123456) != "purchase" || s.Ad(3, 123456) != 664 || s.Campaign(3, 123456) != 66 {
		t.Errorf("%s of ad %d of campaign %d", s.Type(3, 123456), s.Ad(3, 123456), s.Campaign(3, 123456))
	}
}

func TestAppend(t *testing.T) {
	s := Stream{Seed: 7, Campaigns: 100, AdsPerCampaign: 10}
	e := Event{Partition: 3, ID: 123456, At: 1796056170123}
	const bare = `{"id":123456,"ad":664,"type":"purchase","at":1796056170123}`
	for size, want := range map[int]string{
		0:              bare,
		len(bare) + 8:  bare, // one short of an empty pad
		len(bare) + 9:  bare[:len(bare)-1] + `,"pad":""}`,
		len(bare) + 12: bare[:len(bare)-1] + `,"pad":"xxx"}`,
	} {
		if got := string(s.Append(nil, e, size)); got != want {
			t.Errorf("size %d: got %s, want %s", size, got, want)
		}
	}
}

// Every value of 100 bytes or more has exactly the size that was asked for, is JSON
// with the fields of the function, and reads back.
func TestAppendReadsBack(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Stream{Seed: rapid.Uint64().Draw(t, "seed"), Campaigns: rapid.IntRange(1, 1000).Draw(t, "campaigns"), AdsPerCampaign: 10}
		e := Event{rapid.Int32Range(0, 1<<16-1).Draw(t, "partition"), rapid.Int64Range(0, maxID).Draw(t, "id"), rapid.Int64Range(0, 1<<42).Draw(t, "at")}
		size := rapid.IntRange(100, 1000).Draw(t, "size")
		value := s.Append([]byte{}, e, size)
		if len(value) != size {
			t.Fatalf("%d bytes, want %d", len(value), size)
		}
		var got struct {
			ID, Ad, At int64
			Type, Pad  string
		}
		if err := json.Unmarshal(value, &got); err != nil {
			t.Fatal(err)
		}
		if got.ID != e.ID || got.At != e.At || got.Ad != int64(s.Ad(e.Partition, e.ID)) || got.Type != s.Type(e.Partition, e.ID) {
			t.Fatalf("%s", value)
		}
		if id, at, err := parseEvent(value); id != e.ID || at != e.At || err != nil {
			t.Fatalf("%s reads back as %d, %d, %v", value, id, at, err)
		}
	})
}

// A third of the events are views: of 30,000, 10,000 ± 4 standard deviations of 82.
func TestViewsAreAThird(t *testing.T) {
	views := 0
	for id := range int64(30000) {
		if small.View(1, id) {
			views++
		}
	}
	if views < 9670 || views > 10330 {
		t.Errorf("%d of 30000 are views", views)
	}
}

func FuzzParseEvent(f *testing.F) {
	f.Add([]byte(`{"id":123456,"ad":1,"type":"view","at":1796056170123,"pad":"xx"}`))
	f.Add([]byte(`{"id":-1,"at":1}`))
	f.Add([]byte(`{"id":99999999999999999999,"at":1}`))
	f.Add([]byte(``))
	f.Fuzz(func(t *testing.T, b []byte) {
		if id, at, err := parseEvent(b); err == nil && (id < 0 || id > maxID || at < 0 || at > maxTime) {
			t.Errorf("%q: id %d at %d", b, id, at)
		}
	})
}
