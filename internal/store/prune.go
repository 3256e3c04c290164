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
	// Unscored is how long a standing prediction stays that no outage was scored
	// against and no decision rests on: there is one a minute and kind of failure.
	Unscored time.Duration
}

// Prune removes what is beyond the bounds, oldest first. Open drills and
// decisions stay, with their predictions, and so do profiles that run, requests
// that wait for an answer and what models have learned. The space is given back to the disk when
// that is much, or when the file is beyond its bound; else new rows take it.
func (j *Journal) Prune(ctx context.Context, k Keep) (removed int, err error) {
	err = j.write(ctx, "prune", func(tx *sql.Tx) error {
		now := j.Now()
		if k.Unscored > 0 {
			if removed, err = dropUnscored(ctx, tx, text(now.Add(-k.Unscored))); err != nil {
				return err
			}
		}
		if k.Age > 0 {
			n, err := dropBefore(ctx, tx, text(now.Add(-k.Age)))
			removed += n
			if err != nil {
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
	return removed, j.giveBack(ctx, k.Bytes)
}

// giveBack makes the file smaller where a quarter of it is free, or where it is
// larger than it may be; doing so writes the whole file.
func (j *Journal) giveBack(ctx context.Context, most int64) error {
	var worth bool
	err := j.db.QueryRowContext(ctx, `SELECT 4 * freelist_count >= page_count OR ? > 0 AND page_count * page_size > ?
		FROM pragma_page_count, pragma_freelist_count, pragma_page_size`, most, most).Scan(&worth)
	if err == nil && worth {
		_, err = j.db.ExecContext(ctx, "VACUUM")
	}
	return j.explain("give back space", err)
}

// held are predictions that an open drill or decision rests on.
const held = `(SELECT prediction_id FROM drill_predictions JOIN drills ON drills.id = drill_id WHERE state = 'open'
	UNION ALL SELECT prediction_id FROM decision_predictions JOIN decisions ON decisions.id = decision_id WHERE closed_at IS NULL)`

// dropBefore removes rows older than a time. Scores and links go with what they
// refer to.
func dropBefore(ctx context.Context, tx *sql.Tx, before string) (removed int, err error) {
	for _, query := range []string{
		`DELETE FROM drills WHERE opened_at < ? AND state <> 'open'`,
		`DELETE FROM measurements WHERE at < ?`,
		`DELETE FROM decisions WHERE at < ? AND closed_at IS NOT NULL`,
		`DELETE FROM windows WHERE at < ?`,
		`DELETE FROM profiles WHERE started_at < ? AND ended_at IS NOT NULL`,
		`DELETE FROM requests WHERE at < ? AND done_at IS NOT NULL`,
		`DELETE FROM predictions WHERE at < ? AND id NOT IN ` + held,
	} {
		n, err := drop(ctx, tx, query, before)
		removed += n
		if err != nil {
			return removed, err
		}
	}
	return removed, nil
}

func dropUnscored(ctx context.Context, tx *sql.Tx, before string) (removed int, err error) {
	return drop(ctx, tx, `DELETE FROM predictions WHERE kind = 'standing' AND at < ?
		AND id NOT IN (SELECT prediction_id FROM scores)
		AND id NOT IN (SELECT prediction_id FROM decision_predictions)`, before)
}

func drop(ctx context.Context, tx *sql.Tx, query, before string) (removed int, err error) {
	result, err := tx.ExecContext(ctx, query, before)
	if err != nil {
		return 0, err
	}
	n, err := result.RowsAffected()
	return int(n), err
}

// times are those of all rows that can be removed.
const times = `SELECT at FROM predictions UNION ALL SELECT at FROM measurements UNION ALL SELECT opened_at FROM drills
	UNION ALL SELECT at FROM decisions UNION ALL SELECT at FROM windows UNION ALL SELECT at FROM requests
	UNION ALL SELECT started_at FROM profiles`

// shrink removes the oldest eighth again and again until the rest fits.
func shrink(ctx context.Context, tx *sql.Tx, bytes int64) (removed int, err error) {
	for {
		var size int64
		if err := tx.QueryRowContext(ctx, `SELECT (page_count - freelist_count) * page_size
			FROM pragma_page_count, pragma_freelist_count, pragma_page_size`).Scan(&size); err != nil || size <= bytes {
			return removed, err
		}
		var before string
		err := tx.QueryRowContext(ctx, `WITH times AS (`+times+`)
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
