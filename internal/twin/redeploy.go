package twin

import "rebound/internal/job"

// redeploy stops the job and starts it with other settings.
func (t *Twin) redeploy(p *pendingChange, fails bool, at float64) {
	before := t.knobs
	d := &downtime{way: p.Way, victim: -1, from: at}
	t.record(&Recovery{Change: p.Way}, at)
	t.set(p.want)
	if fails {
		d.instead = &before
	}
	t.lay(d)
	t.stop(at, d)
	if p.Way != job.InPlace {
		t.view.submitted(t, at)
		t.ckpt.forget()
	}
}

// lay gives a planned restart its phases.
func (t *Twin) lay(d *downtime) {
	seconds := t.s.Change.RedeploySeconds
	if d.way == job.InPlace {
		seconds = t.s.Change.InPlaceSeconds
	}
	jitter := t.s.Restart.Jitter
	restore := t.restoring(false)
	d.lay(0, 0, jittered(seconds, jitter, t.change.rng), jittered(restore, jitter, t.change.rng))
}

// revert goes back to the settings from before a deployment that did not work: the
// same way once more.
func (t *Twin) revert(d *downtime) {
	t.book.changes.Failed++
	t.set(*d.instead)
	t.view.staff(t.knobs.TaskManagers(), d.way != job.InPlace)
	t.view.exception(d.up, "org.apache.flink.runtime.client.JobInitializationException", "")
	d.instead = nil
	at := d.up
	again := downtime{from: at, way: d.way}
	t.lay(&again)
	d.resourced, d.deployed, d.up = again.resourced, again.deployed, again.up
}

// takePending lets a change in place take effect with a restart that happens anyway.
func (t *Twin) takePending() {
	if p := t.change.pending; p != nil && p.Way == job.InPlace {
		t.change.pending = nil
		t.set(p.want)
		t.book.changed(p.Way)
	}
}
