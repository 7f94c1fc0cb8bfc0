# SPDX-License-Identifier: Apache-2.0
"""Arguments shared by SciPy's functions (lengths, axes, workers): checks and defaults."""

import math
import operator
import os
from contextlib import contextmanager, nullcontext

import numpy as np

from wingbeat import _wingbeat

#: Most points along an axis.
MAX_LENGTH = _wingbeat.max_length


def integer(value, name):
    """Returns an integer. Raises TypeError for other objects, ValueError beyond 64 bits."""
    try:
        value = operator.index(value)
    except TypeError:
        raise TypeError(f"{name} is of type {type(value).__name__}; give an integer") from None
    if not -2**63 <= value < 2**63:
        raise ValueError(f"{name} is {value}; give an integer of 64 bits")
    return value


def number(value, name):
    """Returns a float. Raises TypeError for other than real numbers, ValueError beyond the range of
    floats."""
    try:
        if not isinstance(value, (str, bytes, bytearray)):  # which float would also read
            return float(value)
    except OverflowError:
        raise ValueError(f"{name} is beyond the numbers of 64 bits; give a smaller one") from None
    except (TypeError, ValueError):
        pass
    raise TypeError(f"{name} is of type {type(value).__name__}; give a number")


def boolean(value, name):
    """Returns True or False. Raises TypeError for any other object."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise TypeError(f"{name} is of type {type(value).__name__}; give True or False")


def instance(value, kind, name, advice):
    """Returns an object of a class. Raises TypeError for others."""
    if isinstance(value, kind):
        return value
    raise TypeError(f"{name} is of type {type(value).__name__}; {advice}")


def choice(value, choices, name):
    """Returns one of the choices. Raises ValueError for others."""
    if not hasattr(value, "shape") and value in tuple(choices):
        return value
    raise ValueError(f"{name} is {value!r}; choose one of {', '.join(map(str, choices))}")


def count(value, name, least=0):
    """Returns an integer of at least `least`. Raises TypeError or ValueError for others, and for
    True and False."""
    if isinstance(value, bool):
        raise TypeError(f"{name} is {value}; give an integer")
    value = integer(value, name)
    if value < least:
        raise ValueError(f"{name} is {value}; give {least} or more")
    return value


def positive(value, name):
    """Returns an integer above 0. Raises TypeError or ValueError for others."""
    return count(value, name, 1)


def positive_number(value, name):
    """Returns a finite float above 0. Raises TypeError or ValueError for others."""
    value = number(value, name)
    if not 0 < value < math.inf:
        raise ValueError(f"{name} is {value}; give a finite number above 0")
    return value


def bounds(capacity, max_bytes, *before):
    """Returns the bounds of a cache; None keeps the present one, from `before`."""
    given = zip(("capacity", "max_bytes"), (capacity, max_bytes), before)
    return tuple(old if value is None else count(value, name) for name, value, old in given)


def length(n):
    """Returns a valid length of a transform. Raises ValueError for others."""
    if n < 1:
        raise ValueError(f"invalid number of data points ({n}) specified")
    if n > MAX_LENGTH:
        raise ValueError(f"length {n} cannot be transformed; choose one from 1 to {MAX_LENGTH}")
    return n


@contextmanager
def named(names):
    """Replaces the library's names of fields by Python's arguments in messages. names: a dictionary
    from the former to the latter."""
    try:
        yield
    except _wingbeat.PlanError as refused:
        text = str(refused)
        for field, argument in names.items():
            text = text.replace(field, argument)
        raise _wingbeat.PlanError(text) from None


def each(check, values, name):
    """Returns a tuple of `check(value, name)` for each value."""
    try:
        values = tuple(values)
    except TypeError:
        raise TypeError(f"{name} is {values!r}; give a tuple") from None
    return tuple(check(value, name) for value in values)


def parts(values, name, names):
    """Returns a tuple of one value for each of the names of its parts. Raises TypeError or
    ValueError for others."""
    values = each(lambda value, _: value, values, name)
    if len(values) != len(names):
        raise ValueError(f"{name} is {values!r}; give ({', '.join(names)})")
    return values


def integers(values, name):
    """Returns an integer or a sequence of integers as a tuple."""
    if not isinstance(values, (tuple, list)):
        try:
            return (integer(values, name),)
        except TypeError:
            pass
    try:
        return tuple(integer(value, name) for value in values)
    except TypeError:
        raise ValueError(f"{name} is {values!r}; when given, {name} must be a scalar or iterable "
                         "of integers") from None


def lengths_and_axes(shape, s, axes):
    """Returns (lengths, axes) of a transform of an array of this shape by SciPy's rules: by default
    the last axes; a length of -1 is the array's, even for a half spectrum; None is the transform's
    default."""
    rank = len(shape)
    if axes is not None:
        axes = integers(axes, "axes")
        if any(not -rank <= axis < rank for axis in axes):
            raise ValueError(f"axes exceeds dimensionality of input: {axes} of {rank}; give axes "
                             f"from {-rank} to {rank - 1}")
        axes = tuple(axis % rank for axis in axes)
        if len(set(axes)) != len(axes):
            raise ValueError(f"all axes must be unique, and {axes} are not; give each axis once")
    if s is None:
        axes = tuple(range(rank)) if axes is None else axes
        return (None,) * len(axes), axes
    s = integers(s, "shape")
    if axes is None:
        if len(s) > rank:
            raise ValueError(f"shape requires more axes than are present: {len(s)} lengths of an "
                             f"array of {rank} dimensions")
        axes = tuple(range(rank - len(s), rank))
    if len(s) != len(axes):
        raise ValueError("when given, axes and shape arguments have to be of the same length; "
                         f"{len(axes)} axes and {len(s)} lengths were given")
    if any(n < 1 and n != -1 for n in s):
        raise ValueError(f"invalid number of data points ({list(s)}) specified")
    return tuple(shape[axis] if n == -1 else n for n, axis in zip(s, axes)), axes


def completed(lengths, axes, shape, is_half):
    """Returns lengths without None: the array's, but 2 (n - 1) for a half spectrum of n bins along
    the last axis."""
    result = [shape[axis] if n is None else n for axis, n in zip(axes, lengths)]
    if is_half and lengths and lengths[-1] is None:
        result[-1] = 2 * (shape[axes[-1]] - 1)
    return tuple(result)


def packed_strides(shape, stride=1):
    """Returns the strides of a packed array; `stride` is that of the last dimension."""
    strides = []
    for n in reversed(shape):
        strides.append(stride)
        stride *= n
    return tuple(reversed(strides))


#: The norm of a forward function for each value of `scaling`: none, by length, by its square root.
NORMS = ("backward", "forward", "ortho")


def scale_of(norm, is_inverse):
    """Returns the index in NORMS of a function's scaling: an inverse function divides by the length
    if its forward function does not."""
    norm = "backward" if norm is None else norm
    if norm not in NORMS:
        raise ValueError(f'norm is {norm!r}; give "backward", "ortho" or "forward"')
    number = NORMS.index(norm)
    return 1 - number if is_inverse and number != 2 else number


def thread_count(workers):
    """Returns the number of threads for `workers`; negative numbers count from all processors."""
    if type(workers) is not int:
        workers = integer(workers, "workers")
    if workers > 0:
        return min(workers, 2**31 - 1)
    n_processors = os.cpu_count()  # this call takes longer than a short transform
    if workers == 0:
        raise ValueError("workers must not be zero; give 1 or more, or -1 for all processors")
    if workers < -n_processors:
        raise ValueError(f"workers value out of range; got {workers}, must not be less than "
                         f"{-n_processors}")
    return workers + 1 + n_processors


def limited(workers):
    """Returns a context manager that limits the threads of calls."""
    return nullcontext() if workers is None else _wingbeat.ThreadLimit(thread_count(workers))
