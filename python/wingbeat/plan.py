# SPDX-License-Identifier: Apache-2.0
"""Explicit plans: layouts, zero padding and cropping, loads and stores, and the cost of a run.

>>> import numpy as np
>>> import wingbeat
>>> spectra = wingbeat.Plan((16, 1024), axes=1, dtype="float32", kind="rfft")
>>> spectra(np.ones((16, 1024), np.float32)).shape
(16, 513)

`in` and `out` name the two sides of a plan; sizes on a side count its elements, real or complex.
"""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import lru_cache
from types import SimpleNamespace
from typing import Any, Literal, Sequence, get_args

import numpy as np

from wingbeat import _wingbeat
from wingbeat._arguments import (NORMS, boolean, choice, completed, count, each, instance, integer,
                                 integers, lengths_and_axes, named, number, packed_strides,
                                 scale_of)
from wingbeat._arrays import library_of
from wingbeat._device import OfDevice, queue_on
from wingbeat._kinds import FROM_REAL, INVERSES, KINDS, SPECTRAL, TO_REAL, kinds_of, of_call
from wingbeat._types import Array, Axes, Norm
from wingbeat.sides import (FACTOR_TEXTS, Functor, Layout, Side, layout_of, operands_of,
                            require_strides, valid_range)

__all__ = ["Plan", "Layout", "Functor", "compile_ahead", "plan_for"]

Kind = Literal["fft", "ifft", "rfft", "irfft", "dct1", "dct2", "dct3", "dct4", "dst1", "dst2",
               "dst3", "dst4", "dht"]
CallKind = Literal[Kind, "dct", "dst", "idct", "idct1", "idct2", "idct3", "idct4", "idst", "idst1",
                   "idst2", "idst3", "idst4"]
_SCALES = {None: 0, "length": 1, "sqrt": 2}
_COMPLEX_NAMES = {"float32": "complex64", "float64": "complex128", "float16": "complex32",
                  "bfloat16": "bcomplex32"}
_REAL_NAMES = {**{real: real for real in _COMPLEX_NAMES},
               **{name: real for real, name in _COMPLEX_NAMES.items()}}
#: What stands for the bits of elements in libraries that have no such dtype.
_BITS = {"bfloat16": ("uint16",), "complex32": ("float16", "uint32"),
         "bcomplex32": ("bfloat16", "uint16", "uint32")}
_NONE = ()  # no operands


class Plan(OfDevice):
    """A transform, prepared once and run often. Runs do not change it, so threads may share it.

    shape      shape of the transform's longer side, batches included; for `rfft` and `irfft`, that
               of the real numbers.
    axes       the transformed dimensions of the shape, up to three; None: all.
    kind       "fft", "ifft", "rfft", "irfft", "dct1" to "dct4", "dst1" to "dst4" or "dht"; for
               kinds from reals to reals, from "dct1" on, also a tuple with one per axis.
    dtype      of the input's elements: "complex64", "float16" ..; `out_dtype`: of the output's, if
               it differs. fp64 cannot be mixed with others.
    norm       None: unscaled, in both directions; "length": divided by the number of points,
               "sqrt": by its square root; or "backward", "forward" and "ortho", which mean one of
               these, as in `wingbeat.fft`: "backward" divides "ifft" and "irfft" by the length,
               "forward" the others. `factor` multiplies in addition.
    bins       "natural", or "scrambled": the device's order of bins, see `bin_at`.
    in_place   the output replaces the input, and a run without `out` returns x; for `rfft` and
               `irfft` each row then has space for n + 2 reals (n + 1 if n is odd), see the C++
               library's `placement`. Other plans also take x as `out` if both sides have the same
               layout.
    layout_in, layout_out    a `Layout` of each side.
    valid_in, valid_out      one (first, end) per axis: the indices in memory. Other elements are 0
               in the input, and not written in the output.
    load, store              a `Functor` in place of the input, or of the output.
    multiplier               for kinds from reals to reals, a `Functor` that loads factors: the plan
               transforms, multiplies coefficient i by factor i, and transforms back, by "dct3"
               after "dct2". Its `norm` applies to both directions together: with "length", factors
               of 1 leave x as it is.
    device     a `wingbeat.Device`, an engine's name, a `wingbeat.Queue` for its device, or a
               `pyopencl.CommandQueue`; None: the processor. "reference" takes the processor's
               arrays.

    >>> plan = wingbeat.Plan(8, dtype="complex64")
    >>> plan(np.ones(8, np.complex64))[0]
    np.complex64(8+0j)
    """

    def __init__(self, shape: int | Sequence[int], axes: Axes = None, *,
                 kind: Kind | Sequence[Kind] = "fft", dtype: Any = "complex64",
                 out_dtype: Any = None,
                 norm: Literal["length", "sqrt", "backward", "forward", "ortho", None] = None,
                 factor: float = 1.0, orthogonalize: bool = False,
                 bins: Literal["natural", "scrambled"] = "natural",
                 in_place: bool = False, layout_in: Layout | None = None,
                 layout_out: Layout | None = None,
                 valid_in: Sequence[tuple[int, int]] | None = None,
                 valid_out: Sequence[tuple[int, int]] | None = None, load: Functor | None = None,
                 store: Functor | None = None, multiplier: Functor | None = None,
                 device: Any = None) -> None:
        self.shape = integers(shape, "shape")
        if any(n < 1 for n in self.shape):
            raise ValueError(f"shape is {self.shape}; give lengths of 1 or more")
        _, self.axes = lengths_and_axes(self.shape, None, axes)
        if not self.axes:
            raise ValueError("axes are empty; give one or more")
        kinds = kinds_of(kind, len(self.axes))
        self.kind = kinds[0] if len(set(kinds)) == 1 else kinds
        self._transform = KINDS[kinds[-1]]  # the last axis decides
        self._choose_types(dtype, out_dtype)
        native = getattr(device, "int_ptr", None)  # pyopencl's queues; plans belong to a context
        for name, given, expected in (
                ("layout_in", layout_in, Layout), ("layout_out", layout_out, Layout),
                ("load", load, Functor), ("store", store, Functor),
                ("multiplier", multiplier, Functor)):
            if given is not None:
                instance(given, expected, name, f"give a wingbeat.{expected.__name__}")
        for name, functor, verb in (("load", load, "reads"), ("store", store, "writes")):
            if functor is not None and functor.elements == 0:
                raise ValueError(f"elements of {name} is 0; give a Functor how many elements of "
                                 f"its own a run {verb}")
        queue = (_wingbeat.Queue(_host_device()) if device is None else
                 queue_on(device) if native is None else
                 _wingbeat.adopted_queue_of(_wingbeat.Engine.opencl, 0, native))
        self.device = queue.device
        is_counted = self.device.engine == _wingbeat.Engine.cuda
        memory_of = (_wingbeat.Engine.host if self.device.engine == _wingbeat.Engine.reference
                     else self.device.engine)
        self._place = memory_of, self.device.index if is_counted else 0
        self._choose_sides(layout_in or Layout(), layout_out or Layout(), valid_in, valid_out,
                           in_place, load, store)
        if choice(norm, (*_SCALES, *NORMS), "norm") in NORMS:
            norm = _norm_of(norm, kinds[-1] in INVERSES)
        choice(bins, ("natural", "scrambled"), "bins")
        self.norm, self.orthogonalize, self.in_place = (
            norm, boolean(orthogonalize, "orthogonalize"), boolean(in_place, "in_place"))
        self._is_bare = factor == 1 and bins == "natural"
        self._functors = load, store, multiplier
        factors = multiplier and FACTOR_TEXTS.get(multiplier.text)
        if factors and (factors == "float64") != (self._real == "float64"):
            raise TypeError(f"the factors are of {factors} and the plan computes in "
                            f"{self._real}; make Functor.factors of the plan's dtype")
        with named({"callable": "function"}):
            self._plan = _wingbeat.OwnedPlan(queue, SimpleNamespace(
                lengths=[self.shape[axis] for axis in self.axes],
                batch=[self.shape[d] for d in self._batch()],
                kinds=[KINDS[each] for each in (kinds if len(set(kinds)) > 1 else kinds[:1])],
                real=self._real, scale=_SCALES[norm], factor=number(factor, "factor"),
                orthogonalize=self.orthogonalize, bins=int(bins == "scrambled"),
                place=int(self.in_place), input=self._in, out=self._out, load=load, store=store,
                multiplier=multiplier))
        self.last_call = None  # the last wingbeat.fft call with this plan
        self._state_arrays()

    def _state_arrays(self):
        """Tells the extension which arrays it may take without checks in Python."""
        self.run_as_expected = self._plan.run
        makes_output = (self._out.array_strides == packed_strides(self.out_shape) and
                        not self._out.valid and not self.in_place)
        self._plan.expect(self._in, self._out, makes_output, self.takes_x_as_out)

    def _choose_types(self, dtype, out_dtype):
        names = []
        for name, given, real_kind, verb in (("dtype", dtype, FROM_REAL, "takes"),
                                             ("out_dtype", out_dtype, TO_REAL, "gives")):
            is_complex = self._transform in SPECTRAL.values() and self._transform != real_kind
            if given is None and names:
                real = _REAL_NAMES[names[0]]
                names.append(_COMPLEX_NAMES[real] if is_complex else real)
                continue
            text = (np.dtype(given).name if isinstance(given, (type, np.dtype))
                    else str(given).removeprefix("torch."))
            if text not in _REAL_NAMES:
                raise TypeError(f"{name} {text} cannot be transformed; give one of "
                                f"{', '.join(_REAL_NAMES)}")
            if (text in _COMPLEX_NAMES.values()) != is_complex:
                raise TypeError(f"{name} is {text} and {self.kind} {verb} "
                                f"{'complex' if is_complex else 'real'} numbers")
            names.append(text)
        self.in_dtype, self.out_dtype = names
        reals = [_REAL_NAMES[name] for name in names]
        self._real = reals[0] if reals[0] == reals[1] or "float64" in reals else "float32"

    def _is_packed_by_default(self):
        """Whether the library's packed layout, batches outermost, equals that of the shape."""
        return self._batch() + list(self.axes) == list(range(len(self.shape)))

    def _batch(self):
        return [d for d in range(len(self.shape)) if d not in self.axes]

    def _choose_sides(self, layout_in, layout_out, valid_in, valid_out, in_place, load, store):
        halved = list(self.shape)
        halved[self.axes[-1]] = halved[self.axes[-1]] // 2 + 1
        self.in_shape = tuple(halved) if self._transform == TO_REAL else self.shape
        self.out_shape = tuple(halved) if self._transform == FROM_REAL else self.shape
        is_padded = in_place and self._transform in (FROM_REAL, TO_REAL)
        if is_padded and not self._is_packed_by_default():
            raise ValueError(f"axes are {self.axes} and {self.kind} in place takes the last ones, "
                             "in order; give these, or leave in_place out")
        self._in = self._side("x", self.in_shape, self.in_dtype, layout_in, valid_in, load,
                              is_padded)
        self._out = self._side("out", self.out_shape, self.out_dtype, layout_out, valid_out, store,
                               is_padded)

    def _side(self, name, shape, dtype, layout, valid, functor, is_padded):
        real = _REAL_NAMES[dtype]
        side = Side(name, shape, (dtype,), None if real == self._real else real)
        if valid is not None:
            valid = each(valid_range, valid, f"valid_{'in' if name == 'x' else 'out'}")
            if not valid:
                raise ValueError(f"the valid range of {name} is empty; give one (first, end) for "
                                 "each axis, or None")
            side = side._replace(valid=valid)
        if layout != Layout() and (functor is not None or is_padded):
            raise ValueError(f"the layout of {name} was given beside "
                             f"{'in_place' if functor is None else 'a functor'}, which has its "
                             "own; leave it out")
        if functor is not None:
            dtypes = functor.element, *_BITS.get(functor.element, ())
            return side._replace(dtypes=dtypes, is_functors=True)
        if is_padded:
            return side._replace(dtypes=(real, _COMPLEX_NAMES[real]))
        strides = packed_strides(shape) if layout.strides is None else layout.strides
        if layout.strides is not None or not self._is_packed_by_default():
            if len(strides) != len(shape):
                raise ValueError(f"the layout of {name} has {len(strides)} strides and the shape "
                                 f"{len(shape)} dimensions; give one each")
            require_strides(name, shape, strides, self.axes, side.valid)
            side = side._replace(strides=tuple(max(strides[axis], 1) for axis in self.axes),
                                 distances=tuple(strides[d] for d in self._batch()))
        is_plain = not layout.imaginary_at and not layout.origin
        return side._replace(dtypes=(real if layout.imaginary_at else dtype,),
                             array_strides=strides if is_plain else None,
                             imaginary_at=layout.imaginary_at, origin=layout.origin or ())

    def __call__(self, x: Array, out: Array | None = None, *, load: Sequence[Any] = _NONE,
                 store: Sequence[Any] = _NONE, multiplier: Sequence[Any] = _NONE,
                 stream: Any = None) -> Array:
        """Runs on an array, and returns `out`, or a new array on the device of x; a plan in place
        returns x. `load`, `store` and `multiplier` are the arguments for the functors' operands:
        arrays of the same library, and numbers.

        >>> plan = wingbeat.Plan((2, 4), axes=1, kind="dct2", dtype="float32")
        >>> out = np.empty((2, 4), np.float32)
        >>> plan(np.ones((2, 4), np.float32), out) is out
        True
        """
        if out is None and self.in_place:
            out = x
        if stream is None and load is _NONE and store is _NONE and multiplier is _NONE:
            result = self.run_as_expected(x, out)
            if result is not None:
                return result
        library = library_of(x)
        x = _planned_array(library, x)
        if stream is not None:
            with library.running_on(stream, x):
                return self(x, out, load=load, store=store, multiplier=multiplier)
        view = self._required(library, x, self._in)
        if out is None:
            out = self._new_output(library, x)
        out_view = self._required(library, out, self._out)
        operands = [operands_of(library, name, functor, given) for name, functor, given in zip(
            ("load", "store", "multiplier"), self._functors, (load, store, multiplier))]
        self._require_factors(multiplier)
        self._require_places(view, out_view)
        self._plan.enqueue(x, out, *operands)
        return out

    def _required(self, library, array, side):
        """Returns the view of an array. Raises unless this plan can run on its layout."""
        if library_of(array) is not library or _wingbeat.view(array).device != self._place:
            raise ValueError(f"the plan was made for {self.device!r} and {side.name} is elsewhere; "
                             "give arrays there, or make a plan with another device")
        library.require_memory(array, side.name, side.name == "out")
        return side.require(array)

    @property
    def takes_x_as_out(self) -> bool:
        """Whether both sides have the same layout, so that a run may replace x.

        >>> wingbeat.Plan(8).takes_x_as_out, wingbeat.Plan(8, out_dtype="complex32").takes_x_as_out
        (True, False)
        """
        whole = [(0, self.shape[axis]) for axis in self.axes]
        sides = [(side.shape, side.dtypes, side.array_strides, list(side.valid) or whole)
                 for side in (self._in, self._out)]
        return self.in_place or (sides[0] == sides[1] and self._in.array_strides is not None)

    def _require_places(self, x, out):
        """Raises if x and out overlap without being in the same place, or, for a plan in place, are
        not in the same place. The layout of functors' own elements is their author's."""
        if self._in.is_functors or self._out.is_functors:
            return
        is_one_place = x.place == out.place
        if not (self.takes_x_as_out if is_one_place else
                not self.in_place and not x.may_overlap(out)):
            wanted = ("leave out out, or give x" if self.in_place else "give x, or other memory"
                      if self.takes_x_as_out else "give other memory")
            raise ValueError(f"out {'is not' if self.in_place else 'shares'} x's memory and the "
                             f"plan {'works' if self.in_place else 'does not work'} in place; "
                             f"{wanted}")

    def _require_factors(self, given):
        """Raises unless the array for `Functor.factors` has a value for each coefficient."""
        functor = self._functors[2]
        if functor is None or functor.text not in FACTOR_TEXTS:
            return
        factors, = given
        n_factors = math.prod(self.shape[axis] for axis in self.axes)
        if math.prod(factors.shape) != n_factors:
            raise ValueError(f"the factors have shape {tuple(factors.shape)}; give {n_factors}, "
                             "one for each coefficient of a transform")

    def _new_output(self, library, x):
        if self._out.array_strides != packed_strides(self.out_shape):
            raise ValueError("out is needed, because the plan's output is not packed: it has a "
                             "layout, a functor, or padding")
        try:
            result = library.empty(x, self.out_shape, self.out_dtype)
        except (TypeError, KeyError, ValueError):
            raise TypeError(f"x's library has no type for the output's numbers, {self.out_dtype}; "
                            "choose another out_dtype") from None
        if self._out.valid:
            library.assign(result, 0)
        return result

    @property
    def in_bytes(self) -> int:
        """Bytes of one run's input, from its start to the end of its last element.

        >>> wingbeat.Plan(8).in_bytes
        64
        """
        return self._plan.in_bytes

    @property
    def out_bytes(self) -> int:
        """Bytes of one run's output."""
        return self._plan.out_bytes

    @property
    def workspace_bytes(self) -> int:
        """Bytes of memory that one run needs besides input and output."""
        return self._plan.workspace_bytes

    @property
    def traffic_bytes(self) -> int:
        """Bytes that one run reads and writes in the device's memory, as planned."""
        return self._plan.traffic_bytes

    @property
    def passes(self) -> list[_wingbeat.Pass]:
        """The passes of one run over memory; empty on engines that compile no kernels."""
        return self._plan.passes()

    @property
    def resources(self) -> list[_wingbeat.Resources]:
        """The resources of each pass's kernel; empty on engines that compile none."""
        return self._plan.resources()

    def require_for(self, request: Any, given: Sequence[int], shape: Sequence[int]) -> None:
        """Raises unless a call of `wingbeat.fft` requests this transform, for an array of shape
        `given` and a result of this shape."""
        if request.overwrite_x and not self.takes_x_as_out:
            raise ValueError(f"overwrite_x was given and the plan, {self!r}, has another output "
                             "than input; leave overwrite_x out")
        kind = self._transform if isinstance(self.kind, str) else None
        scale = _norm_of(request.norm, request.is_inverse)
        wanted = (request.kind, scale, request.orthogonalize, request.axes, tuple(shape))
        has_rank = len(given) == len(self.in_shape)
        valid = [(0, min(given[axis], self.in_shape[axis])) for axis in self.axes if has_rank]
        is_bare = self._is_bare and not self._out.valid and (
            not self._in.valid or list(self._in.valid) == valid)
        if (kind, self.norm, self.orthogonalize, self.axes,
            self.out_shape) != wanted or not is_bare:
            raise ValueError(f"the plan is {self!r}, and the call asks for another transform; make "
                             "a plan by plan_for with the same arguments")

    def bin_at(self, place: int) -> int:
        """Returns the bin that element `place` of the axis holds, for scrambled bins.

        >>> wingbeat.Plan(8).bin_at(3)
        3
        """
        return self._plan.bin_at(count(place, "place"))

    def explain(self) -> str:
        """Returns the plan in words: passes, bytes moved, workspace, expected speed.

        >>> print(wingbeat.Plan(8).explain().splitlines()[-1])
        workspace 0 bytes
        """
        return self._plan.explain()

    def __repr__(self):
        return (f"<wingbeat.Plan {self.kind} of {self.shape} along {self.axes}, {self.in_dtype} to "
                f"{self.out_dtype} on {self.device.name}>")


def _norm_of(norm, is_inverse):
    """Returns a plan's norm for the norm of a function of `wingbeat.fft`."""
    return tuple(_SCALES)[scale_of(norm, is_inverse)]


@lru_cache
def _host_device():
    return next(each for each in _wingbeat.devices() if each.engine == _wingbeat.Engine.host)


def _planned_array(library, x):
    if hasattr(library, "host_array"):
        raise TypeError(f"x is of type {type(x).__name__}, known by a protocol alone; give an "
                        "array of numpy, CuPy, torch or PyOpenCL")
    return library.array(x)


def compile_ahead(requests: Sequence[Mapping[str, Any]], threads: int | None = None) -> None:
    """Compiles the kernels of future plans, several at once, and keeps them in the kernel cache: a
    plan without compilation then takes a millisecond, in this process and in later ones. Useless
    for the processor, which compiles no kernels.

    requests   the arguments of each `Plan`, as a dict.
    threads    the number of plans made at once; None: one per processor.

    If `Plan` refuses requests, the first one's exception is raised once the others are done.

    >>> wingbeat.compile_ahead([{"shape": (16, n), "axes": 1} for n in (60, 64, 72)])
    """
    if threads is not None and integer(threads, "threads") < 1:
        raise ValueError(f"threads is {threads}; give 1 or more")
    with ThreadPoolExecutor(threads or os.cpu_count()) as pool:
        plans = [pool.submit(Plan, **request) for request in requests]
    for plan in plans:
        plan.result()


def plan_for(x: Array, kind: CallKind | Sequence[CallKind] = "fft", s: Axes = None,
             axes: Axes = None, norm: Norm = None, *,
             out: Array | None = None, orthogonalize: bool | None = None) -> Plan:
    """Returns a `Plan` for arrays with the layout of x, and of `out` if given, from the arguments
    of `wingbeat.fft`. Passed there as `plan`, it saves each call a look-up. `orthogonalize` is True
    by default if norm is "ortho". Kinds are those of a `Plan`, and "idct" and "idst" with their
    types, 2 by default; these are planned as their inverse kinds, "idct2" as "dct3".

    >>> x = np.ones((4, 8), np.complex64)
    >>> plan = wingbeat.plan_for(x, axes=1)
    >>> wingbeat.fft.fft(x, plan=plan).shape
    (4, 8)
    """
    library = library_of(x)
    x = _planned_array(library, x)
    engine, index = _wingbeat.view(x).device
    for name, array in (("x", x), ("out", out)):
        if array is not None:
            library.require_memory(array, name, name == "out")
    lengths, axes = lengths_and_axes(x.shape, s, axes)
    are_several = not isinstance(kind, (str, bytes)) and isinstance(kind, Iterable)
    calls = [of_call(each) for each in (kind if are_several else (kind,))]
    kinds = kinds_of([each for each, _ in calls] if are_several else calls[0][0], len(axes),
                     get_args(CallKind))
    if len({is_inverse for _, is_inverse in calls}) > 1:
        raise ValueError(f"kind is {kind!r}, of forward and inverse functions; give either")
    is_half = kinds[-1] == "irfft"
    shape, valid = list(x.shape), []
    for axis, n in zip(axes, completed(lengths, axes, x.shape, is_half)):
        shape[axis] = n
        valid.append((0, min(x.shape[axis], n // 2 + 1 if is_half and axis == axes[-1] else n)))
    layouts = [None if array is None else layout_of(array) for array in (x, out)]
    device = (x.queue if engine == _wingbeat.Engine.opencl else
              next(each for each in _wingbeat.devices()
                   if each.engine == engine and each.index == index))
    if orthogonalize is None:
        orthogonalize = norm == "ortho" and any(each[:3] in ("dct", "dst") for each in kinds)
    plan = Plan(shape, axes, kind=kinds, dtype=_wingbeat.view(x).dtype,
                out_dtype=None if out is None else _wingbeat.view(out).dtype,
                norm=_norm_of(norm, calls[0][1]), orthogonalize=orthogonalize,
                layout_in=layouts[0], layout_out=layouts[1],
                valid_in=valid, device=device)
    plan._in = plan._in._replace(shape=tuple(x.shape))
    plan._in.require(x)  # strides need not be multiples of elements
    if out is not None:
        plan._out.require(out)
    plan._state_arrays()
    return plan
