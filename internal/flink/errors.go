package flink

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"strings"
	"syscall"
)

// StatusError is an answer of Flink outside 2xx.
type StatusError struct {
	Method, Path string
	Code         int
	Message      string // the telling line of Flink's errors, or the body's beginning
}

func (e *StatusError) Error() string {
	return fmt.Sprintf("flink: %s %s: %d %s", e.Method, e.Path, e.Code, e.Message)
}

// UnreachableError says that no Flink answered at all, or that it would not talk to
// us: Problem is what was seen, Do what helps.
type UnreachableError struct {
	URL         string // without user info
	Problem, Do string
	Err         error // the cause, for errors.Is and errors.As
}

func (e *UnreachableError) Error() string {
	return fmt.Sprintf("flink at %s %s: %s", e.URL, e.Problem, e.Do)
}

func (e *UnreachableError) Unwrap() error { return e.Err }

// unreachable turns an error of net/http into one sentence.
func (c *Client) unreachable(err error) error {
	e := &UnreachableError{URL: c.base, Err: err}
	var dns *net.DNSError
	var redirect *redirectError
	var netErr net.Error
	switch {
	case errors.Is(err, context.Canceled):
		return err
	case errors.As(err, &redirect):
		e.Problem, e.Do = "redirects to "+redirect.to, "give that address if it is the JobManager's"
	case isTLS(err):
		e.Problem, e.Do = "does not agree on TLS ("+tlsCause(err)+")", "check http:// against https://, and give the CA that signed its certificate"
	case errors.As(err, &dns):
		e.Problem, e.Do = "has a host name that is not known", "check the address"
	case errors.Is(err, syscall.ECONNREFUSED):
		e.Problem, e.Do = "refuses the connection", "start the cluster, or give the address of the JobManager's REST port (rest.port, 8081 by default)"
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &netErr) && netErr.Timeout():
		e.Problem, e.Do = "does not answer in time", "check that the JobManager is up and that no firewall is between"
	default:
		e.Problem, e.Do = "cannot be reached ("+cause(err)+")", "check the address, and that the JobManager is up"
	}
	return e
}

func isTLS(err error) bool {
	var record tls.RecordHeaderError
	var verify *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var host x509.HostnameError
	var alert tls.AlertError
	return errors.As(err, &record) || errors.As(err, &verify) || errors.As(err, &authority) ||
		errors.As(err, &host) || errors.As(err, &alert) ||
		strings.Contains(err.Error(), "server gave HTTP response to HTTPS client") ||
		strings.Contains(err.Error(), "tls: ") || strings.Contains(err.Error(), "malformed HTTP response")
}

func tlsCause(err error) string {
	if strings.Contains(err.Error(), "HTTP response to HTTPS client") {
		return "it speaks plain HTTP"
	}
	if strings.Contains(err.Error(), "malformed HTTP response") {
		return "it does not speak plain HTTP"
	}
	return cause(err)
}

// cause is the innermost error's text: without method, URL and addresses.
func cause(err error) string {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err.Error()
		}
		err = inner
	}
}

// status turns an answer outside 2xx into an error.
func (c *Client) status(method, path string, code int, body []byte) error {
	e := &StatusError{Method: method, Path: path, Code: code, Message: message(body)}
	switch {
	case code == http.StatusUnauthorized:
		return &UnreachableError{c.base, "wants to know who asks (401)", "give a token, or user and password", e}
	case code == http.StatusForbidden:
		return &UnreachableError{c.base, "does not let this user in (403)", "give credentials that may read it", e}
	case code == http.StatusBadRequest && strings.Contains(string(body), "HTTPS") && strings.HasPrefix(c.base, "http://"):
		return &UnreachableError{c.base, "speaks TLS", "write https://", e}
	case code/100 != 3 && isPage(body):
		return c.notFlink(e)
	}
	return e
}

func (c *Client) notFlink(err error) error {
	return &UnreachableError{c.base, "is something else than Flink's REST API", "give the address of the JobManager's REST port (rest.port, 8081 by default)", err}
}

// message is the telling line of an answer's errors.
func message(body []byte) string {
	var e struct{ Errors []string }
	if json.Unmarshal(body, &e) != nil || len(e.Errors) == 0 {
		return strings.TrimSpace(string(body[:min(len(body), 200)]))
	}
	return telling(strings.TrimPrefix(e.Errors[len(e.Errors)-1], "<Exception on server side:\n"))
}

// telling is the innermost cause in a Java stack trace: it says what is wrong, the
// outer ones only where it went through.
func telling(trace string) string {
	if i := strings.LastIndex(trace, "Caused by: "); i >= 0 {
		trace = trace[i+len("Caused by: "):]
	}
	line, _, _ := strings.Cut(trace, "\n")
	if name, rest, ok := strings.Cut(line, ": "); ok && !strings.Contains(name, " ") {
		line = name[strings.LastIndex(name, ".")+1:] + ": " + rest
	}
	return line[:min(len(line), 500)]
}

func isPage(body []byte) bool { return strings.HasPrefix(strings.TrimSpace(string(body)), "<") }
