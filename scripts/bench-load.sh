#!/bin/sh
# Compares the load of a VAE with the shapes of Wan 2.1 (reading and assigning 250 MB
# of F16 weights, in the page cache) with reading the file as cat does and copying it
# once into fresh memory, all in one run: load/(cat+memcpy) is to stay below 1.5.
# FOLDER is made by scripts/genvae where it is not given; ROUNDS are 10.
#
#	scripts/bench-load.sh [FOLDER [ROUNDS]]
set -e
cd "$(dirname "$0")/.."
vae=$1
if [ -z "$vae" ]; then
	vae=$(mktemp -d)
	trap 'rm -rf "$vae"' EXIT
	go run ./scripts/genvae "$vae"
fi
vae=$(cd "$vae" && pwd)
REEL_LANTERN_VAE=$vae go test -run '^$' -bench '^BenchmarkLoad$' -benchtime "${2:-10}x" ./lantern/wan
