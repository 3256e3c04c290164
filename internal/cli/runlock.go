package cli

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"syscall"

	"rebound/internal/job"
	"rebound/internal/store"
)

// alone takes the lock of a job in a journal: two loops would undo each other's
// changes. The lock is on a file beside the journal, and goes with the process,
// however that ends. It is not on the journal itself, since closing a second handle
// of a file drops the locks that SQLite holds on it.
func (j journal) alone(id job.Identity) (release func() error, err error) {
	path, err := j.path()
	if err != nil {
		return nil, err
	}
	if path == store.Memory {
		return func() error { return nil }, nil
	}
	sum := sha256.Sum256([]byte(id.String()))
	f, err := os.OpenFile(path+"-"+hex.EncodeToString(sum[:4])+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("lock the job: %w", err)
	}
	switch err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); { //nolint:gosec // a file descriptor is small
	case errors.Is(err, syscall.EWOULDBLOCK):
		return nil, errors.Join(fmt.Errorf("another rebound run keeps %s with journal %s: end it first", id, path), f.Close())
	case err != nil:
		return nil, errors.Join(fmt.Errorf("lock the job: %w", err), f.Close())
	}
	return f.Close, nil
}
