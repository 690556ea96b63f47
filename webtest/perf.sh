#!/usr/bin/env bash
# Measures the timeline on a generated recording of ten million ranges, and beside it the
# same gesture in speedscope, on as many ranges as it opens.
#
#   webtest/perf.sh [-n RANGES] [-s SPEEDSCOPE_RANGES]
#
# Nothing is installed on a machine that has node, npm and Chromium, save two packages
# below $REEL_NODE ($HOME/.cache/reel/node). What cannot run is told as "skipped".
set -euo pipefail
cd "$(dirname "$0")/.."

ranges=10000000 smaller=900000
while getopts "n:s:" opt; do
  case $opt in
    n) ranges=$OPTARG ;;
    s) smaller=$OPTARG ;;
    *) exit 2 ;;
  esac
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. webtest/setup.sh
want speedscope

go build -o "$work/reel" ./cmd/reel
go run ./scripts/genreel -o "$work/big.reel" -ranges "$ranges"
REEL=$work/reel REEL_BIG=$work/big.reel node webtest/perf.mjs
go run ./scripts/genreel -o "$work/small.reel" -ranges "$smaller"
"$work/reel" export "$work/small.reel" --to speedscope -o "$work/small.json"
SPEEDSCOPE_FILE=$work/small.json node webtest/speedscope.mjs
