// Package store keeps the journal: what was predicted, what was measured, how
// well they agree, which drills are under way, what was decided and why, what
// users ask for, and what models have learned.
//
// It is one SQLite file that several processes may use at once. What it promises:
//
//  1. A method that returns without an error has its row on the disk: it
//     outlives a crash of the program and of the machine (WAL, synchronous=FULL).
//  2. A method writes all of what it says or nothing.
//  3. Two processes never have an open drill on the same job.
//  4. A decision is closed once and then stays as it is; one that is open is not
//     removed. The database itself sees to it.
//  5. A journal of a newer program is refused, never changed; one of an older
//     program is brought up to date by numbered migrations.
//  6. A lock held by another process is waited for, 5 s, then named. On a full
//     disk, too, reading goes on.
//
// Rows are stamped with our clock and, where there is one, the JobManager's.
// Lists are newest first.
package store

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"time"

	_ "modernc.org/sqlite" // the driver
)

// Memory is the path of a journal that is gone when it is closed.
const Memory = ":memory:"

// busyWait is how long a lock of another process is waited for: writes take
// milliseconds, so whoever holds one for longer hangs.
const busyWait = 5 * time.Second

// Journal is an open journal. Its methods may be called concurrently.
type Journal struct {
	Now     func() time.Time // stamps rows; time.Now after Open
	Entropy io.Reader        // makes IDs unique; crypto/rand after Open

	db       *sql.DB
	path     string
	readOnly bool
	busy     time.Duration // how long a lock is waited for
}

// Open opens the journal at path for reading and writing. A missing file is
// created, readable by its owner alone, with the folders above it.
func Open(ctx context.Context, path string) (*Journal, error) {
	return open(ctx, path, busyWait)
}

// OpenReadOnly opens the journal at path for commands that only look: writing
// methods return ErrReadOnly. Where there is no file, the journal is empty and
// nothing is created. A journal of an older program is brought up to date first,
// the one case in which it is written to.
func OpenReadOnly(ctx context.Context, path string) (*Journal, error) {
	if _, err := os.Stat(path); path == Memory || errors.Is(err, fs.ErrNotExist) {
		j, err := open(ctx, Memory, busyWait)
		if err != nil {
			return nil, err
		}
		j.path, j.readOnly = path, true
		return j, nil
	}
	j, err := connect(path, "ro", busyWait)
	if err != nil {
		return nil, err
	}
	version := 0
	if err := j.patiently(ctx, func() (err error) { version, err = j.version(ctx); return err }); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	if version < schema {
		if err := j.Close(); err != nil {
			return nil, fmt.Errorf("close journal: %w", err)
		}
		if j, err = open(ctx, path, busyWait); err != nil {
			return nil, err
		}
	}
	j.readOnly = true
	return j, nil
}

func open(ctx context.Context, path string, busy time.Duration) (*Journal, error) {
	if path != Memory {
		if err := create(path); err != nil {
			return nil, fmt.Errorf("create journal: %w", err)
		}
	}
	j, err := connect(path, "rw", busy)
	if err != nil {
		return nil, err
	}
	if err := j.patiently(ctx, func() error { return j.prepare(ctx) }); err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// patiently repeats what another process's lock has stopped. SQLite waits by
// itself for most locks, but refuses at once where two change the mode of a new
// file.
func (j *Journal) patiently(ctx context.Context, f func() error) error {
	const pause = 10 * time.Millisecond
	for end := time.Now().Add(j.busy); ; {
		err := f()
		if !locked(err) || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return errors.Join(err, ctx.Err())
		case <-time.After(pause):
		}
	}
}

// create makes the file before SQLite does, since SQLite would let others read
// it; its companions -wal and -shm take over the mode of the file.
func create(path string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// connect does not touch the file yet.
func connect(path, mode string, busy time.Duration) (*Journal, error) {
	q := url.Values{"_txlock": {"immediate"}, "_pragma": {
		"busy_timeout(" + strconv.FormatInt(busy.Milliseconds(), 10) + ")",
		"foreign_keys(1)",
		"synchronous(FULL)",
	}}
	dsn := "file::memory:?"
	if path != Memory {
		if abs, err := filepath.Abs(path); err == nil {
			path = abs
		}
		q.Set("mode", mode)
		dsn = (&url.URL{Scheme: "file", Path: filepath.ToSlash(path)}).String() + "?"
	}
	db, err := sql.Open("sqlite", dsn+q.Encode())
	if err != nil {
		return nil, fmt.Errorf("open journal: %w", err)
	}
	// One connection: an in-memory journal exists once a connection, and a
	// program that waits for itself would look like a foreign lock.
	db.SetMaxOpenConns(1)
	return &Journal{Now: time.Now, Entropy: rand.Reader, db: db, path: path, busy: busy}, nil
}

// Close releases the file. What was written is safe without it.
func (j *Journal) Close() error { return j.db.Close() }

// LimitBytes bounds the file for as long as this journal is open: writes beyond
// it say that no space is left, as they do on a full disk, and write nothing. The
// bound is rounded down to whole pages and never below what there is already.
func (j *Journal) LimitBytes(ctx context.Context, most int64) error {
	var page, pages int64
	err := j.db.QueryRowContext(ctx, `SELECT page_size FROM pragma_page_size`).Scan(&page)
	if err == nil {
		err = j.db.QueryRowContext(ctx, fmt.Sprintf("PRAGMA max_page_count = %d", max(1, most/page))).Scan(&pages)
	}
	return j.explain("limit", err)
}

// write runs f in one transaction that holds the write lock from its start.
func (j *Journal) write(ctx context.Context, what string, f func(*sql.Tx) error) error {
	if j.readOnly {
		return fmt.Errorf("%s: %w", what, ErrReadOnly)
	}
	tx, err := j.db.BeginTx(ctx, nil)
	if err != nil {
		return j.explain(what, err)
	}
	defer tx.Rollback() //nolint:errcheck // after Commit it has nothing to do
	if err := f(tx); err != nil {
		return j.explain(what, err)
	}
	return j.explain(what, tx.Commit())
}
