#!/bin/sh
# Sets Lantern's kernels beside gonum and GoMLX, in one run: see bench/ and
# docs/lantern-kernels.md. Takes a minute; arguments go to the program.
set -e
cd "$(dirname "$0")/../bench"
exec go run . "$@"
