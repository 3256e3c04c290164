package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
)

// rivals runs others' forecasters by a Python script that prints lines like ours.
type rivals struct {
	Script, Python, Models string
}

// rolling has each model forecast the same files.
func (r rivals) rolling(ctx context.Context, paths []string, grain string, column int) ([]line, error) {
	args := []string{"--column", strconv.Itoa(column)}
	if grain != "" {
		args = append(args, "--grain", grain)
	}
	args = append(append(args, "--files"), paths...)
	return runRivals[line](ctx, r, "rolling", args)
}

// collection has each model forecast the same series.
func (r rivals) collection(ctx context.Context, c collectionFlags) ([]total, error) {
	return runRivals[total](ctx, r, "m4", []string{"--train", c.train, "--test", c.test, "--every", strconv.Itoa(c.every)})
}

func runRivals[T any](ctx context.Context, r rivals, protocol string, args []string) ([]T, error) {
	if r.Script == "" {
		return nil, nil
	}
	var all []T
	for model := range strings.SplitSeq(r.Models, ",") {
		cmd := exec.CommandContext(ctx, r.Python, append([]string{r.Script, protocol, "--model", model}, args...)...) //nolint:gosec // the user's own script
		cmd.Env = append(os.Environ(), "OMP_NUM_THREADS=1")
		cmd.Stderr = os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return all, fmt.Errorf("%s with %s: %w; is statsforecast installed there?", model, r.Python, err)
		}
		dec := json.NewDecoder(bytes.NewReader(bytes.ReplaceAll(out, []byte(`"model"`), []byte(`"rival": "statsforecast", "model"`))))
		for dec.More() {
			var l T
			if err := dec.Decode(&l); err != nil {
				return all, fmt.Errorf("%s: %w", model, err)
			}
			all = append(all, l)
		}
	}
	return all, nil
}
