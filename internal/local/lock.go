package local

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"
)

// errBusy says that another command holds the lock.
var errBusy = errors.New("another rebound local command works on it")

// lockDir waits until it holds the lock of a folder. The lock is on the folder
// itself, so that it leaves no file behind, and goes with the process.
func lockDir(ctx context.Context, dir string) (unlock func(), err error) {
	for {
		unlock, err := tryLockDir(dir)
		if !errors.Is(err, errBusy) {
			return unlock, err
		}
		if err := pause(ctx, 100*time.Millisecond); err != nil {
			return nil, err
		}
	}
}

// tryLockDir takes the lock of a folder, or fails with errBusy.
func tryLockDir(dir string) (unlock func(), err error) {
	f, err := os.Open(dir)
	if err != nil {
		return nil, err
	}
	err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		_ = f.Close()
		return nil, errBusy
	}
	if err != nil {
		_ = f.Close()
		return nil, fmt.Errorf("lock %s: %w", dir, err)
	}
	// Whoever held the lock before may have removed the folder.
	held, err1 := f.Stat()
	now, err2 := os.Stat(dir)
	if err := errors.Join(err1, err2); err != nil {
		_ = f.Close()
		return nil, err
	}
	if !os.SameFile(held, now) {
		_ = f.Close()
		return nil, errBusy
	}
	return func() { _ = f.Close() }, nil
}

// pause waits for d, or less if ctx ends.
func pause(ctx context.Context, d time.Duration) error {
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
