# Every target needs Go alone, except where its comment says more.

GO          ?= go
STATICCHECK ?= $(GO) run honnef.co/go/tools/cmd/staticcheck@v0.8.2
FUZZTIME    ?= 30s
RACE        ?= -race# needs a C compiler; "make check RACE=" goes without
TARGETS     := linux/arm64 darwin/arm64

.PHONY: all build test check fmt vet staticcheck floors race opened cross long fuzz bench-peers integration webtest

all: build

build:
	CGO_ENABLED=0 $(GO) build -trimpath -o reel ./cmd/reel

test:
	$(GO) test ./...

check: fmt vet staticcheck floors race opened cross

fmt:
	@files=$$(gofmt -l .) || exit 1; \
	if [ -n "$$files" ]; then echo "gofmt these files:"; echo "$$files"; exit 1; fi

vet:
	$(GO) vet ./...

staticcheck:
	$(STATICCHECK) ./...

floors:
	$(GO) test ./internal/floors

race:
	$(GO) test $(RACE) ./...

# What opens libraries at run time: with the tag, and without cgo as well.
opened:
	$(GO) vet -tags cuda ./rec/cuda
	$(GO) test -tags cuda ./rec/cuda
	CGO_ENABLED=0 $(GO) test -tags cuda ./rec/nvtx ./rec/cuda

cross:
	@set -e; for target in $(TARGETS); do \
		echo "build for $$target"; \
		CGO_ENABLED=0 GOOS=$${target%/*} GOARCH=$${target#*/} $(GO) build -o /dev/null ./...; \
	done

# The comparisons with the large samples, which take a minute.
long:
	REEL_LONG_TESTS=1 $(GO) test ./read/kineto ./write/chrome ./internal/nsysstats

# Runs each fuzz target for FUZZTIME; a crash leaves its input under testdata/fuzz.
fuzz:
	@set -e; for pkg in $$($(GO) list ./...); do \
		for name in $$($(GO) test -list '^Fuzz' $$pkg | grep '^Fuzz' || true); do \
			echo "$$pkg $$name for $(FUZZTIME)"; \
			$(GO) test -run '^$$' -fuzz "^$$name\$$" -fuzzminimizetime=2s -fuzztime $(FUZZTIME) $$pkg; \
		done; \
	done

# Measures Reel beside other tools; needs Python and what the script installs.
bench-peers:
	scripts/bench-peers.sh

# Compares with a current PyTorch; needs Python and what the script installs.
integration:
	python/integration/run.sh

# The page in Chromium; says what it skipped where node or Chromium is missing.
webtest:
	webtest/run.sh
