package local

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"syscall"
	"testing"
	"time"
)

// statLine is /proc/PID/stat as Linux 6.18 writes it, of a process whose name
// tries to look like fields. utime 150 and stime 50 ticks, start 4242, rss 3.
func statLine(pid int, state string, start uint64) string {
	return strconv.Itoa(pid) + " (java) S 1) " + state +
		" 1 7 7 0 -1 4194304 100 0 0 0 150 50 0 0 20 0 30 0 " + strconv.FormatUint(start, 10) +
		" 1000000 3 18446744073709551615 1 1 0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
}

func TestParseStat(t *testing.T) {
	got, err := parseStat([]byte(statLine(7, "T", 4242)))
	want := pstat{state: 'T', cpu: 2 * time.Second, start: 4242, rss: 3 * int64(os.Getpagesize())}
	if err != nil || got != want {
		t.Errorf("parseStat = %+v, %v, want %+v", got, err, want)
	}
}

func TestLives(t *testing.T) {
	p := procFS{t.TempDir()}
	for pid, state := range map[int]string{7: "S", 8: "Z", 9: "T"} {
		write(t, filepath.Join(p.root, strconv.Itoa(pid), "stat"), statLine(pid, state, 100))
	}
	write(t, filepath.Join(p.root, "11", "stat"), statLine(11, "Z", 100))
	write(t, filepath.Join(p.root, "11", "task", "11", "stat"), statLine(11, "Z", 100))
	write(t, filepath.Join(p.root, "11", "task", "12", "stat"), statLine(12, "S", 100))
	for name, tt := range map[string]struct {
		pid   int
		start uint64
		want  bool
	}{
		"running":               {7, 100, true},
		"stopped":               {9, 100, true},
		"zombie":                {8, 100, false},
		"other threads left":    {11, 100, true},
		"pid of somebody else":  {7, 99, false},
		"gone":                  {10, 100, false},
		"never had a pid":       {0, 0, false},
		"record without a time": {7, 0, false},
	} {
		if got := p.lives(tt.pid, tt.start); got != tt.want {
			t.Errorf("%s: lives %v, want %v", name, got, tt.want)
		}
	}
	if !p.stopped(9) || p.stopped(7) {
		t.Error("stopped is not told from running")
	}
}

func TestWithEnv(t *testing.T) {
	p := procFS{t.TempDir()}
	mark := "REBOUND_CLUSTER=a/1"
	for pid, env := range map[int]string{
		11: "PATH=/bin\x00REBOUND_CLUSTER=a/1\x00HOME=/",
		12: "REBOUND_CLUSTER=a/12",    // another cluster
		13: "X=REBOUND_CLUSTER=a/1",   // only looks like it
		14: "REBOUND_CLUSTER=a/1\x00", // a zombie
	} {
		state := "S"
		if pid == 14 {
			state = "Z"
		}
		write(t, filepath.Join(p.root, strconv.Itoa(pid), "stat"), statLine(pid, state, 1))
		write(t, filepath.Join(p.root, strconv.Itoa(pid), "environ"), env)
	}
	write(t, filepath.Join(p.root, "self", "environ"), mark)
	got, err := p.withEnv(mark)
	if err != nil || !slices.Equal(got, []int{11}) {
		t.Errorf("withEnv = %v, %v, want [11]", got, err)
	}
}

func TestStarvedAddsThreads(t *testing.T) {
	p := procFS{t.TempDir()}
	write(t, filepath.Join(p.root, "5", "task", "5", "schedstat"), "1000000000 200000000 7\n")
	write(t, filepath.Join(p.root, "5", "task", "6", "schedstat"), "500000000 100000000 3\n")
	write(t, filepath.Join(p.root, "9", "task", "9", "schedstat"), "1 2 3\n")
	got, err := p.starved([]int{5, 9, 404})
	want := Starvation{Run: 1500000001, Wait: 300000002}
	if err != nil || got != want {
		t.Errorf("starved = %+v, %v, want %+v", got, err, want)
	}
	write(t, filepath.Join(p.root, "9", "task", "9", "schedstat"), "1 -2 3\n")
	_, err = p.starved([]int{9})
	wantError(t, err, "want three numbers from 0 on")
}

// A pid that the system has given to another process is not signaled.
func TestSignalSparesAReusedPID(t *testing.T) {
	other := sleeper(t)
	p := Process{Role: TaskManager, Index: 1, PID: other.PID, Start: other.Start - 1}
	wantError(t, p.signal(syscall.SIGKILL), "does not run")
	if !other.Alive() {
		t.Fatal("an innocent process was killed")
	}
	if err := other.signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := gone(t.Context(), []Process{other}); err != nil {
		t.Fatal(err)
	}
}

// sleeper is a process of ours that does nothing.
func sleeper(t *testing.T) Process {
	t.Helper()
	cmd := exec.Command("sleep", "600")
	if err := cmd.Start(); err != nil {
		t.Skipf("needs sleep: %v", err)
	}
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	s, ok := realProc().stat(cmd.Process.Pid)
	if !ok {
		t.Skip("needs /proc")
	}
	return Process{Role: "sleeper", PID: cmd.Process.Pid, Start: s.start}
}

func FuzzParseStat(f *testing.F) {
	f.Add(statLine(7, "S", 100))
	f.Add("7 (java S 1")
	f.Add(") S")
	f.Fuzz(func(t *testing.T, line string) {
		s, err := parseStat([]byte(line))
		if err == nil && (s.state == 0 || s.state == ' ') {
			t.Errorf("parseStat(%q) = %+v", line, s)
		}
	})
}

func FuzzParseSchedstat(f *testing.F) {
	f.Add("1 2 3")
	f.Add("1 -2 3")
	f.Add("")
	f.Fuzz(func(t *testing.T, line string) {
		if s, err := parseSchedstat(line); err == nil && (s.Run < 0 || s.Wait < 0) {
			t.Errorf("parseSchedstat(%q) = %+v", line, s)
		}
	})
}
