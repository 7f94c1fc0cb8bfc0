#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# demo_engine.sh WINGBEAT FOLDER: ten seconds of a telescope on this machine. A simulated digitiser
# sends two polarisations over the loopback interface to an F-engine, which sends their channels to
# a receiver; that one checks the tone and that nothing is lost, and draws what it received.
set -euo pipefail
wingbeat=$(realpath "$1")
cd "$2"
rate=8e6 sync=$(date +%s)
# Channel 1.25e6 / (8e6 / 2 / 1024) = 320. Its magnitude is half the amplitude, 0.05 of 511, times
# the sum of the weights, 46.46, times the gain, 0.2: 118.7. The noise keeps its rms: 5.1.
tone=1.25e6

free_ports() {
  /usr/bin/python3 -c '
import socket, sys
held = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(int(sys.argv[1]))]
for each in held: each.bind(("127.0.0.1", 0))
print(*(each.getsockname()[1] for each in held))' "$1"
}
read -r port0 port1 port < <(free_ports 3)
# Eight addresses of each polarisation: each socket has a buffer, should this machine be busy.
digitiser=127.0.0.1+7:$port0,127.0.0.1+7:$port1 output=127.0.0.1+1:$port
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT

"$wingbeat" receive "$output" --interface lo --timeout 30 \
  --adc-sample-rate "$rate" --waterfall engine.png --stats received.json \
  --expect 'cw channel=320 pol=0 magnitude=118.7 tolerance=3' \
  --expect 'floor pol=0 magnitude=6.5' --expect 'floor pol=1 magnitude=6.5' \
  --expect 'lost most=0' --log-level warn &
receiver=$!
"$wingbeat" fengine "$digitiser" --engine host --adc-sample-rate "$rate" \
  --sync-time "$sync" --recv-interface lo --send-interface lo --recv-chunk-samples 1048576 \
  --katcp-port 0 --gain 0.2 --stats engine.json \
  --wideband "name=wide,channels=1024,jones_per_batch=262144,dst=$output" \
  2> engine.log &
engine=$!
for _ in $(seq 100); do
  grep -q 'katcp on port' engine.log 2>/dev/null && break
  sleep 0.1
done
"$wingbeat" dsim "cw(0.05, $tone) + wgn(0.05, 1)" 'wgn(0.05, 2)' --interface lo \
  --dst "$digitiser" --adc-sample-rate "$rate" --sync-time "$sync" \
  --duration 10 --stats digitiser.json --log-level warn
sleep 1
kill -TERM "$engine"
wait "$engine"
tail -n 1 engine.log
wait "$receiver"
