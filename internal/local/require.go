package local

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
)

// What a machine must have free, in bytes.
const (
	fetchDisk = 2 << 30 // an archive, what is in it, and what Maven keeps
	runDisk   = 1 << 30 // Kafka's data, checkpoints and logs of a short life
)

// leastJava is the oldest Java that Kafka 4 and Flink 2 run on.
const leastJava = 17

// need is what a start will do beside starting.
type need struct {
	flink, kafka, job bool // to be fetched or built
	memory            int64
}

// machine is where requirements are looked at.
type machine struct {
	env     func(string) string
	look    func(file string) (string, error) // exec.LookPath
	run     runner
	meminfo string // path
}

func realMachine() machine {
	return machine{os.Getenv, exec.LookPath, run, "/proc/meminfo"}
}

// require finds Java and reports everything that is missing, a sentence each,
// before anything is started or fetched.
func (m machine) require(ctx context.Context, d Dirs, n need) (java string, err error) {
	var errs []error
	java, err = m.java(ctx)
	errs = append(errs, err)
	if n.job && err == nil {
		errs = append(errs, m.tool(filepath.Join(filepath.Dir(java), "javac"),
			fmt.Sprintf("beside %s is no javac: install a JDK, not only a JRE, to build the job", java)))
	}
	if n.kafka || n.job {
		errs = append(errs, m.tool("mvn", "Maven (mvn) is not in PATH: install it, it fetches Kafka and builds the job"))
	}
	if n.flink {
		if errs = append(errs, m.tool("python3", "Python (python3) is not in PATH: install it with pip, it fetches Flink; or give --flink-home")); errs[len(errs)-1] == nil {
			if _, err := m.run(ctx, ".", "python3", "-m", "pip", "--version"); err != nil {
				errs = append(errs, errors.New("python has no pip: install it, it fetches Flink; or give --flink-home"))
			}
		}
	}
	if n.flink || n.kafka || n.job {
		errs = append(errs, roomFor(d.Cache, fetchDisk))
	}
	errs = append(errs, roomFor(d.State, runDisk), m.memory(n.memory))
	return java, errors.Join(errs...)
}

func (m machine) tool(name, otherwise string) error {
	if _, err := m.look(name); err != nil {
		return errors.New(otherwise)
	}
	return nil
}

// java prefers JAVA_HOME to PATH, as Flink's scripts do.
func (m machine) java(ctx context.Context) (string, error) {
	path := ""
	if home := m.env("JAVA_HOME"); home != "" {
		path = filepath.Join(home, "bin", "java")
	}
	path, err := m.look(firstOf(path, "java"))
	if err != nil {
		return "", fmt.Errorf("no Java in JAVA_HOME or PATH: install a JDK of at least version %d", leastJava)
	}
	text, err := m.run(ctx, ".", path, "--version") // Java 8 does not know it
	if err != nil && ctx.Err() != nil {
		return "", ctx.Err()
	}
	if version, ok := javaVersion(text); err != nil || !ok || version < leastJava {
		return "", fmt.Errorf("%s is older than Java %d or does not run: install a newer JDK, or set JAVA_HOME", path, leastJava)
	}
	return path, nil
}

// javaVersion reads the feature release of `java --version`.
func javaVersion(text string) (int, bool) {
	m := regexp.MustCompile(`(?m)^\S+ (\d+)`).FindStringSubmatch(text)
	if m == nil {
		return 0, false
	}
	v, err := strconv.Atoi(m[1])
	return v, err == nil
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// roomFor looks at the file system that holds dir, or will.
func roomFor(dir string, want int64) error {
	at := dir
	for {
		if _, err := os.Stat(at); err == nil || at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	var s syscall.Statfs_t
	if err := syscall.Statfs(at, &s); err != nil {
		return fmt.Errorf("free space of %s: %w", at, err)
	}
	if have := int64(s.Bavail) * s.Bsize; have < want {
		return fmt.Errorf("%s has %d MiB of disk free, want %d: make room, or choose another place by XDG_CACHE_HOME or XDG_STATE_HOME", at, have/mib, want/mib)
	}
	return nil
}

// memory compares what the processes will use with what is available. Where
// the kernel does not say, it is not known, and that stops nobody.
func (m machine) memory(want int64) error {
	f, err := os.Open(m.meminfo)
	if err != nil {
		return nil
	}
	defer func() { _ = f.Close() }()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		rest, ok := strings.CutPrefix(lines.Text(), "MemAvailable:")
		if !ok {
			continue
		}
		kib, err := strconv.ParseInt(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 10, 64)
		if err == nil && kib<<10 < want {
			return fmt.Errorf("%d MiB of memory are available, want %d: use fewer TaskManagers or spares, or less --taskmanager-memory", kib>>10, want/mib)
		}
		return nil
	}
	return nil
}

// memory is what a cluster uses when all its processes are at their limits.
func (s Settings) memory() int64 {
	m := int64(jobManagerMemory + kafkaMemory + supervisorMemory + memoryKept)
	if s.HA {
		m += zooKeeperMemory
	}
	return m + int64(s.allTaskManagers())*s.TaskManagerMemory
}
