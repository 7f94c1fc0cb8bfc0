#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Times the chain of bench/channelise_host.cpp in numpy and scipy.fft, as JSON.

    numpy_channelise.py [--threads 2] [--rounds 5] > numpy.json

10-bit samples of two polarisations are unpacked, filtered with 16 taps, transformed, turned and
weighed, dithered, limited, rounded and transposed, in float32. Each way to filter (`taps` adds one
tap after another, `einsum` sums over a strided view) runs with scipy's threads inside a transform
(`fft`) and with a thread for each polarisation (`polarisations`).
"""
import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy
import scipy
from numpy.lib.stride_tricks import as_strided
from scipy import fft
from scipy_convolve import seconds_of

sys.path.insert(0, str(Path(__file__).parents[2] / "tests" / "support"))
from documents import document_text  # noqa: E402

TAPS, POLS, SAMPLES = 16, 2, 1 << 24


def weights_of(step):
    i = numpy.arange(step * TAPS)
    window = numpy.sin(numpy.pi * i / (step * TAPS - 1)) ** 2
    all_taps = window * numpy.sinc((i + 0.5) / step - TAPS / 2)
    return (all_taps / numpy.sqrt(numpy.sum(all_taps**2))).astype(numpy.float32)


def unpacked(packed):
    """Returns 10-bit samples, most significant bit first, four in five bytes, as floats."""
    five = packed.reshape(-1, 5)
    samples = numpy.empty((five.shape[0], 4), numpy.int16)
    wide = five.astype(numpy.uint16)
    for n in range(4):
        # The sample's ten bits at the top of 16, so that the shift down extends its sign.
        bits = wide[:, n] << (8 + 2 * n) | wide[:, n + 1] << 2 * n
        samples[:, n] = bits.view(numpy.int16) >> 6
    return samples.reshape(-1).astype(numpy.float32)


class Chain:
    """The chain of one polarisation, a heap at a time."""

    def __init__(self, channels, way, fft_threads, seed):
        self.channels, self.way, self.fft_threads = channels, way, fft_threads
        self.step = 2 * channels
        self.spectra = (1 << 20) // channels
        self.weights = weights_of(self.step).reshape(TAPS, self.step)
        k = numpy.arange(channels)
        self.factor = numpy.exp(-1j * numpy.pi * 0.3 * (k - channels / 2) / channels).astype(
            numpy.complex64)
        self.random = numpy.random.Generator(numpy.random.SFC64(seed))
        self.tail = numpy.zeros((TAPS - 1) * self.step, numpy.float32)
        self.product = numpy.empty((self.spectra, self.step), numpy.float32)
        self.dither = numpy.empty((self.spectra, 2 * channels), numpy.float32)

    def filtered(self, samples):
        rows = samples.reshape(-1, self.step)
        if self.way == "einsum":
            view = as_strided(rows, (self.spectra, TAPS, self.step),
                              (rows.strides[0], rows.strides[0], rows.strides[1]))
            return numpy.einsum("smj,mj->sj", view, self.weights)
        total = rows[:self.spectra] * self.weights[0]
        for m in range(1, TAPS):
            numpy.multiply(rows[m:m + self.spectra], self.weights[m], out=self.product)
            total += self.product
        return total

    def heap(self, packed, has_dither, out):
        samples = numpy.concatenate([self.tail, unpacked(packed)])
        self.tail = samples[-(TAPS - 1) * self.step:].copy()
        bins = fft.rfft(self.filtered(samples), axis=1, workers=self.fft_threads)
        values = (bins[:, :-1] * self.factor).view(numpy.float32)
        if has_dither:
            self.random.random(out=self.dither, dtype=numpy.float32)
            self.dither -= numpy.float32(0.5)
            values += self.dither
        limited = numpy.clip(values, -127, 127)
        saturated = numpy.count_nonzero((limited != values).reshape(-1, 2).any(axis=1))
        numpy.rint(limited, out=limited)
        out[...] = limited.astype(numpy.int8).reshape(self.spectra, -1, 2).transpose(1, 0, 2)
        return saturated


def run_of(channels, way, threads, has_dither, packed):
    """Returns a function that channelises all samples once; `threads` says where threads work."""
    per_fft, per_pols = (threads[1], 1) if threads[0] == "fft" else (1, threads[1])
    chains = [Chain(channels, way, per_fft, seed) for seed in range(POLS)]
    spectra, heap_bytes = chains[0].spectra, (2 << 20) * 10 // 8
    heap = numpy.empty((channels, spectra, POLS, 2), numpy.int8)
    pool = ThreadPoolExecutor(per_pols)

    def run():
        for begin in range(0, packed[0].size, heap_bytes):
            work = [(chain.heap, packed[p][begin:begin + heap_bytes], has_dither, heap[:, :, p])
                    for p, chain in enumerate(chains)]
            if per_pols == 1:
                for each in work:
                    each[0](*each[1:])
            else:
                for done in [pool.submit(*each) for each in work]:
                    done.result()
    return run


def main():
    arguments = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    arguments.add_argument("--threads", type=int, default=2)
    arguments.add_argument("--rounds", type=int, default=5)
    given = arguments.parse_args()
    # Packed noise of all bits: the work does not depend on the values.
    packed = numpy.random.default_rng(1).integers(0, 256, (POLS, SAMPLES * 10 // 8), numpy.uint8)
    results = []
    for channels in (1024, 4096, 32768):
        for way in ("taps", "einsum"):
            for where in ("fft", "polarisations"):
                for has_dither in (True, False):
                    run = run_of(channels, way, (where, given.threads), has_dither, packed)
                    times = seconds_of(run, given.rounds)
                    results.append({"channels": channels, "dither": has_dither, "filter": way,
                                    "threads_of": where, "seconds": times})
                    print(f"{channels:>6} channels, dither {has_dither!s:<5} {way:<7} threads of "
                          f"{where:<13} {times['min']:7.3f} s", file=sys.stderr)
    sys.stdout.write(document_text(
        {"schema": "wingbeat.numpy_channelise/1", "numpy": numpy.__version__,
         "scipy": scipy.__version__, "threads": given.threads, "rounds": given.rounds,
         "samples": POLS * SAMPLES, "taps": TAPS, "results": results}))


if __name__ == "__main__":
    main()
