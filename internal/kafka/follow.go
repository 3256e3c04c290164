package kafka

import (
	"context"
	"fmt"
	"time"

	"github.com/twmb/franz-go/pkg/kgo"
)

// Follower reads the job's output as it comes.
type Follower struct {
	Brokers []string
	Topic   string
	// Committed reads what transactions have committed; else each record is seen
	// the moment that the job writes it.
	Committed bool
	// From is where to begin: zero for what is new, time.Unix(0, 0) for everything.
	From time.Time
	// Ready, if set, is called once reading has begun: what is written after that
	// is seen. Needed where From is zero.
	Ready func()
}

// Batch is what came at one moment. The slices are the receiver's.
type Batch struct {
	At      time.Time // of arrival, our clock
	Markers []Marker
	Windows []Window
	Bad     int   // records that ParseLine refused
	Err     error // of the first of them
}

// Run calls each for every batch, one at a time, until ctx is done, which is no error.
func (f Follower) Run(ctx context.Context, each func(Batch)) error {
	cl, err := connect(f.Brokers, fetching(f.Committed)...)
	if err != nil {
		return err
	}
	defer cl.Close()
	start, err := f.start(ctx, cl)
	if err != nil {
		return err
	}
	from := map[int32]kgo.Offset{}
	for p, o := range start {
		from[p] = kgo.NewOffset().At(o)
	}
	cl.AddConsumePartitions(map[string]map[int32]kgo.Offset{f.Topic: from})
	if f.Ready != nil {
		f.Ready()
	}
	for {
		fetches := cl.PollFetches(ctx)
		at := time.Now()
		if ctx.Err() != nil {
			return nil
		}
		if err := fetchError(ctx, fetches); err != nil {
			return fmt.Errorf("kafka: follow %s: %w", f.Topic, err)
		}
		if b := batch(fetches, at); len(b.Markers)+len(b.Windows)+b.Bad > 0 {
			each(b)
		}
	}
}

// start finds the first offset of each partition to read.
func (f Follower) start(ctx context.Context, cl *kgo.Client) (map[int32]int64, error) {
	if f.From.IsZero() {
		return ends(ctx, cl, f.Topic)
	}
	return since(ctx, cl, f.Topic, f.From)
}

func batch(fetches kgo.Fetches, at time.Time) Batch {
	b := Batch{At: at}
	for it := fetches.RecordIter(); !it.Done(); {
		l, err := ParseLine(it.Next().Value)
		switch {
		case err != nil:
			b.Bad++
			if b.Err == nil {
				b.Err = err
			}
		case l.Marker != nil:
			b.Markers = append(b.Markers, *l.Marker)
		default:
			b.Windows = append(b.Windows, *l.Window)
		}
	}
	return b
}
