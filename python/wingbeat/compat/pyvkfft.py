# SPDX-License-Identifier: Apache-2.0
"""The interface of pyvkfft over wingbeat, for arrays of CuPy, PyOpenCL, torch and numpy.

>>> import numpy as np
>>> from wingbeat.compat.pyvkfft import fftn, ifftn
>>> x = np.ones((4, 8), np.complex64)
>>> np.allclose(ifftn(fftn(x)), x)
True

After `install()`, `import pyvkfft.fft`, `pyvkfft.cuda` and `pyvkfft.opencl` import this module. As
in pyvkfft, a transform is over the axes that are densest in memory, the last ones in C order and
the first ones in Fortran order; a half spectrum is halved along the densest axis; and `norm` is

0           no transform is scaled
1           the inverse is divided by the number of points ("backward" is the same)
"ortho"     both are divided by the square root of that number

Differences: any number of axes may be transformed, a transform from half spectra does not change
its input, and float16 takes any length. Functions that describe kernels of VkFFT (`get_algo_str`,
`is_radix_transform` ..) are absent; see `wingbeat.Plan.explain`. PyCUDA's arrays are not accepted.
"""

import sys
from contextlib import nullcontext
from importlib.util import find_spec
from types import ModuleType

import numpy as np

from wingbeat import _wingbeat, plan_cache
from wingbeat._arrays import library_of
from wingbeat._kinds import COSINES, FORWARD, FROM_REAL, INVERSE, SINES, TO_REAL
from wingbeat.plan import Plan

__all__ = ["VkFFTApp", "OpenclVkFFTApp", "fftn", "ifftn", "rfftn", "irfftn", "dctn", "idctn",
           "dstn", "idstn", "clear_vkfftapp_cache", "install", "uninstall"]

_COMPLEX_OF = {"float16": "complex32", "float32": "complex64", "float64": "complex128"}
_REAL_OF = {name: real for real, name in _COMPLEX_OF.items()}
_NARROW = np.dtype([("re", np.float16), ("im", np.float16)])  # complex32 of pyvkfft
# For the forward and the inverse transform: `norm` of the extension, and of a Plan.
_FORWARD_NORMS = {0: ("backward", None), 1: ("backward", None), "ortho": ("ortho", "sqrt")}
_INVERSE_NORMS = {0: ("forward", None), 1: ("backward", "length"), "ortho": ("ortho", "sqrt")}


def _name_of(dtype):
    text = str(dtype).removeprefix("torch.")
    if text in _COMPLEX_OF or text in _REAL_OF:
        return text
    dtype = np.dtype(dtype)
    return "complex32" if dtype == _NARROW else dtype.name


def _numpy_dtype(name):
    return _NARROW if name == "complex32" else np.dtype(name)


def _densest_axis(shape, strides, axes):
    """Returns the axis along which elements are neighbours: the last one, or in Fortran order the
    first."""
    if strides is None:
        return len(shape) - 1
    long = [d for d, n in enumerate(shape) if n > 1]
    if len(long) == 1 and axes is not None:
        return axes[-1] % len(shape)
    descends = all(strides[a] >= strides[b] for a, b in zip(long, long[1:]))
    return len(shape) - 1 if descends else 0


def _described(library, x):
    """Returns x in the form that the extension takes: structures of two float16 as complex
    numbers."""
    if getattr(x, "dtype", None) != _NARROW:
        return x
    return _wingbeat.view(x).of_type("complex32")


def _viewed(x, dtype, densest):
    """Returns the memory of x with elements of another dtype, twice or half as many along its
    densest axis."""
    if densest == len(x.shape) - 1:
        return x.view(dtype)
    return x.T.view(dtype).T


class VkFFTApp:
    """A transform prepared for arrays of a shape and dtype, like pyvkfft.cuda.VkFFTApp.

    shape, dtype  of the arrays that `fft` takes; for `r2c` in place, those of the real array, whose
                  densest axis has two elements more than the transform, or one with `r2c_odd`
    ndim, axes    the number of densest axes to transform, or the axes; neither: all
    inplace       the result replaces the input, and `dest` is omitted
    stream        of CuPy or torch: an integer or a stream; None: the array's current one
    norm          0, 1 or "ortho"
    r2c, dct, dst between real numbers and half spectra; a cosine or sine transform of type 1 to 4
                  (True: 2). At most one of them.
    strides       of the arrays, in bytes, if they are not in C order
    useLUT        None or true, because roots always come from tables

    >>> app = VkFFTApp((2, 8), np.float32, ndim=1, inplace=False, r2c=True)
    >>> app.fft(np.ones((2, 8), np.float32), np.empty((2, 5), np.complex64))[0, 0]
    np.complex64(8+0j)
    """

    def __init__(self, shape, dtype, ndim=None, inplace=True, stream=None, norm=1, r2c=False,
                 dct=False, dst=False, axes=None, strides=None, tune_config=None, r2c_odd=False,
                 useLUT=None):
        if tune_config is not None:
            raise NotImplementedError("tune_config was given, and plans are tuned beforehand; "
                                      "leave it out")
        if useLUT is not None and not useLUT:
            raise NotImplementedError(f"useLUT is {useLUT}, and roots always come from tables; "
                                      "leave it out")
        norm = 1 if norm == "backward" else norm
        if norm not in _FORWARD_NORMS:
            raise RuntimeError(f'norm is {norm!r}; give 0, 1 or "ortho"')
        if sum(map(bool, (r2c, dct, dst))) > 1:
            raise RuntimeError("more than one of r2c, dct and dst were given; give one")
        self.shape, self.dtype = tuple(shape), _name_of(dtype)
        if bool(r2c or dct or dst) != (self.dtype in _COMPLEX_OF):
            raise RuntimeError(f"dtype is {self.dtype}; give a real one with r2c, dct or dst, and "
                               "a complex one without")
        self.inplace, self.stream, self.norm = bool(inplace), stream, norm
        self.r2c, self.r2c_odd = bool(r2c), bool(r2c_odd)
        self._choose_kinds(dct, dst)
        self._choose_axes(ndim, axes, strides)
        self._plans = {}

    def _choose_kinds(self, dct, dst):
        self.dct, self.dst = (2 if kind is True else int(kind) for kind in (dct, dst))
        self._kinds = (FROM_REAL, TO_REAL) if self.r2c else (FORWARD, INVERSE)
        for kind, kinds, name in ((self.dct, COSINES, "dct"), (self.dst, SINES, "dst")):
            if kind and kind not in kinds:
                raise RuntimeError(f"{name} is {kind}; give a type, 1 to 4")
            self._kinds = kinds[kind] if kind else self._kinds

    def _choose_axes(self, ndim, axes, strides):
        rank = len(self.shape)
        axes = None if axes is None else [int(a) for a in np.atleast_1d(axes)]
        densest = self.fast_axis = _densest_axis(self.shape, strides, axes)
        if axes is None:
            count = rank if ndim is None else ndim
            if not 1 <= count <= rank:
                raise RuntimeError(f"ndim is {ndim}; give 1 to {rank}, the array's dimensions")
            axes = range(rank - count, rank) if densest == rank - 1 else range(count)
        elif ndim is not None and ndim != len(axes):
            raise RuntimeError(f"ndim is {ndim} and axes are {axes}; give as many, or one of them")
        if any(not -rank <= axis < rank for axis in axes):
            raise RuntimeError(f"axes are {axes}; give numbers from {-rank} to {rank - 1}")
        axes = [axis % rank for axis in axes]
        if self.r2c:
            if densest not in axes:
                raise RuntimeError(f"axes are {axes} and the densest axis is {densest}, which r2c "
                                   "halves; give it as well")
            axes = [axis for axis in axes if axis != densest] + [densest]
        self.axes = tuple(axes)
        lengths = [self.shape[axis] for axis in axes]
        if self.r2c and self.inplace:
            lengths[-1] -= 1 if self.r2c_odd else 2
            if self.shape[densest] % 2:
                raise RuntimeError(f"shape is {self.shape} and its densest axis, {densest}, odd; "
                                   "in place it has two elements more than the transform, or one "
                                   "if that is odd")
        self.lengths = tuple(lengths)

    def fft(self, src, dest=None):
        """Transforms forward, and returns `dest`, or in place the array, with the dtype of the
        result."""
        return self._run(src, dest, False, self.stream)

    def ifft(self, src, dest=None):
        """Transforms back, and returns as `fft` does."""
        return self._run(src, dest, True, self.stream)

    def _run(self, src, dest, is_inverse, stream):
        for name, array in (("src", src), ("dest", src if dest is None else dest)):
            if not hasattr(array, "shape"):
                raise TypeError(f"{name} is of type {type(array).__name__}; give an array")
        library = library_of(src)
        target = self._target(library, src, dest, is_inverse)
        with nullcontext() if stream is None else library.running_on(stream, src):
            if self.r2c and self.inplace:
                self._run_half_in_place(library, src, target, is_inverse)
            else:
                self._execute(library, src, target, is_inverse, self.axes)
        return target

    def _target(self, library, src, dest, is_inverse):
        same = dest is not None and _wingbeat.view(dest).place == _wingbeat.view(src).place
        if not self.inplace:
            if dest is None or same:
                raise RuntimeError("the transform is not in place, and dest was not given, or is "
                                   "src; give another array")
            return dest
        if dest is not None and not same:
            raise RuntimeError("the transform is in place, and dest is another array than src; "
                               "leave it out")
        if not self.r2c:
            return src
        name = self.dtype if is_inverse else _COMPLEX_OF[self.dtype]
        if type(src).__module__.partition(".")[0] == "torch":
            raise RuntimeError("a torch tensor was given for r2c in place; give numpy, CuPy or "
                               "PyOpenCL arrays, or a dest")
        return _viewed(src, _numpy_dtype(name), self.fast_axis)

    def _execute(self, library, src, target, is_inverse, axes):
        norm, _ = (_INVERSE_NORMS if is_inverse else _FORWARD_NORMS)[self.norm]
        if not _wingbeat.execute(self._kinds[is_inverse], is_inverse, _described(library, src),
                                 _described(library, target), self.lengths, axes, norm, False):
            raise RuntimeError(f"src has strides that no plan takes, {src.strides}; give a "
                               "contiguous copy")

    def _run_half_in_place(self, library, src, target, is_inverse):
        """Runs a plan over padded rows if it can, otherwise through another array."""
        rank, axes = len(self.shape), self.axes
        if self.fast_axis != rank - 1:
            src, target, axes = src.T, target.T, tuple(rank - 1 - axis for axis in axes)
        engine, index = _wingbeat.view(src).device
        is_last = sorted(axes) == list(range(rank - len(axes), rank)) and len(axes) <= 3
        if is_last and engine != _wingbeat.Engine.opencl and self.dtype != "float16":
            self._plan(engine, index, is_inverse, axes)(src, target)
            return
        # Through a copy of the input; rows of the result are separated by their padding.
        part = [slice(None)] * rank
        part[axes[-1]] = slice(0, self.lengths[-1])
        target = target[tuple(part)] if is_inverse else target
        self._execute(library, library.copy(src), target, is_inverse, axes)

    def _plan(self, engine, index, is_inverse, axes):
        key = engine, index, is_inverse
        if key not in self._plans:
            _, norm = (_INVERSE_NORMS if is_inverse else _FORWARD_NORMS)[self.norm]
            lengths = dict(zip(axes, self.lengths))
            order = self.shape if axes == self.axes else self.shape[::-1]
            shape = [lengths.get(d, n) for d, n in enumerate(order)]
            device = next(each for each in _wingbeat.devices()
                          if each.engine == engine and each.index == index)
            self._plans[key] = Plan(
                shape, sorted(axes), kind="irfft" if is_inverse else "rfft", in_place=True,
                dtype=_COMPLEX_OF[self.dtype] if is_inverse else self.dtype, norm=norm,
                device=device)
        return self._plans[key]

    def _points(self):
        """Returns the points of a transform; for cosine and sine transforms, those of the extended
        signal, up to its edges."""
        factor = 2 if self.dct or self.dst else 1
        return float(np.prod([factor * n for n in self.lengths]))

    def _scale(self, exponent):
        real = np.dtype(_REAL_OF.get(self.dtype, self.dtype)).type
        return real(1 if self.norm == "ortho" else self._points() ** exponent)

    def get_fft_scale(self):
        """Returns the factor that gives the result of `fft` the L2 norm of its input; approximate
        for dct and dst, except type 4.

        >>> float(VkFFTApp((16,), np.complex64).get_fft_scale())
        0.25
        """
        return self._scale(-0.5)

    def get_ifft_scale(self):
        """Returns the factor that gives the result of `ifft` the L2 norm of its input.

        >>> float(VkFFTApp((16,), np.complex64).get_ifft_scale())
        4.0
        """
        return self._scale(0.5 if self.norm == 1 else -0.5)

    def get_shape_str(self):
        """Returns the shape as text, with the elements added in place along the densest axis.

        >>> VkFFTApp((4, 10), np.float32, r2c=True).get_shape_str()
        '(4,8+2)'
        """
        texts = [str(n) for n in self.shape]
        if self.r2c and self.inplace:
            n = self.lengths[-1]
            texts[self.fast_axis] = f"{n}+{self.shape[self.fast_axis] - n}"
        return f"({','.join(texts)})"

    def __str__(self):
        kind = ("R2C" if self.r2c else f"DCT{self.dct}" if self.dct else
                f"DST{self.dst}" if self.dst else "C2C")
        return (f"VkFFTApp[wingbeat]:{self.get_shape_str()} {kind} along {self.axes}, "
                f"{self.dtype}, {'in place' if self.inplace else 'out of place'}")


class OpenclVkFFTApp(VkFFTApp):
    """Like pyvkfft.opencl.VkFFTApp: the queue is the third argument, and may be given to a call.

    >>> OpenclVkFFTApp((16,), np.complex64, None).get_shape_str()
    '(16)'
    """

    def __init__(self, shape, dtype, queue, ndim=None, inplace=True, norm=1, r2c=False, dct=False,
                 dst=False, axes=None, strides=None, tune_config=None, r2c_odd=False, useLUT=None):
        super().__init__(shape, dtype, ndim, inplace, queue, norm, r2c, dct, dst, axes, strides,
                         tune_config, r2c_odd, useLUT)
        self.queue = queue

    def fft(self, src, dest=None, queue=None):
        """As `VkFFTApp.fft`, on `queue`, or else the queue of the array or of the constructor."""
        return self._run(src, dest, False, queue or src.queue or self.queue)

    def ifft(self, src, dest=None, queue=None):
        """As `VkFFTApp.ifft`, on `queue`, or else the queue of the array or of the constructor."""
        return self._run(src, dest, True, queue or src.queue or self.queue)


def _empty_for(library, src, kind, densest, r2c_odd):
    name, shape = _name_of(src.dtype), list(src.shape)
    if kind == FROM_REAL:
        name, shape[densest] = _COMPLEX_OF[name], shape[densest] // 2 + 1
    elif kind == TO_REAL:
        name, shape[densest] = _REAL_OF[name], 2 * (shape[densest] - 1) + bool(r2c_odd)
    is_turned = densest != len(shape) - 1
    empty = library.empty(src, tuple(shape[::-1] if is_turned else shape), name)
    return empty.T if is_turned else empty


def _call(src, dest, is_inverse, options, stream, return_scale, tune):
    if tune:
        raise NotImplementedError("tune was given, and plans are tuned beforehand; leave it out")
    library = library_of(src)
    src = library.array(src)
    strides = _wingbeat.view(src).strides
    densest = _densest_axis(src.shape, strides, options.get("axes"))
    r2c = options.get("r2c", False)
    kind = (TO_REAL if is_inverse else FROM_REAL) if r2c else FORWARD
    if dest is None:
        dest = _empty_for(library, src, kind, densest, options.get("r2c_odd"))
    inplace = _wingbeat.view(dest).place == _wingbeat.view(src).place
    shape, dtype = src.shape, _name_of(src.dtype)
    if r2c and is_inverse:
        # An app is described by the shape and dtype of the real array.
        dtype = _REAL_OF[dtype]
        shape = list(src.shape)
        shape[densest] = 2 * shape[densest] if inplace else dest.shape[densest]
    app = VkFFTApp(shape, dtype, inplace=inplace, stream=stream, strides=strides, **options)
    result = app._run(src, None if inplace else dest, is_inverse, stream)
    if not return_scale:
        return result
    return result, app.get_ifft_scale() if is_inverse else app.get_fft_scale()


def fftn(src, dest=None, ndim=None, norm=1, axes=None, cuda_stream=None, cl_queue=None,
         return_scale=False, tune=False):
    """Returns the transform of complex numbers, in `dest`, which may be `src`, or a new array; with
    `return_scale`, also returns the factor that keeps the L2 norm.

    >>> fftn(np.ones(4, np.complex64))[0]
    np.complex64(4+0j)
    """
    return _call(src, dest, False, {"ndim": ndim, "norm": norm, "axes": axes},
                 cuda_stream or cl_queue, return_scale, tune)


def ifftn(src, dest=None, ndim=None, norm=1, axes=None, cuda_stream=None, cl_queue=None,
          return_scale=False, tune=False):
    """Returns the inverse of `fftn`.

    >>> ifftn(np.ones(4, np.complex64))[0]
    np.complex64(1+0j)
    """
    return _call(src, dest, True, {"ndim": ndim, "norm": norm, "axes": axes},
                 cuda_stream or cl_queue, return_scale, tune)


def rfftn(src, dest=None, ndim=None, norm=1, cuda_stream=None, cl_queue=None, return_scale=False,
          tune=False, r2c_odd=False):
    """Returns half of the spectrum of real numbers. In place, `src` has two elements more along its
    densest axis than the transform, one with `r2c_odd`.

    >>> rfftn(np.ones((2, 4), np.float32)).shape
    (2, 3)
    """
    return _call(src, dest, False, {"ndim": ndim, "norm": norm, "r2c": True, "r2c_odd": r2c_odd},
                 cuda_stream or cl_queue, return_scale, tune)


def irfftn(src, dest=None, ndim=None, norm=1, cuda_stream=None, cl_queue=None, return_scale=False,
           tune=False, r2c_odd=False):
    """Returns the inverse of `rfftn`; of odd length with `r2c_odd`.

    >>> irfftn(rfftn(np.ones((2, 4), np.float32))).shape
    (2, 4)
    """
    return _call(src, dest, True, {"ndim": ndim, "norm": norm, "r2c": True, "r2c_odd": r2c_odd},
                 cuda_stream or cl_queue, return_scale, tune)


def dctn(src, dest=None, ndim=None, norm=1, dct_type=2, cuda_stream=None, cl_queue=None,
         return_scale=False, tune=False):
    """Returns the cosine transform of a type, 1 to 4.

    >>> dctn(np.ones(2, np.float32))[0]
    np.float32(4.0)
    """
    return _call(src, dest, False, {"ndim": ndim, "norm": norm, "dct": dct_type},
                 cuda_stream or cl_queue, return_scale, tune)


def idctn(src, dest=None, ndim=None, norm=1, dct_type=2, cuda_stream=None, cl_queue=None,
          return_scale=False, tune=False):
    """Returns the inverse of `dctn` of that type.

    >>> idctn(dctn(np.ones(2, np.float32)))
    array([1., 1.], dtype=float32)
    """
    return _call(src, dest, True, {"ndim": ndim, "norm": norm, "dct": dct_type},
                 cuda_stream or cl_queue, return_scale, tune)


def dstn(src, dest=None, ndim=None, norm=1, dst_type=2, cuda_stream=None, cl_queue=None,
         return_scale=False, tune=False):
    """Returns the sine transform of a type, 1 to 4.

    >>> dstn(np.ones(1, np.float32))
    array([2.], dtype=float32)
    """
    return _call(src, dest, False, {"ndim": ndim, "norm": norm, "dst": dst_type},
                 cuda_stream or cl_queue, return_scale, tune)


def idstn(src, dest=None, ndim=None, norm=1, dst_type=2, cuda_stream=None, cl_queue=None,
          return_scale=False, tune=False):
    """Returns the inverse of `dstn` of that type.

    >>> idstn(dstn(np.ones(1, np.float32)))
    array([1.], dtype=float32)
    """
    return _call(src, dest, True, {"ndim": ndim, "norm": norm, "dst": dst_type},
                 cuda_stream or cl_queue, return_scale, tune)


def clear_vkfftapp_cache():
    """Drops every plan that the functions keep: `wingbeat.plan_cache.clear`.

    >>> clear_vkfftapp_cache()
    """
    plan_cache.clear()


_replaced = {}


def install():
    """Replaces pyvkfft's modules `fft`, `cuda` and `opencl` by this one, for later imports; pyvkfft
    itself need not be installed.

    >>> install()
    >>> import pyvkfft.fft
    >>> pyvkfft.fft.fftn is fftn
    True
    >>> uninstall()
    """
    if _replaced:
        return
    has = {"has_cupy": find_spec("cupy") is not None, "has_pycuda": False,
           "has_opencl": find_spec("pyopencl") is not None,
           "vkfft_version": lambda: f"wingbeat {_wingbeat.__version__}"}
    contents = {"cuda": {"VkFFTApp": VkFFTApp}, "opencl": {"VkFFTApp": OpenclVkFFTApp},
                "fft": {name: globals()[name] for name in __all__[2:-2]}}
    if has["has_opencl"]:
        import pyopencl.array
        contents["opencl"]["cla"] = pyopencl.array
    modules = {} if find_spec("pyvkfft") else {"pyvkfft": ModuleType("pyvkfft")}
    for name, attributes in contents.items():
        module = modules[f"pyvkfft.{name}"] = ModuleType(f"pyvkfft.{name}")
        vars(module).update(attributes, **has)
    for name in modules:
        _replaced[name] = sys.modules.get(name)
    sys.modules.update(modules)
    import pyvkfft
    for name in contents:
        setattr(pyvkfft, name, sys.modules[f"pyvkfft.{name}"])


def uninstall():
    """Undoes `install`, for later imports.

    >>> install()
    >>> uninstall()
    """
    package = sys.modules.get("pyvkfft")
    for name, module in _replaced.items():
        leaf = name.partition(".")[2]
        if leaf and package is not None and hasattr(package, leaf):
            delattr(package, leaf)
        if module is None:
            sys.modules.pop(name, None)
        else:
            sys.modules[name] = module
            if leaf:
                setattr(package, leaf, module)
    _replaced.clear()
