#!/bin/sh
# Train Lantern's checkpoint from nothing: retrain.sh WORK MODEL
#
# WORK keeps clips, weights and marks; MODEL is the Diffusers folder to write.
# PYTHON names the interpreter (with requirements.txt installed). The minutes fit
# two cores that have nothing else to do; MINUTES scales all of them.
set -eu
work=$1 model=$2 here=$(dirname "$0") python=${PYTHON:-python3} scale=${MINUTES:-1}
minutes() { awk "BEGIN { print $1 * $scale }"; }
mkdir -p "$work"
"$python" "$here/train_vae.py" --out "$work/vae" --minutes "$(minutes 35)"
"$python" "$here/latents.py" --vae "$work/vae/vae.pt" --out "$work/latents.pt"
"$python" "$here/train_dit.py" --latents "$work/latents.pt" --out "$work/dit" --minutes "$(minutes 75)"
"$python" "$here/export.py" --vae "$work/vae/vae.pt" --dit "$work/dit/dit.pt" --out "$model"
"$python" "$here/evaluate.py" --model "$model" --out "$work/marks" --threads 2
