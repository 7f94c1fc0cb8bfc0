#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes the pictures of `make demo` from a photograph, and checks what `wingbeat match` found.

    demo_pictures.py make FOLDER PHOTOGRAPH    writes noisy.png, patch.png, glow.npy, taps.txt
    demo_pictures.py check FOLDER              compares found.json with where the patch was cut
    demo_pictures.py delay FOLDER SAMPLES      compares the delay in voltages.npy, of channelised
                                               polarisations, with that of the simulation
"""
import json
import pathlib
import sys

PATCH = 64  # pixels of each side
PLACES = ((70, 200), (330, 96))  # row, column; the first one inside the photograph is cut
NOISE = 60.0  # standard deviation, of values from 0 to 255


def place_in(height, width):
    for row, column in PLACES:
        if row + PATCH <= height and column + PATCH <= width:
            return row, column
    sys.exit(f"the photograph is {height} x {width}; the demo needs {PATCH + PLACES[0][0]} x "
             f"{PATCH + PLACES[0][1]} or more")


def glow(size):
    """Most of the light stays; the rest spreads as 1 / (1 + r^2 / 16)^(3/2)."""
    import numpy
    axis = numpy.arange(size) - (size - 1) // 2
    wide = (1 + (axis[:, None] ** 2 + axis[None, :] ** 2) / 16.0) ** -1.5
    kernel = 0.5 * wide / wide.sum()
    kernel[(size - 1) // 2, (size - 1) // 2] += 0.5
    return kernel.astype(numpy.float32)


def make(folder, photograph):
    import numpy
    from PIL import Image
    pixels = numpy.asarray(Image.open(photograph).convert("RGB"))
    row, column = place_in(*pixels.shape[:2])
    Image.fromarray(pixels[row:row + PATCH, column:column + PATCH]).save(folder / "patch.png")
    noise = numpy.random.default_rng(1).normal(0, NOISE, pixels.shape)
    noisy = numpy.clip(pixels + noise, 0, 255).astype(numpy.uint8)
    Image.fromarray(noisy).save(folder / "noisy.png")
    numpy.save(folder / "glow.npy", glow(127))
    (folder / "taps.txt").write_text("0.125\n" * 8)
    (folder / "cut.json").write_text(json.dumps({"y": row, "x": column}))


def check(folder):
    cut = json.loads((folder / "cut.json").read_text())
    best = json.loads((folder / "found.json").read_text())["peaks"][0]
    print(f"The patch was cut at row {cut['y']}, column {cut['x']}, and found under noise at row "
          f"{best['y']}, column {best['x']}, with a correlation of {best['score']:.3f}.")
    if (best["y"], best["x"]) != (cut["y"], cut["x"]):
        sys.exit("That is another place: the demo failed.")


def delay(folder, samples):
    """Fits the cross-phase of two polarisations, -pi delay k / channels, along the channels k."""
    import numpy
    parts = numpy.load(folder / "voltages.npy").astype(numpy.float32)
    values = parts[..., 0] + 1j * parts[..., 1]  # [channel][spectrum][pol]
    cross = numpy.sum(values[:, :, 1] * values[:, :, 0].conj(), axis=1)
    phase = numpy.unwrap(numpy.angle(cross))
    slope = numpy.polyfit(numpy.arange(len(phase)), phase, 1, w=numpy.abs(cross))[0]
    found = -slope * len(phase) / numpy.pi
    print(f"The second polarisation comes {samples} samples later; the slope of the cross-phase of "
          f"its channels says {found:.3f}.")
    if abs(found - samples) > 0.05:
        sys.exit("That is another delay: the demo failed.")


def main(words):
    if len(words) == 3 and words[0] == "make":
        make(pathlib.Path(words[1]), words[2])
    elif len(words) == 2 and words[0] == "check":
        check(pathlib.Path(words[1]))
    elif len(words) == 3 and words[0] == "delay":
        delay(pathlib.Path(words[1]), float(words[2]))
    else:
        sys.exit(__doc__)


if __name__ == "__main__":
    main(sys.argv[1:])
