package local

import (
	"archive/tar"
	"archive/zip"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// maxUnpacked bounds what one archive may grow to; Flink's are 330 MB.
const maxUnpacked = 2 << 30

// unpack writes what an archive (a wheel, or a tar.gz) holds below any folder
// named root to dir: root "pyflink" turns pyflink/lib/x.jar into lib/x.jar.
func unpack(archive, root, dir string) error {
	if strings.HasSuffix(archive, ".whl") {
		return unzip(archive, root, dir)
	}
	return untar(archive, root, dir)
}

func unzip(archive, root, dir string) error {
	z, err := zip.OpenReader(archive)
	if err != nil {
		return fmt.Errorf("open %s: %w", filepath.Base(archive), err)
	}
	defer func() { _ = z.Close() }()
	left := int64(maxUnpacked)
	for _, f := range z.File {
		to, ok := below(f.Name, root)
		if !ok || !f.Mode().IsRegular() {
			continue
		}
		r, err := f.Open()
		if err != nil {
			return fmt.Errorf("unpack %s: %w", f.Name, err)
		}
		err = writeFile(filepath.Join(dir, to), r, &left)
		if err := errors.Join(err, r.Close()); err != nil {
			return fmt.Errorf("unpack %s: %w", f.Name, err)
		}
	}
	return nil
}

func untar(archive, root, dir string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	z, err := gzip.NewReader(f)
	if err != nil {
		return fmt.Errorf("open %s: %w", filepath.Base(archive), err)
	}
	left := int64(maxUnpacked)
	for t := tar.NewReader(z); ; {
		h, err := t.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return fmt.Errorf("unpack %s: %w", filepath.Base(archive), err)
		}
		to, ok := below(h.Name, root)
		if !ok || h.Typeflag != tar.TypeReg {
			continue
		}
		if err := writeFile(filepath.Join(dir, to), t, &left); err != nil {
			return fmt.Errorf("unpack %s: %w", h.Name, err)
		}
	}
}

// below returns what follows the folder root in name, if that stays below it.
func below(name, root string) (string, bool) {
	parts := strings.Split(name, "/")
	for i, p := range parts[:len(parts)-1] {
		if p == root {
			rest := filepath.Join(parts[i+1:]...)
			return rest, filepath.IsLocal(rest)
		}
	}
	return "", false
}

// writeFile copies r to a new file, and takes its size from left.
func writeFile(path string, r io.Reader, left *int64) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	n, err := io.Copy(f, io.LimitReader(r, *left+1))
	*left -= n
	if *left < 0 {
		err = errors.Join(err, fmt.Errorf("the archive grows beyond %d bytes", int64(maxUnpacked)))
	}
	return errors.Join(err, f.Close())
}
