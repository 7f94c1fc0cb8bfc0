# SPDX-License-Identifier: Apache-2.0
"""Kinds of transforms: cosine and sine transforms of types 1 to 4 with their inverses, the names of
kinds in plans, and the table from which the functions of `wingbeat.fft` are made for every library.
"""

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

from wingbeat import _wingbeat

FORWARD, INVERSE = _wingbeat.kind_forward, _wingbeat.kind_inverse
FROM_REAL, TO_REAL = _wingbeat.kind_forward_from_real, _wingbeat.kind_inverse_to_real
_UNDOING = {1: 1, 2: 3, 3: 2, 4: 4}  # the type of the inverse


def _kinds(family):
    """Returns the kind of each type, and its inverse's."""
    return {number: tuple(getattr(_wingbeat, f"kind_{family}{each}") for each in (number, undoing))
            for number, undoing in _UNDOING.items()}


COSINES, SINES = _kinds("dct"), _kinds("dst")


class Function(NamedTuple):
    """The properties of a function of `wingbeat.fft`."""

    kind: Any           #: `_wingbeat.kind_forward` ..; of cosines and sines, those of each type.
    is_inverse: bool    #: Is the inverse function of its pair; `norm` depends on it.
    axes: tuple | None  #: The default; None: all.
    #: Is hfft, the real inverse transform of the conjugate, or ihfft, the conjugate of a forward
    #: transform.
    is_hermitian: bool

    def of_type(self, type, norm, orthogonalize):
        """Returns (kind, whether it is orthogonal) for a call with a type. Raises ValueError."""
        if type not in tuple(self.kind):
            raise ValueError(f"Transform type is {type!r}; give 1, 2, 3 or 4")
        is_orthogonal = norm == "ortho" if orthogonalize is None else bool(orthogonalize)
        return self.kind[type][int(self.is_inverse)], is_orthogonal  # dynamo refuses a bool


SPECTRAL = {"fft": FORWARD, "ifft": INVERSE, "rfft": FROM_REAL, "irfft": TO_REAL}
_AXES = {"": (-1,), "2": (-2, -1), "n": None}


def _functions(kinds, endings):
    return {name + ending: Function(kind, name[0] == "i", _AXES[ending], "h" in name)
            for ending in endings for name, kind in kinds.items()}


FUNCTIONS = {
    **_functions({**SPECTRAL, "hfft": TO_REAL, "ihfft": FROM_REAL}, ("", "2", "n")),
    **_functions({"dct": COSINES, "idct": COSINES, "dst": SINES, "idst": SINES}, ("", "n"))}
_NAMES = tuple(FUNCTIONS)
#: Groups of functions with the same arguments, each in the order of FUNCTIONS' first line.
ROWS, PLANES, SOLIDS = _NAMES[:6], _NAMES[6:12], _NAMES[12:18]
REAL_ROWS, REAL_SOLIDS = _NAMES[18:22], _NAMES[22:]
KINDS = {**SPECTRAL, "dht": _wingbeat.kind_dht,
         **{f"dct{number}": kind for number, (kind, _) in COSINES.items()},
         **{f"dst{number}": kind for number, (kind, _) in SINES.items()}}
INVERSES = ("ifft", "irfft")


def of_call(kind):
    """Returns a plan's kind for a call's, and whether the function is an inverse one."""
    named = re.fullmatch("(i?)(dct|dst)([1-4]?)", kind) if isinstance(kind, str) else None
    if named is None:
        return kind, kind in INVERSES
    is_inverse, family, number = bool(named[1]), named[2], int(named[3] or "2")
    return f"{family}{_UNDOING[number] if is_inverse else number}", is_inverse


def kinds_of(kind, n_axes, known=KINDS):
    """Returns the name of each axis's kind. Messages list the `known` ones."""
    are_several = isinstance(kind, Iterable) and not isinstance(kind, (str, bytes))
    kinds = tuple(kind) if are_several else (kind,) * n_axes
    for name in kinds:
        if not isinstance(name, str) or name not in KINDS:
            raise ValueError(f"kind is {name!r}; give one of {', '.join(known)}")
    if len(kinds) != n_axes:
        raise ValueError(f"kind is {kind!r} and the axes are {n_axes}; give one name for each, or "
                         "one for all")
    if len(set(kinds)) > 1 and not all(name[0] == "d" for name in kinds):
        raise ValueError(f"kind is {kinds!r}, and only those from reals to reals may differ "
                         "between axes; give dct1 to dct4, dst1 to dst4 or dht for each")
    return kinds
