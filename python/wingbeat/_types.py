# SPDX-License-Identifier: Apache-2.0
"""Types of arguments that functions share, and of functions that return an array of their
argument's library."""

from __future__ import annotations

from typing import (TYPE_CHECKING, Any, Callable, Literal, Protocol, Sequence, TypeVar, Union,
                    cast, overload)

if TYPE_CHECKING:
    from typing_extensions import Concatenate, ParamSpec

    import numpy as np

    from wingbeat.plan import Plan

    _Rest = ParamSpec("_Rest")
    #: Everything that numpy converts to an array; the result is a numpy array.
    _OfNumpy = Union[np.ndarray, np.generic, complex, Sequence[Any]]

    class _HasShape(Protocol):
        @property
        def shape(self) -> Any: ...

        @property
        def dtype(self) -> Any: ...

    _Other = TypeVar("_Other", bound=_HasShape)  #: An array of another library.

    class _OfOne(Protocol[_Rest]):
        @overload
        def __call__(self, x: _OfNumpy, *args: _Rest.args,
                     **kwargs: _Rest.kwargs) -> np.ndarray: ...

        @overload
        def __call__(self, x: _Other, *args: _Rest.args, **kwargs: _Rest.kwargs) -> _Other: ...

    class _OfSignals(Protocol[_Rest]):
        @overload
        def __call__(self, in1: _OfNumpy, in2: _OfNumpy, *args: _Rest.args,
                     **kwargs: _Rest.kwargs) -> np.ndarray: ...

        @overload
        def __call__(self, in1: _Other, in2: _Other, *args: _Rest.args,
                     **kwargs: _Rest.kwargs) -> _Other: ...

    class _OfImage(Protocol[_Rest]):
        @overload
        def __call__(self, image: _OfNumpy, kernel: _OfNumpy, *args: _Rest.args,
                     **kwargs: _Rest.kwargs) -> np.ndarray: ...

        @overload
        def __call__(self, image: _Other, kernel: _Other, *args: _Rest.args,
                     **kwargs: _Rest.kwargs) -> _Other: ...

    class RowFunction(Protocol):
        def __call__(self, x: Any, n: int | None = None, axis: int = -1, norm: Norm = None,
                     overwrite_x: bool = False, workers: int | None = None, *,
                     plan: Plan | None = None, out: Any = None, stream: Any = None) -> Any: ...

    class AxesFunction(Protocol):
        def __call__(self, x: Any, s: Axes = None, axes: Axes = None, norm: Norm = None,
                     overwrite_x: bool = False, workers: int | None = None, *,
                     plan: Plan | None = None, out: Any = None, stream: Any = None) -> Any: ...

    class RealRowFunction(Protocol):
        def __call__(self, x: Any, type: Type = 2, n: int | None = None, axis: int = -1,
                     norm: Norm = None, overwrite_x: bool = False, workers: int | None = None,
                     orthogonalize: bool | None = None, *, plan: Plan | None = None,
                     out: Any = None, stream: Any = None) -> Any: ...

    class RealAxesFunction(Protocol):
        def __call__(self, x: Any, type: Type = 2, s: Axes = None, axes: Axes = None,
                     norm: Norm = None, overwrite_x: bool = False, workers: int | None = None,
                     orthogonalize: bool | None = None, *, plan: Plan | None = None,
                     out: Any = None, stream: Any = None) -> Any: ...

Array = Any  #: Of any known library.
Norm = Literal["backward", "ortho", "forward", None]
Axes = Union[int, Sequence[int], None]  #: Also used for lengths, one per axis.
Type = Literal[1, 2, 3, 4]  #: For cosine and sine transforms.
Mode = Literal["full", "same", "valid"]
Between = Literal["float32", "float16", "bfloat16", None]
Border = Literal["reflect", "grid-mirror", "mirror", "nearest", "wrap", "grid-wrap", "constant",
                 "grid-constant"]


def of_one(function: Callable[Concatenate[Any, _Rest], Any]) -> _OfOne[_Rest]:
    """Declares to type checkers that a function returns an array of x's library."""
    return cast(Any, function)  # a Callable does not state argument names


def of_signals(function: Callable[Concatenate[Any, Any, _Rest], Any]) -> _OfSignals[_Rest]:
    """Declares to type checkers that a function returns an array of in1's and in2's library."""
    return cast(Any, function)  # a Callable does not state argument names


def of_image(function: Callable[Concatenate[Any, Any, _Rest], Any]) -> _OfImage[_Rest]:
    """Declares to type checkers that a function returns an array of its image's and kernel's
    library."""
    return cast(Any, function)  # a Callable does not state argument names


def named(maker: Callable[[str], Callable[Concatenate[Any, _Rest], Any]]) -> Callable[
        [Callable[[], None]], _OfOne[_Rest]]:
    """Returns a decorator that replaces a stub by maker(its name), with the stub's name and
    docstring."""
    def documented(stub):
        function = maker(stub.__name__)
        for name in ("__module__", "__name__", "__qualname__", "__doc__"):
            setattr(function, name, getattr(stub, name))
        return function
    return documented
