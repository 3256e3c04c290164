package local

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// What the two shapes of Flink's package look like, and what tries to get out.
var archived = map[string]string{
	"top-1.0/root/lib/a.jar":          "a",
	"top-1.0/root/bin/root/b.jar":     "b", // the first root counts
	"top-1.0/README":                  "not below the root",
	"top-1.0/root/../../../evil":      "evil",
	"top-1.0/other/../../../evil":     "evil",
	"top-1.0/root/lib/../lib2/c.jar":  "c", // stays below
	"top-1.0/rootless/lib/ignored.go": "not the root",
}

func TestUnpack(t *testing.T) {
	for _, name := range []string{"x.whl", "x.tar.gz"} {
		t.Run(name, func(t *testing.T) {
			top := t.TempDir()
			archive, dir := filepath.Join(top, name), filepath.Join(top, "deep", "er", "out") // evil would be in top
			if name == "x.whl" {
				writeZip(t, archive)
			} else {
				writeTar(t, archive)
			}
			if err := unpack(archive, "root", dir); err != nil {
				t.Fatal(err)
			}
			var got []string
			err := filepath.WalkDir(top, func(path string, d os.DirEntry, err error) error {
				if err == nil && !d.IsDir() && path != archive {
					rel, _ := filepath.Rel(dir, path)
					got = append(got, rel)
				}
				return err
			})
			if err != nil {
				t.Fatal(err)
			}
			if want := []string{"bin/root/b.jar", "lib/a.jar", "lib2/c.jar"}; !slices.Equal(got, want) {
				t.Errorf("unpacked %v, want %v", got, want)
			}
		})
	}
}

func TestUnpackIsBounded(t *testing.T) {
	left := int64(3)
	path := filepath.Join(t.TempDir(), "f")
	f, err := os.Open("/dev/zero")
	if err != nil {
		t.Skip("no /dev/zero")
	}
	defer f.Close()
	wantError(t, writeFile(path, f, &left), "grows beyond")
}

func writeZip(t *testing.T, path string) {
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, text := range archived {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	f.Close()
}

func writeTar(t *testing.T, path string) {
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := gzip.NewWriter(f)
	w := tar.NewWriter(z)
	w.WriteHeader(&tar.Header{Name: "top-1.0/root/link", Linkname: "/etc/passwd", Typeflag: tar.TypeSymlink})
	for name, text := range archived {
		if err := w.WriteHeader(&tar.Header{Name: name, Size: int64(len(text)), Mode: 0o644, Typeflag: tar.TypeReg}); err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	z.Close()
	f.Close()
}
