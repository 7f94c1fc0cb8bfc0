# SPDX-License-Identifier: Apache-2.0
"""What prepares a search of an electron micrograph for projections of a volume; see
`wingbeat.match.OrientationSearch`.

    Optics              a microscope's parameters
    ctf                 contrast transfer functions
    prepare_micrograph  the image, whitened and scaled, and the filter that whitens
    prepare_volume      the volume's spectrum
    projection_filters  transfer functions times the image's filter
    orientation_grid    angles over all orientations, or those of a symmetry
    rotations           the matrices of angles

Angles are (phi, theta, psi) in degrees: R = Rz(phi) Ry(theta) Rz(psi) turns vectors (x, y, z) of a
projection to those of the volume.

>>> import numpy as np
>>> image, whitening = prepare_micrograph(np.random.default_rng(0).standard_normal((96, 128)))
>>> round(float(image.var() * image.size), 3), whitening(0.6)
(1.0, 1.0)
"""

from __future__ import annotations

from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, Literal, Mapping, Sequence

import numpy as np

from wingbeat import _arguments, _sums, _wingbeat
from wingbeat._device import queue_on
from wingbeat._types import Array

__all__ = ["Optics", "RadialFilter", "ctf", "orientation_grid", "prepare_micrograph",
           "prepare_volume", "projection_filters", "rotations"]

RadialFilter = _wingbeat.RadialFilter
GRIDS = ("uniform", "healpix", "cartesian")
MAX_DEGREES = 3600  #: Of an angle: float32 rounds those beyond by more than 1e-4.
MAX_ELEMENT = 1.01  #: Of a rotation's matrix, with its rounding.


@dataclass(frozen=True)
class Optics:
    """A microscope's parameters. At the frequency k = (x, y) in 1/A, of radius rho and angle alpha,

        D   = (u + v)/2 + offset + |u - v|/2 cos 2 (alpha - astigmatism angle)
        chi = -pi lambda D rho^2 + pi/2 Cs lambda^3 rho^4 - phase shift - asin(contrast) + even
        CTF = -sin(chi) exp(-B rho^2 / 4) exp(i odd)
    """

    pixel_size: float  #: Angstrom.
    defocus_u: float  #: Angstrom, positive for underfocus.
    defocus_v: float
    astigmatism_angle: float = 0.0  #: Degrees from the x axis.
    voltage: float = 300.0  #: kV.
    spherical_aberration: float = 2.7  #: mm.
    amplitude_contrast: float = 0.07
    phase_shift: float = 0.0  #: Degrees.
    b_factor: float = 0.0  #: Square Angstrom.
    #: Coefficients c of terms c rho^p cos(m alpha), "Zpmc", or sin, "Zpms". Even: Z42c, Z42s, Z44c,
    #: Z44s, Z60; odd, which make transfer functions complex: Z31c, Z31s, Z33c, Z33s.
    zernikes: Mapping[str, float] = field(default_factory=dict)
    beam_tilt: tuple[float, float] | None = None  #: (x, y) in mrad.
    #: Of an anisotropic magnification: a matrix of (y, x). The phases at k are those at the inverse
    #: of it, transposed, times k.
    magnification: Any = ((1, 0), (0, 1))


def ctf(optics: Optics, n: int, defoci: Sequence[float] = (0.0,)) -> np.ndarray:
    """Returns transfer functions of n x n pixels, float32 [defocus][n][n // 2 + 1] in the order of
    `rfft2`, or complex64 if there are odd terms. defoci: Angstrom, added to those of `optics`.
    ValueError for values that no microscope has.

    >>> ctf(Optics(pixel_size=1.06, defocus_u=5200, defocus_v=5000), 64, [-200, 0, 200]).shape
    (3, 64, 33)
    """
    return projection_filters(optics, n, None, defoci)[0]


def projection_filters(optics: Optics, n: int, image_filter: RadialFilter | None = None,
                       defoci: Sequence[float] = (0.0,),
                       spherical_aberrations: Sequence[float] = ()) -> np.ndarray:
    """Returns what slices of a volume of n^3 are multiplied by: transfer functions times the filter
    of the image that `prepare_micrograph` returned, [aberration][defocus][n][n // 2 + 1].
    spherical_aberrations: mm, in place of the one of `optics`.

    >>> optics = Optics(pixel_size=1.06, defocus_u=5200, defocus_v=5000)
    >>> projection_filters(optics, 64, spherical_aberrations=[2.6, 2.7]).shape
    (2, 1, 64, 33)
    """
    given = described(optics)
    lists = (_arguments.each(_arguments.number, each, name) for each, name in (
        (defoci, "defoci"), (spherical_aberrations, "spherical_aberrations")))
    return _wingbeat.projection_filters(given, _arguments.count(n, "n"), image_filter,
                                        *map(list, lists))


def prepare_micrograph(image: Array, *, whitening: bool = True,
                       max_frequency: float | None = 0.5,
                       bandpass: tuple[float, float] | None = None, falloff: float = 0.0,
                       curve: tuple[Any, Any] | None = None,
                       device: Any = None) -> tuple[np.ndarray, RadialFilter]:
    """Returns (the image that `OrientationSearch` takes, its filter as a function of frequency).

    image          [y][x], of numpy, finite
    whitening      divides by the root of the mean power at each frequency, up to max_frequency;
                   above, and at all frequencies if that is None, by its least
    bandpass       (low, high): the frequencies that stay, with a slope of `falloff` beyond
    curve          (frequencies, values): another filter, linear between points and 1 outside
    device         as in `Search`

    Frequencies are in cycles/pixel. The mean becomes 0, and the variance n / (height width)^2,
    where n is the number of bins in the band. ValueError for other shapes and an image without
    power.

    >>> image, _ = prepare_micrograph(np.eye(32), whitening=False)
    >>> round(float(image.var() * image.size), 3)
    1.0
    """
    low, high = (0.0, 1.0) if bandpass is None else _arguments.parts(bandpass, "bandpass",
                                                                     ("low", "high"))
    frequencies, values = ((), ()) if curve is None else _arguments.parts(
        curve, "curve", ("frequencies", "values"))
    options = SimpleNamespace(
        whitening=_arguments.boolean(whitening, "whitening"),
        max_frequency=max_frequency, bandpass=bandpass is not None, low=low, high=high,
        falloff=falloff, frequencies=list(frequencies), values=list(values))
    image = _sums.real_array(image, "image", np.float32)
    if image.ndim != 2:
        raise ValueError(f"the image has {image.ndim} dimensions; give two")
    return _wingbeat.filtered_micrograph(queue_on(device or "host"), image, options)


def prepare_volume(volume: Array, device: Any = None) -> np.ndarray:
    """Returns the spectrum of a volume [z][y][x] of n^3 values, n even, complex64 [n][n][n // 2 +
    1] with the zero frequency at [n // 2][n // 2][0]: of the volume divided by sinc^2 along each
    axis, which makes up for the interpolation of slices, with its centre moved to the corner.

    >>> point = np.zeros((8, 8, 8)); point[4, 4, 4] = 1
    >>> bool((prepare_volume(point).round(5) == 1).all())
    True
    """
    volume = _sums.real_array(volume, "volume", np.float32)
    if volume.ndim != 3:
        raise ValueError(f"the volume has {volume.ndim} dimensions; give three")
    return _wingbeat.volume_spectrum(queue_on(device or "host"), volume)


def orientation_grid(psi_step: float = 1.5, theta_step: float = 2.5, *, symmetry: str = "C1",
                     grid: Literal["uniform", "healpix", "cartesian"] = "uniform",
                     phi_step: float = 2.5, phi: tuple[float, float] | None = None,
                     theta: tuple[float, float] | None = None,
                     psi: tuple[float, float] | None = None) -> np.ndarray:
    """Returns angles (phi, theta, psi) in degrees, float64 [orientation][3], psi varying fastest.

    symmetry         of the volume, whose equal views are left out: C1, C2, .., D1, .., T, O, I
    grid             "uniform": rings of theta, with directions theta_step apart; "healpix": of
                     HEALPix, at least as dense; "cartesian": all pairs of theta and of phi
    phi_step         of the cartesian grid alone
    phi, theta, psi  (first, last) in place of the symmetry's ranges

    >>> orientation_grid(psi_step=1.5, theta_step=2.5, symmetry="O").shape
    (88320, 3)
    """
    ranges = _wingbeat.symmetry_ranges(_arguments.instance(symmetry, str, "symmetry",
                                                           "give C1, for example"))
    pairs = zip((phi, theta, psi), ("phi", "theta", "psi"), np.reshape(ranges, (3, 2)))
    ranges = [_arguments.number(angle, name) for given, name, pair in pairs
              for angle in _arguments.parts(pair if given is None else given, name,
                                            ("first", "last"))]
    _arguments.choice(grid, GRIDS, "grid")
    return _wingbeat.orientation_grid(
        GRIDS.index(grid), _arguments.number(psi_step, "psi_step"),
        _arguments.number(theta_step, "theta_step"), _arguments.number(phi_step, "phi_step"),
        ranges)


def rotations(angles: Array) -> np.ndarray:
    """Returns matrices, float32 [..][3][3], of angles [..][3] in degrees. ValueError for angles
    beyond ten turns, which float32 rounds too much, and for NaN.

    >>> rotations([90, 0, 0]).round().astype(int).tolist()
    [[0, -1, 0], [1, 0, 0], [0, 0, 1]]
    """
    angles = np.ascontiguousarray(on_host(angles), np.float64)
    if angles.shape[-1:] != (3,):
        raise ValueError(f"angles have shape {angles.shape}; give [.., 3]: phi, theta and psi")
    require_within(MAX_DEGREES, "angles", angles)
    return _wingbeat.rotations(angles).reshape(*angles.shape, 3)


def plane_axes(rotations_or_angles: Array, magnification: Any = None) -> np.ndarray:
    """Returns the axes on which projections with these rotations [rotation][3][3], or angles
    [rotation][3], read bins of a volume, float32 [rotation][6]: of (x, y, z), the factors of kx and
    ky. magnification: a matrix, as in `Optics`."""
    given = on_host(rotations_or_angles)
    if given.ndim == 2 and given.shape[1] == 3:
        given = rotations(given)
    if given.ndim != 3 or given.shape[1:] != (3, 3):
        raise ValueError(f"rotations have shape {given.shape}; give matrices [n, 3, 3], or angles "
                         "[n, 3]")
    require_within(MAX_ELEMENT, "rotations", given)
    return _wingbeat.plane_axes(np.ascontiguousarray(given, np.float32), _matrix(magnification))


def require_within(limit, name, values):
    """Raises ValueError for numbers beyond a limit to either side, and for NaN."""
    outside = values[~((values >= -limit) & (values <= limit))]
    if outside.size > 0:
        raise ValueError(f"the {name} hold {outside[0]}; give numbers from -{limit} to {limit}")


def described(optics: Optics) -> SimpleNamespace:
    """Returns the parameters as `_wingbeat` takes them."""
    _arguments.instance(optics, Optics, "optics", "give an Optics")
    return SimpleNamespace(**{**vars(optics), "zernikes": dict(optics.zernikes),
                              "magnification": _matrix(optics.magnification)})


def _matrix(magnification):
    """Returns the four elements of a matrix."""
    matrix = np.asarray(np.eye(2) if magnification is None else on_host(magnification), float)
    if matrix.shape != (2, 2):
        raise ValueError(f"magnification has shape {matrix.shape}; give a matrix [2, 2]")
    return matrix.ravel().tolist()


def on_host(x, kinds="iuf"):
    """Returns a numpy array of numbers of any library's array."""
    x = x.detach().cpu().numpy() if hasattr(x, "detach") else x.get() if hasattr(x, "get") else x
    x = np.asarray(x)
    if x.dtype.kind not in kinds:
        raise TypeError(f"an array of dtype {x.dtype} was given; give real numbers")
    return x
