#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""signal_packages.py WINGBEAT FOLDER: recordings that soundfile, scipy, Python's wave, sigmf, h5py
and numpy write are read, number by number, and they read what we write.

Uses the packages of FOLDER/environment, a virtual environment that it makes. Exit code 77 where the
packages cannot be installed.
"""

import json
import subprocess
import sys
import tarfile
import wave
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "support"))
import environment  # noqa: E402

environment.enter(sys.argv[2], ["numpy", "scipy", "soundfile", "sigmf", "h5py"])

import h5py  # noqa: E402
import numpy as np  # noqa: E402
import sigmf  # noqa: E402
import soundfile  # noqa: E402
from checks import check, end  # noqa: E402
from scipy.io import wavfile  # noqa: E402

PROGRAM, FOLDER = sys.argv[1], Path(sys.argv[2])
RATE = 48000
GENERATOR = np.random.default_rng(1)
SOUND = np.clip(GENERATOR.normal(size=(3000, 2)) * 0.2, -0.9, 0.9)


def filtered(source, target, *options, content=None):
    """Filters by one tap, which is 1, and returns whether that went well."""
    (FOLDER / "one.txt").write_text("1\n")
    run = subprocess.run([PROGRAM, "filter", source, FOLDER / "one.txt", "-o", target, "--engine",
                          "host", "--precision", "fp64", *options], capture_output=True,
                         input=content)
    check(run.returncode == 0, f"{source} {options}: {run.stderr.decode().strip()}")
    return run.returncode == 0


def check_read(source, expected, *options, tolerance=1e-15, content=None):
    """What we read of a file is `expected`, channel by channel, or complex."""
    target = FOLDER / "read.npy"
    if filtered(source, target, *options, content=content):
        actual = np.load(target)
        tolerance *= max(1, np.abs(expected).max())
        check(actual.shape == expected.shape and np.allclose(actual, expected, 0, tolerance),
              f"{source} {options}: other numbers")


def check_soundfile():
    for kind, coding in (("WAV", "PCM_U8"), ("WAV", "PCM_16"), ("WAV", "PCM_24"), ("WAV", "PCM_32"),
                         ("WAV", "FLOAT"), ("WAV", "DOUBLE"), ("WAVEX", "PCM_24"),
                         ("RF64", "PCM_24"), ("RF64", "FLOAT"), ("W64", "PCM_24"),
                         ("VOC", "PCM_16"), ("NIST", "PCM_16"),
                         ("FLAC", "PCM_16"), ("FLAC", "PCM_24"), ("AIFF", "PCM_24"),
                         ("AIFF", "FLOAT"), ("AU", "PCM_16"), ("CAF", "PCM_24"), ("OGG", "VORBIS"),
                         ("MP3", "MPEG_LAYER_III")):
        path = FOLDER / f"in.{'wav' if kind in ('WAVEX', 'RF64') else kind.lower()}"
        soundfile.write(path, SOUND, RATE, format=kind, subtype=coding)
        lossy = coding in ("VORBIS", "MPEG_LAYER_III")
        expected = soundfile.read(path, dtype="float64")[0].T
        check_read(path, expected, tolerance=1e-6 if lossy else 1e-15)
        if not lossy:
            check_read("-", expected, content=path.read_bytes())


def check_codings_without_seeking():
    path = FOLDER / "in.wav"
    for coding in ("GSM610", "G721_32", "NMS_ADPCM_16"):
        soundfile.write(path, SOUND[:, 0], 8000, format="WAV", subtype=coding)
        with soundfile.SoundFile(path) as sound:
            check_read(path, sound.read(sound.frames))


def check_scipy():
    path = FOLDER / "in.wav"
    for kind, scale, zero in (("u1", 128, 128), ("i2", 2**15, 0), ("i4", 2**31, 0), ("f4", 1, 0),
                              ("f8", 1, 0)):
        values = (SOUND * scale + zero).astype(kind)
        wavfile.write(path, RATE, values)
        expected = (values.astype("f8") - zero) / scale
        check_read(path, expected.T)
        header = bytearray(path.read_bytes())
        for size in (b"\0\0\0\0", b"\xff\xff\xff\xff", b"\0\xf0\xff\x7f"):  # of streams
            data = header.index(b"data")
            header[4:8] = header[data + 4:data + 8] = size
            check_read("-", expected.T, content=bytes(header))
    with wave.open(str(path), "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(3)
        out.setframerate(RATE)
        whole = np.round(SOUND[:, 0] * 2**23).astype("<i4")
        out.writeframes(b"".join(int(each).to_bytes(3, "little", signed=True) for each in whole))
    check_read(path, whole / 2**23)


def check_written():
    path = FOLDER / "out.wav"
    soundfile.write(FOLDER / "in.flac", SOUND, RATE, subtype="PCM_24")
    expected = soundfile.read(FOLDER / "in.flac")[0]
    for name in ("out.wav", "out.flac"):
        if filtered(FOLDER / "in.flac", FOLDER / name):
            values, rate = soundfile.read(FOLDER / name)
            check(rate == RATE and np.array_equal(values, expected), f"{name} is other")
    rate, values = wavfile.read(path)
    check(rate == RATE and np.array_equal(values, expected.astype("f4")), "scipy reads other")


def check_radio():
    z = (GENERATOR.normal(size=1000) + 1j * GENERATOR.normal(size=1000)) * 0.1
    parts = z.view("f8")
    for name, values, expected in (
            ("cf32_le", z.astype("<c8"), z.astype("c8")),
            ("cf64_be", z.astype(">c16"), z),
            ("ci16_le", np.round(parts * 2**15).astype("<i2"), None),
            ("ci8", np.round(parts * 2**7).astype("i1"), None),
            ("cu8", np.round(parts * 2**7 + 128).astype("u1"), None)):
        data, meta = FOLDER / "x.sigmf-data", FOLDER / "x.sigmf-meta"
        values.tofile(data)
        document = sigmf.SigMFFile(data_file=data, global_info={
            sigmf.SigMFFile.DATATYPE_KEY: name, sigmf.SigMFFile.SAMPLE_RATE_KEY: 2e6})
        document.add_capture(0, metadata={sigmf.SigMFFile.FREQUENCY_KEY: 1e8})
        document.add_annotation(100, 50, metadata={sigmf.SigMFFile.LABEL_KEY: "tone"})
        document.tofile(meta, overwrite=True)
        expected = document.read_samples() if expected is None else expected
        check_read(meta, expected)
        check_read(data, expected, "--format", name)
        with tarfile.open(FOLDER / "x.sigmf", "w") as archive:
            for each in (data, meta):
                archive.add(each, f"x/{each.name}")
        check_read(FOLDER / "x.sigmf", expected)
        if filtered(meta, FOLDER / "y.sigmf"):
            packed = sigmf.sigmffile.fromfile(FOLDER / "y.sigmf")
            check(np.allclose(packed[:], expected, 0, 1e-7) and
                  packed.get_captures()[0]["core:frequency"] == 1e8, f"{name} in an archive")
            with tarfile.open(FOLDER / "y.sigmf") as archive:
                check(archive.getnames() == ["y/y.sigmf-meta", "y/y.sigmf-data"], "tar's names")
        if filtered(meta, FOLDER / "y.sigmf-meta"):
            written = sigmf.sigmffile.fromfile(FOLDER / "y.sigmf-meta")
            written.validate()
            kind = written.get_global_info()["core:datatype"]
            stored = {"cf32_le": "<c8", "cf64_le": "<c16"}[kind]
            values = np.fromfile(FOLDER / "y.sigmf-data", stored)
            check(np.allclose(values, expected, 0, 1e-15 if "64" in kind else 1e-7),
                  f"{name} written")
            kept = json.loads((FOLDER / "y.sigmf-meta").read_text())
            check(kept["captures"][0]["core:frequency"] == 1e8 and
                  kept["annotations"][0]["core:sample_start"] == 100, "what SigMF keeps")
    soundfile.write(FOLDER / "iq.wav", np.round(parts.reshape(-1, 2) * 2**15).astype("i2"), RATE)
    check_read(FOLDER / "iq.wav", np.round(parts * 2**15).view("c16") / 2**15, "--format", "iq")


def check_hdf5():
    path = FOLDER / "x.h5"
    z = GENERATOR.normal(size=(3, 40)) + 1j * GENERATOR.normal(size=(3, 40))
    with h5py.File(path, "w") as out:
        for kind in ("i1", "u2", ">i4", "f2", "f4", ">f8"):
            out[f"g/{kind}"] = (100 * z.real).astype("i1").astype(kind)
        for kind in ("c8", "c16"):
            out.create_dataset(f"g/{kind}", data=z.astype(kind), chunks=(2, 7), compression="gzip")
        out["column"] = z[0].real.reshape(-1, 1)
        pairs = np.zeros(40, [("real", "f8"), ("imag", "f8")])
        pairs["real"], pairs["imag"] = z[0].real, z[0].imag
        out["matlab"] = pairs
    for kind in ("i1", "u2", ">i4", "f2", "f4", ">f8"):
        check_read(f"{path}:/g/{kind}", (100 * z.real).astype("i1").astype(kind).astype("f8"))
    check_read(f"{path}:/g/c16", z)
    run = subprocess.run([PROGRAM, "transform", path], capture_output=True, text=True)
    check("has 10 datasets; name one of /column, /g/>f8" in run.stderr, run.stderr)
    check_read(f"{path}:/g/c8", z.astype("c8"))
    check_read(f"{path}:/column", z[0].real)
    check_read(f"{path}:/matlab", z[0])
    with h5py.File(FOLDER / "v73.mat", "w", userblock_size=512) as out:
        out["x"] = z[:1].real
    with open(FOLDER / "v73.mat", "r+b") as out:
        out.write(b"MATLAB 7.3 MAT-file, Platform: GLNXA64".ljust(124) + b"\0\2IM")
    check_read(FOLDER / "v73.mat", z[0].real)
    np.save(FOLDER / "in.npy", z)
    if filtered(FOLDER / "in.npy", FOLDER / "y.h5"):
        with h5py.File(FOLDER / "y.h5") as written:
            check(np.allclose(written["values"][:], z, 0, 1e-15), "written HDF5")
    soundfile.write(FOLDER / "in.wav", SOUND, RATE)
    run = subprocess.run([PROGRAM, "transform", FOLDER / "in.wav", "--spectrogram", "--engine",
                          "host", "-o", FOLDER / "p.h5"], capture_output=True)
    check(run.returncode == 0, run.stderr)
    with h5py.File(FOLDER / "p.h5") as written:
        values = written["spectrogram"]
        check(values.dims[1][0].name == "/frequency" and values.attrs["units"] == "unit²/Hz" and
              written["time"].attrs["units"] == "s" and
              written["frequency"][1] == RATE / 256, "axes of a spectrogram")


def check_csv():
    z = GENERATOR.normal(size=40) + 1j * GENERATOR.normal(size=40)
    path = FOLDER / "x.csv"
    np.savetxt(path, np.stack([np.arange(40), z.real], 1), delimiter=",", header="t,volt",
               comments="")
    check_read(path, z.real, "--column", "volt")
    check_read(path, z.real, "--column", "1")
    np.savetxt(path, z, header="complex")
    check_read(path, z)
    np.savetxt(path, np.stack([z.real + 0j, z], 1), delimiter=",")
    check_read(path, z, "--column", "1")


for part in (check_soundfile, check_codings_without_seeking, check_scipy, check_written,
             check_radio, check_hdf5, check_csv):
    part()
end()
