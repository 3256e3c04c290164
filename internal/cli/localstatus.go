package cli

import (
	"fmt"
	"io"
	"strconv"
	"text/tabwriter"
	"time"

	"rebound/internal/api"
	"rebound/internal/local"
)

type localStatusCmd struct {
	output
	Name string `arg:"" optional:"" help:"Name of the cluster; all if it is left out."`
}

// localClusters is the document of local status.
type localClusters struct {
	api.Header
	Clusters []localCluster `json:"clusters"`
}

type localCluster struct {
	Name      string          `json:"name"`
	Ready     bool            `json:"ready"`
	Flink     string          `json:"flink_version"`
	REST      string          `json:"rest"`
	Brokers   []string        `json:"brokers"`
	JobName   string          `json:"job_name,omitempty"`
	JobID     string          `json:"job_id,omitempty"`
	JobState  string          `json:"job_state,omitempty"` // Flink's word; absent if it is not known
	Generator *localGenerator `json:"generator,omitempty"`
	Processes []localProcess  `json:"processes"`
	Warnings  []string        `json:"warnings"`
}

type localGenerator struct {
	AskedPerSecond float64 `json:"asked_per_second"`
	SentPerSecond  float64 `json:"sent_per_second"`
	LatenessP99    float64 `json:"lateness_p99_seconds"`
	LatenessMax    float64 `json:"lateness_max_seconds"`
	Records        int64   `json:"records"`
	AgeSeconds     float64 `json:"age_seconds"` // of these numbers
	Error          string  `json:"error,omitempty"`
}

type localProcess struct {
	Name       string   `json:"name"`
	PID        int      `json:"pid,omitempty"`
	State      string   `json:"state"`
	ResourceID string   `json:"resource_id,omitempty"`
	Starts     int      `json:"starts"`
	Cores      *float64 `json:"cpu_cores,omitempty"` // kept busy; absent of a dead process
	CPUSeconds *float64 `json:"cpu_seconds,omitempty"`
	Memory     *int64   `json:"memory_bytes,omitempty"`
}

func (c *localStatusCmd) Run(e *env) error {
	clusters, err := c.clusters()
	if err != nil {
		return err
	}
	doc := localClusters{Header: api.NewHeader("LocalClusters"), Clusters: []localCluster{}}
	for _, cl := range clusters {
		st, err := cl.Status(e.ctx)
		if err != nil {
			return err
		}
		doc.Clusters = append(doc.Clusters, newLocalCluster(cl, st))
	}
	return c.write(e.stdout, view{
		doc:   doc,
		table: doc.table,
		rows:  doc.rows,
	})
}

func (c *localStatusCmd) clusters() ([]*local.Cluster, error) {
	if c.Name == "" {
		return local.List()
	}
	cl, err := local.Open(c.Name)
	return []*local.Cluster{cl}, err
}

func newLocalCluster(c *local.Cluster, st local.Status) localCluster {
	out := localCluster{
		Name: c.Name, Ready: c.Ready, Flink: c.Flink, REST: c.REST, Brokers: c.Brokers,
		JobName: c.JobName, JobID: c.JobID, JobState: st.JobState,
		Processes: []localProcess{}, Warnings: append([]string{}, c.Warnings...),
	}
	if st.JobError != nil {
		out.Warnings = append(out.Warnings, fmt.Sprintf("state of the job: %v", st.JobError))
	}
	for _, p := range st.Processes {
		lp := localProcess{Name: p.Name(), PID: p.PID, State: p.State, ResourceID: p.ResourceID, Starts: p.Starts}
		if p.State != "dead" {
			lp.Cores, lp.CPUSeconds, lp.Memory = &p.Cores, &p.CPU, &p.Memory
		}
		out.Processes = append(out.Processes, lp)
	}
	if r := st.Report; r != nil && r.Generator != nil {
		g := r.Generator
		out.Generator = &localGenerator{
			AskedPerSecond: g.AskedRate, SentPerSecond: g.SentRate,
			LatenessP99: g.Lateness.P99, LatenessMax: g.Lateness.Max,
			Records: g.Records, AgeSeconds: time.Since(r.At).Seconds(), Error: r.GeneratorError,
		}
	}
	return out
}

func (d localClusters) table(w io.Writer) error {
	if len(d.Clusters) == 0 {
		_, err := fmt.Fprintln(w, "There is no local cluster. Start one with: rebound local up")
		return err
	}
	for i, c := range d.Clusters {
		if i > 0 {
			fmt.Fprintln(w)
		}
		if err := c.table(w); err != nil {
			return err
		}
	}
	return nil
}

func (c localCluster) table(w io.Writer) error {
	fmt.Fprintf(w, "%s: Flink %s at %s, Kafka at %s\n", c.Name, c.Flink, c.REST, c.Brokers[0])
	if !c.Ready {
		fmt.Fprintln(w, "It is being started, or its start was interrupted.")
	}
	if c.JobID != "" {
		state := c.JobState
		if state == "" {
			state = "in an unknown state"
		}
		fmt.Fprintf(w, "job %s (%s) is %s\n", c.JobName, c.JobID, state)
	}
	if g := c.Generator; g != nil {
		fmt.Fprintf(w, "load %s records/s of %s asked; late by %s at p99, %s at most\n",
			thousands(g.SentPerSecond, 0), thousands(g.AskedPerSecond, 0),
			millis(g.LatenessP99), millis(g.LatenessMax))
		if g.Error != "" {
			fmt.Fprintf(w, "the load generator has ended: %s\n", g.Error)
		}
	}
	for _, text := range c.Warnings {
		wrap(w, "warning: "+text, "")
	}
	fmt.Fprintln(w)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "PROCESS\tPID\tSTATE\tSTARTS\tCORES\tCPU\tMEMORY\tRESOURCE ID")
	for _, p := range c.Processes {
		cores, cpu, memory := "–", "–", "–"
		if p.Cores != nil {
			cores, cpu = fmt.Sprintf("%.2f", *p.Cores), short(*p.CPUSeconds)
			memory = fmt.Sprintf("%d MiB", *p.Memory>>20)
		}
		fmt.Fprintf(t, "%s\t%d\t%s\t%d\t%s\t%s\t%s\t%s\n", p.Name, p.PID, p.State, p.Starts, cores, cpu, memory, p.ResourceID)
	}
	return t.Flush()
}

// rows is a line a process.
func (d localClusters) rows() [][]string {
	rows := [][]string{{"cluster", "process", "pid", "state", "starts", "cpu_cores", "cpu_seconds", "memory_bytes", "resource_id"}}
	for _, c := range d.Clusters {
		for _, p := range c.Processes {
			memory := ""
			if p.Memory != nil {
				memory = strconv.FormatInt(*p.Memory, 10)
			}
			rows = append(rows, []string{
				c.Name, p.Name, strconv.Itoa(p.PID), p.State, strconv.Itoa(p.Starts),
				plain(p.Cores), plain(p.CPUSeconds), memory, p.ResourceID,
			})
		}
	}
	return rows
}

// millis writes a short time for people.
func millis(seconds float64) string {
	switch {
	case seconds < 0.001:
		return fmt.Sprintf("%.0f µs", seconds*1e6)
	case seconds < 1:
		return fmt.Sprintf("%.0f ms", seconds*1000)
	}
	return short(seconds)
}
