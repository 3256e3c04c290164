package cli

import (
	"rebound/internal/control"
	"rebound/internal/store"
)

// The loop's journal is the store's: neither package knows the other.
var _ control.Journal = (*store.Journal)(nil)
