package local

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// procFS reads Linux's /proc, see proc(5).
type procFS struct{ root string }

// realProc is the machine's own.
func realProc() procFS { return procFS{"/proc"} }

// clockTick is the unit of times in /proc/PID/stat: USER_HZ, 100 a second on
// every architecture that Linux and Go share.
const clockTick = time.Second / 100

// pstat is what we need of /proc/PID/stat.
type pstat struct {
	state byte          // R, S, D, T (stopped), Z (zombie), X (dead)
	cpu   time.Duration // user and system time of all threads, ended ones too
	start uint64        // clock ticks since boot; with the pid it names a process for good
	rss   int64         // bytes
}

// stat reads a process; ok is false if there is none.
func (p procFS) stat(pid int) (s pstat, ok bool) {
	b, err := os.ReadFile(filepath.Join(p.root, strconv.Itoa(pid), "stat"))
	if err != nil {
		return pstat{}, false
	}
	s, err = parseStat(b)
	return s, err == nil
}

// parseStat reads a line of /proc/PID/stat. The second field, the program's
// name, may hold blanks and parentheses: the fields go on after the last one.
func parseStat(b []byte) (pstat, error) {
	end := bytes.LastIndexByte(b, ')')
	fields := strings.Fields(string(b[end+1:]))
	const state, utime, stime, start, rss = 0, 11, 12, 19, 21 // counted from field 3 on
	if end < 0 || len(fields) <= rss || len(fields[state]) != 1 {
		return pstat{}, fmt.Errorf("stat: %d fields after the name, want more than %d", len(fields), rss)
	}
	number := func(i int) uint64 {
		n, err := strconv.ParseUint(fields[i], 10, 63)
		if err != nil {
			return 0
		}
		return n
	}
	return pstat{
		state: fields[state][0],
		cpu:   time.Duration(number(utime)+number(stime)) * clockTick,
		start: number(start),
		rss:   int64(number(rss)) * int64(os.Getpagesize()),
	}, nil
}

// lives tells whether the process that was started as pid at start still runs.
// A zombie does not: it only waits for its parent. But a process also looks like
// one whose first thread has ended before the others.
func (p procFS) lives(pid int, start uint64) bool {
	s, ok := p.stat(pid)
	if !ok || pid <= 0 || s.start != start || s.state == 'X' {
		return false
	}
	if s.state != 'Z' {
		return true
	}
	threads, err := os.ReadDir(filepath.Join(p.root, strconv.Itoa(pid), "task"))
	return err == nil && len(threads) > 1
}

// stopped tells whether a process has been stopped by a signal.
func (p procFS) stopped(pid int) bool {
	s, ok := p.stat(pid)
	return ok && s.state == 'T'
}

// withEnv finds the living processes, but zombies, that have the environment
// entry KEY=VALUE, ours excepted. It cannot see into processes of other users.
func (p procFS) withEnv(entry string) ([]int, error) {
	dirs, err := os.ReadDir(p.root)
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, d := range dirs {
		pid, err := strconv.Atoi(d.Name())
		if err != nil || pid == os.Getpid() {
			continue
		}
		env, err := os.ReadFile(filepath.Join(p.root, d.Name(), "environ"))
		if err != nil || !hasEntry(env, entry) {
			continue // gone, or not ours to see
		}
		if s, ok := p.stat(pid); ok && s.state != 'Z' && s.state != 'X' {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

func hasEntry(env []byte, entry string) bool {
	for e := range bytes.SplitSeq(env, []byte{0}) {
		if string(e) == entry {
			return true
		}
	}
	return false
}

// Starvation is how long a process's threads have run and how long they waited
// for a CPU, in thread time since each thread began. What ended threads had is
// not in it, so a difference of two readings is a lower bound.
type Starvation struct {
	Run  time.Duration // on a CPU
	Wait time.Duration // runnable, in a run queue
}

// Starved adds up /proc/PID/task/*/schedstat of processes. A process that is
// gone adds nothing.
func Starved(pids ...int) (Starvation, error) { return realProc().starved(pids) }

func (p procFS) starved(pids []int) (Starvation, error) {
	var sum Starvation
	for _, pid := range pids {
		files, err := filepath.Glob(filepath.Join(p.root, strconv.Itoa(pid), "task", "*", "schedstat"))
		if err != nil {
			return Starvation{}, err
		}
		for _, file := range files {
			b, err := os.ReadFile(file)
			if errors.Is(err, fs.ErrNotExist) || err != nil && len(b) == 0 {
				continue // the thread has ended
			}
			s, err := parseSchedstat(string(b))
			if err != nil {
				return Starvation{}, fmt.Errorf("%s: %w", file, err)
			}
			sum.Run += s.Run
			sum.Wait += s.Wait
		}
	}
	return sum, nil
}

// parseSchedstat reads "run wait slices", the first two in nanoseconds; see
// the kernel's Documentation/scheduler/sched-stats.rst.
func parseSchedstat(line string) (Starvation, error) {
	f := strings.Fields(line)
	if len(f) != 3 {
		return Starvation{}, fmt.Errorf("schedstat %q: want three numbers", strings.TrimSpace(line))
	}
	ran, err1 := strconv.ParseInt(f[0], 10, 64)
	waited, err2 := strconv.ParseInt(f[1], 10, 64)
	if err := errors.Join(err1, err2); err != nil || ran < 0 || waited < 0 {
		return Starvation{}, fmt.Errorf("schedstat %q: want three numbers from 0 on", strings.TrimSpace(line))
	}
	return Starvation{time.Duration(ran), time.Duration(waited)}, nil
}
