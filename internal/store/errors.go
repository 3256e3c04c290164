package store

import (
	"errors"
	"fmt"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// Errors that a caller acts upon.
var (
	ErrNotFound  = errors.New("not in the journal")
	ErrReadOnly  = errors.New("the journal was opened for reading only")
	ErrClosed    = errors.New("it is closed in the journal, and what is closed is not changed")
	ErrDrillOpen = errors.New("another drill of this job is open: wait for it, or abort it if its process is gone")
)

// A VersionError says that a newer program has written the journal.
type VersionError struct {
	Path        string
	Have, Knows int // schema of the file, newest schema of this program
}

func (e *VersionError) Error() string {
	return fmt.Sprintf("journal %s has schema %d, this program knows up to %d: upgrade rebound, or name another file with --journal",
		e.Path, e.Have, e.Knows)
}

// locked says whether another process's lock is what stopped something.
func locked(err error) bool {
	e, ok := errors.AsType[*sqlite.Error](err)
	return ok && (e.Code()&0xff == sqlite3.SQLITE_BUSY || e.Code()&0xff == sqlite3.SQLITE_LOCKED)
}

// explain names the journal and, where a person can do something, what.
func (j *Journal) explain(what string, err error) error {
	e, ok := errors.AsType[*sqlite.Error](err)
	if !ok {
		if err == nil {
			return nil
		}
		return fmt.Errorf("%s: %w", what, err)
	}
	why := ""
	switch e.Code() & 0xff { // the low byte is the kind, the rest a detail of it
	case sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED:
		why = "another process has held its lock for too long: end that process, or name another file with --journal"
	case sqlite3.SQLITE_FULL:
		why = "no space is left for it: free some on its disk; nothing of this was written"
	case sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB:
		why = "it is damaged or no journal: move it aside, with its -wal and -shm files, and start anew, or put back a copy"
	case sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_PERM:
		why = "it cannot be opened for this: see who owns it and its folder, or name another file with --journal"
	}
	if why == "" {
		return fmt.Errorf("%s: journal %s: %w", what, j.path, err)
	}
	return fmt.Errorf("%s: journal %s: %s (%w)", what, j.path, why, err)
}
