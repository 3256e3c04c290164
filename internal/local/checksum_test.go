package local

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// SHA-256 of "hello\n", by sha256sum of GNU coreutils 9.1.
const helloSum = "5891b5b522d5df086d0ff0b110fbd9d21bb4fc7163af34d08286a2e846f6be03"

func TestVerify(t *testing.T) {
	want, err := parseSums([]byte(helloSum + "  a.jar\n" + helloSum + "  b.jar\n"))
	if err != nil {
		t.Fatal(err)
	}
	for name, tt := range map[string]struct {
		files map[string]string
		want  string // part of the error; "" none
	}{
		"as recorded": {map[string]string{"a.jar": "hello\n", "b.jar": "hello\n"}, ""},
		"changed":     {map[string]string{"a.jar": "hello\n", "b.jar": "hellO\n"}, "b.jar: SHA-256 is"},
		"too many":    {map[string]string{"a.jar": "hello\n", "b.jar": "hello\n", "c.jar": "hello\n"}, "c.jar: not among"},
		"too few":     {map[string]string{"a.jar": "hello\n"}, "1 files, recorded are 2"},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			for f, text := range tt.files {
				write(t, filepath.Join(dir, f), text)
			}
			wantError(t, want.verify(dir), tt.want)
		})
	}
}

func TestEveryPinnedVersionHasChecksums(t *testing.T) {
	for _, v := range [][2]string{{"flink", flink2}, {"flink", flink1}, {"kafka", kafkaVersion}} {
		if _, err := recordedSums(v[0], v[1]); err != nil {
			t.Errorf("%s %s: %v", v[0], v[1], err)
		}
	}
	files, err := fs.Glob(recorded, "checksums/*.txt")
	if err != nil || len(files) != 3 {
		t.Errorf("recorded checksums %v, want those of 3 versions", files)
	}
	if !strings.Contains(string(kafkaPOM), "<version>"+kafkaVersion+"</version>") {
		t.Errorf("kafka-pom.xml does not name Kafka %s", kafkaVersion)
	}
}

func FuzzParseSums(f *testing.F) {
	f.Add(helloSum + "  a.jar\n")
	f.Add(helloSum + "  ../a.jar\n")
	f.Add("5891  a.jar\n")
	f.Add("")
	f.Fuzz(func(t *testing.T, text string) {
		s, err := parseSums([]byte(text))
		if (err == nil) == (len(s) == 0) {
			t.Fatalf("%d sums and error %v", len(s), err)
		}
		for name, sum := range s {
			if name != filepath.Base(name) || len(sum) != 64 {
				t.Errorf("took %q with sum %q", name, sum)
			}
		}
	})
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// wantError checks that err contains a text, or is nil if the text is empty.
func wantError(t *testing.T, err error, want string) {
	t.Helper()
	if want == "" && err != nil {
		t.Errorf("error %v, want none", err)
	}
	if want != "" && (err == nil || !strings.Contains(err.Error(), want)) {
		t.Errorf("error %v, want one with %q", err, want)
	}
}
