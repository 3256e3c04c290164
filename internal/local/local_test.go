package local

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOpenReadsWhatWasSaved(t *testing.T) {
	d, c := newCluster(t, "saved")
	if _, err := d.Open("saved"); !errors.Is(err, ErrNoCluster) {
		t.Errorf("before it is saved: %v, want %v", err, ErrNoCluster)
	}
	c.Warnings = []string{"CPU is not limited"}
	if err := c.save(); err != nil {
		t.Fatal(err)
	}
	got, err := d.Open("saved")
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(c, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if err := os.Mkdir(d.home("begun"), 0o700); err != nil { // up has come no further yet
		t.Fatal(err)
	}
	list, err := d.List()
	if err != nil || len(list) != 1 || list[0].Name != "saved" {
		t.Errorf("List = %v, %v, want saved", list, err)
	}
	_, err = d.Open("../saved")
	wantError(t, err, "cluster name")
}

func TestOpenRefusesACopiedFolder(t *testing.T) {
	d, c := newCluster(t, "original")
	if err := c.save(); err != nil {
		t.Fatal(err)
	}
	if err := os.CopyFS(d.home("copy"), os.DirFS(c.Home)); err != nil {
		t.Fatal(err)
	}
	_, err := d.Open("copy")
	wantError(t, err, "describes "+c.Home)
}

func TestListOfNothing(t *testing.T) {
	list, err := Dirs{State: filepath.Join(t.TempDir(), "none")}.List()
	if err != nil || len(list) != 0 {
		t.Errorf("List = %v, %v, want none", list, err)
	}
}

func TestFlinkIn(t *testing.T) {
	for version, want := range map[string]string{"1.20.0": "", "2.3.1": "", "1.18.1": "is Flink 1.18.1, want 1.20 or 2.3", "": "has no lib/flink-dist"} {
		home := t.TempDir()
		if version != "" {
			write(t, filepath.Join(home, "lib", "flink-dist-"+version+".jar"), "")
		}
		_, got, err := flinkIn(home)
		wantError(t, err, want)
		if want == "" && got != version {
			t.Errorf("version %q, want %q", got, version)
		}
	}
}
