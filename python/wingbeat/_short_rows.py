# SPDX-License-Identifier: Apache-2.0
"""Rows of samples and their spectra, as arrays that the library's short-time transforms take."""

import hashlib
import math
from dataclasses import fields, replace
from types import SimpleNamespace

import numpy as np

from wingbeat import _sums, _wingbeat
from wingbeat._arguments import boolean, choice, count, positive_number
from wingbeat._arrays import numpy_library

EDGES = {"zeros": _wingbeat.border_zero, "reflect": _wingbeat.border_reflect,
         "symmetric": _wingbeat.border_mirror, "replicate": _wingbeat.border_clamp,
         "circular": _wingbeat.border_repeat}
_NARROW = {"bool", "int8", "uint8", "uint16"}
TAKEN = ("int16", "float16", "bfloat16", "float32", "float64", "complex64", "complex128")
_DOUBLE = "float64", "complex128"
#: Torch's and librosa's names of edges.
PADS = {"constant": "zeros", "edge": "replicate", **{edge: edge for edge in EDGES}}
BANDS = {}  # weights of the descriptions that have texts, by their digest
SPECTRA = {"exponent": 0.0, "power_floor": 0.0, "power_offset": 0.0, "is_one_sided": False,
           "bands": None, "has_log": False, "floor": 0.0, "offset": 0.0, "gain": 1.0, "shift": 0.0,
           "range": 0.0, "are_averaged": False}  # the fields of descriptions of complex spectra


def frames_of(spec, length):
    """Returns the frames of a row of so many samples, which may be a symbol of torch's compiler."""
    n_frames = (length + spec.slack) // spec.hop + 1
    return max(n_frames, 0) if isinstance(n_frames, int) else n_frames


def transformed(spec, x, lengths):
    """Returns what a description makes of rows [.., L] of samples."""
    library, x = _sums.operands(x, needs="packed")
    shape = tuple(x.shape)
    if not shape:
        raise ValueError("x is a number; give an array of samples [.., L]")
    rows = library.packed(x, range(len(shape)), (math.prod(shape[:-1]), shape[-1]),
                          _taken_name(_wingbeat.view(x).dtype))
    name = _wingbeat.view(rows).dtype
    n_columns, n_frames = spec.columns("complex" in name), spec.frames_of(shape[-1])
    frames = (n_columns,) if spec.are_averaged else (n_frames, n_columns)
    result = library.empty(rows, (rows.shape[0], *frames), _result_name(spec, name))
    if 0 not in result.shape:
        run(spec, "run", rows, None, result, _weights_for(spec, library, rows),
                 _lengths(library, rows, lengths, shape))
    result = result.reshape((*shape[:-1], *frames))
    if spec.are_averaged:
        return result
    if hasattr(result, "swapaxes"):
        return result.swapaxes(-1, -2)
    rank = len(result.shape)
    return result.transpose((*range(rank - 2), rank - 1, rank - 2))


def are_of_complex(n_fft, shape, is_complex):
    """Returns whether spectra of this shape, [.., bin, frame], are of complex samples."""
    whole, half = n_fft, n_fft // 2 + 1
    n_bins = shape[-2] if len(shape) > 1 else None
    if is_complex is None and whole == half == n_bins:
        raise ValueError(f"spectra of n_fft {n_fft} have as many bins for real samples as for "
                         "complex ones; give is_complex")
    is_complex = n_bins == whole if is_complex is None else boolean(is_complex, "is_complex")
    if n_bins != (whole if is_complex else half):
        raise ValueError(f"spectra have shape {tuple(shape)}; give [.., bin, frame] of {half} bins "
                         f"for real samples, or {whole} for complex ones")
    return is_complex


def streamed(library, samples, name):
    """Returns samples of a stream, packed and of its dtype."""
    view = _wingbeat.view(samples)
    taken, shape = _taken_name(view.dtype), tuple(samples.shape)
    if len(shape) != 1:
        raise ValueError(f"samples have shape {shape}; give a row [n]")
    if not is_on_host(samples):
        raise TypeError("samples are on a GPU; give a stream those in memory of the processor")
    is_wider = taken in _DOUBLE and name not in _DOUBLE
    if is_wider or "complex" in taken and "complex" not in name:
        raise TypeError(f"samples are of dtype {view.dtype} and the stream of {name}; convert "
                        "them, or make the stream of a wider dtype")
    library.require_memory(samples, "samples", False)
    return library.packed(samples, (0,), shape, name)


def inverted(spec, spectra, length, lengths, is_complex, leaves_zeros):
    """Returns rows [.., length] of samples that have these spectra."""
    library, spectra = _sums.operands(spectra, needs="packed")
    is_complex = are_of_complex(spec.n_fft, spectra.shape, is_complex)
    *leading, n_bins, n_frames = spectra.shape
    if length is None:
        length = max((n_frames - 1) * spec.hop - spec.slack, 1)
    length = count(length, "length")
    if lengths is not None and n_frames != spec.frames_of(length):
        raise ValueError(f"rows of {length} samples have {spec.frames_of(length)} frames, and "
                         f"spectra {n_frames}; give as many")
    if lengths is None and not leaves_zeros and n_frames:
        require_weight(spec, length, n_frames)
    is_double = _wingbeat.view(spectra).dtype in _DOUBLE
    name = "complex128" if is_double else "complex64"
    rank, n_rows = len(spectra.shape), math.prod(leading)
    packed = library.packed(spectra, (*range(rank - 2), rank - 1, rank - 2),
                            (n_rows, n_frames, n_bins), name)
    real = "float64" if is_double else "float32"
    rows = library.empty(packed, (n_rows, length), name if is_complex else real)
    if 0 in packed.shape or length == 0:
        library.assign(rows, 0)
    else:
        run(spec, "inverse", rows, packed, None, _weights_for(spec, library, rows),
                 _lengths(library, rows, lengths, (*leading, length)),
                 0 if lengths is not None else n_frames)
    return rows.reshape((*leading, length))


def real_weights(weights):
    """Returns weights of numpy as a new array of doubles."""
    if np.iscomplexobj(weights):
        raise TypeError("the window is complex; give real weights")
    return np.array(weights, np.float64)


def crossed(powers, x, y, average):
    """Returns the means over frames of conj(X) Y, with the sides of these powers."""
    spectra = _spectra_of(powers)
    if powers.is_one_sided and any("complex" in str(getattr(each, "dtype", "")) for each in (x, y)):
        raise ValueError("is_one_sided is True and samples are complex, whose spectra are whole; "
                         "give powers with is_one_sided=False")
    if average is not None and not callable(average):
        raise TypeError(f"average is {average!r}; give a function of [.., F, T], or None")
    products = spectra(x).conj() * spectra(y)
    result = products.mean(-1) if average is None else average(products)
    if powers.is_one_sided:
        result[..., 1:(powers.n_fft + 1) // 2] *= 2
    return result


def coherent(powers, x, y):
    """Returns |mean of conj(X) Y|^2 / (mean of |X|^2 times mean of |Y|^2) over frames."""
    x, y = (_spectra_of(powers)(each) for each in (x, y))
    cross = abs((x.conj() * y).mean(-1))**2
    return cross / ((abs(x)**2).mean(-1) * (abs(y)**2).mean(-1))


def _spectra_of(powers):
    if not hasattr(powers, "exponent"):
        raise TypeError(f"powers is of type {type(powers).__name__}; give a description of powers, "
                        "such as welch()")
    others = [name for name in SPECTRA
              if name not in ("exponent", "is_one_sided", "bands", "are_averaged")
              and getattr(powers, name) != SPECTRA[name]]
    if powers.exponent != 2 or powers.bands is not None or others:
        raise ValueError(f"powers has exponent {powers.exponent}, and bands, a logarithm or limits "
                         "that cross spectra do not have; give a description of powers of bins, "
                         "such as welch()")
    return replace(powers, **SPECTRA)


def _result_name(spec, name):
    """Returns the dtype of results of samples of a dtype."""
    is_double = name in _DOUBLE
    if spec.exponent != 0:
        return "float64" if is_double else "float32"
    return "complex128" if is_double else "complex64"


def text_of(spec):
    """Returns the text of a description: fields by name, of its window the number of weights, and
    of its bands the digest of weights, which BANDS has then."""
    given = {field.name: getattr(spec, field.name) for field in fields(spec)}
    given["window"] = spec.n_weights
    if given["bands"] is not None:
        digest = hashlib.sha256(given["bands"].tobytes()).hexdigest()
        BANDS[digest], given["bands"] = given["bands"], digest
    return repr(given)


def library_form(spec):
    """Returns a description as the library's calls take it."""
    if "form" not in spec._kept:
        given = {field.name: getattr(spec, field.name) for field in fields(spec)}
        bands = [] if spec.bands is None else spec.bands
        given.update(edge=EDGES[spec.edge], window_length=spec.n_weights, n_bands=len(bands),
                     weights=np.ravel(bands).tolist())
        spec._kept["form"] = _wingbeat.ShortTimeSpec(SimpleNamespace(**given))
    return spec._kept["form"]


def run(spec, kind, rows, given, out, weights, lengths, frames=0):
    """Runs the library on packed arrays, see `_wingbeat.short_time`."""
    _wingbeat.short_time(library_form(spec), kind, rows, given, out, weights, lengths, frames)


def require_weight(spec, length, n_frames):
    """Raises ValueError if the inverse cannot divide samples that a frame has; of numpy windows."""
    if not isinstance(spec.window, np.ndarray) or (length, n_frames) in spec._kept:
        return
    first, n, weight = _wingbeat.short_time_least_weight(
        library_form(spec), spec.window.tolist(), length, n_frames)
    reached = (n_frames - 1) * spec.hop - spec.before + spec.n_fft
    n -= max(length - max(reached, first), 0)
    if n > 0:
        raise ValueError(f"{n} samples of a row, from {first} on, have squared weights of "
                         f"{weight:.3g} or less in all frames, so that no inverse can divide by "
                         "them; give another window or hop, or more samples before frame 0, or "
                         "leaves_zeros=True")
    spec._kept[length, n_frames] = True


def _weights_for(spec, library, rows):
    """Returns the window beside rows, in the precision of their transform."""
    view = _wingbeat.view(rows)
    name = "float64" if view.dtype in _DOUBLE else "float32"
    if not isinstance(spec.window, np.ndarray):
        _sums.operands(spec.window, rows, needs="packed")  # refuses two libraries or devices
        return library.packed(spec.window, (0,), (spec.n_weights,), name)
    key = library, str(view.device), getattr(rows, "context", None), name
    if key not in spec._kept:
        spec._kept[key] = library.of_numpy(spec.window.astype(name), rows)
    return spec._kept[key]


def _taken_name(name):
    """Returns the dtype in which the library reads samples of a dtype."""
    if name in TAKEN:
        return name
    if name in _NARROW or name == "complex32":
        return "float32" if name in _NARROW else "complex64"
    if name.startswith(("int", "uint")):
        return "float64"
    raise TypeError(f"x is of dtype {name}; give numbers of up to double precision")


def _lengths(library, rows, lengths, shape):
    """Returns the lengths of rows as a packed array beside them; None for None."""
    if lengths is None:
        return None
    of_lengths, lengths = _sums.operands(lengths)
    require_lengths(_wingbeat.view(lengths).dtype, lengths.shape, shape)
    if is_on_host(lengths):
        require_within(lengths, shape[-1])
    if of_lengths is not numpy_library:  # nothing waits for a GPU
        return library.packed(lengths.clip(0, shape[-1]), range(len(shape) - 1),
                              (rows.shape[0],), "int32")
    return library.of_numpy(lengths.astype(np.int32).reshape(-1), rows)


def require_lengths(dtype, shape, row_shape):
    """Raises TypeError or ValueError for lengths of rows [.., L] of this dtype and shape."""
    if not str(dtype).removeprefix("torch.").startswith(("int", "uint")):
        raise TypeError(f"lengths is of dtype {dtype}; give integers")
    if tuple(shape) != tuple(row_shape[:-1]):
        raise ValueError(f"lengths has shape {tuple(shape)}; give {tuple(row_shape[:-1])}, one for "
                         "each row")


def require_within(lengths, length):
    """Raises ValueError for lengths outside rows; of arrays in memory of the processor."""
    if math.prod(lengths.shape) == 0:
        return
    least, most = int(lengths.min()), int(lengths.max())
    if least < 0 or most > length:
        raise ValueError(f"lengths are from {least} to {most}; give 0 to {length}, the length of "
                         "rows")


def is_on_host(x):
    """Returns whether an array is in memory of the processor."""
    return _wingbeat.view(x).device[0] == _wingbeat.Engine.host


def edge_of(pad_mode, center):
    """Returns the edge of torch's or librosa's padding."""
    return PADS[choice(pad_mode, PADS, "pad_mode")] if center else "zeros"


def torch_frames(n_fft, n_weights, center, align_to_window):
    """Returns the samples before the first frame, and the slack, by torch's rules."""
    if center and align_to_window:
        raise ValueError("align_to_window is True, which is for frames without padding; give "
                         "center=False")
    if align_to_window:
        return (n_fft - n_weights) // 2, -n_weights
    return (n_fft // 2, 2 * (n_fft // 2) - n_fft) if center else (0, -n_fft)


def scipy_scale(weights, scaling, fs):
    """Returns the factor of spectra for SciPy's scaling."""
    choice(scaling, ("spectrum", "psd", "density"), "scaling")
    is_spectrum, fs = scaling == "spectrum", positive_number(fs, "fs")
    total = float(weights.sum()) if is_spectrum else float((abs(weights)**2).sum())
    if total == 0:
        raise ValueError(f"the weights of the window, or their squares, sum up to 0, by which "
                         f"scaling {scaling!r} would divide; give other weights")
    return 1 / abs(total) if is_spectrum else 1 / math.sqrt(fs * total)
