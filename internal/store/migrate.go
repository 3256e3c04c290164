package store

import (
	"cmp"
	"context"
	"database/sql"
	"embed"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// applicationID marks our files in SQLite's header: "Rbnd".
const applicationID = 0x52626e64

//go:embed migrations/*.sql
var migrations embed.FS

// A migration brings the schema from number − 1 to number.
type migration struct {
	number int
	sql    string
}

// schema is the newest one, which this program writes; a test holds it against
// the files.
const schema = 4

// steps are all migrations, 0001 first.
func steps() ([]migration, error) {
	files, err := fs.Glob(migrations, "migrations/*.sql")
	if err != nil {
		return nil, err
	}
	var all []migration
	for _, file := range files {
		b, err := migrations.ReadFile(file)
		if err != nil {
			return nil, err
		}
		number, _, _ := strings.Cut(path.Base(file), "_")
		n, err := strconv.Atoi(number)
		if err != nil {
			return nil, fmt.Errorf("migration %s: %w", file, err)
		}
		all = append(all, migration{n, string(b)})
	}
	slices.SortFunc(all, func(a, b migration) int { return cmp.Compare(a.number, b.number) })
	return all, nil
}

// version reads the schema of the file: 0 of an empty one. It refuses files of
// other programs and of newer ones.
func (j *Journal) version(ctx context.Context) (int, error) {
	var version, application, tables int
	err := j.db.QueryRowContext(ctx, `SELECT
		(SELECT user_version FROM pragma_user_version),
		(SELECT application_id FROM pragma_application_id),
		(SELECT count(*) FROM sqlite_schema)`).Scan(&version, &application, &tables)
	switch {
	case err != nil:
		return 0, j.explain("open", err)
	case application != applicationID && (tables > 0 || version > 0):
		return 0, fmt.Errorf("open: %s is the database of another program: name another file with --journal", j.path)
	case version > schema:
		return 0, &VersionError{j.path, version, schema}
	}
	return version, nil
}

// prepare brings the file to the latest schema.
func (j *Journal) prepare(ctx context.Context) error {
	version, err := j.version(ctx)
	if err != nil || version == schema {
		return err
	}
	// The mode is kept in the file, so it is set once, when the file is new.
	if _, err := j.db.ExecContext(ctx, "PRAGMA journal_mode = WAL"); err != nil {
		return j.explain("open", err)
	}
	return j.write(ctx, "migrate", func(tx *sql.Tx) error { return migrate(ctx, tx, schema) })
}

// migrate applies what is missing up to a version. It reads the version again,
// under the lock: another process may have been faster.
func migrate(ctx context.Context, tx *sql.Tx, to int) error {
	var version int
	if err := tx.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
		return err
	}
	all, err := steps()
	if err != nil {
		return err
	}
	for _, m := range all {
		if m.number <= version || m.number > to {
			continue
		}
		if _, err := tx.ExecContext(ctx, m.sql); err != nil {
			return fmt.Errorf("migration %d: %w", m.number, err)
		}
		version = m.number
	}
	_, err = tx.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d; PRAGMA application_id = %d", version, applicationID))
	return err
}
