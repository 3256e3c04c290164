-- What copies of a job have shown at other settings, and cost.

CREATE TABLE profiles (
	id             TEXT NOT NULL,
	schema_version INTEGER NOT NULL,
	cluster        TEXT NOT NULL,
	namespace      TEXT NOT NULL,
	name           TEXT NOT NULL,
	started_at     TEXT NOT NULL, -- our clock
	ended_at       TEXT,          -- none while it runs
	state          TEXT NOT NULL CHECK (state IN ('running', 'done', 'lost')),
	core_hours     REAL NOT NULL, -- that it cost; while it runs, that it may
	profile        TEXT NOT NULL,
	PRIMARY KEY (cluster, namespace, name, id),
	CHECK ((ended_at IS NULL) = (state = 'running'))
) STRICT;
CREATE INDEX profiles_by_job ON profiles (cluster, namespace, name, started_at);
CREATE INDEX profiles_by_time ON profiles (started_at);
-- Whoever writes: what a copy has shown stays as it is, and one that runs and
-- costs is not forgotten.
CREATE TRIGGER profiles_ended_stay BEFORE UPDATE ON profiles WHEN OLD.ended_at IS NOT NULL
BEGIN SELECT RAISE(ABORT, 'a profile that has ended cannot be changed'); END;
CREATE TRIGGER profiles_running_stay BEFORE DELETE ON profiles WHEN OLD.ended_at IS NULL
BEGIN SELECT RAISE(ABORT, 'a profile that runs cannot be removed'); END;
