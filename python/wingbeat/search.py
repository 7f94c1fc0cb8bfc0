# SPDX-License-Identifier: Apache-2.0
"""Searches of an image for many templates, on one device or on several, whole or in parts.

    Search      the best score of each place and its template, mean, variance, counts, peaks; no
                map of any template is written
    SearchPart  what a search for some of the templates kept, to be merged with others
    Peak        a place that looks like a template

`wingbeat.match` exports them too.

>>> import numpy as np
>>> from wingbeat.search import Search
>>> image = np.zeros((8, 8)); image[2:4, 5:7] = [[1, 2], [3, 4]]
>>> Search(image, (2, 2)).add([[1., 2.], [3., 4.]]).peaks(1)[0][:4]
(1.0, 0, 2, 5)
"""

from __future__ import annotations

import math
from types import SimpleNamespace
from typing import Any, Literal, NamedTuple, Sequence, TypeVar

import numpy as np

from wingbeat import _arguments, _sums, _wingbeat
from wingbeat._arrays import library_of, numpy_library
from wingbeat._device import OfDevice, queue_on
from wingbeat._types import Array, Between, Mode

__all__ = ["Peak", "Search", "SearchPart"]


class Peak(NamedTuple):
    """A place of an image that looks like a template."""

    score: float
    number: int  #: Number of the template, counted from 0 over all that were added.
    y: int  #: Index in the map.
    x: int
    y_subpixel: float  #: Index in the map: the vertex of the parabola through the best scores at
    #: y - 1, y and y + 1; y itself at the map's edge, and if it is no local maximum along the axis.
    x_subpixel: float  #: The same for x.


class KeptScores:
    """What a search keeps of the scores of each place, over all templates."""

    _search: Any
    _keeps: dict[str, bool]

    @property
    def n_templates(self) -> int:
        """The number of templates added."""
        return self._search.added

    @property
    def shape(self) -> tuple[int, int]:
        """(height, width) of a map."""
        return self._search.shape

    @property
    def best(self) -> np.ndarray:
        """The largest score of each place, float32; -infinity before the first template, NaN if
        none of the scores was a number."""
        best = self._search.largest()
        if self.n_templates > 0:
            best[best == -math.inf] = math.nan
        return best

    @property
    def index(self) -> np.ndarray:
        """The number of the template with the largest score, int64, the first of equals; -1 if
        there is none."""
        numbers = self._search.numbers()
        return np.where(numbers == 2**32 - 1, -1, numbers.astype(np.int64))

    @property
    def mean(self) -> np.ndarray:
        """The mean of each place's scores; needs `moments`."""
        return self._kept("mean", "moments=True").mean()

    @property
    def variance(self) -> np.ndarray:
        """The variance of each place's scores over the templates, with their number as divisor;
        needs `moments`. Like all maps but `index` and `counts` it is float32: scores above 1e19,
        possible if `normalised` is False, have an infinite variance; scale such images."""
        return self._kept("variance", "moments=True").variance()

    @property
    def counts(self) -> np.ndarray:
        """How many of each place's scores exceeded the threshold, uint32; needs `threshold`."""
        return self._kept("counts", "a threshold").counts()

    def peaks(self, count: int, least: float = -math.inf, distance: int = 1) -> list[Peak]:
        """Returns the `count` highest places with scores of at least `least`, the highest first, as
        a list of `Peak`. No two are closer than `distance` in both y and x."""
        n_peaks, distance = _arguments.count(count, "count"), _arguments.count(distance, "distance")
        least = _arguments.number(least, "least")
        return [Peak(*found) for found in self._search.peaks(n_peaks, least, distance)]

    def _kept(self, name, option):
        if not self._keeps[name]:
            raise RuntimeError(f"{name} is not kept; make the search with {option}")
        return self._search


_Search = TypeVar("_Search", bound="SearchOfImage")


class SearchOfImage(KeptScores, OfDevice):
    """A search of one image, on its device or on those of an argument."""

    _is_dealt = False  #: Over several devices, so that arrays of a GPU are refused.
    _given: Any = None

    def restart(self: _Search) -> _Search:
        """Forgets all scores and keeps the image. Returns the search."""
        self._search.restart()
        return self

    def _operand(self, x, dtype):
        """Returns (view, stream) of a packed array of this dtype, or of a numpy array in single or
        double precision. The view of a tensor does not keep its memory alive, but its allocator
        waits for the stream."""
        library = library_of(x)
        if library is numpy_library:
            narrow = np.dtype(np.float32 if dtype.kind == "f" else np.complex64)
            wide = np.result_type(narrow, np.float64)
            return np.ascontiguousarray(x, narrow if x.dtype == narrow else wide), 0
        view = _wingbeat.view(x)
        if view.dtype != dtype.name:
            raise TypeError(f"an array of dtype {view.dtype} was given; convert it to {dtype.name}")
        library.require_memory(x, "an array", False)
        is_packed = view.strides == _arguments.packed_strides(view.shape, view.item_bytes)
        x = library.aligned(x if is_packed else library.copy(x))
        self._given = x  # until the next call, because a copy is freed with its array
        return _wingbeat.view(x), _wingbeat.stream_of(x)

    def _require_alike(self, image):
        """Raises ValueError unless another image may follow the first."""
        if tuple(image.shape) != self._image_shape:
            raise ValueError(f"the image has shape {tuple(image.shape)} and the search is of "
                             f"{self._image_shape}; give such an image, or make another search")
        if self._peak and _sums.peak_of(image, "image") > self._peak:
            raise ValueError(f"the image has values above {self._peak:g}, for which the search's "
                             "storage in float16 was made; make another search")

    def explain(self) -> str:
        """Returns what is kept, and the launches and bytes of a run, in words."""
        return self._search.explain()

    def _queues(self, library, image, device, devices):
        """Returns (the queues of the search, the stream that the first one adopts)."""
        if library is numpy_library:
            if device is not None and devices is not None:
                raise ValueError("device and devices were given; give one of them")
            if devices is not None and (isinstance(devices, str) or not len(devices)):
                raise ValueError(f"devices is {devices!r}; give a list of at least one device")
            return [queue_on("host" if each is None else each) for each in devices or [device]], 0
        if self._is_dealt:
            raise TypeError("an array on a device is searched there alone and whole; give an image "
                            "of numpy for devices and mask")
        if device is not None:
            raise ValueError("the image is on a device already; leave device out")
        stream = _wingbeat.stream_of(image)
        return [_wingbeat.adopted_queue_of(*_wingbeat.view(image).device, stream)], stream


class Search(SearchOfImage):
    """Searches an image for many templates, and keeps a summary of the scores of each place.

    image           [y][x], real: float32, or float64 if it has doubles. A float32 or float64 array
                    of torch, CuPy or PyOpenCL is searched on its device, in its stream
    template_shape  (h, w) of each template
    normalised      True: correlation coefficients from -1 to 1, as in `match_template`; False: sums
    mode            "valid", "same" or "full": which places have a score; outside are zeros
    moments         True: keeps `mean` and `variance`
    threshold       keeps `counts` of scores above it; None: does not
    at_once         templates per run: more take more memory, and less time each. Give `add`
                    multiples of it, because the remainder is scored one by one
    spectra         True: `add` takes half spectra, as `numpy.fft.rfft2` of each template without
                    padding
    between         "float16" or "bfloat16": the type of spectra between passes, in half the bytes.
                    A score's error is then relative to the whole image: for normalised scores below
                    2^-8 ("bfloat16": 2^-5) times the image's standard deviation over the part's;
                    where that reaches 1, scores are 0. With "float16", later images may be as large
                    as the first one's next power of 4
    template_peak   the largest magnitude of all templates, for "float16" without `normalised`
                    only; numpy templates more than 1.5 times as large are refused
    device          the device that searches a numpy image: a `wingbeat.Device`, a `wingbeat.Queue`,
                    an engine's name; the host by default
    devices         several of them, which search a numpy image together: each takes some templates
                    of a call of `add`, at_once at a time. If all round alike, the result has the
                    same bits as on one
    mask            which pixels of a numpy image are present: booleans [y][x], or "nan": those that
                    are not NaN. Sums leave out the others: a normalised score is the correlation
                    coefficient of the present pixels and the template's values at them. Templates
                    are scored one by one, in double precision
    min_valid       for `mask`: the least fraction of a template's pixels that must be present;
                    places with fewer have no score, NaN in `best`

    Templates are numpy's, too, or on the image's device; `add` returns before a GPU has finished.
    Maps are numpy arrays. Arrays that only DLPack describes, such as JAX's, must be on the
    processor. Errors are relative to the root of the sum of squares of the image minus its mean:
    give doubles if a few values are much larger than all others. A template with NaN or infinity
    has scores that are not numbers; of all maps they only affect mean and variance. Scores are kept
    in float32. If `normalised` is False, templates on the processor are refused whose sums, with an
    image there, could leave its range; arrays on other devices are not checked. ValueError for
    shapes that do not fit, and for NaN or infinity in a numpy image or in that of a normalised
    search; RuntimeError for a map that is not kept.

    >>> rng = np.random.default_rng(0)
    >>> image = rng.standard_normal((64, 64))
    >>> templates = rng.standard_normal((10, 8, 8))
    >>> templates[7] = image[20:28, 30:38]
    >>> search = Search(image, (8, 8)).add(templates)
    >>> [(found.number, found.y, found.x, round(found.score, 4)) for found in search.peaks(1)]
    [(7, 20, 30, 1.0)]
    """

    def __init__(self, image: Array, template_shape: Sequence[int], *, normalised: bool = True,
                 mode: Mode = "valid", moments: bool = False, threshold: float | None = None,
                 at_once: int = 1, spectra: bool = False, device: Any = None,
                 between: Between = None, template_peak: float | None = None,
                 devices: Sequence[Any] | None = None,
                 mask: Array | Literal["nan"] | None = None,
                 min_valid: float | None = None) -> None:
        library, image = of_search(image)
        if library is numpy_library:
            image = _sums.real_array(image, "image")
        if len(image.shape) != 2:
            raise ValueError(f"the image has {len(image.shape)} dimensions; give two")
        name = _wingbeat.view(image).dtype
        if name not in ("float32", "float64"):
            raise TypeError(f"the image is of dtype {name}; convert it to float32 or float64")
        _arguments.choice(mode, _sums.MODES, "mode")
        threshold = None if threshold is None else _arguments.number(threshold, "threshold")
        if threshold is not None and math.isnan(threshold):
            raise ValueError("threshold is NaN, above which no score is; give a number, or None")
        template_shape = _arguments.integers(template_shape, "template_shape")
        if len(template_shape) != 2 or min(template_shape) < 1:
            raise ValueError(f"template_shape is {template_shape}; give (h, w), each at least 1")
        at_once = _arguments.integer(at_once, "at_once")
        if at_once < 1:
            raise ValueError(f"at_once is {at_once}; give 1 or more templates")
        height, width = template_shape
        self._image_shape = tuple(image.shape)
        self._dtype, self._template = np.dtype(name), (height, width)
        normalised, moments, self._spectra = (_arguments.boolean(given, name) for given, name in (
            (normalised, "normalised"), (moments, "moments"), (spectra, "spectra")))
        _arguments.choice(between, _sums.BETWEEN, "between")
        template_peak = 0.0 if template_peak is None else _arguments.number(template_peak,
                                                                            "template_peak")
        self._peak = _sums.peak_of(image, "image") if between == "float16" else 0.0
        self._template_peak = template_peak
        self._keeps = {"mean": moments, "variance": moments, "counts": threshold is not None}
        description = SimpleNamespace(
            image=self._image_shape, templates=self._template, mode=_sums.MODES[mode], real=name,
            is_normalised=normalised, keeps_sums=moments, keeps_counts=threshold is not None,
            threshold=threshold or 0.0, at_once=at_once, between=between, image_peak=self._peak,
            template_peak=template_peak, form=int(self._spectra))
        self._is_dealt = devices is not None or mask is not None
        self._mask = None if mask is None else self._checked_mask(mask)
        if min_valid is not None and mask is None:
            raise ValueError("min_valid is of images of which some pixels are not there; give a "
                             "mask, or leave min_valid out")
        min_valid = 0.5 if min_valid is None else _arguments.number(min_valid, "min_valid")
        if not 0 <= min_valid <= 1:
            raise ValueError(f"min_valid is {min_valid}; give a part from 0 to 1")
        if self._mask is not None and at_once > 1:
            raise ValueError(f"at_once is {at_once}, and with a mask one template is scored after "
                             "another; leave at_once out")
        queues, stream = self._queues(library, image, device, devices)
        self._search = _wingbeat.Search(description, queues, stream, self._mask is not None,
                                        min_valid)
        self.image(image)

    def _checked_mask(self, mask):
        if isinstance(mask, str):
            return _arguments.choice(mask, ("nan",), "mask")
        mask = _sums.host_array("mask", mask)
        if mask.dtype != bool or mask.shape != self._image_shape:
            raise ValueError(f"mask has shape {mask.shape} and dtype {mask.dtype}; give booleans "
                             f"of the image's shape {self._image_shape}, or 'nan'")
        return mask.copy()

    def _with_absent(self, image):
        """Returns a numpy image with NaN for missing pixels. Raises ValueError for other values
        that are not numbers."""
        if self._mask is None:
            if not np.isfinite(image).all():
                raise ValueError("the image holds NaN or infinity, which transforms spread over "
                                 "all scores; replace these values, by the image's mean for "
                                 "example, or give a mask, 'nan' for those that are NaN")
            return image
        if not isinstance(self._mask, str):
            if np.isnan(image[self._mask]).any():
                raise ValueError("the image holds NaN where the mask has pixels; give a mask that "
                                 "leaves them out, or mask='nan'")
            image = np.where(self._mask, image, np.nan).astype(image.dtype, copy=False)
        if np.isinf(image).any():
            raise ValueError("the image holds infinity, which transforms spread over all scores; "
                             "leave such pixels out by a mask of booleans")
        return image

    def image(self, image: Array) -> Search:
        """Takes another image of the same shape, and forgets all scores; a mask of booleans stays.
        Returns the search."""
        library, image = of_search(image)
        if library is numpy_library:
            image = _sums.real_array(image, "image")
        self._require_alike(image)
        if library is numpy_library:
            image = self._with_absent(image)
        elif self._is_dealt:
            raise TypeError("the search is of images of numpy; convert this one")
        self._search.begin(*self._operand(image, self._dtype))
        return self

    def add(self, templates: Array, first: int | None = None) -> Search:
        """Takes templates [template][y][x], or one [y][x]; with `spectra` [template][y][w // 2 +
        1]. first: the number of the first of them in the whole search, by default the next after
        the latest. Returns the search."""
        first = None if first is None else _arguments.count(first, "first")
        library, templates = of_search(templates)
        if library is numpy_library:
            _sums.require_numbers("templates", templates)
            most = 1.5 * self._template_peak
            if most and not self._spectra and np.any(
                    np.isfinite(templates) & (np.abs(templates) > most)):
                raise ValueError(f"the templates have magnitudes above {most:g}, one and a half of "
                                 "the search's template_peak; make another search")
        height, width = self._template
        expected = (height, width // 2 + 1) if self._spectra else self._template
        shape = tuple(templates.shape)
        if len(shape) not in (2, 3) or shape[-2:] != expected:
            raise ValueError(f"templates have shape {shape}; give [template], {expected[0]}, "
                             f"{expected[1]}")
        if _wingbeat.view(templates).dtype.startswith("complex") and not self._spectra:
            raise ValueError("templates are complex; give real ones, or make the search with "
                             "spectra=True")
        dtype = np.result_type(self._dtype, np.complex64) if self._spectra else self._dtype
        count = shape[0] if len(shape) == 3 else 1
        if self._is_dealt and (library is not numpy_library or not np.isfinite(templates).all()):
            raise ValueError("the templates hold NaN or infinity, or are on a device; searches on "
                             "several devices or with a mask take finite ones of numpy")
        view, stream = self._operand(templates, dtype)
        if count > 0:
            self._search.add(view, count, first, stream)
        return self

    def part(self, n_templates: int) -> SearchPart:
        """Returns what was kept so far, as part of a search for `n_templates` templates whose
        numbers `add` was given. ValueError for an image on a device, and for sums of scores that
        are not normalised, which depend on the order of the templates."""
        return SearchPart(self._search.part(_arguments.count(n_templates, "n_templates")),
                          self._keeps)


class SearchPart(KeptScores):
    """What a search for some of the templates kept, from `Search.part`. Merged with the parts of
    the other templates, in any order, it is bit for bit what one search for all keeps, if each part
    but the last has whole multiples of `at_once`. `pickle` sends it to other processes; `to_bytes`
    makes bytes for files, with a checksum.

    >>> rng = np.random.default_rng(0)
    >>> image, templates = rng.standard_normal((64, 64)), rng.standard_normal((10, 8, 8))
    >>> first = Search(image, (8, 8)).add(templates[:4]).part(10)
    >>> other = Search(image, (8, 8)).add(templates[6:], first=6).part(10)
    >>> merged = first.merge(SearchPart.from_bytes(other.to_bytes()))
    >>> merged.n_templates, merged.missing
    (8, [(4, 6)])
    """

    def __init__(self, part: Any, keeps: dict[str, bool]) -> None:
        self._search, self._keeps = part, dict(keeps)

    def merge(self, other: SearchPart) -> SearchPart:
        """Merges another part into this one, and returns it. ValueError unless both are of one
        search, with the same image, options and number of templates, and have different templates.
        """
        _arguments.instance(other, SearchPart, "other", "give a SearchPart")
        if self._keeps != other._keeps:
            raise ValueError("one of the parts keeps moments or counts and the other does not; "
                             "merge the parts of one search")
        self._search.merge(other._search)
        return self

    @property
    def templates(self) -> list[tuple[int, int]]:
        """The part's templates: (begin, end) of each range, ascending."""
        return self._search.templates

    @property
    def missing(self) -> list[tuple[int, int]]:
        """The templates of the whole search that the part lacks, likewise."""
        return self._search.missing

    @property
    def devices(self) -> list[str]:
        """The kinds of devices that scored, which may round differently."""
        return self._search.devices

    def to_bytes(self) -> bytes:
        """Returns the part as bytes with a checksum at the end."""
        return self._search.to_bytes()

    @classmethod
    def from_bytes(cls, content: bytes) -> SearchPart:
        """Returns the part of `to_bytes`, or of a file of `wingbeat match --state`. ValueError for
        other bytes, or if they were changed."""
        _arguments.instance(content, bytes, "content", "give bytes")
        part = _wingbeat.SearchPart.from_bytes(content)
        return cls(part, {"mean": part.has_moments, "variance": part.has_moments,
                          "counts": part.has_counts})

    def __reduce__(self):
        return SearchPart.from_bytes, (self.to_bytes(),)


def of_search(x):
    """Returns (library, array). Raises TypeError for an array on a GPU that only a protocol
    describes."""
    library = library_of(x)
    if hasattr(x, "resolve_neg"):
        x = x.resolve_conj().resolve_neg()
    if not hasattr(library, "host_array"):
        return library, library.array(x)
    on_host = library.host_array(x)
    if on_host is None:
        raise TypeError(f"an array of type {type(x).__name__} on a GPU was given; give one of "
                        "torch or CuPy, which from_dlpack of theirs makes without a copy")
    return numpy_library, on_host
