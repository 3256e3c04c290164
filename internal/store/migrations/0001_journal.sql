-- What was predicted, what was measured, and how they compare. Times are text,
-- RFC 3339 in UTC with six digits, so that they sort; documents are JSON, with
-- the columns that questions are asked by beside them. NULL is unknown.
CREATE TABLE predictions (
	id             TEXT PRIMARY KEY,
	schema_version INTEGER NOT NULL,
	model_version  TEXT NOT NULL,
	seed           TEXT NOT NULL, -- decimal, up to 2^64 - 1, which INTEGER cannot hold
	input_hash     TEXT NOT NULL,
	cluster        TEXT NOT NULL,
	namespace      TEXT NOT NULL,
	name           TEXT NOT NULL,
	incarnation    TEXT NOT NULL,
	at             TEXT NOT NULL, -- our clock
	server_at      TEXT,          -- the JobManager's
	failure        TEXT NOT NULL,
	kind           TEXT NOT NULL CHECK (kind IN ('conditional', 'unconditional', 'check')),
	outcome        TEXT NOT NULL,
	age_seconds    REAL,          -- of the restored offsets, where it was given
	p05_seconds    REAL,
	median_seconds REAL,
	p95_seconds    REAL,
	recovery       TEXT NOT NULL,
	settings       TEXT NOT NULL
) STRICT;
CREATE INDEX predictions_by_job ON predictions (cluster, namespace, name, at);
CREATE INDEX predictions_by_time ON predictions (at);

CREATE TABLE measurements (
	id               TEXT PRIMARY KEY,
	schema_version   INTEGER NOT NULL,
	cluster          TEXT NOT NULL,
	namespace        TEXT NOT NULL,
	name             TEXT NOT NULL,
	at               TEXT NOT NULL, -- of the failure
	recorded_at      TEXT NOT NULL,
	failure          TEXT NOT NULL,
	topology         TEXT NOT NULL,
	process          TEXT NOT NULL,
	outcome          TEXT NOT NULL,
	recovery_seconds REAL,
	at_least_seconds REAL,
	measurement      TEXT NOT NULL
) STRICT;
CREATE INDEX measurements_by_job ON measurements (cluster, namespace, name, at);
CREATE INDEX measurements_by_time ON measurements (at);

CREATE TABLE scores (
	prediction_id  TEXT NOT NULL REFERENCES predictions (id) ON DELETE CASCADE,
	measurement_id TEXT NOT NULL REFERENCES measurements (id) ON DELETE CASCADE,
	schema_version INTEGER NOT NULL,
	at             TEXT NOT NULL, -- of the scoring
	log_ratio      REAL,          -- ln(measured / median)
	inside         INTEGER,       -- 1: measured within p05 to p95
	PRIMARY KEY (prediction_id, measurement_id)
) STRICT;
CREATE INDEX scores_by_measurement ON scores (measurement_id);

CREATE TABLE drills (
	id             TEXT PRIMARY KEY,
	schema_version INTEGER NOT NULL,
	cluster        TEXT NOT NULL,
	namespace      TEXT NOT NULL,
	name           TEXT NOT NULL,
	incarnation    TEXT NOT NULL,
	failure        TEXT NOT NULL,
	state          TEXT NOT NULL CHECK (state IN ('open', 'closed', 'aborted')),
	opened_at      TEXT NOT NULL,
	server_at      TEXT,
	closed_at      TEXT,
	measurement_id TEXT REFERENCES measurements (id) ON DELETE SET NULL,
	audit          TEXT,
	reason         TEXT NOT NULL
) STRICT;
CREATE INDEX drills_by_time ON drills (opened_at);
CREATE INDEX drills_by_measurement ON drills (measurement_id);
-- At most one drill of a job at a time, whichever process begins it.
CREATE UNIQUE INDEX drills_open ON drills (cluster, namespace, name) WHERE state = 'open';

CREATE TABLE drill_predictions (
	drill_id      TEXT NOT NULL REFERENCES drills (id) ON DELETE CASCADE,
	place         INTEGER NOT NULL,
	prediction_id TEXT NOT NULL REFERENCES predictions (id) ON DELETE CASCADE,
	PRIMARY KEY (drill_id, place)
) STRICT;
CREATE INDEX drill_predictions_by_prediction ON drill_predictions (prediction_id);
