#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""gpu_short_time_times.py: how long wingbeat.torch takes for features of speech, the loss of a
vocoder and an inverse, on a GPU.

Prints a line of JSON for each: the median of 20 calls by events, in microseconds; `graph_us` is of
the same calls captured once and replayed."""

import dataclasses
import json
import statistics

import torch

import wingbeat.torch as wt
from wingbeat import short_time


def median_us(call, n=20):
    for _ in range(3):
        call()
    torch.cuda.synchronize()
    times = []
    for _ in range(n):
        begin, end = (torch.cuda.Event(enable_timing=True) for _ in range(2))
        begin.record()
        call()
        end.record()
        end.synchronize()
        times.append(1e3 * begin.elapsed_time(end))
    return round(statistics.median(times), 1)


def graphed_us(call):
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):
        for _ in range(3):
            call()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        call()
    return median_us(graph.replay)


def report(work, call):
    line = {"work": work, "us": median_us(call)}
    try:
        line["graph_us"] = graphed_us(call)
    except Exception as failed:
        line["graph"] = f"{type(failed).__name__}: {str(failed).splitlines()[0][:120]}"
    print(json.dumps(line), flush=True)


def gradient_of(function, x):
    x = x.detach().clone().requires_grad_(True)
    return lambda: torch.autograd.grad(function(x).sum(), x)


def main():
    torch.manual_seed(0)
    speech = 0.1 * torch.randn(64, 160000, device="cuda")
    whisper = short_time.whisper()
    report("whisper, 64 rows of 10 s", lambda: wt.short_time(speech, whisper))
    plain = dataclasses.replace(whisper, range=0.0)
    report("log-mel, 64 rows of 10 s", lambda: wt.short_time(speech, plain))
    report("log-mel and its gradient", gradient_of(lambda x: wt.short_time(x, plain), speech))
    kaldi = short_time.kaldi_fbank(n_bands=80)
    report("kaldi's fbank of 64 rows", lambda: wt.short_time(speech, kaldi))
    loss = wt.MultiResolutionSTFTLoss((512, 1024, 2048), (128, 256, 512), (512, 1024, 2048)).cuda()
    x, y = (0.1 * torch.randn(32, 24000, device="cuda") for _ in range(2))
    report("loss of three resolutions and its gradient", gradient_of(lambda x: loss(x, y), x))
    window = torch.hann_window(8192, device="cuda")
    long = torch.randn(2**28, device="cuda")
    spectra = wt.stft(long, 8192, 2048, window=window, return_complex=True)
    report("stft of 2^28 samples", lambda: wt.stft(long, 8192, 2048, window=window,
                                                   return_complex=True))
    report("istft of 2^28 samples", lambda: wt.istft(spectra, 8192, 2048, window=window,
                                                     length=2**28))


if __name__ == "__main__":
    main()
