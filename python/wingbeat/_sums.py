# SPDX-License-Identifier: Apache-2.0
"""Convolutions of arrays along some axes, with the others broadcast: by the library's fused
transforms, or for numpy by direct sums.

Along each axis, with image f of H and kernel t of h values: c[n] = sum over j of t[j] f[n - j]; a
correlation has conj(t[j]) f[n + j]. Modes are SciPy's.
"""

import math

import numpy as np

from wingbeat import _wingbeat, fft
from wingbeat._arrays import library_of, numpy_library

_NAMES = {np.dtype(name): name for name in ("float32", "float64", "complex64", "complex128")}
_NUMBERS = "biufcO"  # kinds of numpy's dtypes; objects are Python numbers
MODES = {"full": _wingbeat.mode_full, "same": _wingbeat.mode_same, "valid": _wingbeat.mode_valid}


def operands(*arrays, needs="taken"):
    """Returns (library, arrays) for arrays of numpy, torch or CuPy, or of libraries that have the
    function `needs`. Raises TypeError for others, and for arrays of two libraries."""
    if all(type(each) is np.ndarray and each.dtype.kind in _NUMBERS for each in arrays):
        return numpy_library, *arrays
    libraries = {library_of(each) for each in arrays}
    if len(libraries) > 1:
        kinds = " and ".join(type(each).__name__ for each in arrays)
        raise TypeError(f"arrays of type {kinds} were given; give both of one library")
    library = libraries.pop()
    if not hasattr(library, needs):
        raise TypeError(f"an array of type {type(arrays[0]).__name__} was given; give numpy, torch "
                        "or CuPy arrays")
    arrays = [library.array(each) for each in arrays]
    for each in arrays:
        if library is numpy_library and each.dtype.kind not in _NUMBERS:
            raise TypeError(f"an array of dtype {each.dtype} was given; give numbers")
    devices = {_wingbeat.view(each).device for each in arrays}
    if len(devices) > 1:
        raise TypeError("the arrays are on two devices; give both on one")
    return library, *arrays


def host_operands(name, *arrays, other="fftconvolve"):
    """Returns numpy arrays. Raises TypeError for those of other libraries, and names `other`, which
    may take them."""
    library, *arrays = operands(*arrays)
    if library is not numpy_library:
        raise TypeError(f"{name} takes numpy arrays, and one of type {type(arrays[0]).__name__} "
                        f"was given; convert it, or call {other}")
    return arrays


def host_array(name, x):
    """Returns a numpy array. Raises TypeError for arrays of other libraries."""
    if library_of(x) is not numpy_library:
        raise TypeError(f"{name} takes numpy arrays, and one of type {type(x).__name__} was given; "
                        "convert it")
    return numpy_library.array(x)


def real_array(x, name, packed_as=None):
    """Returns an array of real numbers in float32 or float64; with `packed_as`, packed and of that
    dtype."""
    x = host_array("this function", x)
    dtype = common_type(x)
    if dtype is None or dtype.kind != "f":
        raise TypeError(f"the {name} is of dtype {x.dtype}; give real numbers of up to 64 bits")
    return x.astype(dtype, copy=False) if packed_as is None else np.ascontiguousarray(x, packed_as)


def require_numbers(name, x):
    """Raises TypeError unless a numpy array holds numbers."""
    if x.dtype.kind not in "biufc":
        raise TypeError(f"{name} are of dtype {x.dtype}; give numbers")


def row_of(name, x, dtype):
    """Returns the numbers of a filter as a packed array of this dtype."""
    require_numbers(name, x)
    if x.ndim != 1:
        raise ValueError(f"{name} have {x.ndim} dimensions; give one")
    if x.dtype.kind == "c" and dtype.kind != "c":
        raise TypeError(f"{name} are complex and the filter is of {dtype}; make it of a complex "
                        "dtype")
    return np.ascontiguousarray(x, dtype)


def common_type(*arrays):
    """Returns SciPy's dtype for transforms of these arrays: float64 if one holds integers, float32
    for float16. None for wider numbers and for Python numbers."""
    types = [_numpy_type(each) for each in arrays]
    dtype = np.result_type(*arrays) if isinstance(arrays[0], np.ndarray) else np.result_type(*types)
    if dtype.kind in "biu":
        return np.dtype(np.float64)
    if dtype.kind not in "fc" or dtype.itemsize > (8 if dtype.kind == "f" else 16):
        return None
    if any(each.kind in "biu" for each in types):
        return np.result_type(dtype, np.float64)
    return np.result_type(dtype, np.float32)


def _numpy_type(x):
    """Returns an array's dtype in numpy, or the next wider dtype if numpy lacks it."""
    if isinstance(x, np.ndarray):
        return x.dtype
    name = _wingbeat.view(x).dtype
    return np.dtype({"bfloat16": "float32", "complex32": "complex64"}.get(name, name))


def result_length(first, second, mode):
    """Returns the length of a result along one axis."""
    return {"full": first + second - 1, "same": first, "valid": first - second + 1}[mode]


def result_start(second, mode):
    """Returns the index in mode "full" at which a result begins."""
    return {"full": 0, "same": (second - 1) // 2, "valid": second - 1}[mode]


def long_taps(n_times, n_taps, causal):
    """Returns the range (begin, end) of a long kernel's taps that meet a signal."""
    if causal:
        return 0, min(n_taps, n_times)
    begin = max(0, (n_taps - 1) // 2 - (n_times - 1))
    return begin, min(n_taps, begin + 2 * n_times - 1)


#: Types in which convolutions of images may store data between launches.
BETWEEN = (None, "float32", "float16", "bfloat16")


def _part_of_full(in1, in2, axes, mode):
    """Returns the part of the result of "full" that belongs to a mode."""
    part = [slice(None)] * in1.ndim
    for axis in axes:
        start = result_start(in2.shape[axis], mode)
        part[axis] = slice(start, start + result_length(in1.shape[axis], in2.shape[axis], mode))
    return tuple(part)


def peak_of(x, name):
    """Returns a power of 4 that bounds the magnitudes in an array of any library. Powers are few,
    so that few plans are made. Waits for a GPU."""
    if type(x).__module__.partition(".")[0] == "pyopencl":
        x = x.get()
    largest = float(abs(x).max())
    if not math.isfinite(largest):
        raise ValueError(f"the {name} holds NaN or infinity, of which between='float16' can hold "
                         "no scale; replace these values, or give 'bfloat16'")
    return 4.0**math.ceil(math.log(largest, 4)) if largest > 0 else 1.0


def reversed_conjugate(x):
    """Returns the kernel whose convolution is the correlation with x."""
    if hasattr(x, "flip"):  # tensors have no negative strides
        return x.flip(tuple(range(x.ndim))).conj()
    turned = x[(slice(None, None, -1),) * x.ndim]
    return turned.conj() if turned.dtype.kind in "cO" else turned


def padded(library, x, around, mode, value=0):
    """Returns an array with (before, after) more elements along each axis, by numpy.pad's modes
    constant, edge, reflect, symmetric and wrap."""
    if library is numpy_library:
        options = {"constant_values": value} if mode == "constant" else {}
        return np.pad(x, around, mode, **options)
    if mode == "constant":
        shape = tuple(n + before + after for n, (before, after) in zip(x.shape, around))
        result = library.empty(x, shape, _wingbeat.view(x).dtype)
        library.assign(result, value)
        result[tuple(slice(first, first + n) for n, (first, _) in zip(x.shape, around))] = x
        return result
    for axis, sides in enumerate(around):
        if any(sides):
            x = library.taken(x, np.pad(np.arange(x.shape[axis]), sides, mode), axis)
    return x


def window_sums(x, n, axis):
    """Returns the sums of n neighbours along an axis, made from sums of 2, 4, .. neighbours.
    Nothing is subtracted, so each sum is as accurate as its own terms, and NaN stays in its
    windows."""
    def part(values, first, length):
        return values[(slice(None),) * axis + (slice(first, first + length),)]

    n_sums, begin, width, total = x.shape[axis] - n + 1, 0, 1, None
    while True:
        if n & width:
            terms = part(x, begin, n_sums)
            total = terms if total is None else total + terms
            begin += width
        if 2 * width > n:
            return total
        length = x.shape[axis] - width
        x = part(x, 0, length) + part(x, width, length)
        width *= 2


@np.errstate(invalid="ignore", over="ignore")
def border_sums(library, terms, lengths, starts, counts):
    """Returns what a border of a constant value adds to a convolution whose image is surrounded by
    zeros. Nothing is subtracted, so it is 0 where the kernel reaches no border, even if the value
    is NaN or infinite.

    terms    the kernel times the value, [axes..], possibly with more dimensions after these
    lengths  of the image
    starts   the index in mode "full" at which each axis of the result begins
    counts   the lengths of the result
    """
    total = 0
    for axis, (n, start, count) in enumerate(zip(lengths, starts, counts)):
        # For output p, elements first[p] to first[p] + n - 1 of the kernel meet the image.
        n_terms, first = terms.shape[axis], np.arange(count) + start - n + 1
        outer = terms
        for later in range(axis + 1, len(lengths)):
            outer = outer.sum(later, keepdims=True)
        for side, index in ((outer, first),
                            (library.taken(outer, np.arange(n_terms)[::-1].copy(), axis),
                             n_terms - n - first)):
            led = padded(library, side, _along(terms, axis, (1, 0)), "constant").cumsum(axis)
            total = total + library.taken(led, index.clip(0, n_terms), axis)
        if axis + 1 == len(lengths):
            return total
        terms = window_sums(padded(library, terms, _along(terms, axis, (n - 1, n - 1)), "constant"),
                            n, axis)
        terms = terms[(slice(None),) * axis + (slice(start, start + count),)]


def _along(x, axis, sides):
    """Returns the argument `around` of `padded` that extends one axis."""
    return [sides if d == axis else (0, 0) for d in range(len(x.shape))]


class _Packed:
    """Two arrays as images [pair][image][axes..] and kernels [pair][kernel][axes..]. A dimension
    beside the axes counts pairs if both arrays have it, otherwise images or kernels."""

    def __init__(self, in1, in2, axes, name):
        self._library = library = library_of(in1)
        if len(axes) == in1.ndim:
            self._order, self._batch, self.counts = list(axes), [], (1, 1, 1)
            self.images, self.kernels = (
                library.packed(x, axes, (1, 1) + tuple(x.shape[axis] for axis in axes), name)
                for x in (in1, in2))
            return
        rest = [d for d in range(in1.ndim) if d not in axes]
        second = [d for d in rest if in1.shape[d] == 1 and in2.shape[d] != 1]
        first = [d for d in rest if in2.shape[d] == 1 and in1.shape[d] != 1]
        both = [d for d in rest if d not in first and d not in second]
        if library is not numpy_library and both and (first or second):
            # Otherwise parts of a pair could start at an odd real, which devices refuse.
            in1, in2 = (self._repeated(x, rest, in1, in2) for x in (in1, in2))
            both, first, second = rest, [], []
        self._order = both + first + second + list(axes)
        self._batch = [max(in1.shape[d], in2.shape[d]) for d in both + first + second]
        self.counts = tuple(math.prod(max(in1.shape[d], in2.shape[d]) for d in dims)
                            for dims in (both, first, second))
        lengths = [tuple(x.shape[axis] for axis in axes) for x in (in1, in2)]
        n_pairs, n_images, n_kernels = self.counts
        self.images = library.packed(in1, self._order, (n_pairs, n_images) + lengths[0], name)
        self.kernels = library.packed(in2, self._order, (n_pairs, n_kernels) + lengths[1], name)

    @staticmethod
    def _repeated(x, dims, in1, in2):
        """Returns x with the lengths of both arrays in these dimensions."""
        for d in dims:
            n = max(in1.shape[d], in2.shape[d])
            if x.shape[d] != n:
                x = x.repeat_interleave(n, d) if hasattr(x, "repeat_interleave") else x.repeat(n, d)
        return x

    def result_shape(self, mode):
        lengths = zip(self.images.shape[2:], self.kernels.shape[2:])
        return self.counts + tuple(result_length(h, k, mode) for h, k in lengths)

    def convolve(self, mode, name, is_correlation):
        """Returns the results by transforms, with the arrays' order of dimensions."""
        library = self._library
        out = library.empty(self.images, self.result_shape(mode), name)
        _wingbeat.convolve(self.images, self.kernels, out, is_correlation, MODES[mode])
        return self.unpacked(out, name)

    def unpacked(self, results, name):
        """Returns results [pair][image][kernel][axes..] packed in the arrays' order of dimensions.
        """
        moved = results.reshape(self._batch + list(results.shape[3:]))
        order = sorted(range(len(self._order)), key=self._order.__getitem__)
        return self._library.packed(moved, order, [moved.shape[d] for d in order], name)


def transformed(in1, in2, axes, mode, dtype, is_correlation=False):
    """Returns the convolution by transforms, in `dtype`."""
    if len(axes) > 3:
        if is_correlation:
            in2 = reversed_conjugate(in2)
        return _by_three_transforms(in1, in2, axes, mode, dtype)
    if (not is_correlation and len(axes) == 1 and mode != "same"
            and in2.shape[axes[0]] > in1.shape[axes[0]]):
        in1, in2 = in2, in1  # a shorter kernel may convolve its signal in blocks
    name = _NAMES[dtype]
    return _Packed(in1, in2, axes, name).convolve(mode, name, is_correlation)


def summed_by_numpy(in1, in2, axes, mode):
    """Returns the convolution in the arithmetic of the arrays' own dtype: long double, integers
    that wrap around, Python numbers."""
    shape = [result_length(in1.shape[d], in2.shape[d], "full") if d in axes
             else max(in1.shape[d], in2.shape[d]) for d in range(in1.ndim)]
    part = _part_of_full(in1, in2, axes, mode)
    if math.prod(in1.shape[d] for d in axes) < math.prod(in2.shape[d] for d in axes):
        in1, in2 = in2, in1
    out = np.zeros(shape, np.result_type(in1, in2))
    for taps in np.ndindex(*(in2.shape[axis] for axis in axes)):
        shifts = dict(zip(axes, taps))
        reach = tuple(slice(shifts[d], shifts[d] + in1.shape[d]) if d in axes else slice(None)
                      for d in range(in1.ndim))
        tap = tuple(slice(shifts[d], shifts[d] + 1) if d in axes else slice(None)
                    for d in range(in1.ndim))
        out[reach] += in1 * in2[tap]
    return out[part].copy()


def _by_three_transforms(in1, in2, axes, mode, dtype):
    """Returns a convolution along more axes than one plan takes."""
    full = [in1.shape[axis] + in2.shape[axis] - 1 for axis in axes]
    is_real = dtype.kind == "f"
    lengths = [fft.next_fast_len(n, is_real) for n in full]
    forward, inverse = (fft.rfftn, fft.irfftn) if is_real else (fft.fftn, fft.ifftn)
    library = library_of(in1)
    bins = [forward(library.packed(x, range(x.ndim), x.shape, dtype.name), lengths, axes)
            for x in (in1, in2)]
    out = inverse(bins[0] * bins[1], lengths, axes)
    return library.copy(out[_part_of_full(in1, in2, axes, mode)])


def is_finite(x):
    """Returns whether a numpy array holds neither NaN nor infinity."""
    if x.dtype.kind not in "fc":
        return True
    with np.errstate(over="ignore", invalid="ignore"):
        return bool(np.isfinite(x.sum())) or bool(np.isfinite(x).all())


def are_integers(in1, in2):
    """Returns whether both are numpy arrays of integers or booleans."""
    return all(isinstance(each, np.ndarray) and each.dtype.kind in "biu" for each in (in1, in2))


def as_integers(sums, dtype):
    """Returns sums of integers, all below 2^53, in an integer dtype; narrower ones wrap around."""
    return np.rint(sums).astype(np.int64).astype(dtype, copy=False)


def holds_integers_exactly(in1, in2):
    """Returns whether transforms of these integers round to the exact sums: no sum may exceed 2^46.

    With u = 2^-53, a transform of N points has an error of 0.6 u sqrt(log2 N) of the root mean
    square. A sum has three times that, times A B sqrt(n), for values up to A and B and n of them in
    the shorter array. If A B n is at most 2^46, the standard deviation is 0.05 for n = 2 and
    N = 2^24.
    """
    if in1.size == 0 or in2.size == 0:
        return True
    largest = [max(abs(int(x.max())), abs(int(x.min()))) for x in (in1, in2)]
    return largest[0] * largest[1] * min(in1.size, in2.size) < 2**46
