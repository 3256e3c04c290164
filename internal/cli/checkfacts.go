package cli

import (
	"context"
	"strings"
	"time"

	"rebound/internal/api"
	"rebound/internal/flink"
	"rebound/internal/hazard"
	"rebound/internal/job"
	"rebound/internal/kafka"
	"rebound/internal/model"
)

// surroundings are what hazards depend on beyond the job itself.
type surroundings struct {
	client *flink.Client
	at     endpoint
	broker brokerAnswer
}

// brokerAnswer is what the sink's brokers tell; neither facts nor an error where
// nobody said which they are.
type brokerAnswer struct {
	facts *kafka.Facts
	err   error
}

// brokerTimeout bounds a call that goes on beside the reads of the metrics.
const brokerTimeout = 3 * time.Second

// broker asks the brokers, while the metrics are read.
func (c *checkCmd) broker(ctx context.Context, at endpoint) <-chan brokerAnswer {
	answer := make(chan brokerAnswer, 1)
	brokers := strings.FieldsFunc(c.Kafka, func(r rune) bool { return r == ',' })
	prefix, topics := c.Prefix, []string{}
	if l := at.local; len(brokers) == 0 && l != nil {
		brokers, prefix, topics = l.Brokers, l.Prefix, []string{l.Input}
	}
	if len(brokers) == 0 {
		answer <- brokerAnswer{}
		return answer
	}
	go func() {
		ctx, cancel := context.WithTimeout(ctx, brokerTimeout)
		defer cancel()
		f, err := kafka.ReadFacts(ctx, brokers, prefix, topics...)
		answer <- brokerAnswer{&f, err}
	}()
	return answer
}

// facts gathers what the hazards of a job depend on, and what of it is missing.
func (s *surroundings) facts(ctx context.Context, m *model.Model, c api.JobCheck) (hazard.Facts, []job.Lack) {
	f := hazard.Facts{
		TargetSeconds: c.TargetSeconds, Risk: c.Risk,
		DowntimeSeconds: map[job.Failure]float64{}, RecoverySeconds: map[job.Failure]float64{},
	}
	for _, r := range c.Recovery {
		f.DowntimeSeconds[r.Failure] = m.WorstDowntime(r.Failure)
		if r.AtRiskSeconds != nil {
			f.RecoverySeconds[r.Failure] = *r.AtRiskSeconds
		}
	}
	if rho, ok := m.Utilization(); ok {
		f.Utilization = &rho.Median
	}
	if strings.EqualFold(m.Now.Scheduler, "adaptive") {
		// Other schedulers have none; one that does not answer leaves it unknown.
		if bounds, err := s.client.Requirements(ctx, m.Now.ID); err == nil {
			f.Requirements = map[string]int{}
			for id, b := range bounds {
				f.Requirements[id] = b.Upper
			}
		}
	}
	if l := s.at.local; l != nil {
		f.Partitions = &l.Partitions
	}
	return f, s.broker.add(&f, s.at)
}

// timeout is the shortest time-out of the sink's transactions; nil: not known.
func (a brokerAnswer) timeout() *float64 {
	if a.err != nil || a.facts == nil {
		return nil
	}
	if t := a.facts.ShortestTimeout(); t != nil {
		return new(t.Seconds())
	}
	return nil
}

// add puts in what the brokers told.
func (a brokerAnswer) add(f *hazard.Facts, at endpoint) []job.Lack {
	switch {
	case a.err != nil:
		return []job.Lack{{Quantity: "transaction timeout", Why: a.err.Error(), How: "Look whether the brokers answer"}}
	case a.facts == nil:
		return []job.Lack{{
			Quantity: "transaction timeout", Why: "Flink does not show the options of a sink",
			How: "Name the brokers by --kafka HOST:PORT, and the sink's transactional ID prefix by --prefix",
		}}
	}
	if t := a.facts.MaxTransactionTimeout; t != nil {
		f.BrokerMaxTransactionTimeoutSeconds = new(t.Seconds())
	}
	if t := a.timeout(); t != nil {
		f.TransactionTimeoutSeconds, f.ExactlyOnceSink = t, new(true)
	}
	if at.local != nil {
		if r, ok := a.facts.Retention[at.local.Input]; ok && r.Time != nil {
			f.RetentionSeconds = new(r.Time.Seconds())
		}
	}
	return nil
}
