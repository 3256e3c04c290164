package cli

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rebound/internal/flink"
	"rebound/internal/live"
	"rebound/internal/local"
	"rebound/internal/store"
)

// cluster are the flags of commands that read from a JobManager.
type cluster struct {
	Flink      string `help:"URL of the JobManager's REST API. Default: the local cluster, else $$FLINK_REST_URL, else http://localhost:8081." placeholder:"URL"`
	Cluster    string `help:"Name of the cluster in the identity of its jobs. Default: its host and port." placeholder:"NAME"`
	TokenFile  string `help:"File with a bearer token." type:"existingfile" placeholder:"FILE"`
	CAFile     string `name:"ca-file" help:"File with the certificates to trust instead of the system's." type:"existingfile" placeholder:"FILE"`
	ClientCert string `help:"File with the client's certificate." type:"existingfile" placeholder:"FILE"`
	ClientKey  string `help:"File with its key." type:"existingfile" placeholder:"FILE"`
}

const defaultREST = "http://localhost:8081"

// endpoint is where to read from, under which name.
type endpoint struct {
	url, name string
	local     *local.Cluster // nil unless it is one of ours
}

// endpoint follows the order that the help gives.
func (c cluster) endpoint() (endpoint, error) {
	ours, err := local.List()
	if err != nil {
		return endpoint{}, fmt.Errorf("look for local clusters: %w", err)
	}
	e := endpoint{url: c.Flink}
	if e.url == "" && len(ours) > 0 {
		one, err := only(ours)
		if err != nil {
			return endpoint{}, err
		}
		e.url = one.REST
	}
	if e.url == "" {
		e.url = os.Getenv("FLINK_REST_URL")
	}
	if e.url == "" {
		e.url = defaultREST
	}
	u, err := url.Parse(e.url)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		return endpoint{}, &exit{exitUsage, fmt.Errorf("--flink=%q: want a URL such as %s", e.url, defaultREST)}
	}
	e.name = u.Host
	for _, l := range ours {
		if l.REST == strings.TrimSuffix(e.url, "/") {
			e.local, e.name = l, live.Identity(l)
		}
	}
	if c.Cluster != "" {
		e.name = c.Cluster
	}
	return e, nil
}

// only picks the local cluster that is meant where none is named.
func only(ours []*local.Cluster) (*local.Cluster, error) {
	if len(ours) == 1 {
		return ours[0], nil
	}
	names := make([]string, 0, len(ours))
	for _, l := range ours {
		if l.Name == defaultLocal {
			return l, nil
		}
		names = append(names, l.Name)
	}
	slices.Sort(names)
	return nil, &exit{exitUsage, fmt.Errorf("several local clusters are up, name one: %s", strings.Join(names, ", "))}
}

const defaultLocal = "default"

// client connects. A password comes from the environment, a token from a file:
// what is in flags is seen by everybody on the machine.
func (c cluster) client(e endpoint) (*flink.Client, error) {
	cfg := flink.Config{
		URL: e.url, CAFile: c.CAFile, ClientCert: c.ClientCert, ClientKey: c.ClientKey,
		Username: os.Getenv("REBOUND_FLINK_USER"), Password: os.Getenv("REBOUND_FLINK_PASSWORD"),
	}
	if c.TokenFile != "" {
		b, err := os.ReadFile(c.TokenFile)
		if err != nil {
			return nil, fmt.Errorf("read the token: %w", err)
		}
		cfg.Token = strings.TrimSpace(string(b))
	}
	return flink.New(cfg)
}

// journal is the flag of commands that learn or look back.
type journal struct {
	Journal string `help:"The journal. Default: journal.db in $$XDG_STATE_HOME/rebound." placeholder:"FILE"`
}

func (j journal) path() (string, error) {
	if j.Journal != "" {
		return j.Journal, nil
	}
	if dir := os.Getenv("XDG_STATE_HOME"); dir != "" {
		return filepath.Join(dir, "rebound", "journal.db"), nil
	}
	home, err := os.UserHomeDir()
	if err != nil {
		return "", fmt.Errorf("find the journal: %w; name one by --journal", err)
	}
	return filepath.Join(home, ".local", "state", "rebound", "journal.db"), nil
}

// read opens the journal to look at it: nil where there is none yet.
func (j journal) read(ctx context.Context) (*store.Journal, error) {
	path, err := j.path()
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) && j.Journal == "" {
		return nil, nil //nolint:nilnil // no journal yet is no error: nothing has been learned
	}
	return store.OpenReadOnly(ctx, path)
}

// write opens the journal to add to it, making it where there is none.
func (j journal) write(ctx context.Context) (*store.Journal, error) {
	path, err := j.path()
	if err != nil {
		return nil, err
	}
	return store.Open(ctx, path)
}
