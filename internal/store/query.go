package store

import (
	"strings"
	"time"

	"rebound/internal/job"
)

// Query chooses rows. The zero Query chooses all.
type Query struct {
	Identity *job.Identity     // nil: of any job
	Failure  job.Failure       // "": of any kind
	Kind     Kind              // of the prediction; "": any
	State    job.DecisionState // of a decision; "": any
	Restarts bool              // of decisions only those about settings, none about the pace of checkpoints
	Since    time.Time         // rows of this time or later
	Limit    int               // at most so many of the newest; 0: all
}

// clause is the WHERE, ORDER BY and LIMIT of a query over a table with the
// columns of an identity, ordered by its time column.
func (q Query) clause(table, timeColumn string) (sql string, args []any) {
	var where []string
	add := func(condition string, values ...any) {
		where = append(where, condition)
		args = append(args, values...)
	}
	if q.Identity != nil {
		add(table+".cluster = ? AND "+table+".namespace = ? AND "+table+".name = ?",
			q.Identity.Cluster, q.Identity.Namespace, q.Identity.Name)
	}
	if q.Failure != "" {
		add(table+".failure = ?", string(q.Failure))
	}
	if q.Kind != "" {
		add("predictions.kind = ?", string(q.Kind))
	}
	if q.State != "" {
		add("decisions.state = ?", string(q.State))
	}
	if q.Restarts {
		add("decisions.kind <> ?", string(job.Pace))
	}
	if !q.Since.IsZero() {
		add(table+"."+timeColumn+" >= ?", text(q.Since))
	}
	if len(where) > 0 {
		sql = " WHERE " + strings.Join(where, " AND ")
	}
	sql += " ORDER BY " + table + "." + timeColumn + " DESC, " + table + ".rowid DESC"
	if q.Limit > 0 {
		sql += " LIMIT ?"
		args = append(args, q.Limit)
	}
	return sql, args
}
