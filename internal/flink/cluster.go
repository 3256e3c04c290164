package flink

import (
	"context"
	"net/url"
	"strings"
	"time"
)

// Overview is a cluster in a few numbers.
type Overview struct {
	FlinkVersion string
	TaskManagers int
	Slots        int
	FreeSlots    int
}

// Overview asks for the cluster's overview; an answer without a version is not
// Flink's.
func (c *Client) Overview(ctx context.Context) (Overview, error) {
	var a struct {
		Version      string `json:"flink-version"`
		TaskManagers number `json:"taskmanagers"`
		Slots        number `json:"slots-total"`
		FreeSlots    number `json:"slots-available"`
	}
	if err := c.get(ctx, "/overview", &a); err != nil {
		return Overview{}, err
	}
	if a.Version == "" {
		return Overview{}, c.notFlink(nil)
	}
	return Overview{a.Version, a.TaskManagers.whole(), a.Slots.whole(), a.FreeSlots.whole()}, nil
}

// version is what GET /config says, which also tells a Flink from something else.
func (c *Client) version(ctx context.Context) (string, error) {
	var a struct {
		Version string `json:"flink-version"`
	}
	if err := c.get(ctx, "/config", &a); err != nil {
		return "", err
	}
	if a.Version == "" {
		return "", c.notFlink(nil)
	}
	return a.Version, nil
}

// JobSummary is a line of the list of jobs.
type JobSummary struct {
	ID, Name  string
	State     string // Flink's word
	Type      string // STREAMING | BATCH; empty before Flink 2.3
	Scheduler string // Default | Adaptive | AdaptiveBatch; empty before Flink 2.3
	StartedAt time.Time
}

// Ended tells whether the job has reached a state that it does not leave.
func (j JobSummary) Ended() bool { return ended(j.State) }

func ended(state string) bool {
	switch state {
	case "FINISHED", "CANCELED", "FAILED":
		return true
	}
	return false
}

// Jobs lists the jobs that the JobManager knows, ended ones too.
func (c *Client) Jobs(ctx context.Context) ([]JobSummary, error) {
	var a struct {
		Jobs []struct {
			ID        string `json:"jid"`
			Name      string `json:"name"`
			State     string `json:"state"`
			Type      string `json:"jobType"`
			Scheduler string `json:"schedulerType"`
			Start     number `json:"start-time"`
		} `json:"jobs"`
	}
	if err := c.get(ctx, "/jobs/overview", &a); err != nil {
		return nil, err
	}
	jobs := make([]JobSummary, 0, len(a.Jobs))
	for _, j := range a.Jobs {
		jobs = append(jobs, JobSummary{j.ID, j.Name, j.State, j.Type, j.Scheduler, j.Start.time()})
	}
	return jobs, nil
}

// clusterConfig is the JobManager's configuration, by Flink's present keys.
func (c *Client) clusterConfig(ctx context.Context) (map[string]string, error) {
	var a []struct {
		Key   string `json:"key"`
		Value string `json:"value"`
	}
	if err := c.get(ctx, "/jobmanager/config", &a); err != nil {
		return nil, err
	}
	config := make(map[string]string, len(a))
	for _, kv := range a {
		key := presentKey(kv.Key)
		if _, set := config[key]; !set || key == kv.Key { // the present name wins over an old one
			config[key] = kv.Value
		}
	}
	return config, nil
}

type wireTaskManager struct {
	ID        string `json:"id"`
	Heartbeat number `json:"timeSinceLastHeartbeat"` // a time, for all its name
	Slots     number `json:"slotsNumber"`
	FreeSlots number `json:"freeSlots"`
	Total     struct {
		CPU number `json:"cpuCores"`
	} `json:"totalResource"`
	Memory struct {
		Process number `json:"totalProcessMemory"`
	} `json:"memoryConfiguration"`
}

func (c *Client) taskManagers(ctx context.Context) ([]wireTaskManager, error) {
	var a struct {
		TaskManagers []wireTaskManager `json:"taskmanagers"`
	}
	err := c.get(ctx, "/taskmanagers", &a)
	return a.TaskManagers, err
}

// metrics are values by name; what Flink does not know is not there.
type metrics map[string]number

// maxQuery keeps a request line below the 4096 bytes that Flink's server takes.
const maxQuery = 3000

// metrics reads the named metrics of a component, leaving out the unknown ones. The
// component must be one whose metrics are not aggregated: there a name that is not
// known fails nothing.
func (c *Client) metrics(ctx context.Context, path string, names []string) (metrics, error) {
	all := make(metrics, len(names))
	for len(names) > 0 {
		n, size := 0, 0
		for n < len(names) && (n == 0 || size+len(names[n]) < maxQuery) {
			size += len(url.QueryEscape(names[n])) + 1
			n++
		}
		var a []struct {
			ID    string `json:"id"`
			Value number `json:"value"`
		}
		query := url.QueryEscape(strings.Join(names[:n], ","))
		if err := c.get(ctx, path+"?get="+query, &a); err != nil {
			return nil, err
		}
		for _, m := range a {
			if m.Value.ok {
				all[m.ID] = m.Value
			}
		}
		names = names[n:]
	}
	return all, nil
}

// metricNames lists what a component has.
func (c *Client) metricNames(ctx context.Context, path string) ([]string, error) {
	var a []struct {
		ID string `json:"id"`
	}
	if err := c.get(ctx, path, &a); err != nil {
		return nil, err
	}
	names := make([]string, 0, len(a))
	for _, m := range a {
		names = append(names, m.ID)
	}
	return names, nil
}
