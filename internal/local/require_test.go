package local

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const java17 = "openjdk 17.0.15 2025-04-15\nOpenJDK Runtime Environment (build 17.0.15+6)\n"

func TestRequire(t *testing.T) {
	all := need{flink: true, kafka: true, job: true}
	for name, tt := range map[string]struct {
		lacks   string // programs, separated by blanks
		java    string
		home    string // JAVA_HOME
		meminfo string
		need    need
		want    string // part of the error; "" none
	}{
		"all there":              {java: java17, need: all},
		"no Java":                {lacks: "java", java: java17, want: "no Java in JAVA_HOME or PATH: install a JDK"},
		"old Java":               {java: "openjdk 11.0.2 2019-01-15\n", want: "older than Java 17"},
		"odd Java":               {java: "?", want: "older than Java 17"},
		"Java by JAVA_HOME":      {lacks: "java", java: java17, home: "/jdk"},
		"no Maven":               {lacks: "mvn", java: java17, need: all, want: "Maven (mvn) is not in PATH"},
		"no Maven but a cache":   {lacks: "mvn python3", java: java17},
		"no Python":              {lacks: "python3", java: java17, need: all, want: "Python (python3) is not in PATH"},
		"no pip":                 {lacks: "pip", java: java17, need: all, want: "has no pip"},
		"a JRE":                  {lacks: "/bin/javac", java: java17, need: all, want: "install a JDK, not only a JRE"},
		"no memory":              {java: java17, meminfo: "MemTotal: 9 kB\nMemAvailable:    2048 kB\n", need: need{memory: 3 << 20}, want: "2 MiB of memory are available, want 3"},
		"just enough memory":     {java: java17, meminfo: "MemAvailable:    2048 kB\n", need: need{memory: 2 << 20}},
		"memory is not known":    {java: java17, meminfo: "odd\n", need: need{memory: 3 << 40}},
		"two things at once (1)": {lacks: "mvn java", java: java17, need: all, want: "no Java"},
		"two things at once (2)": {lacks: "mvn java", java: java17, need: all, want: "Maven"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			lacks := func(f string) bool { return slices.Contains(strings.Fields(tt.lacks), f) }
			m := machine{
				env: func(string) string { return tt.home },
				look: func(file string) (string, error) {
					if lacks(file) {
						return "", errors.New("not found")
					}
					if file == "java" {
						return "/bin/java", nil
					}
					return file, nil
				},
				run: func(_ context.Context, _, name string, _ ...string) (string, error) {
					if strings.HasSuffix(name, "java") {
						return tt.java, nil
					}
					if lacks("pip") {
						return "", errors.New("No module named pip")
					}
					return "", nil
				},
				meminfo: filepath.Join(dir, "meminfo"),
			}
			write(t, m.meminfo, tt.meminfo)
			java, err := m.require(t.Context(), Dirs{dir, dir}, tt.need)
			wantError(t, err, tt.want)
			if tt.home != "" && java != "/jdk/bin/java" {
				t.Errorf("Java is %s, want that of JAVA_HOME", java)
			}
		})
	}
}

func TestRoomFor(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "not", "yet", "there")
	wantError(t, roomFor(dir, 1), "")
	wantError(t, roomFor(dir, 1<<62), "MiB of disk free, want")
}

func TestJavaVersion(t *testing.T) {
	for text, want := range map[string]int{
		java17:                               17,
		"openjdk 21 2023-09-19\n":            21,
		"java 25.0.1 2025-10-21 LTS\n":       25,
		"Picked up OPTS\nopenjdk 17.0.1 x\n": 17,
	} {
		if got, ok := javaVersion(text); !ok || got != want {
			t.Errorf("javaVersion(%q) = %d, %v, want %d", text, got, ok, want)
		}
	}
}
