// Package flink is a client for the REST API of Apache Flink's JobManager, and the
// observation of jobs made from it.
//
// Written against and tested with answers of Flink 1.20 and 2.3. It branches on
// what an answer holds rather than on the version, and takes what is missing, −1,
// "NaN", or marked incomplete for unknown.
//
// Flink's metrics need care, and this package takes it: the metric store of the
// JobManager is refreshed only by reading it and only each
// metrics.fetcher.update-interval, so Observe reads, waits and reads again, and
// takes rates from differences. Each subtask brings its own clock for them: its
// accumulated busy, idle and back-pressured times add up to the time since its
// start, whatever the age of the values. See Observe.
package flink

import (
	"bytes"
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"strings"
	"time"
)

const (
	// maxBody bounds what is read of an answer, after decompression; Flink's
	// largest are the details of vertices with thousands of subtasks.
	maxBody = 32 << 20
	// maxParallel requests are open at once: a JobManager has other things to do.
	maxParallel = 8
	// defaultTimeout of a request: Flink's own for an internal call.
	defaultTimeout = 10 * time.Second
)

// Config says where a JobManager is and how to speak to it. Only URL is needed.
// Secrets never appear in errors.
type Config struct {
	URL                string // such as http://localhost:8081; user info becomes Username and Password
	Token              string // bearer token; wins over Username
	Username, Password string
	CAFile             string // PEM; empty for the system's
	ClientCert         string // PEM file; with ClientKey, for mutual TLS
	ClientKey          string
	InsecureSkipVerify bool          // take any certificate
	Timeout            time.Duration // of one request; 0 for 10 s
}

// Client talks to one JobManager. It is safe for concurrent use.
type Client struct {
	base    string // without user info and trailing slash
	auth    func(*http.Request)
	timeout time.Duration
	limit   int64 // bytes of an answer
	http    *http.Client
	slots   chan struct{} // one for each request that may be open
}

// New checks cfg and returns a client; it does not connect.
func New(cfg Config) (*Client, error) {
	raw := cfg.URL
	if !strings.Contains(raw, "://") {
		raw = "http://" + raw
	}
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		// The text is not repeated: it may hold a password.
		return nil, errors.New("flink: the address is not a URL: want http://HOST:PORT")
	}
	if u.User != nil && cfg.Username == "" {
		cfg.Username = u.User.Username()
		cfg.Password, _ = u.User.Password()
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	tlsConfig, err := cfg.tls()
	if err != nil {
		return nil, err
	}
	if cfg.Timeout <= 0 {
		cfg.Timeout = defaultTimeout
	}
	transport := &http.Transport{
		Proxy:               http.ProxyFromEnvironment,
		TLSClientConfig:     tlsConfig,
		MaxIdleConnsPerHost: maxParallel,
		IdleConnTimeout:     90 * time.Second,
	}
	return &Client{
		base:    strings.TrimRight(u.String(), "/"),
		auth:    cfg.authorize,
		timeout: cfg.Timeout,
		limit:   maxBody,
		http:    &http.Client{Transport: transport, CheckRedirect: checkRedirect},
		slots:   make(chan struct{}, maxParallel),
	}, nil
}

// URL is the address, without user info.
func (c *Client) URL() string { return c.base }

func (cfg Config) authorize(r *http.Request) {
	switch {
	case cfg.Token != "":
		r.Header.Set("Authorization", "Bearer "+cfg.Token)
	case cfg.Username != "":
		r.SetBasicAuth(cfg.Username, cfg.Password)
	}
}

func (cfg Config) tls() (*tls.Config, error) {
	t := &tls.Config{
		MinVersion:         tls.VersionTLS12,
		InsecureSkipVerify: cfg.InsecureSkipVerify, // the user's explicit wish
	}
	if cfg.CAFile != "" {
		pem, err := os.ReadFile(cfg.CAFile)
		if err != nil {
			return nil, fmt.Errorf("flink: read the CA: %w", err)
		}
		t.RootCAs = x509.NewCertPool()
		if !t.RootCAs.AppendCertsFromPEM(pem) {
			return nil, fmt.Errorf("flink: %s holds no PEM certificate", cfg.CAFile)
		}
	}
	if cfg.ClientCert != "" || cfg.ClientKey != "" {
		pair, err := tls.LoadX509KeyPair(cfg.ClientCert, cfg.ClientKey)
		if err != nil {
			return nil, fmt.Errorf("flink: load the client certificate: %w", err)
		}
		t.Certificates = []tls.Certificate{pair}
	}
	return t, nil
}

type redirectError struct{ to string }

func (e *redirectError) Error() string { return "redirected to " + e.to }

// checkRedirect follows reads on the same host only: a login page elsewhere is no
// Flink, and must not get our credentials.
func checkRedirect(r *http.Request, via []*http.Request) error {
	if r.URL.Host != via[0].URL.Host || r.Method != http.MethodGet || len(via) > 3 {
		return &redirectError{r.URL.Scheme + "://" + r.URL.Host}
	}
	return nil
}

// get decodes the answer to a GET into out.
func (c *Client) get(ctx context.Context, path string, out any) error {
	return c.do(ctx, http.MethodGet, path, nil, out)
}

// do sends in as JSON, if any, and decodes the answer into out, if any.
func (c *Client) do(ctx context.Context, method, path string, in, out any) error {
	var body io.Reader
	if in != nil {
		b, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("flink: %s %s: %w", method, path, err)
		}
		body = bytes.NewReader(b)
	}
	return c.send(ctx, request{method, path, "application/json", body}, out)
}

type request struct {
	method, path, contentType string
	body                      io.Reader
}

// send waits for a free slot, so that no crowd of goroutines floods the JobManager.
func (c *Client) send(ctx context.Context, r request, out any) error {
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return ctx.Err()
	}
	ctx, cancel := context.WithTimeout(ctx, c.timeout)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, r.method, c.base+r.path, r.body)
	if err != nil {
		return fmt.Errorf("flink: %w", err)
	}
	req.Header.Set("Accept", "application/json")
	if r.body != nil {
		req.Header.Set("Content-Type", r.contentType)
	}
	c.auth(req)
	resp, err := c.http.Do(req)
	if err != nil {
		return c.unreachable(err)
	}
	defer resp.Body.Close()
	b, err := io.ReadAll(io.LimitReader(resp.Body, c.limit+1))
	if err != nil {
		return c.unreachable(err)
	}
	if resp.StatusCode/100 != 2 {
		return c.status(r.method, r.path, resp.StatusCode, b)
	}
	return c.decode(r, b, out)
}

func (c *Client) decode(r request, b []byte, out any) error {
	switch {
	case int64(len(b)) > c.limit:
		return fmt.Errorf("flink: %s %s: the answer is larger than %d MiB", r.method, r.path, c.limit>>20)
	case isPage(b):
		return c.notFlink(nil)
	case out == nil:
		return nil
	}
	if err := json.Unmarshal(b, out); err != nil {
		return fmt.Errorf("flink: %s %s: %w", r.method, r.path, err)
	}
	return nil
}
