package config

import (
	"net/url"
	"strconv"
	"strings"
	"time"

	"rebound/internal/control"
	"rebound/internal/policy"
)

// quietPeriods are times in which nothing is changed: {cron, for}, or {from, to}
// with days; either in a zone.
func quietPeriods(v value, to *[]policy.QuietPeriod) {
	for _, i := range v.items() {
		*to = append(*to, quietPeriod(i))
	}
}

func quietPeriod(v value) (q policy.QuietPeriod) {
	seen := v.mapping(fields{
		"cron": func(v value) { cron(v, &q.Cron) },
		"for":  func(v value) { d, ok := v.duration(); set(&q.For, d, ok) },
		"from": func(v value) { clock(v, &q.From) },
		"to":   func(v value) { clock(v, &q.To) },
		"days": func(v value) { days(v, &q.Days) },
		"zone": func(v value) { zone(v, &q.Zone) },
	})
	byClock, byCron := seen["from"] || seen["to"] || seen["days"], seen["cron"] || seen["for"]
	switch {
	case seen == nil:
	case byClock == byCron:
		v.wrong("want either cron and for, or from and to, such as {from: \"22:00\", to: \"06:00\"}")
	case byCron:
		v.require(seen, "cron", "when it begins, such as \"0 22 * * 5\"")
		v.require(seen, "for", "how long it lasts, such as 8h")
	default:
		v.require(seen, "from", "a time of day")
		v.require(seen, "to", "a time of day")
		if q.From != "" && q.From == q.To {
			v.wrong("from and to are both %s: for a whole day write from \"00:00\" to \"24:00\"", q.From)
		}
	}
	return q
}

// clock is a time of day, 00:00 to 24:00.
func clock(v value, to *string) {
	s, ok := v.scalar()
	h, m, colon := strings.Cut(s, ":")
	hours, err1 := strconv.Atoi(h)
	minutes, err2 := strconv.Atoi(m)
	if !ok || !colon || err1 != nil || err2 != nil || len(h) != 2 || len(m) != 2 ||
		hours < 0 || minutes < 0 || minutes > 59 || hours*60+minutes > 24*60 {
		v.wrong("%s, want a time of day from \"00:00\" to \"24:00\"", v.shown())
		return
	}
	*to = s
}

func days(v value, to *[]string) {
	for _, i := range v.items() {
		if d, ok := i.oneOf("mon", "tue", "wed", "thu", "fri", "sat", "sun"); ok {
			*to = append(*to, d)
		}
	}
}

func zone(v value, to *string) {
	s, ok := v.text()
	if !ok {
		return
	}
	if _, err := time.LoadLocation(s); err != nil || s == "Local" {
		v.wrong("%q, want a time zone's name, such as Europe/Berlin or UTC", s)
		return
	}
	*to = s
}

// cron has five fields, as the loop reads them.
func cron(v value, to *string) {
	s, ok := v.text()
	if !ok {
		return
	}
	if _, err := control.ParseCron(s); err != nil {
		v.wrong("%v", err)
		return
	}
	*to = s
}

// approval is a program, a URL, or a person.
func approval(v value, a *policy.Approval) {
	seen := v.mapping(fields{
		"command": func(v value) { command(v, &a.Command) },
		"url":     func(v value) { hook(v, &a.URL) },
		"manual":  func(v value) { b, ok := v.boolean(); set(&a.Manual, b, ok) },
		"timeout": func(v value) { d, ok := v.duration(); set(&a.Timeout, d, ok) },
	})
	if seen == nil {
		return
	}
	ways := 0
	for _, way := range []bool{seen["command"], seen["url"], a.Manual} {
		if way {
			ways++
		}
	}
	if ways != 1 {
		v.wrong("%d ways to ask, want one of command, url and manual: true", ways)
	}
	if a.Timeout == 0 {
		a.Timeout = policy.ApprovalTimeout
		if a.Manual {
			a.Timeout = policy.ManualApprovalTimeout
		}
	}
}

// command is a program with its arguments: no shell, so no quoting.
func command(v value, to *[]string) {
	items := v.items()
	if items != nil && len(items) == 0 {
		v.wrong("an empty list, want a program and its arguments")
	}
	for n, i := range items {
		s, ok := i.scalar()
		if !ok || n == 0 && s == "" {
			i.wrong("%s, want a text", i.shown())
			continue
		}
		*to = append(*to, s)
	}
}

func hook(v value, to *string) {
	s, ok := v.text()
	if !ok {
		return
	}
	u, err := url.Parse(s)
	if err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https" {
		v.wrong("%q, want a URL such as https://approvals.example.com/rebound", s)
		return
	}
	*to = s
}
