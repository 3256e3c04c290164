package local

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// recorded holds the SHA-256 of every archive and jar that is fetched, a file a
// product and version, in the form of sha256sum(1).
//
//go:embed checksums/*.txt
var recorded embed.FS

// sums maps file names to lower-case hexadecimal SHA-256.
type sums map[string]string

// recordedSums are the checksums of a product in the version that Rebound pins.
func recordedSums(product, version string) (sums, error) {
	b, err := recorded.ReadFile("checksums/" + product + "-" + version + ".txt")
	if err != nil {
		return nil, fmt.Errorf("no checksums are recorded for %s %s", product, version)
	}
	return parseSums(b)
}

// parseSums reads the output of sha256sum: a sum, two spaces, a bare file name.
func parseSums(b []byte) (sums, error) {
	out := sums{}
	lines := bufio.NewScanner(bytes.NewReader(b))
	for lines.Scan() {
		sum, name, ok := strings.Cut(lines.Text(), "  ")
		if raw, err := hex.DecodeString(sum); !ok || err != nil || len(raw) != sha256.Size {
			return nil, fmt.Errorf("checksum line %q: want 64 hexadecimal digits, two spaces and a file name", lines.Text())
		}
		if name == "" || name != filepath.Base(name) || name == ".." {
			return nil, fmt.Errorf("checksum line %q: want a file name without folders", lines.Text())
		}
		out[name] = strings.ToLower(sum)
	}
	if len(out) == 0 {
		return nil, errors.New("checksums: no line, want at least one")
	}
	return out, lines.Err()
}

// verify reports the first difference between the files of a folder and s: a
// file too many is as bad as one too few, since every jar ends on a class path.
func (s sums) verify(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		want, ok := s[e.Name()]
		if !ok {
			return fmt.Errorf("%s: not among the recorded checksums", e.Name())
		}
		got, err := sumFile(filepath.Join(dir, e.Name()))
		if err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("%s: SHA-256 is %s, recorded is %s", e.Name(), got, want)
		}
	}
	if len(entries) != len(s) {
		return fmt.Errorf("%d files, recorded are %d", len(entries), len(s))
	}
	return nil
}

func sumFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer func() { _ = f.Close() }()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}
