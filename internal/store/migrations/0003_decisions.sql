-- The loop: what it expects at each moment, what it decides, what it has seen in
-- short, and what users ask of it.

-- SQLite cannot change a CHECK: predictions and what refers to them are made
-- anew, the referring tables first, so that no row goes by cascade.
CREATE TABLE predictions_3 (
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
	failure        TEXT NOT NULL, -- empty: of a planned restart
	kind           TEXT NOT NULL CHECK (kind IN ('conditional', 'unconditional', 'check', 'standing')),
	outcome        TEXT NOT NULL,
	age_seconds    REAL,          -- of the restored offsets, where it was given
	p05_seconds    REAL,
	median_seconds REAL,
	p95_seconds    REAL,
	recovery       TEXT NOT NULL,
	settings       TEXT NOT NULL
) STRICT;
INSERT INTO predictions_3 SELECT id, schema_version, model_version, seed, input_hash, cluster, namespace, name,
	incarnation, at, server_at, failure, kind, outcome, age_seconds, p05_seconds, median_seconds, p95_seconds,
	recovery, settings FROM predictions ORDER BY rowid;

CREATE TABLE scores_3 (
	prediction_id  TEXT NOT NULL REFERENCES predictions_3 (id) ON DELETE CASCADE,
	measurement_id TEXT NOT NULL REFERENCES measurements (id) ON DELETE CASCADE,
	schema_version INTEGER NOT NULL,
	at             TEXT NOT NULL, -- of the scoring
	log_ratio      REAL,          -- ln(measured / median)
	inside         INTEGER,       -- 1: measured within p05 to p95
	PRIMARY KEY (prediction_id, measurement_id)
) STRICT;
INSERT INTO scores_3 SELECT prediction_id, measurement_id, schema_version, at, log_ratio, inside FROM scores ORDER BY rowid;

CREATE TABLE drill_predictions_3 (
	drill_id      TEXT NOT NULL REFERENCES drills (id) ON DELETE CASCADE,
	place         INTEGER NOT NULL,
	prediction_id TEXT NOT NULL REFERENCES predictions_3 (id) ON DELETE CASCADE,
	PRIMARY KEY (drill_id, place)
) STRICT;
INSERT INTO drill_predictions_3 SELECT drill_id, place, prediction_id FROM drill_predictions;

DROP TABLE scores;
DROP TABLE drill_predictions;
DROP TABLE predictions;
ALTER TABLE predictions_3 RENAME TO predictions;
ALTER TABLE scores_3 RENAME TO scores;
ALTER TABLE drill_predictions_3 RENAME TO drill_predictions;
CREATE INDEX predictions_by_job ON predictions (cluster, namespace, name, at);
CREATE INDEX predictions_by_time ON predictions (at);
CREATE INDEX scores_by_measurement ON scores (measurement_id);
CREATE INDEX drill_predictions_by_prediction ON drill_predictions (prediction_id);

-- Which measurements the loop made of outages that it saw; drills have their own.
CREATE TABLE outages (
	measurement_id TEXT PRIMARY KEY REFERENCES measurements (id) ON DELETE CASCADE,
	schema_version INTEGER NOT NULL,
	cluster        TEXT NOT NULL,
	namespace      TEXT NOT NULL,
	name           TEXT NOT NULL,
	at             TEXT NOT NULL  -- of the failure
) STRICT;
CREATE INDEX outages_by_job ON outages (cluster, namespace, name, at);

CREATE TABLE decisions (
	id             TEXT PRIMARY KEY,
	schema_version INTEGER NOT NULL,
	seed           TEXT NOT NULL,
	input_hash     TEXT NOT NULL,
	cluster        TEXT NOT NULL,
	namespace      TEXT NOT NULL,
	name           TEXT NOT NULL,
	at             TEXT NOT NULL, -- our clock
	server_at      TEXT,          -- the JobManager's
	kind           TEXT NOT NULL CHECK (kind IN ('reconfigure', 'roll_back', 'pace')),
	state          TEXT NOT NULL CHECK (state IN ('open', 'applying', 'waiting',
		'verified', 'rolled_back', 'failed', 'refused', 'dropped', 'recommended')),
	closed_at      TEXT,
	rolls_back     TEXT,
	decision       TEXT NOT NULL,
	CHECK ((closed_at IS NULL) = (state IN ('open', 'applying', 'waiting')))
) STRICT;
CREATE INDEX decisions_by_job ON decisions (cluster, namespace, name, at);
CREATE INDEX decisions_by_time ON decisions (at);
CREATE INDEX decisions_open ON decisions (cluster, namespace, name) WHERE closed_at IS NULL;
-- Whoever writes: what is closed stays as it is, what has been given to the
-- world is not undone by a word, and an open decision is not forgotten.
CREATE TRIGGER decisions_closed_stay BEFORE UPDATE ON decisions WHEN OLD.closed_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a closed decision cannot be changed'); END;
CREATE TRIGGER decisions_forward BEFORE UPDATE ON decisions WHEN OLD.state = 'applying' AND NEW.state IN ('open', 'waiting')
BEGIN SELECT RAISE(ABORT, 'a change that the world has accepted cannot become open again'); END;
CREATE TRIGGER decisions_open_stay BEFORE DELETE ON decisions WHEN OLD.closed_at IS NULL
BEGIN SELECT RAISE(ABORT, 'an open decision cannot be removed'); END;

CREATE TABLE decision_predictions (
	decision_id   TEXT NOT NULL REFERENCES decisions (id) ON DELETE CASCADE,
	place         INTEGER NOT NULL,
	prediction_id TEXT NOT NULL REFERENCES predictions (id) ON DELETE CASCADE,
	PRIMARY KEY (decision_id, place)
) STRICT;
CREATE INDEX decision_predictions_by_prediction ON decision_predictions (prediction_id);

CREATE TABLE windows (
	number         INTEGER PRIMARY KEY,
	schema_version INTEGER NOT NULL,
	cluster        TEXT NOT NULL,
	namespace      TEXT NOT NULL,
	name           TEXT NOT NULL,
	at             TEXT NOT NULL, -- of its beginning, our clock
	to_at          TEXT NOT NULL,
	server_to      TEXT,
	situation      TEXT NOT NULL,
	input_hash     TEXT NOT NULL,
	window         TEXT NOT NULL
) STRICT;
CREATE INDEX windows_by_job ON windows (cluster, namespace, name, at);
CREATE INDEX windows_by_time ON windows (at);

CREATE TABLE requests (
	id             TEXT PRIMARY KEY,
	schema_version INTEGER NOT NULL,
	cluster        TEXT NOT NULL,
	namespace      TEXT NOT NULL,
	name           TEXT NOT NULL,
	at             TEXT NOT NULL,
	verb           TEXT NOT NULL CHECK (verb IN ('pause', 'resume', 'approve', 'deny', 'rollback')),
	decision_id    TEXT,          -- none of ours need have it: what a user types is answered, not refused
	until          TEXT,
	by             TEXT NOT NULL,
	answer         TEXT NOT NULL,
	done_at        TEXT
) STRICT;
CREATE INDEX requests_open ON requests (cluster, namespace, name) WHERE done_at IS NULL;
CREATE INDEX requests_by_time ON requests (at);
CREATE TRIGGER requests_answered_stay BEFORE UPDATE ON requests WHEN OLD.done_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a request is answered once'); END;
