# SPDX-License-Identifier: Apache-2.0
"""Searches of an image for projections of a volume at many orientations, as 2D template matching in
electron cryo-microscopy does.

    OrientationSearch   slices through a volume's spectrum, times filters, become templates on the
                        device; the best score of each place, its template, mean and variance are
                        kept
    Detection           a place whose largest score stands out
    Refined             the same with finer angles, defocus and place
    ScoreTable          all scores above a threshold

`wingbeat.microscopy` makes its operands, and `wingbeat.match` exports the search too.

>>> import numpy as np
>>> from wingbeat import microscopy
>>> from wingbeat.orientation_search import OrientationSearch
>>> rng = np.random.default_rng(0)
>>> spectrum = microscopy.prepare_volume(rng.standard_normal((8, 8, 8)))
>>> image, _ = microscopy.prepare_micrograph(rng.standard_normal((32, 48)), whitening=False)
>>> search = OrientationSearch(image, spectrum, np.ones((2, 8, 5)))
>>> search.add(microscopy.orientation_grid(psi_step=90, theta_step=90)).n_templates
48
>>> search.best.shape, divmod(int(search.index.max()), search.n_filters) < (24, 0)
((25, 41), True)
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple, Sequence

import numpy as np

from wingbeat import _arguments, _sums, _wingbeat
from wingbeat._arrays import numpy_library
from wingbeat._device import queue_on
from wingbeat._types import Array, Between
from wingbeat.fft import irfft2
from wingbeat.microscopy import (MAX_DEGREES, Optics, RadialFilter, described, on_host, plane_axes,
                                 require_within)
from wingbeat.search import SearchOfImage, SearchPart, of_search

__all__ = ["Detection", "OrientationSearch", "Refined", "ScoreTable"]


class Detection(NamedTuple):
    """A place of an image whose largest score stands out from all scores there."""

    z: float  #: (score - mean) / deviation.
    number: int  #: Of the template: rotation times filters plus filter.
    y: int  #: The template's first pixel in the image; its centre is n // 2 further.
    x: int
    score: float
    mean: float
    deviation: float


class Refined(NamedTuple):
    """A detection whose orientation, defocus and place were refined."""

    z: float  #: By the mean and deviation of the search.
    y: int
    x: int
    phi: float  #: Degrees.
    theta: float
    psi: float
    defocus: float  #: Angstrom, relative to that of the optics.
    score: float
    mean: float
    deviation: float


class ScoreTable(NamedTuple):
    """Scores above a threshold, by template and place, as arrays."""

    number: np.ndarray
    y: np.ndarray
    x: np.ndarray
    score: np.ndarray
    lost: int  #: Scores for which there was no room.


def _values(image):
    """Returns the library of an image and its values; those of a half spectrum have even width."""
    library, image = of_search(image)
    is_spectrum = _wingbeat.view(image).dtype.startswith("complex") and len(image.shape) == 2
    return (library, irfft2(image)) if is_spectrum else (library, image)


class OrientationSearch(SearchOfImage):
    """Searches an image for projections of a volume, and keeps a summary of each place's scores.

    image            [y][x], reals, or the complex half spectrum [y][w // 2 + 1] of `rfft2` of them,
                     of even width w; searched in float32. Scores of white noise have variance 1 if
                     its own is 1 / (height width), as `microscopy.prepare_micrograph` makes it. A
                     float32 array of torch or CuPy is searched on its device, in its stream
    spectrum         [n][n][n // 2 + 1], of a volume, as `microscopy.prepare_volume` returns it; n
                     is even
    filters          [..][n][n // 2 + 1], real or complex, in the order of `rfft2`: each slice is
                     multiplied by each of them, such as transfer functions at several defoci
    moments          True: keeps `mean`, `variance` and `z`
    table_threshold  keeps a table of all scores above it; None: does not
    table_capacity   how many of them a device holds, which are fetched between runs
    histogram        (begin, end, bins): counts all scores in bins of equal width, of which the
                     first and last take those beyond; None: does not
    at_once          orientations of a run; None: chosen
    volume           "float16" keeps the spectrum in half the bytes; scores move by some 1e-3
    between          "float16" or "bfloat16": the type of spectra between passes, as in `Search`
    max_bytes        device memory that the search may take, by which `at_once` is chosen;
                     ValueError if one orientation, or `at_once` of them, takes more. None: most of
                     the device's
    n_orientations   about how many rotations the whole search has: the more, the coarser scores are
                     rounded before they are summed, so that sums do not depend on the order
    magnification    2 x 2 matrix of (y, x), anisotropic, as in `microscopy.Optics`
    device, devices  as in `Search`

    For a filter Q, a template is the inverse transform of -slice Q, without its mean and then
    without the mean e of its edge, times sqrt(height width / v), where v is the sum of squares of
    its values, less m, in an image of zeros: m = -e (n^2 / (height width))^2. `index` is a
    template's number: rotation times filters plus filter, in the order of `filters`.
    """

    def __init__(self, image: Array, spectrum: Array, filters: Array, *, moments: bool = True,
                 table_threshold: float | None = None, table_capacity: int = 1 << 22,
                 histogram: tuple[float, float, int] | None = None, at_once: int | None = None,
                 volume: Literal["float32", "float16"] = "float32",
                 between: Between = None, max_bytes: int | None = None,
                 n_orientations: int | None = None, magnification: Any = None, device: Any = None,
                 devices: Sequence[Any] | None = None) -> None:
        library, image = _values(image)
        if len(image.shape) != 2:
            raise ValueError(f"the image has {len(image.shape)} dimensions; give two")
        self._image_shape = tuple(image.shape)
        spectrum, filters = of_search(spectrum)[1], of_search(filters)[1]
        n = spectrum.shape[0] if len(spectrum.shape) == 3 else 0
        bins = (n, n // 2 + 1)
        if tuple(spectrum.shape) != (n, *bins) or tuple(filters.shape[-2:]) != bins:
            raise ValueError(f"the spectrum has shape {tuple(spectrum.shape)} and the filters "
                             f"{tuple(filters.shape)}; give [n, n, n/2 + 1] and [.., n, n/2 + 1]")
        self._n_filters = math.prod(filters.shape[:-2])
        self._n_defoci = (1, *filters.shape[:-2])[-1]
        self._spectrum = spectrum
        is_complex = _wingbeat.view(filters).dtype.startswith("complex")
        _arguments.choice(between, _sums.BETWEEN, "between")
        _arguments.choice(volume, ("float32", "float16"), "volume")
        self._keeps = {"mean": _arguments.boolean(moments, "moments"), "variance": moments}
        self._magnification = magnification
        plane_axes(np.eye(3)[None], magnification)  # refuses matrices without an inverse
        self._is_dealt = devices is not None
        threshold = None if table_threshold is None else _arguments.number(table_threshold,
                                                                           "table_threshold")
        self._has_table = threshold is not None
        counts = {name: 0 if value is None else _arguments.count(value, name) for name, value in (
            ("at_once", at_once), ("max_bytes", max_bytes), ("n_orientations", n_orientations))}
        self._peak = _sums.peak_of(image, "image") if between == "float16" else 0.0
        description = SimpleNamespace(
            image=self._image_shape, box=n, filters=self._n_filters,
            has_complex_filters=is_complex, volume=volume, between=between, image_peak=self._peak,
            keeps_sums=moments, orientations_at_once=counts["at_once"],
            max_bytes=counts["max_bytes"], table_threshold=threshold,
            most_scores=counts["n_orientations"] * self._n_filters or 2**25,
            table_capacity=_arguments.count(table_capacity, "table_capacity"))
        begin, end, bins = (0, 0, 0) if histogram is None else _arguments.parts(
            histogram, "histogram", ("begin", "end", "bins"))
        description.bins_begin = _arguments.number(begin, "histogram")
        description.bins_end = _arguments.number(end, "histogram")
        description.bins = _arguments.count(bins, "histogram")
        queues, stream = self._queues(library, image, device, devices)
        self._search = _wingbeat.OrientationSearch(description, queues, stream)
        if max_bytes is not None and self.device_bytes > max_bytes:
            raise ValueError(f"max_bytes is {max_bytes} and the search takes {self.device_bytes} "
                             f"with at_once={self.at_once}; give at least as many")
        self._search.set_volume(*self._numbers(spectrum, "spectrum", np.complex64))
        self._search.set_filters(*self._numbers(filters, "filters",
                                                np.complex64 if is_complex else np.float32))
        self.image(image)

    def _numbers(self, x, name, dtype):
        """Returns (view, stream) of an array of finite numbers in this dtype."""
        library, x = of_search(x)
        if library is numpy_library:
            _sums.require_numbers(f"the {name}", x)
            if x.dtype.kind == "c" and dtype == np.float32:
                raise TypeError(f"the {name} is of dtype {x.dtype}; give real numbers")
            x = x.astype(dtype, copy=False)
            if not np.isfinite(x).all():
                raise ValueError(f"the {name} holds NaN, infinity or numbers beyond float32, which "
                                 "transforms spread over all scores; replace or scale them")
        elif self._is_dealt:
            raise TypeError("the search is of arrays of numpy; convert this one")
        return self._operand(x, np.dtype(dtype))

    @property
    def n_filters(self) -> int:
        """The number of filters."""
        return self._n_filters

    @property
    def at_once(self) -> int:
        """The orientations of a run. The last run of `add` costs as much as a whole one."""
        return self._search.at_once

    @property
    def z(self) -> np.ndarray:
        """(best - mean) / sqrt(variance), float32, 0 where that is 0; needs `moments`."""
        return self._kept("mean", "moments=True").z()

    def image(self, image: Array) -> OrientationSearch:
        """Takes another image of the same shape, and forgets all scores. Returns the search."""
        image = _values(image)[1]
        self._require_alike(image)
        self._search.begin(*self._numbers(image, "image", np.float32))
        self._image = image
        return self

    def add(self, rotations: Array, first: int | None = None) -> OrientationSearch:
        """Takes rotations, [rotation][3][3] of vectors (x, y, z), or ZYZ angles in degrees,
        [rotation][3]; see `microscopy.rotations`. first: the number of the first of them in the
        whole search, by default the next after the latest. Neighbours should share a plane, with
        psi varying fastest, whose bins then stay in a cache. Returns the search."""
        first = None if first is None else _arguments.count(first, "first")
        axes = plane_axes(rotations, self._magnification)
        if len(axes) > 0:
            self._search.add(axes, first)
        return self

    def project(self, rotations: Array) -> np.ndarray:
        """Returns the templates of rotations as numpy's float32 [rotation][filter][n][n], as they
        are scored."""
        return self._search.project(plane_axes(rotations, self._magnification))

    @property
    def histogram(self) -> np.ndarray:
        """How many of all scores, of all templates and places, are in each bin, uint64; needs
        `histogram`."""
        counts = self._search.histogram()
        if len(counts) == 0:
            raise RuntimeError("no histogram is kept; make the search with histogram=(begin, end, "
                               "bins)")
        return counts

    def table(self) -> ScoreTable:
        """Returns the scores above `table_threshold` since the last call, or since the image was
        given."""
        if not self._has_table:
            raise RuntimeError("no table is kept; make the search with a table_threshold")
        return ScoreTable(*self._search.take_table())

    def detections(self, false_positives: float = 1.0, threshold: float | None = None,
                   radius: float = 5.0) -> list[Detection]:
        """Returns places of `z` above a threshold, highest first; needs `moments`.

        false_positives  how many are expected in noise, over all places and templates
        threshold        of z, in place of the one that follows from `false_positives`
        radius           pixels; nearer to a detection there is no other
        """
        number = _arguments.number
        threshold = None if threshold is None else number(threshold, "threshold")
        found = self._kept("mean", "moments=True").detections(
            number(false_positives, "false_positives"), threshold, number(radius, "radius"))
        return [Detection(*each) for each in found]

    def refine(self, detections: Sequence[Detection], angles: Array, optics: Optics,
               image_filter: RadialFilter | None = None, defoci: Sequence[float] = (0.0,), *,
               psi_step: float = 1.5, theta_step: float = 2.5, defocus_step: float = 200.0,
               reach: int = 8, device: Any = None) -> list[Refined]:
        """Returns detections with finer angles, defoci and places, in the same order; needs
        `moments`.

        angles        of the whole search, degrees [rotation][3]
        optics, image_filter, defoci  as the filters were made, by `microscopy.projection_filters`,
                      [..][defocus][n][n // 2 + 1]
        steps         of the search, in degrees and Angstrom: orientations and defoci within them
                      are tried in fifths to each side, and once more within such a fifth of the
                      best. defocus_step 0 keeps the defocus
        reach         pixels around the place
        device        one device, as in `Search`; the processor if None

        The image and spectrum that the search was given must not have changed.
        """
        self._kept("mean", "moments=True")
        angles = np.asarray(angles, np.float64)
        defoci = _arguments.each(_arguments.number, defoci, "defoci")
        if angles.ndim != 2 or angles.shape[1] != 3:
            raise ValueError(f"angles have shape {angles.shape}; give those of the search, [n, 3]")
        require_within(MAX_DEGREES, "angles", angles)
        if len(defoci) != self._n_defoci:
            raise ValueError(f"defoci has length {len(defoci)} and the filters' axis of defoci "
                             f"{self._n_defoci}; give the defoci of the filters")
        found = np.empty((len(detections), 6))
        for row, each in zip(found, detections):
            number, y, x = (_arguments.count(getattr(each, name), f"a detection's {name}")
                            for name in ("number", "y", "x"))
            rotation, number = divmod(number, self._n_filters)
            if rotation >= len(angles):
                raise ValueError(f"detection {each.number} is none of {len(angles)} angles; give "
                                 "those of the whole search")
            row[:] = y, x, *angles[rotation], defoci[number % len(defoci)]
        number = _arguments.number
        steps = SimpleNamespace(
            psi_step=number(psi_step, "psi_step"), theta_step=number(theta_step, "theta_step"),
            defocus_step=number(defocus_step, "defocus_step"), parts=5, rounds=2,
            reach=_arguments.count(reach, "reach"))
        image, spectrum = (np.ascontiguousarray(on_host(each, "iufc"), dtype) for each, dtype in (
            (self._image, np.float32), (self._spectrum, np.complex64)))
        return [Refined(z, int(y), int(x), *rest) for z, y, x, *rest in self._search.refine(
            queue_on(device or "host"), steps, described(optics), image, image_filter,
            spectrum.view(np.float32), found).tolist()]

    def part(self, n_rotations: int) -> SearchPart:
        """Returns what was kept so far, without the table, as part of a search for `n_rotations`
        rotations whose numbers `add` was given, to be merged with parts of the same image, volume,
        filters and `n_orientations`. ValueError for an image on a device."""
        count = _arguments.count(n_rotations, "n_rotations") * self._n_filters
        return SearchPart(self._search.part(count), {**self._keeps, "counts": False})

    @property
    def device_bytes(self) -> int:
        """The device memory of the search, on each device."""
        return self._search.device_bytes
