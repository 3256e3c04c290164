# Every target works in a fresh clone on a machine that has Go. `make check` is
# the quick look before a commit; .ci/run is everything.
GO      ?= go
BIN     := $(CURDIR)/bin
LINT    := $(BIN)/golangci-lint-v2.15.0
REBOUND := $(BIN)/rebound

.PHONY: build check lint test golden docs
build: ## the program, in bin/
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/ ./cmd/...
check: lint test ## before each commit
test: ## all tests that need no server
	$(GO) test -race -shuffle=on ./...
lint: $(LINT)
	$(LINT) run ./...
	$(GO) mod tidy -diff
golden: ## rewrite what tests expect; read the diff before you commit it
	UPDATE=1 $(GO) test ./internal/cli
$(LINT):
	GOBIN=$(BIN) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
	mv $(BIN)/golangci-lint $@
