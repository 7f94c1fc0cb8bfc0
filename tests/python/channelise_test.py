# SPDX-License-Identifier: Apache-2.0
"""wingbeat.channelise beside the sums that define it, as docs/signal_path.md has them."""

import signal

import numpy as np
import pytest

import wingbeat
from other_libraries import assert_same, each_library
from wingbeat import channelise
from wingbeat.channelise import Channeliser, Delay

RNG = np.random.default_rng(37)
N, TAPS = 16, 4  # channels, taps


def samples_of(n, polarisations=2):
    return RNG.integers(-500, 500, (polarisations, n)).astype(np.int16)


def bank_of(**options):
    return Channeliser(**{"adc_rate_hz": 1e6, "channels": N, "taps": TAPS, "spectra_per_heap": 16,
                          "output": "float32", **options})


def weights(length, taps, cutoff=1.0):
    """Returns the filter bank's weights of `taps` windows of `length` samples."""
    i = np.arange(taps * length)
    w = np.sin(np.pi * i / (len(i) - 1))**2 * np.sinc(cutoff * ((i + 0.5) / length - taps / 2))
    return w / np.sqrt((w**2).sum())


def spectrum(x, time, delay=0.0, phase=0.0):
    """Returns the bins of one spectrum of real samples at an output time, by their sums."""
    coarse = int(np.rint(delay))
    step = 2 * N
    first = time - coarse
    y = (x[first:first + TAPS * step] * weights(step, TAPS)).reshape(TAPS, step).sum(0)
    k = np.arange(N)
    bins = np.exp(-2j * np.pi * np.outer(k, np.arange(step)) / step) @ y
    turn = -np.pi * (delay - coarse) * (k - N / 2) / N + phase + np.pi / 2 * coarse
    return bins * np.exp(1j * turn)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128", "int16"])
@pytest.mark.parametrize("n, taps, channels", [(100, 3, 8), (64, 1, 64), (37, 5, 7), (9, 40, 3),
                                               (3, 2, 4)])
def test_polyphase_channels_are_their_sums(dtype, n, taps, channels):
    x, h = 20 * RNG.standard_normal(n), RNG.standard_normal(taps * channels + 1)
    if dtype.startswith("complex"):
        x, h = x + 1j * RNG.standard_normal(n), h + 1j * RNG.standard_normal(len(h))
    x, h = x.astype(dtype), h if dtype == "int16" else h.astype(dtype)
    result = channelise.channelize_poly(x, h, channels)
    n_points = n // channels
    expected = np.zeros((channels, n_points), complex)
    for k, p, t, c in np.ndindex(channels, n_points, taps, channels):
        if t <= p:
            sample = x[(p - t) * channels + channels - 1 - c]
            turn = np.exp(2j * np.pi * c * k / channels)
            expected[k, p] += complex(h[t * channels + c]) * complex(sample) * turn
    assert result.dtype == ("complex64" if dtype in ("float32", "complex64") else "complex128")
    assert result.shape == expected.shape
    limit = 2e-5 if result.dtype == np.complex64 else 1e-12
    np.testing.assert_allclose(result, expected, atol=limit * 100 * max(1, taps))


@each_library
def test_filters_of_other_libraries_are_channelised(library):
    for dtype in ("float32", "complex64", "float64"):
        x = RNG.standard_normal(1003).astype(dtype)
        for n_channels in (1, 4, 13, 2000):
            taps = RNG.standard_normal(3 * n_channels + 1).astype(dtype)
            assert_same(channelise.channelize_poly, library, [x, taps], 1e-4, n_chans=n_channels)


def test_heaps_are_the_sums_with_delays_phases_and_gains():
    gains = RNG.standard_normal((2, N)) + 1j * RNG.standard_normal((2, N))
    delays = [Delay(2.3, phase=0.4), Delay(-1.6, rate=1e-3, phase_rate=2e-4, start=0)]
    bank = bank_of(gains=gains, delays=delays)
    x = samples_of(4 * bank.sizes.heap_samples)
    heaps = bank.push(x)
    assert [heap.timestamp for heap in heaps] == [512, 1024]  # those before need earlier samples
    for heap in heaps:
        assert heap.values.shape == (N, 16, 2) and heap.n_spectra == 16
        for spectrum_number, p in np.ndindex(16, 2):
            time = heap.timestamp + spectrum_number * bank.sizes.spectrum_samples
            model = delays[p]
            expected = gains[p] * spectrum(x[p].astype(float), time,
                                           model.delay + model.rate * time,
                                           model.phase + model.phase_rate * time)
            np.testing.assert_allclose(heap.values[:, spectrum_number, p], expected,
                                       atol=2e-5 * np.abs(expected).max() + 1e-3)


@pytest.mark.parametrize("output", channelise.OUTPUTS)
def test_heaps_do_not_depend_on_the_cuts(output):
    x = samples_of(6000)
    options = {"output": output, "gains": [1 / 64, 1 / 64], "seed": 5 * output.startswith("int")}
    whole = bank_of(**options).push(x)
    bank, heaps = bank_of(**options), []
    for piece in np.split(x, [1, 700, 701, 2500, 2500], axis=1):
        heaps += bank.push(piece)
    assert len(whole) == len(heaps) == bank.counts.sent > 5
    for one, other in zip(whole, heaps):
        assert one.timestamp == other.timestamp
        assert (one.data == other.data).all()
    exact = bank_of(gains=[1 / 64, 1 / 64]).push(x)
    step = {"float16": 0.05, "float32": 1e-6}.get(output, 1.01)
    limit = {"int4": 7, "int8": 127, "int16": 32767}.get(output, np.inf)
    for heap, floats in zip(whole, exact):
        parts = floats.values.view(np.float32).clip(-limit, limit).view(np.complex64)
        assert np.abs((heap.values - parts).view(np.float32)).max() <= step


def test_complex_samples_and_a_part_of_the_band_show_a_tone():
    time = np.arange(4000)
    tone = np.exp(2j * np.pi * 3 / N * time)  # 3 channels above 0 Hz
    parts = np.round(400 * np.stack([tone.real, tone.imag], -1)).astype(int)
    heap = bank_of(complex_samples=True, polarisations=1).push(parts)[0]
    assert (np.abs(heap.values[:, :, 0]).argmax(0) == N // 2 + 3).all()
    # Channels of 1e6 / 2 / 4 / 16 Hz around 200 kHz.
    real = np.round(400 * np.cos(2 * np.pi * (0.2 + 2 * 0.5 / 4 / N) * time)).astype(int)
    bank = bank_of(polarisations=1, centre_hz=200e3, decimation=4)
    heap = (bank.push(real) + bank.flush())[0]
    assert (np.abs(heap.values[:, :heap.n_spectra, 0]).argmax(0) == N // 2 + 2).all()


def packed_bits(samples, bits):
    """Returns samples as a stream of bits, the most significant one first."""
    shifts = np.arange(bits - 1, -1, -1)
    return np.packbits((samples[:, None].astype(int) >> shifts) & 1)


def test_packed_samples_are_those_of_integers():
    x = samples_of(2048)
    packed = [packed_bits(row, 10) for row in x]
    expected, heaps = bank_of().push(x), bank_of().push_packed(packed, 2048)
    assert len(heaps) == len(expected) > 0
    for one, other in zip(heaps, expected):
        assert (one.data == other.data).all()


def test_missing_samples_withhold_heaps_or_count_as_0():
    x = samples_of(4096)
    present = np.ones((2, 16), bool)
    present[1, 3] = False  # samples 768 to 1,023
    bank = bank_of()
    times = [heap.timestamp for heap in bank.push(x, present, packet_samples=256)]
    assert times[:2] == [0, 1024] and bank.counts.withheld == 1
    filled = bank_of(missing="zero_fill").push(x, present, packet_samples=256)
    zeroed = x.copy()
    zeroed[1, 768:1024] = 0
    for heap, expected in zip(filled, bank_of().push(zeroed)):
        assert (heap.data == expected.data).all()
        assert list(heap.is_complete) == [True, heap.timestamp != 512]
    bank = bank_of(missing="zero_fill", polarisations=1)
    heaps = bank.push_missing(1024)
    assert heaps and all(not heap.is_complete[0] and (heap.data == 0).all() for heap in heaps)


def test_long_gaps_are_taken_in_pieces_that_a_signal_ends(monkeypatch):
    whole = bank_of(missing="zero_fill").push_missing(5000)
    monkeypatch.setattr(channelise, "_MISSING_AT_ONCE", 1024)
    cut = bank_of(missing="zero_fill").push_missing(5000)
    assert [heap.timestamp for heap in cut] == [heap.timestamp for heap in whole] != []
    monkeypatch.undo()

    def end(*_):
        raise InterruptedError

    before = signal.signal(signal.SIGALRM, end)
    try:
        signal.setitimer(signal.ITIMER_REAL, 0.05)
        with pytest.raises(InterruptedError):
            bank_of().push_missing(2**40)
    finally:
        signal.signal(signal.SIGALRM, before)


def test_models_gains_and_times_change_while_samples_arrive():
    x = samples_of(8192, 1)
    bank = bank_of(polarisations=1)
    first = bank.push(x[:, :4096])
    start = bank.add_gains([2.0], start=0)
    assert start >= first[-1].timestamp + 512
    later = bank.push(x[:, 4096:])
    plain = bank_of(polarisations=1).push(x)
    for heap, expected in zip(first + later, plain):
        factor = 2 if heap.timestamp >= start else 1
        np.testing.assert_allclose(heap.values, factor * expected.values, rtol=1e-6)
    bank.jump(16384)
    assert bank.push(x)[0].timestamp == 16384
    assert bank.add_delays([Delay(3.0, start=start + 4096)]) >= start
    assert bank.flush()[0].n_spectra < 16


def test_levels_count_the_samples():
    x = samples_of(3000)
    bank = bank_of()
    bank.push(x)
    for row, level in zip(x.astype(np.int64), bank.levels):
        assert level.n_samples == 3000 and level.sum_of_squares == (row**2).sum()
        assert (level.histogram == np.bincount(row + 512, minlength=1024)).all()
        expected = 10 * np.log10((row**2).mean() / (511**2 / 2))
        assert level.dbfs == pytest.approx(expected, abs=1e-9)


def test_heaps_come_from_other_devices():
    if wingbeat.why_absent(wingbeat.Engine.opencl):
        pytest.skip("no OpenCL device here")
    x = samples_of(3000)
    bank = bank_of(device="opencl")
    heaps = bank.push(x) + bank.finish()
    for heap, expected in zip(heaps, bank_of().push(x)):
        np.testing.assert_allclose(heap.values, expected.values, atol=1e-2)
    assert len(heaps) == bank.counts.sent > 0


def test_devices_store_half_the_bytes_between_launches():
    if wingbeat.why_absent(wingbeat.Engine.opencl):
        pytest.skip("no OpenCL device here")
    x = samples_of(3000)
    made = []
    for between in ("float16", "float32", None):
        bank = bank_of(channels=12, device="opencl", between=between)
        made.append(np.stack([heap.values for heap in bank.push(x) + bank.finish()]))
    half, single, unset = made
    np.testing.assert_array_equal(single, unset)
    assert 0 < abs(half - single).std() < 2**-11 * single.std()


def test_seconds_become_samples():
    assert Delay.of_seconds(1e6, 2e-6, 0.1, 0.2, 3.0, 4.0) == Delay(2.0, 0.1, 0.2, 3e-6, 4000000)


def refusals():
    yield "n_chans is 0", lambda: channelise.channelize_poly([1], [1], 0)
    yield "one of each", lambda: channelise.channelize_poly([[1]], [1], 1)
    yield "channels", lambda: bank_of(channels=17)
    yield "window is", lambda: bank_of(window="flat")
    yield "none above 0", lambda: bank_of(channels=2, taps=1, complex_samples=True)
    yield "none above 0", lambda: bank_of(channels=2, taps=1, centre_hz=2.5e5, decimation=2,
                                          pass_bandwidth_hz=1e5)
    yield "output is", lambda: bank_of(output="int32")
    yield "give both", lambda: bank_of(centre_hz=1.0)
    yield "between is of no use on host", lambda: bank_of(between="float16")
    yield "between is .*float32", lambda: bank_of(between="float64")
    yield "of a part", lambda: bank_of(filter_taps=3)
    yield "gains have shape", lambda: bank_of(gains=[1.0])
    yield "delays", lambda: bank_of().add_delays([Delay()])
    yield "samples have shape", lambda: bank_of().push(np.ones((1, 4), int))
    yield "give integers", lambda: bank_of().push(np.ones((2, 4)))
    yield "16 bits", lambda: bank_of().push(np.full((2, 4), 2**16))
    yield "sample", lambda: bank_of().push(np.full((2, 4), 600))
    yield "taps is -1", lambda: bank_of(taps=-1)
    yield "kept_samples is -1", lambda: bank_of(kept_samples=-1)
    yield "of uint8", lambda: bank_of().push_packed([np.full(5, 300.0)] * 2, 4)
    yield "1 dimensions", lambda: bank_of().push(np.ones((2, 4), int), present=[True])
    yield "count is -1", lambda: bank_of().push_missing(-1)
    yield "adc_rate_hz is of type str; give a number", lambda: channelise.Channeliser("a")
    yield "channels is of type NoneType", lambda: bank_of(channels=None)
    yield "first_sample is 1180", lambda: bank_of(first_sample=2**70)
    yield "packed is of type int", lambda: bank_of().push_packed(3, 4)
    yield "models is of type NoneType", lambda: bank_of().add_delays(None)
    yield "delays is of type int", lambda: bank_of(delays=5)
    yield "delay is of type str", lambda: bank_of(delays=[Delay("a")] * 2)
    yield "start is 1180", lambda: bank_of().add_delays([Delay(start=2**70)] * 2)
    yield "start is of type float", lambda: bank_of().add_delays([Delay(start=1.5)] * 2)
    yield "gains are of type dict", lambda: bank_of(gains={})
    yield "complex_samples is of type str; give True or False", lambda: bank_of(complex_samples="a")
    yield "dither is of type int", lambda: bank_of(dither=0)
    yield "seed is 5, and there is no dither", lambda: bank_of(dither=False, seed=5)
    yield "polarisations is True; give an integer", lambda: bank_of(polarisations=True)
    yield "^centre_hz is 1000000000; give", lambda: bank_of(centre_hz=1e9, decimation=2)
    yield "^decimation is 1; give", lambda: bank_of(centre_hz=1e5, decimation=1)
    yield "spectra_per_heap is 17; give 16, .* or None for", lambda: bank_of(spectra_per_heap=17)
    yield "centre_hz is of type str", lambda: bank_of(centre_hz="a", decimation=2)


@pytest.mark.parametrize("text, call", list(refusals()))
def test_refusals_are_one_sentence(text, call):
    with pytest.raises((ValueError, TypeError), match=text) as raised:
        call()
    assert "\n" not in str(raised.value)
