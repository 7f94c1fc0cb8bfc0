# SPDX-License-Identifier: Apache-2.0
"""A search over orientations by its definition, in double precision.

Spectra of volumes are [z][y][x] with the zero frequency at [n/2][n/2][0], of a volume whose centre
is at its corner. Axes [2][3] are what bins (kx, ky) of a slice are multiplied by: the first two
columns of a rotation. Images have variance 1 / (height width).
"""

import itertools

import numpy as np

SYMMETRIC = {"Z42c": (4, 2, np.cos), "Z42s": (4, 2, np.sin), "Z44c": (4, 4, np.cos),
             "Z44s": (4, 4, np.sin), "Z60": (6, 0, np.cos)}
ANTISYMMETRIC = {"Z31c": (3, 1, np.cos), "Z31s": (3, 1, np.sin), "Z33c": (3, 3, np.cos),
                 "Z33s": (3, 3, np.sin)}


def rotation(phi, theta, psi):
    """Returns Rz(phi) Ry(theta) Rz(psi), of degrees."""
    def about_z(degrees):
        c, s = np.cos(np.radians(degrees)), np.sin(np.radians(degrees))
        return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])
    c, s = np.cos(np.radians(theta)), np.sin(np.radians(theta))
    result = about_z(phi) @ np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]]) @ about_z(psi)
    return np.where(np.abs(result) < 1e-8, 0, result)


def axes_of(matrix, magnification=((1, 0), (0, 1))):
    """Returns the axes of a slice. magnification: a matrix of (y, x), as Leopard-EM's mag_matrix;
    bins (ky, kx) are read at those that its inverse, transposed, makes of them."""
    yx_of_yx = np.linalg.inv(np.asarray(magnification, float)).T
    xy_of_xy = yx_of_yx[::-1, ::-1]
    return (np.asarray(matrix, float)[:, :2] @ xy_of_xy).T


def spectrum_of(volume):
    """Returns the spectrum of a volume [z][y][x], divided by what interpolation multiplies it by.
    """
    volume = np.asarray(volume, float)
    for axis, n in enumerate(volume.shape):
        window = np.sinc((np.arange(n) - n // 2) / n)**2
        volume = volume / np.expand_dims(window, [i for i in range(3) if i != axis])
    return np.fft.fftshift(np.fft.rfftn(np.fft.fftshift(volume)), (0, 1))


def central_slice(spectrum, axes):
    """Returns a plane [ky][kx] through the origin, in the order of rfft2."""
    n = len(spectrum)
    ky, kx = np.meshgrid(np.fft.fftfreq(n, 1 / n), np.arange(n // 2 + 1), indexing="ij")
    x, y, z = np.tensordot(axes, np.stack([kx, ky]), (0, 0))
    (xx, _, _), (xy, _, _) = axes
    is_zero = np.abs(x) <= 1e-8 * n
    is_mirrored = np.where(is_zero, xx < 0 or (xx == 0 and xy < 0), x < 0)
    x, y, z = (np.where(is_mirrored, -each, each) for each in (x, y, z))
    values = interpolated(spectrum, z + n // 2, y + n // 2, np.maximum(x, 0))
    return np.where(is_mirrored, values.conj(), values)


def interpolated(values, *places):
    """Returns linear interpolations at fractional indices; 0 for those outside the array by more
    than rounding of a rotation."""
    inside = np.ones(places[0].shape, bool)
    for place, length in zip(places, values.shape):
        inside &= (place >= -1e-4) & (place <= length - 1 + 1e-4)
    lower = [np.clip(np.floor(place).astype(int), 0, length - 2)
             for place, length in zip(places, values.shape)]
    total = 0
    for corner in itertools.product((0, 1), repeat=len(places)):
        weight = 1
        for step, place, low in zip(corner, places, lower):
            weight = weight * np.abs(1 - step - (place - low))
        total = total + weight * values[tuple(low + step for low, step in zip(lower, corner))]
    return np.where(inside, total, 0)


def template_of(slice_bins, filter_bins, image_shape):
    """Returns the template [n][n] of a slice times a filter: the contrast reversed, without the
    mean of its edge, and scaled by its variance in the image."""
    n, (height, width) = len(slice_bins), image_shape
    bins = -slice_bins * filter_bins
    bins[0, 0] = 0
    pixels = np.fft.ifftshift(np.fft.irfft2(bins, (n, n)))
    is_edge = np.ones((n, n), bool)
    is_edge[1:-1, 1:-1] = False
    pixels = pixels - pixels[is_edge].mean()
    mean = pixels.mean() * (n * n / (height * width))**2
    power = ((pixels - mean)**2).sum() + (height - n) * (width - n) * mean**2
    return pixels * np.sqrt(height * width / max(power, 1e-8))


def templates_of(spectrum, axes, filters, image_shape):
    """Returns templates [filter][n][n] of one orientation."""
    slice_bins = central_slice(spectrum, axes)
    return np.array([template_of(slice_bins, each, image_shape) for each in filters])


def scores_of(image, templates):
    """Returns scores [template][H - n + 1][W - n + 1]: sums of an image's parts times templates."""
    n, (height, width) = templates.shape[-1], image.shape
    bins = np.fft.rfft2(image) * np.fft.rfft2(templates, image.shape).conj()
    return np.fft.irfft2(bins, image.shape)[..., :height - n + 1, :width - n + 1]


def search(image, spectrum, all_axes, filters):
    """Returns all scores [orientation][filter][y][x]."""
    return np.array([scores_of(image, templates_of(spectrum, axes, filters, image.shape))
                     for axes in all_axes])


def radii_of(shape):
    """Returns the frequencies of rfft2's bins, in cycles/pixel."""
    return np.hypot(np.fft.fftfreq(shape[0])[:, None], np.fft.rfftfreq(shape[1]))


def whitening_curve(bins, width, max_freq=0.5):
    """Returns (frequencies, values) of the reciprocal of the root of the mean power at a frequency,
    of an image's half spectrum."""
    height, columns = bins.shape
    count = int((max(height, columns) // 2 + 1) * np.sqrt(2) + 1)
    frequencies = np.linspace(0, np.sqrt(0.5), count)
    places = radii_of((height, width)) / frequencies[1]
    lower = np.minimum(places.astype(int), count - 2)
    power, weights = np.zeros(count), np.zeros(count)
    for step in (0, 1):
        weight = np.abs(1 - step - (places - lower))
        np.add.at(power, lower + step, weight * np.abs(bins)**2)
        np.add.at(weights, lower + step, weight)
    deviations = np.sqrt(power / np.where(weights == 0, 1, weights))
    values = np.where(deviations == 0, 0, 1 / np.where(deviations == 0, 1, deviations))
    is_in_band = frequencies <= max_freq
    return frequencies, np.where(is_in_band, values / values[is_in_band].max(), 1)


def whitened(image):
    """Returns (an image that is whitened and of variance 1 / pixels, its curve)."""
    height, width = image.shape
    bins = np.fft.rfft2(image)
    bins[0, 0] = 0
    curve = whitening_curve(bins, width)
    result = np.fft.irfft2(bins * np.interp(radii_of(image.shape), *curve), image.shape)
    return result / np.sqrt(height * width * np.mean(result**2)), curve


def ctf(n, pixel_size, defocus_u, defocus_v, astigmatism=0.0, voltage=300.0, cs=2.7, contrast=0.07,
        phase_shift=0.0, b_factor=0.0, zernikes=None, magnification=((1, 0), (0, 1))):
    """Returns a contrast transfer function [n][n/2 + 1]. Angstrom, degrees, kV, mm."""
    planck, light, mass, charge = 6.62607015e-34, 299792458.0, 9.1093837e-31, 1.602176634e-19
    energy = charge * voltage * 1e3
    wavelength = 1e10 * planck * light / np.sqrt(energy * (2 * mass * light**2 + energy))
    k = np.stack(np.meshgrid(np.fft.fftfreq(n), np.fft.rfftfreq(n), indexing="ij")) / pixel_size
    envelope = np.exp(-b_factor * (k**2).sum(0) / 4)
    ky, kx = np.tensordot(np.linalg.inv(np.asarray(magnification, float)).T, k, 1)
    rho, alpha = np.hypot(ky, kx), np.arctan2(ky, kx)
    defocus = (defocus_u + defocus_v) / 2 + abs(defocus_u - defocus_v) / 2 * np.cos(
        2 * (alpha - np.radians(astigmatism)))
    chi = (-np.pi * wavelength * defocus * rho**2 + np.pi / 2 * cs * 1e7 * wavelength**3 * rho**4
           - np.radians(phase_shift) - np.arcsin(contrast))
    odd = 0
    for name, coefficient in (zernikes or {}).items():
        power, fold, wave = {**SYMMETRIC, **ANTISYMMETRIC}[name]
        term = coefficient * rho**power * wave(fold * alpha)
        chi, odd = (chi + term, odd) if name in SYMMETRIC else (chi, odd + term)
    return -np.sin(chi) * envelope * (1 if np.isscalar(odd) else np.exp(1j * odd))


def uniform_grid(psi_step, theta_step, phi_range=360.0, theta_last=180.0):
    """Returns angles (phi, theta, psi) with equal steps on circles of theta; psi varies fastest."""
    result = []
    for theta in np.arange(0, theta_last + theta_step, theta_step):
        step = min(abs(theta_step / (np.sin(np.radians(theta)) + 1e-6)), phi_range)
        count = round(phi_range / step)
        result += [(phi, theta, psi) for phi in np.arange(count) * phi_range / count
                   for psi in np.arange(0, 360, psi_step)]
    return np.array(result)
