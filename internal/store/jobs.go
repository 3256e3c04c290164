package store

import (
	"context"

	"rebound/internal/job"
)

// Jobs are those that a loop has watched or decided about, in the order of their
// names.
func (j *Journal) Jobs(ctx context.Context) ([]job.Identity, error) {
	return list(ctx, j, "read jobs", `SELECT cluster, namespace, name FROM windows
		UNION SELECT cluster, namespace, name FROM decisions ORDER BY 1, 2, 3`, nil,
		func(scan func(...any) error) (id job.Identity, err error) {
			err = scan(&id.Cluster, &id.Namespace, &id.Name)
			return id, err
		})
}
