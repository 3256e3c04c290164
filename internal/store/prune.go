package store

import (
	"context"
	"database/sql"
	"errors"
	"time"
)

// Keep bounds the journal. A zero field is no bound.
type Keep struct {
	Age   time.Duration // rows older than this go
	Bytes int64         // the oldest rows go until the rest fits
}

// Prune removes what is beyond the bounds, oldest first, and gives the space
// back to the disk. Open drills stay, with their predictions, and so does what
// models have learned.
func (j *Journal) Prune(ctx context.Context, k Keep) (removed int, err error) {
	err = j.write(ctx, "prune", func(tx *sql.Tx) error {
		if k.Age > 0 {
			if removed, err = dropBefore(ctx, tx, text(j.Now().Add(-k.Age))); err != nil {
				return err
			}
		}
		if k.Bytes > 0 {
			n, err := shrink(ctx, tx, k.Bytes)
			removed += n
			return err
		}
		return nil
	})
	if err != nil || removed == 0 {
		return 0, err
	}
	_, err = j.db.ExecContext(ctx, "VACUUM")
	return removed, j.explain("give back space", err)
}

// dropBefore removes rows older than a time. Scores and links go with what they
// refer to.
func dropBefore(ctx context.Context, tx *sql.Tx, before string) (removed int, err error) {
	for _, query := range []string{
		`DELETE FROM drills WHERE opened_at < ? AND state <> 'open'`,
		`DELETE FROM measurements WHERE at < ?`,
		`DELETE FROM predictions WHERE at < ? AND id NOT IN
			(SELECT prediction_id FROM drill_predictions JOIN drills ON drills.id = drill_id WHERE state = 'open')`,
	} {
		result, err := tx.ExecContext(ctx, query, before)
		if err != nil {
			return removed, err
		}
		n, err := result.RowsAffected()
		if err != nil {
			return removed, err
		}
		removed += int(n)
	}
	return removed, nil
}

// shrink removes the oldest eighth again and again until the rest fits.
func shrink(ctx context.Context, tx *sql.Tx, bytes int64) (removed int, err error) {
	for {
		var size int64
		if err := tx.QueryRowContext(ctx, `SELECT (page_count - freelist_count) * page_size
			FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&size); err != nil || size <= bytes {
			return removed, err
		}
		var before string
		err := tx.QueryRowContext(ctx, `WITH times AS (
				SELECT at FROM predictions UNION ALL SELECT at FROM measurements UNION ALL SELECT opened_at FROM drills)
			SELECT at || '+' FROM times ORDER BY at LIMIT 1 OFFSET (SELECT count(*) / 8 FROM times)`).Scan(&before)
		if errors.Is(err, sql.ErrNoRows) {
			return removed, nil
		}
		if err != nil {
			return removed, err
		}
		// The sign after the time makes the bound pass it: rows of that very
		// time go too, so that every round removes something or is the last.
		n, err := dropBefore(ctx, tx, before)
		if err != nil || n == 0 {
			return removed, err
		}
		removed += n
	}
}
