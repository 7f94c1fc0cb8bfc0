#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""voltage_packages.py WINGBEAT FOLDER: recordings that baseband and blimpy ship or write are read,
number by number, and filterbanks and VDIF that we write are read by them and by your.

Uses the packages of FOLDER/environment, a virtual environment that it makes. Exit code 77 where the
packages cannot be installed.
"""

import json
import subprocess
import sys
import warnings
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
import environment  # noqa: E402

environment.enter(sys.argv[2], ["numpy", "astropy", "baseband", "your", "blimpy"])

import astropy.units as u  # noqa: E402
import baseband.dada  # noqa: E402
import baseband.data as samples  # noqa: E402
import baseband.guppi  # noqa: E402
import baseband.mark5b  # noqa: E402
import baseband.vdif  # noqa: E402
import numpy as np  # noqa: E402
from astropy.time import Time  # noqa: E402
from checks import check, end  # noqa: E402
from your import Your  # noqa: E402

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])
PLAIN = ["--taps", "1", "--window", "rect", "--cutoff", "0", "--engine", "host"]
warnings.simplefilter("ignore")  # of leap seconds, and times far from now


def channelise(files, *options):
    """Returns the statistics, none where it fails."""
    command = [PROGRAM, "channelise", *map(str, files), *PLAIN, *map(str, options),
               "--stats", FOLDER / "run.json"]
    run = subprocess.run(command, capture_output=True, text=True)
    check(run.returncode == 0, f"{files} {options}: {run.stderr.strip()}")
    return json.loads((FOLDER / "run.json").read_text()) if run.returncode == 0 else None


def check_samples(label, files, expected, *options, start=None, channels=16, is_part=False):
    """Channelised samples are the DFTs of those that another reader has, or begin with them.
    expected: [time][polarisation]"""
    told = channelise(files, "--channels", channels, "--output-bits", "fp32", "--output",
                      FOLDER / "read.npy", *options)
    if told is None:
        return
    values = np.load(FOLDER / "read.npy")
    ours = (values[..., 0] + 1j * values[..., 1]).transpose(1, 2, 0)  # [spectrum][pol][channel]
    expected = expected.reshape(len(expected), -1)
    length = channels if np.iscomplexobj(expected) else 2 * channels
    n = len(expected) // length
    blocks = expected[:n * length].reshape(n, length, -1).transpose(0, 2, 1)
    bins = np.fft.fft(blocks.astype(np.complex128))
    bins = np.fft.fftshift(bins, 2) if length == channels else bins[..., :channels]
    ours = ours[:n] if is_part else ours
    same = ours.shape == bins.shape
    check(same, f"{label}: {ours.shape} is not {bins.shape}")
    if same:
        scale = np.vdot(bins, ours) / np.vdot(bins, bins)
        error = np.abs(ours - scale * bins).max() / np.abs(ours).max()
        check(error < 1e-3, f"{label}: other samples, by {error}")
    if start is not None:
        ours = Time(told["start_mjd"], told["start_s"] / 86400, format="mjd")
        check(abs((ours - start).to_value(u.s)) < 2e-6, f"{label}: {ours.isot} is not {start.isot}")


def read(name, count=None, **options):
    with baseband.open(name, "rs", **options) as stream:
        return stream.read(count), stream.start_time


def check_vdif():
    rate = 32 * u.MHz
    # Odd threads of the second file are years behind the even ones.
    for name, pairs in (("SAMPLE_VDIF", ((0, 1), (7, 2), (5,))),
                        ("SAMPLE_VLBI_VDIF", ((1, 3), (7, 5)))):
        path = getattr(samples, name)
        data, start = read(path, sample_rate=rate)
        for threads in pairs:
            options = ["--vdif-threads", ",".join(map(str, threads)), "--levels", "optimal",
                       "--adc-rate", "32e6"]
            check_samples(f"{name} {threads}", [path], data[:, threads], *options, start=start)
    data, start = read(samples.SAMPLE_BPS1_VDIF, sample_rate=8 * u.MHz)
    for channel in (0, 3):
        check_samples("1 bit", [samples.SAMPLE_BPS1_VDIF], data.reshape(len(data), -1)[:, channel],
                      "--coarse-channel", channel, "--adc-rate", 8e6, start=start)


def check_written_vdif():
    """Files that baseband writes, of all of its widths."""
    generator = np.random.default_rng(3)
    for bits in (1, 2, 4, 8):
        for is_complex in (False, True):
            for n_threads, n_channels in ((1, 1), (2, 1), (1, 4)):
                path = FOLDER / "x.vdif"
                shape = (64000, n_threads, n_channels)
                data = generator.normal(0, 2.2, shape)
                if is_complex:
                    data = data + 1j * generator.normal(0, 2.2, shape)
                with baseband.vdif.open(
                        path, "ws", sample_rate=1 * u.MHz, samples_per_frame=1600,
                        nthread=n_threads, complex_data=is_complex, bps=bits, edv=1,
                        station="wb", nchan=n_channels,
                        time=Time("2026-11-29T21:40:00"), squeeze=False) as stream:
                    stream.write(data.astype("c8" if is_complex else "f4"))
                data, start = read(path, squeeze=False)
                label = f"{bits} bits, {n_threads} threads, {n_channels} channels, {is_complex}"
                options = ["--levels", "optimal", "--adc-rate", 1e6]
                if n_channels > 1:
                    options += ["--coarse-channel", "3,1"]
                    data = data[..., (3, 1)]
                check_samples(label, [path], data, *options, start=start)


def check_mark5b():
    path = samples.SAMPLE_MARK5B
    data, start = read(path, format="mark5b", sample_rate=32 * u.MHz, kday=56000, nchan=8, bps=2)
    for channels in ("0", "7,4"):
        columns = [int(c) for c in channels.split(",")]
        check_samples(f"Mark 5B {channels}", [path], data[:, columns], "--file-channels", 8,
                      "--coarse-channel", channels, "--levels", "optimal", "--adc-rate", 32e6,
                      "--start-mjd", 56800, start=start)
    generator = np.random.default_rng(4)
    for bits, n_channels in ((1, 4), (2, 1), (1, 32), (2, 16)):
        path = FOLDER / "x.m5b"
        n = 10000 * 8 // bits // n_channels
        with baseband.mark5b.open(path, "ws", sample_rate=n * 400 * u.Hz, nchan=n_channels,
                                  bps=bits, time=Time("2014-06-16T05:56:07"),
                                  squeeze=False) as stream:
            stream.write(generator.normal(0, 2.2, (4 * n, n_channels)).astype("f4"))
        data, start = read(path, format="mark5b", kday=56000, nchan=n_channels, bps=bits,
                           sample_rate=n * 400 * u.Hz, squeeze=False)
        check_samples(f"Mark 5B {bits} {n_channels}", [path], data[:, n_channels - 1],
                      "--file-channels", n_channels, "--coarse-channel", n_channels - 1,
                      "--sample-bits", bits, "--levels", "optimal", "--adc-rate", n * 400,
                      "--start-mjd", 56800, start=start)


def check_dada():
    data, start = read(samples.SAMPLE_DADA)
    check_samples("DADA", [samples.SAMPLE_DADA], data, start=start)
    data, start = read(samples.SAMPLE_MEERKAT_DADA)
    check_samples("DADA of EDD", [samples.SAMPLE_MEERKAT_DADA], data, start=start)
    # A sequence, and one whose second file is missing.
    generator = np.random.default_rng(5)
    names = str(FOLDER / "{obs_offset:016d}.dada")
    values = (generator.integers(-100, 100, (64000, 2))
              + 1j * generator.integers(-100, 100, (64000, 2))).astype("c8")
    with baseband.dada.open(names, "ws", sample_rate=16 * u.MHz, samples_per_frame=16000, npol=2,
                            nchan=1, complex_data=True, bps=8, freq=1400, bw=16,
                            source="J0534+2200", time=Time("2026-11-29T21:40:00")) as stream:
        stream.write(values)
    files = sorted(FOLDER.glob("0*.dada"))
    check(len(files) == 4, "a sequence of four files")
    start = Time("2026-11-29T21:40:00")
    check_samples("a sequence", files, values, "--sequence", start=start)
    check_samples("in another order", files[::-1], values, "--sequence", start=start)
    values[16000:32000] = 0
    check_samples("a gap", [files[0], *files[2:]], values, "--sequence", "--missing", "zero-fill",
                  start=start)
    whole = files[0].read_bytes()
    (FOLDER / "x.hdr").write_bytes(whole[:4096].rstrip(b"\0"))
    (FOLDER / "x.dat").write_bytes(whole[4096:])
    check_samples("a header beside", [FOLDER / "x.hdr", FOLDER / "x.dat"], values[:16000],
                  "--sequence", start=start)


def check_guppi():
    path = samples.SAMPLE_PUPPI
    data, start = read(path)
    for c in range(4):
        # Its blocks contradict each other where they overlap, behind 960 samples.
        check_samples(f"PUPPI {c}", [path], data[:960, :, c], "--coarse-channel", c, start=start,
                      is_part=True)
    generator = np.random.default_rng(6)
    values = (generator.integers(-100, 100, (32768, 2, 8))
              + 1j * generator.integers(-100, 100, (32768, 2, 8))).astype("c8")
    for layout in ("1SFA", "SIMPLE"):
        for old in FOLDER.glob("g.*.raw"):
            old.unlink()
        with baseband.guppi.open(
                str(FOLDER / "g.{file_nr:04d}.raw"), "ws", frames_per_file=2,
                samples_per_frame=4096, npol=2, nchan=8, bps=8, sample_rate=1 * u.MHz,
                pktsize=1024, pktfmt=layout,
                obsfreq=1400, sideband=False, src_name="B0329+54", overlap=0,
                time=Time("2026-11-29T21:40:00")) as stream:
            stream.write(values)
        files = sorted(FOLDER.glob("g.*.raw"))
        check(len(files) == 4, "four files of GUPPI raw")
        for c in (0, 5):
            check_samples(f"GUPPI {layout} {c}", files, values[..., c], "--sequence",
                          "--coarse-channel", c, start=Time("2026-11-29T21:40:00"))
    return files, values


def powers_of(values, channels):
    """[row][channel] of all coarse channels, whose frequencies fall, from complex samples."""
    n = len(values) // channels
    blocks = values[:n * channels].reshape(n, channels, *values.shape[1:])
    bins = np.fft.fftshift(np.fft.fft(blocks, axis=1), 1)  # [spectrum][channel][pol][coarse]
    powers = (np.abs(bins)**2).sum(2)
    return powers.transpose(0, 2, 1).reshape(n, -1)


def check_filterbank(files, values):
    expected = powers_of(values, 16)
    for bits, word in ((32, "fp32"), (16, "16"), (8, "8")):
        for summed in (1, 4):
            path = FOLDER / "x.fil"
            told = channelise(files, "--sequence", "--channels", 16, "--output", path,
                              "--output-bits", word, "--sum-spectra", summed)
            if told is None:
                continue
            header = Your(str(path)).your_header
            check(header.nchans == 128 and header.nbits == bits, f"{bits} bits: {header}")
            check(abs(header.foff + 1 / 16) < 1e-9, f"a step of {header.foff} MHz")
            # Channel 8 of 16 is in the middle of a coarse channel, so channel 0 is at the edge.
            check(abs(header.fch1 - 1404) < 1e-9, f"the first channel at {header.fch1} MHz")
            check(abs(header.tsamp - summed * 16e-6) < 1e-12, f"rows of {header.tsamp} s")
            start = Time("2026-11-29T21:40:00").mjd
            check(abs(header.tstart - start) < 1e-9, f"a start at {header.tstart}")
            rows = len(expected) // summed
            data = Your(str(path)).get_data(0, rows)
            wanted = expected[:rows * summed].reshape(rows, summed, -1).sum(1)
            check(data.shape == wanted.shape, f"{data.shape} is not {wanted.shape}")
            for k in (0, 7, 127):
                match = np.corrcoef(data[:, k].astype(float), wanted[:, k])[0, 1]
                check(match > (0.999999 if bits > 8 else 0.998), f"{bits} bits, {k}: {match}")


def check_our_vdif(files):
    for word, bits in (("4", 4), ("8", 8)):
        path = FOLDER / "out.vdif"
        options = ["--sequence", "--coarse-channel", 2, "--channels", 16, "--dither", "none",
                   "--spectra-per-heap", 32]
        told = channelise(files, *options, "--output", path, "--output-bits", word)
        if told is None:
            continue
        channelise(files, *options, "--output", FOLDER / "out.npy", "--output-bits", 8)
        with baseband.open(path, "rs", format="vdif", sample_rate=62.5 * u.kHz,
                           squeeze=False) as stream:
            data, start = stream.read(), stream.start_time
        check(abs((start - Time("2026-11-29T21:40:00")).to_value(u.s)) < 1e-6, f"{start.isot}")
        ours = np.load(FOLDER / "out.npy").astype(float)
        ours = (ours[..., 0] + 1j * ours[..., 1]).transpose(1, 2, 0)[:len(data)]
        if bits == 8:
            data = data * 35.5 - 0.5 - 0.5j
            check(np.abs(data - ours).max() < 1e-3, "VDIF of 8 bits has other numbers")
        else:
            clipped = np.clip(ours.real, -7, 7) + 1j * np.clip(ours.imag, -7, 7)
            check(np.abs(data * 2.95 - clipped).max() < 1e-3, "VDIF of 4 bits has other numbers")


check_vdif()
check_written_vdif()
check_mark5b()
check_dada()
sequence, voltages = check_guppi()
check_filterbank(sequence, voltages)
check_our_vdif(sequence)
end(" against baseband and your")
