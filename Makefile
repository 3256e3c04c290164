# Every target works in a fresh clone. `make check` is the quick look before a
# commit; .ci/run is everything.
GO      ?= go
MVN     ?= mvn -B -q
BIN     := $(CURDIR)/bin
LINT    := $(BIN)/golangci-lint-v2.15.0
FLAGS   ?=
CRASH_POINTS ?= 200
CRASH_DAYS   ?= 7

.PHONY: build demo check lint test test-crash jobs docs drift golden bench e2e drills
build: ## the program, bin/rebound
	CGO_ENABLED=0 $(GO) build -trimpath -o bin/ ./cmd/...
demo: build ## a day of a simulated job, with fixed settings and with Rebound: needs neither Java nor a server
	bin/rebound demo
check: lint test ## before each commit
test: ## all tests that need no server
	$(GO) test -race -shuffle=on $(FLAGS) ./...
test-crash: build ## the loop killed at 200 random points of a simulated week: some ten minutes
	REBOUND=$(BIN)/rebound REBOUND_CRASH_POINTS=$(CRASH_POINTS) REBOUND_CRASH_DAYS=$(CRASH_DAYS) $(GO) test -tags crash -count=1 -timeout 90m -v $(FLAGS) ./internal/crash
lint: $(LINT)
	$(LINT) run ./...
	$(GO) mod tidy -diff
jobs: ## the benchmark job's own tests, for both versions of Flink
	$(MVN) -f jobs/pom.xml verify
	$(MVN) -f jobs/pom.xml -P flink-1.20 clean verify
docs: build ## what is generated: the reference of the commands, the schemas
	bin/rebound reference > docs/commands.md
	bin/rebound schema docs/schema
drift: docs ## fails where something generated is not what is committed
	git diff --exit-code -- docs/commands.md docs/schema
golden: ## rewrite what tests expect; read the diff before you commit it
	UPDATE=1 $(GO) test ./internal/cli
bench:
	$(GO) test -run=NONE -bench=. ./...
e2e: build ## tests on a real Flink and a real Kafka, started here
	REBOUND=$(BIN)/rebound $(GO) test -tags e2e -count=1 -timeout 25m $(FLAGS) ./e2e
drills: build ## the series behind docs/benchmarks.md: an hour and a half, resumable
	$(GO) run ./bench/drills -rebound $(BIN)/rebound -out bench/drills/results.jsonl
$(LINT):
	GOBIN=$(BIN) $(GO) install github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
	mv $(BIN)/golangci-lint $@
