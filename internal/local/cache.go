package local

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A cache keeps what is fetched and built once a machine. Every entry is made
// in a folder beside its place and renamed into it when it is whole and
// verified, so an entry that is there can be used, and what an interrupted
// fetch leaves is removed by the next one. Two fetches at once wait for each
// other.
type cache struct {
	dir string
	run runner
}

// entry is a place in the cache and how to fill it.
type entry struct {
	name string
	make func(ctx context.Context, dir string) error // fills the empty folder dir
}

// has tells whether an entry is there.
func (c cache) has(name string) bool {
	_, err := os.Stat(filepath.Join(c.dir, name))
	return err == nil
}

// take returns the path of an entry, which is made if it is not there.
func (c cache) take(ctx context.Context, e entry) (string, error) {
	path := filepath.Join(c.dir, e.name)
	if c.has(e.name) {
		return path, nil
	}
	if err := os.MkdirAll(c.dir, 0o755); err != nil {
		return "", err
	}
	unlock, err := lockDir(ctx, c.dir)
	if err != nil {
		return "", err
	}
	defer unlock()
	if c.has(e.name) { // somebody else has made it while we waited
		return path, nil
	}
	dir := filepath.Join(c.dir, "incoming") // one at a time: we hold the lock
	defer func() { _ = os.RemoveAll(dir) }()
	if err := errors.Join(os.RemoveAll(dir), os.Mkdir(dir, 0o755)); err != nil {
		return "", err
	}
	if err := e.make(ctx, dir); err != nil {
		return "", err
	}
	return path, os.Rename(dir, path)
}

// flinkEntry fetches a Flink distribution. PyPI's apache-flink-libraries carries
// all of it but start scripts and configuration.
func (c cache) flinkEntry(version string) entry {
	return entry{"flink-" + version, func(ctx context.Context, dir string) error {
		want, err := recordedSums("flink", version)
		if err != nil {
			return err
		}
		download := filepath.Join(dir, "download")
		if err := os.Mkdir(download, 0o755); err != nil {
			return err
		}
		if err := c.pip(ctx, download, "apache-flink-libraries=="+version, want); err != nil {
			return err
		}
		if err := want.verify(download); err != nil {
			return fmt.Errorf("apache-flink-libraries %s is not what was recorded: %w", version, err)
		}
		root := "pyflink" // in the wheel of 2.x
		if minor(version) == "1.20" {
			root = "deps" // in the source distribution of 1.20
		}
		for name := range want {
			if err := unpack(filepath.Join(download, name), root, dir); err != nil {
				return err
			}
		}
		if _, err := os.Stat(filepath.Join(dir, "lib", "flink-dist-"+version+".jar")); err != nil {
			return fmt.Errorf("apache-flink-libraries %s has no flink-dist", version)
		}
		return os.RemoveAll(download)
	}}
}

// pip downloads one archive. pip checks the hash itself before it runs anything
// of a source distribution, and is told where it may look by its own settings.
func (c cache) pip(ctx context.Context, dir, requirement string, want sums) error {
	var text strings.Builder
	text.WriteString(requirement)
	for _, sum := range want {
		text.WriteString(" --hash=sha256:" + sum)
	}
	file := filepath.Join(dir, "..", "requirements.txt")
	if err := os.WriteFile(file, []byte(text.String()+"\n"), 0o644); err != nil {
		return err
	}
	defer func() { _ = os.Remove(file) }()
	_, err := c.run(ctx, dir, "python3", "-m", "pip", "download", "--quiet", "--disable-pip-version-check",
		"--no-deps", "--require-hashes", "--dest", dir, "--requirement", file)
	if err != nil {
		return fmt.Errorf("download %s: %w", requirement, err)
	}
	return nil
}

// kafkaEntry fetches the jars of a Kafka broker from the Maven repository.
func (c cache) kafkaEntry(version string) entry {
	return entry{"kafka-" + version, func(ctx context.Context, dir string) error {
		want, err := recordedSums("kafka", version)
		if err != nil {
			return err
		}
		project := dir + "-project"
		defer func() { _ = os.RemoveAll(project) }()
		if err := errors.Join(os.RemoveAll(project), os.Mkdir(project, 0o755),
			os.WriteFile(filepath.Join(project, "pom.xml"), kafkaPOM, 0o644)); err != nil {
			return err
		}
		_, err = c.run(ctx, project, "mvn", "-q", "-B", "--strict-checksums",
			"org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies",
			"-DoutputDirectory="+dir, "-DincludeScope=runtime")
		if err != nil {
			return fmt.Errorf("download Kafka %s: %w", version, err)
		}
		if err := want.verify(dir); err != nil {
			return fmt.Errorf("kafka %s is not what was recorded: %w", version, err)
		}
		return nil
	}}
}

// jobEntry builds the benchmark job for a minor version of Flink, such as 2.3.
// It is kept by the hash of its source. The entry holds job.jar.
func (c cache) jobEntry(source fs.FS, flink string) (entry, error) {
	sum, err := sumTree(source)
	if err != nil {
		return entry{}, fmt.Errorf("read the job's source: %w", err)
	}
	return entry{"job-" + flink + "-" + sum[:16], func(ctx context.Context, dir string) error {
		project := dir + "-project"
		defer func() { _ = os.RemoveAll(project) }()
		if err := errors.Join(os.RemoveAll(project), os.CopyFS(project, source)); err != nil {
			return err
		}
		if _, err := c.run(ctx, project, "mvn", "-q", "-B", "--strict-checksums",
			"-Pflink-"+flink, "-DskipTests", "package"); err != nil {
			return fmt.Errorf("build the job for Flink %s: %w", flink, err)
		}
		jar, err := onlyJar(filepath.Join(project, "target"))
		if err != nil {
			return err
		}
		return os.Rename(jar, filepath.Join(dir, "job.jar"))
	}}, nil
}

// onlyJar finds the jar that a build has made; the shade plugin leaves the one
// without dependencies beside it as original-*.jar.
func onlyJar(dir string) (string, error) {
	found, err := filepath.Glob(filepath.Join(dir, "*.jar"))
	if err != nil {
		return "", err
	}
	var jars []string
	for _, f := range found {
		if ok, _ := filepath.Match("original-*.jar", filepath.Base(f)); !ok {
			jars = append(jars, f)
		}
	}
	if len(jars) != 1 {
		return "", fmt.Errorf("the job's build left %d jars, want one", len(jars))
	}
	return jars[0], nil
}

// sumTree hashes names and contents of all files, in lexical order.
func sumTree(source fs.FS) (string, error) {
	h := sha256.New()
	err := fs.WalkDir(source, ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		b, err := fs.ReadFile(source, path)
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%q %d\n", path, len(b))
		_, err = h.Write(b)
		return err
	})
	return hex.EncodeToString(h.Sum(nil)), err
}
