package store

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
)

// A scanner makes a value of the row that scan copies from.
type scanner[T any] func(scan func(...any) error) (T, error)

// list reads all rows of a query; without any it is empty, not nil.
func list[T any](ctx context.Context, j *Journal, what, query string, args []any, f scanner[T]) ([]T, error) {
	rows, err := j.db.QueryContext(ctx, query, args...)
	if err != nil {
		return nil, j.explain(what, err)
	}
	defer rows.Close() //nolint:errcheck // rows.Err below says what went wrong
	all := []T{}
	for rows.Next() {
		v, err := f(rows.Scan)
		if err != nil {
			return nil, j.explain(what, err)
		}
		all = append(all, v)
	}
	return all, j.explain(what, rows.Err())
}

// one reads the row with an ID, or returns ErrNotFound.
func one[T any](ctx context.Context, j *Journal, what, query, id string, f scanner[T]) (T, error) {
	v, err := f(j.db.QueryRowContext(ctx, query, id).Scan)
	if errors.Is(err, sql.ErrNoRows) {
		return v, fmt.Errorf("%s: %w", what, ErrNotFound)
	}
	return v, j.explain(what, err)
}
