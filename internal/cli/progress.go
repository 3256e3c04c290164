package cli

import (
	"fmt"
	"io"
	"os"

	"golang.org/x/term"
)

// progress is one line on a terminal that says what is going on, rewritten in
// place. On anything else it says nothing.
type progress struct {
	w       io.Writer
	visible bool
}

func newProgress(w io.Writer) *progress { return &progress{w: w, visible: isTerminal(w)} }

func (p *progress) step(text string) {
	if p.visible {
		fmt.Fprintf(p.w, "\r\x1b[K%s", clip(text, width-1))
	}
}

// clear takes the line away, so that the result stands alone.
func (p *progress) clear() {
	if p.visible {
		fmt.Fprint(p.w, "\r\x1b[K")
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}
