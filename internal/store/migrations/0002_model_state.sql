-- What a model has learned of a job, in the model's own bytes: one row for each
-- version of its form, so that an older program still finds its own.
CREATE TABLE model_state (
	cluster        TEXT NOT NULL,
	namespace      TEXT NOT NULL,
	name           TEXT NOT NULL,
	kind           TEXT NOT NULL,
	version        INTEGER NOT NULL,
	schema_version INTEGER NOT NULL,
	saved_at       TEXT NOT NULL,
	bytes          BLOB NOT NULL,
	PRIMARY KEY (cluster, namespace, name, kind, version)
) STRICT;
