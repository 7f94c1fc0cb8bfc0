#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# several_machines.sh [WINGBEAT]: transforms over all GPUs of one machine by one process, then, in a
# job of Slurm, over all of its tasks, one GPU each; a line of JSON for each run on stdout. Made for
# machines larger than those that were measured; docs/several_gpus.md has what to expect.
#
#   bench/several_machines.sh build/release/apps/cli/wingbeat > several.jsonl
#   salloc --nodes 4 --ntasks-per-node 8 --gpus-per-task 1 bench/several_machines.sh > several.jsonl
set -u
wingbeat=${1:-wingbeat}
cubes=${CUBES:-256x256x256,512x512x512,1024x1024x1024,2048x2048x2048}
planes=${PLANES:-4096x4096,16384x16384,32768x32768}
rule=(--seconds "${SECONDS_EACH:-2}" --rounds 20)

# run NAME COMMAND..: the document of one run, with its name, in one line.
run() {
  local name=$1
  shift
  printf '{"name": "%s", "document": ' "$name"
  "$@" --json - | tr -d '\n'
  printf '}\n'
}

# over MORE..: every kind of problem; MORE chooses who takes part.
over() {
  local name=$1
  shift
  for kind in c2c c2c-inverse r2c c2r; do
    run "$name $kind" "$@" --all-devices --kind "$kind" --lengths "$cubes,$planes" "${rule[@]}"
  done
  run "$name one axis" "$@" --all-devices --lengths 2^24,2^26,2^28 "${rule[@]}"
  run "$name natural" "$@" --all-devices --natural-bins --lengths "$cubes" "${rule[@]}"
  run "$name fp64" "$@" --all-devices --precision fp64 --lengths 512x512x512,1024x1024x1024 "${rule[@]}"
}

if [ -n "${DEVICES:-}" ]; then
  devices=$DEVICES
else
  devices=$(nvidia-smi --query-gpu=index --format=csv,noheader 2> /dev/null | paste -sd, -)
fi
# One after another: 2, 4, 8 of them.
count=$(tr ',' '\n' <<< "$devices" | grep -c .)
for n in 2 4 8 16; do
  [ "$n" -le "$count" ] || break
  over "one process, $n ranks" "$wingbeat" bench --devices "$(cut -d, -f"1-$n" <<< "$devices")"
done

if [ -n "${SLURM_JOB_ID:-}" ]; then
  over "processes, memory shared where it can be" srun "$wingbeat" bench --processes
  over "processes, by NCCL" srun "$wingbeat" bench --processes --by-nccl
  over "processes, by TCP" srun "$wingbeat" bench --processes --by-tcp
fi
