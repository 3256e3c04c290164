package jobs

import (
	"io/fs"
	"path"
	"strings"
	"testing"
)

// What is embedded must build without the checkout: the project file, the main
// class, and every profile that the documentation of Source names.
func TestSourceIsTheWholeProject(t *testing.T) {
	pom, err := fs.ReadFile(Source(), "pom.xml")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"<id>flink-2.3</id>", "<id>flink-1.20</id>",
		"<mainClass>" + MainClass + "</mainClass>",
		"<finalName>rebound-jobs-flink-${flink.line}</finalName>",
	} {
		if !strings.Contains(string(pom), want) {
			t.Errorf("pom.xml lacks %s", want)
		}
	}
	main := path.Join("src/main/java", strings.ReplaceAll(MainClass, ".", "/")+".java")
	if _, err := fs.Stat(Source(), main); err != nil {
		t.Error(err)
	}
	if _, err := fs.Stat(Source(), "src/test"); err == nil {
		t.Error("the tests are embedded")
	}
}
