package kafka

import (
	"bytes"
	"fmt"
	"strconv"
)

// Mix64 is the finalizer of splitmix64 (G. L. Steele, D. Lea, C. H. Flood, Fast
// Splittable Pseudorandom Number Generators, OOPSLA 2014, figure 15): a bijection
// of 64 bits that turns neighbors into strangers.
func Mix64(z uint64) uint64 {
	z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9
	z = (z ^ (z >> 27)) * 0x94d049bb133111eb
	return z ^ (z >> 31)
}

// Key is a record's place as one number, which hashes are taken of. Partitions
// are below 2^16 and ids below 2^48.
func Key(partition int32, id int64) uint64 { return uint64(partition)<<48 | uint64(id) }

// Stream is what the events of a topic are made of: a pure function of
// (partition, id), so that what was sent can be told later without a record of it.
type Stream struct {
	Seed           uint64 `json:"seed"`
	Campaigns      int    `json:"campaigns"`        // at least 1
	AdsPerCampaign int    `json:"ads_per_campaign"` // at least 1
}

// Validate says what is wrong with s.
func (s Stream) Validate() error {
	if s.Campaigns < 1 || s.AdsPerCampaign < 1 {
		return fmt.Errorf("campaigns: %d with %d ads each, want at least 1 of both", s.Campaigns, s.AdsPerCampaign)
	}
	return nil
}

// Hash decides everything about the event but its time.
func (s Stream) Hash(partition int32, id int64) uint64 {
	return Mix64(s.Seed + Mix64(Key(partition, id)+0x9e3779b97f4a7c15))
}

// View tells whether the event is a view, as a third of them are. Only views
// reach the keyed operator of the job.
func (s Stream) View(partition int32, id int64) bool { return s.Hash(partition, id)%3 == 0 }

// Type is view, click or purchase.
func (s Stream) Type(partition int32, id int64) string { return typeName(s.Hash(partition, id)) }

func typeName(hash uint64) string {
	switch hash % 3 {
	case 0:
		return "view"
	case 1:
		return "click"
	default:
		return "purchase"
	}
}

// Ad is the number of the ad that the event belongs to.
func (s Stream) Ad(partition int32, id int64) int { return s.ad(s.Hash(partition, id)) }

func (s Stream) ad(hash uint64) int {
	return int((hash >> 8) % uint64(s.Campaigns*s.AdsPerCampaign))
}

// Campaign is the number of the campaign that the event's ad belongs to.
func (s Stream) Campaign(partition int32, id int64) int {
	return s.Ad(partition, id) / s.AdsPerCampaign
}

// Event is one record of the input topic.
type Event struct {
	Partition int32
	ID        int64 // equal to the record's offset
	At        int64 // milliseconds since the epoch at which it was due
}

// padding is what a pad takes besides its text.
const padding = len(`,"pad":""`)

// Append adds the record's value to b: JSON of size bytes, or as long as it is
// without its pad if the pad does not fit.
func (s Stream) Append(b []byte, e Event, size int) []byte {
	start := len(b)
	hash := s.Hash(e.Partition, e.ID)
	b = append(b, `{"id":`...)
	b = strconv.AppendInt(b, e.ID, 10)
	b = append(b, `,"ad":`...)
	b = strconv.AppendInt(b, int64(s.ad(hash)), 10)
	b = append(b, `,"type":"`...)
	b = append(b, typeName(hash)...)
	b = append(b, `","at":`...)
	b = strconv.AppendInt(b, e.At, 10)
	if pad := size - (len(b) - start) - padding - 1; pad >= 0 {
		b = append(b, `,"pad":"`...)
		for range pad {
			b = append(b, 'x')
		}
		b = append(b, '"')
	}
	return append(b, '}')
}

// parseEvent reads id and time of a value that Append has made; all else follows
// from the id.
func parseEvent(value []byte) (id, at int64, err error) {
	rest, ok := bytes.CutPrefix(value, []byte(`{"id":`))
	digits, _, _ := bytes.Cut(rest, []byte{','})
	_, rest, found := bytes.Cut(rest, []byte(`,"at":`))
	when, _, _ := bytes.Cut(bytes.TrimSuffix(rest, []byte{'}'}), []byte{','})
	if !ok || !found {
		return 0, 0, fmt.Errorf("event %.60q: want one that this generator writes", value)
	}
	if id, ok = number(digits, maxID); !ok {
		return 0, 0, fmt.Errorf("event %.60q: id out of range", value)
	}
	if at, ok = number(when, maxTime); !ok {
		return 0, 0, fmt.Errorf("event %.60q: at out of range", value)
	}
	return id, at, nil
}
