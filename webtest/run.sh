#!/usr/bin/env bash
# Tests the page in Chromium: every view on real runs, keys, frames, addresses, a run that
# grows, hostile names, and drawn pixels against what every single range says.
#
#   webtest/run.sh [-o FOLDER]
#
#   -o  keep pictures of every view in FOLDER
# Environment:
#   REEL_NODE         where playwright-core is kept ($HOME/.cache/reel/node); made when absent
#   REEL_SHARED_DATA  the folder of sample traces; without it those tests are skipped
#   ONLY              names of tests, separated by commas: pixels,hostile,grows,places,lantern,live,sd35,ranks,nsys
#
# What cannot be installed is told in a "skipped" line, exit status 0; a failed check is 1.
set -euo pipefail
cd "$(dirname "$0")/.."
here=$PWD

keep=
while getopts "o:" opt; do
  case $opt in
    o) mkdir -p "$OPTARG" && keep=$(cd "$OPTARG" && pwd) ;;
    *) exit 2 ;;
  esac
done

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. webtest/setup.sh

go build -o "$work/reel" ./cmd/reel
export REEL=$work/reel REEL_SHARED_DATA=${REEL_SHARED_DATA:-$here/../shared/data}
node webtest/main.mjs "$work" ${keep:+"$keep"}
