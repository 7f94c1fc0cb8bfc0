#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# spead2 4.5.1: items of signed integers of 24, 40 or 48 bits, which SPEAD has, take no negative value:
# a Python OverflowError; of 8, 16, 32 and 64 bits they do. (A packet's own immediates of 48 bits are
# unsigned; this is about the item's format.)
# Seen: OverflowError for -5 in 24, 40, 48 bits; none for 5, nor for -5 in 8, 16, 32, 64 bits.
set -euo pipefail
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check numpy==2.4.6 spead2==4.5.1
"$folder/venv/bin/python" - "$folder" <<'end'
import spead2
import spead2.send

refused = []
for bits in 8, 16, 24, 32, 40, 48, 64:
    for value in 5, -5:
        group = spead2.send.ItemGroup(flavour=spead2.Flavour(4, 64, 48))
        group.add_item(0x1000, "value", "a number", shape=(), format=[("i", bits)], value=value)
        try:
            group.get_heap()
        except OverflowError as error:
            print(f"{value} in {bits} bits: OverflowError: {error}")
            refused.append((bits, value))
assert refused == [(24, -5), (40, -5), (48, -5)], "the behaviour changed"
end
