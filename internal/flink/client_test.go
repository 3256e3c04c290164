package flink

import (
	"compress/gzip"
	"context"
	"encoding/pem"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// serve answers each request by h on a real port.
func serve(t *testing.T, h http.HandlerFunc) *httptest.Server {
	t.Helper()
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s
}

func TestAuthorization(t *testing.T) {
	for name, test := range map[string]struct {
		cfg  Config
		user string // in the URL
		want string
	}{
		"none":          {want: ""},
		"bearer":        {cfg: Config{Token: "s3cret"}, want: "Bearer s3cret"},
		"basic":         {cfg: Config{Username: "u", Password: "p"}, want: "Basic dTpw"},
		"of the URL":    {user: "u:p@", want: "Basic dTpw"},
		"bearer wins":   {cfg: Config{Token: "s3cret", Username: "u"}, user: "x:y@", want: "Bearer s3cret"},
		"given is kept": {cfg: Config{Username: "u", Password: "p"}, user: "x:y@", want: "Basic dTpw"},
	} {
		t.Run(name, func(t *testing.T) {
			got := "nothing was sent"
			s := serve(t, func(w http.ResponseWriter, r *http.Request) {
				got = r.Header.Get("Authorization")
				io.WriteString(w, `{"flink-version":"2.3.0"}`)
			})
			test.cfg.URL = strings.Replace(s.URL, "http://", "http://"+test.user, 1)
			c, err := New(test.cfg)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Overview(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got != test.want {
				t.Errorf("sent %q, want %q", got, test.want)
			}
		})
	}
}

// No error repeats a secret, whatever goes wrong.
func TestSecretsStayOutOfErrors(t *testing.T) {
	s := serve(t, func(http.ResponseWriter, *http.Request) {})
	s.Close()
	for _, url := range []string{
		strings.Replace(s.URL, "http://", "http://user:hunter2@", 1),
		"http://user:hunter2@%zz", "ftp://user:hunter2@host", "http://user:hunter2@",
	} {
		c, err := New(Config{URL: url, Token: "hunter2"})
		if err == nil {
			_, err = c.Overview(t.Context())
		}
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%v", err)
		}
	}
}

// Whoever is at the other end, one sentence says what to do.
func TestUnreachable(t *testing.T) {
	closed := serve(t, func(http.ResponseWriter, *http.Request) {})
	closed.Close()
	secure := httptest.NewUnstartedServer(http.NotFoundHandler())
	secure.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelError)
	secure.StartTLS()
	t.Cleanup(secure.Close)
	answer := func(code int, body string) string {
		return serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(code)
			io.WriteString(w, body)
		}).URL
	}
	for name, test := range map[string]struct{ url, want string }{
		"dead":           {closed.URL, "refuses the connection: start the cluster"},
		"page":           {answer(200, "<!doctype html><title>Jenkins</title>"), "is something else than Flink's REST API"},
		"page not found": {answer(404, "<html>nginx</html>"), "is something else than Flink's REST API"},
		"other JSON":     {answer(200, `{"version":"7.1"}`), "is something else than Flink's REST API"},
		"401":            {answer(401, ""), "give a token, or user and password"},
		"403":            {answer(403, "no"), "give credentials that may read it"},
		"TLS expected":   {strings.Replace(plainAddress(t), "http", "https", 1), "speaks plain HTTP"},
		"TLS unknown CA": {secure.URL, "does not agree on TLS"},
		"TLS spoken":     {strings.Replace(secure.URL, "https", "http", 1), "speaks TLS: write https://"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := New(Config{URL: test.url})
			if err != nil {
				t.Fatal(err)
			}
			_, err = c.Overview(t.Context())
			if err == nil || !strings.Contains(err.Error(), test.want) || strings.Contains(err.Error(), "\n") {
				t.Errorf("got %v, want %q", err, test.want)
			}
			if _, ok := errors.AsType[*UnreachableError](err); !ok {
				t.Errorf("%T is no UnreachableError", err)
			}
		})
	}
}

func TestUnknownHost(t *testing.T) {
	c := newClient(t, http.NotFoundHandler())
	err := c.unreachable(&net.DNSError{Err: "no such host", Name: "flink"})
	if want := "flink at http://flink:8081 has a host name that is not known: check the address"; err.Error() != want {
		t.Errorf("got %q, want %q", err, want)
	}
}

// plainAddress is a server that speaks plain HTTP.
func plainAddress(t *testing.T) string {
	return serve(t, func(http.ResponseWriter, *http.Request) {}).URL
}

func TestTrustsGivenCA(t *testing.T) {
	s := httptest.NewTLSServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		io.WriteString(w, `{"flink-version":"2.3.0"}`)
	}))
	t.Cleanup(s.Close)
	file := filepath.Join(t.TempDir(), "ca.pem")
	block := pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: s.Certificate().Raw})
	if err := os.WriteFile(file, block, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, cfg := range []Config{{CAFile: file}, {InsecureSkipVerify: true}} {
		cfg.URL = s.URL
		c, err := New(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := c.Overview(t.Context()); err != nil {
			t.Error(err)
		}
	}
	if _, err := New(Config{URL: s.URL, CAFile: "client_test.go"}); err == nil || !strings.Contains(err.Error(), "no PEM") {
		t.Errorf("got %v, want that this is no certificate", err)
	}
}

// A body is bounded after decompression: a small answer may unpack to a large one.
func TestBodyIsBounded(t *testing.T) {
	s := serve(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		z := gzip.NewWriter(w)
		defer z.Close()
		io.WriteString(z, `{"flink-version":"`)
		blank := strings.Repeat("x", 1<<20)
		for range 2 {
			io.WriteString(z, blank)
		}
	})
	c, err := New(Config{URL: s.URL})
	if err != nil {
		t.Fatal(err)
	}
	c.limit = 1 << 20
	if _, err := c.Overview(t.Context()); err == nil || !strings.Contains(err.Error(), "larger than 1 MiB") {
		t.Errorf("got %v, want that it is too large", err)
	}
}

// A redirect on the same host is followed; one that leads away is not, so that the
// token is not either.
func TestRedirects(t *testing.T) {
	stolen := ""
	other := serve(t, func(_ http.ResponseWriter, r *http.Request) { stolen = r.Header.Get("Authorization") })
	s := serve(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/overview":
			http.Redirect(w, r, "/proxy/overview", http.StatusTemporaryRedirect)
		case "/proxy/overview":
			io.WriteString(w, `{"flink-version":"2.3.0"}`)
		default:
			http.Redirect(w, r, other.URL+"/login", http.StatusFound)
		}
	})
	c, err := New(Config{URL: s.URL, Token: "s3cret"})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Overview(t.Context()); err != nil {
		t.Errorf("same host: %v", err)
	}
	_, err = c.Jobs(t.Context())
	if err == nil || !strings.Contains(err.Error(), "redirects to "+other.URL+": give that address") {
		t.Errorf("other host: got %v", err)
	}
	if stolen != "" {
		t.Errorf("the other host was given %q", stolen)
	}
}

// A server that never answers costs one timeout.
func TestTimeout(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, http.NotFoundHandler())
		c.http.Transport = hangs{}
		began := time.Now()
		_, err := c.Overview(t.Context())
		if err == nil || !strings.Contains(err.Error(), "does not answer in time") {
			t.Errorf("got %v", err)
		}
		if took := time.Since(began); took != defaultTimeout {
			t.Errorf("took %v, want %v", took, defaultTimeout)
		}
	})
}

func TestCancelStopsAtOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := newClient(t, http.NotFoundHandler())
		c.http.Transport = hangs{}
		ctx, cancel := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, cancel)
		_, err := c.Observe(ctx, ObserveOptions{})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("got %v, want that it was canceled", err)
		}
	})
}

type hangs struct{}

func (hangs) RoundTrip(r *http.Request) (*http.Response, error) {
	<-r.Context().Done()
	return nil, r.Context().Err()
}

// However many goroutines ask, the JobManager sees at most maxParallel at a time.
func TestRequestsAreBounded(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		open := make(chan struct{}, 100)
		var mu sync.Mutex
		most := 0
		c := newClient(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			open <- struct{}{}
			time.Sleep(time.Second)
			mu.Lock()
			most = max(most, len(open))
			mu.Unlock()
			time.Sleep(time.Second)
			<-open
			fmt.Fprint(w, `{}`)
		}))
		g := newGroup(t.Context())
		for range 20 {
			g.run(func(ctx context.Context) error { return c.get(ctx, "/jobs", nil) })
		}
		if err := g.wait(); err != nil {
			t.Fatal(err)
		}
		if most != maxParallel {
			t.Errorf("%d at once, want %d", most, maxParallel)
		}
	})
}
