# SPDX-License-Identifier: Apache-2.0
"""Leopard-EM 1.3.0 beside the definition of a search over orientations, and on wingbeat."""

import multiprocessing
import subprocess
import sys

import numpy as np
import pytest

import orientation_oracle as oracle
from wingbeat import match, microscopy
from wingbeat.compat import leopard_em as leopard_em_on_wingbeat

torch = pytest.importorskip("torch", reason="torch is not installed here")
start_method = multiprocessing.get_start_method(allow_none=True)
leopard_em = pytest.importorskip("leopard_em", reason="leopard-em is not installed here")
import roma  # noqa: E402
import torch_fourier_slice  # noqa: E402
from leopard_em.backend import cross_correlation  # noqa: E402
from leopard_em.utils import ctf_utils, fourier_slice  # noqa: E402

torch.set_grad_enabled(True)  # which Leopard-EM turns off when it is imported
multiprocessing.set_start_method(start_method, force=True)  # which it sets to "spawn"

RNG = np.random.default_rng(51)
ANGLES = np.float32([[0, 0, 0], [10, 90, 90], [200, 37, 311], [77, 122, 5], [340, 180, 47]])
ZERNIKES = {"Z44c": 300.0, "Z44s": -150.0, "Z60": 4000.0}
ODD_ZERNIKES = {"Z31c": 30.0, "Z31s": -20.0, "Z33c": 25.0, "Z33s": 10.0}
MAGNIFICATION = [[1.02, 0.03], [-0.01, 0.97]]


def blob(n, spread=6):
    """Returns a volume [n][n][n] without symmetry, nearly 0 at its faces."""
    z, y, x = np.meshgrid(*3 * [np.arange(n) - n // 2], indexing="ij")
    total = np.zeros((n, n, n))
    for cz, cy, cx, weight in RNG.uniform(-1, 1, (8, 4)) * [n / spread, n / spread, n / spread, 1]:
        total += (2 + weight) * np.exp(-((z - cz)**2 + (y - cy)**2 + (x - cx)**2) / 4)
    return total


def filters_of(n, defoci, zernikes):
    return np.array([oracle.ctf(n, 1.5, 6200 + each, 5800 + each, 32, phase_shift=12,
                                b_factor=20, zernikes=zernikes) for each in defoci])


# Of edges such as 24, Leopard-EM loses the row n/2 - 1, which rounding moves out of the volume; of
# angles such as (359, 180, 44) it loses bins whose x is 0 up to rounding.
@pytest.mark.parametrize("n, shape, defoci, zernikes", [
    (16, (64, 96), (0,), {}),
    (32, (93, 130), (-300, 0, 300), ZERNIKES),
    (32, (66, 62), (0, 500), {**ZERNIKES, **ODD_ZERNIKES}),
    (44, (4092 // 22, 5760 // 24), (-200, 0, 200), {})])
def test_scores_are_those_of_leopard(n, shape, defoci, zernikes):
    image = RNG.standard_normal(shape) / np.sqrt(np.prod(shape))
    image -= image.mean()
    volume = blob(n)
    filters = filters_of(n, defoci, zernikes)
    matrices = roma.euler_to_rotmat("ZYZ", torch.from_numpy(ANGLES), degrees=True)
    found = cross_correlation.do_batched_orientation_cross_correlate_cpu(
        torch.from_numpy(np.fft.rfft2(image).astype(np.complex64)),
        fourier_slice.volume_to_rfft_fourier_slice(torch.from_numpy(volume.astype(np.float32))),
        matrices, torch.from_numpy(filters.astype(np.result_type(filters, np.float32, np.complex64)
                                                  if zernikes.get("Z31c") else np.float32))[None])
    axes = [oracle.axes_of(np.where(np.abs(each) < 1e-8, 0, each)) for each in matrices.numpy()]
    expected = oracle.search(image, oracle.spectrum_of(volume), axes, filters)
    found = found.numpy()[0].swapaxes(0, 1)[..., :shape[0] - n + 1, :shape[1] - n + 1]
    assert 0.8 < expected.std() < 1.2
    np.testing.assert_allclose(found, expected, atol=1e-5)
    np.testing.assert_allclose([oracle.rotation(*each)[:, :2] for each in ANGLES.astype(float)],
                               matrices[..., :2], atol=1e-6)


def test_magnification_has_the_direction_of_leopard():
    n = 64
    spectrum = fourier_slice.volume_to_rfft_fourier_slice(torch.from_numpy(blob(n, 32)).float())
    turns = np.array([oracle.rotation(*each) for each in ANGLES[1:4].astype(float)])
    slices = torch_fourier_slice.transform_slice_2d(
        torch_fourier_slice.extract_central_slices_rfft_3d(spectrum, torch.from_numpy(turns)),
        rfft_shape=(n, n // 2 + 1), stack_shape=(3,), transform_matrix=torch.tensor(MAGNIFICATION))
    slices = np.fft.ifftshift(slices.numpy(), 1) * np.linalg.det(MAGNIFICATION)

    def error(magnification):
        expected = np.array([oracle.central_slice(spectrum.numpy(),
                                                  oracle.axes_of(each, magnification))
                             for each in turns])
        # Leopard-EM interpolates twice, and reads 0 across the column kx = 0.
        return np.linalg.norm((slices - expected)[slices != 0]) / np.linalg.norm(expected)
    found = error(MAGNIFICATION)
    others = map(error, (np.linalg.inv(MAGNIFICATION), np.transpose(MAGNIFICATION), np.eye(2)))
    assert found < 0.004 and min(others) > 4 * found


@pytest.mark.parametrize("zernikes", [{}, ZERNIKES, {**ZERNIKES, **ODD_ZERNIKES}])
@pytest.mark.parametrize("magnification", [None, MAGNIFICATION])
def test_transfer_functions_are_those_of_leopard(zernikes, magnification):
    optics = {"pixel_size": 1.5, "voltage": 300.0, "spherical_aberration": 2.7,
              "amplitude_contrast_ratio": 0.07, "phase_shift": 12.0, "astigmatism_angle": 32.0,
              "ctf_B_factor": 30.0, "mag_matrix": magnification and torch.tensor(magnification),
              "even_zernikes": {k: v for k, v in zernikes.items() if k in ZERNIKES} or None,
              "odd_zernikes": {k: v for k, v in zernikes.items() if k in ODD_ZERNIKES} or None}
    found = ctf_utils.calculate_ctf_filter_stack_full_args(
        (32, 32), 6200.0, 5800.0, torch.tensor([-400.0, 0.0, 400.0]), torch.zeros(1), **optics)
    expected = [oracle.ctf(32, 1.5, 6200 + each, 5800 + each, 32, phase_shift=12, b_factor=30,
                           zernikes=zernikes, magnification=magnification or np.eye(2))
                for each in (-400, 0, 400)]
    np.testing.assert_allclose(found[0], expected, atol=2e-5)


@pytest.mark.parametrize("shape", [(64, 64), (93, 66), (66, 120)])
def test_images_are_whitened_as_by_leopard(shape):
    from leopard_em.pydantic_models.config import PreprocessingFilters
    from leopard_em.utils.image_processing import preprocess_image
    coloured = np.cumsum(RNG.standard_normal(shape), axis=0) + 5
    bins = torch.fft.rfft2(torch.from_numpy(coloured).float())
    bins[0, 0] = 0
    filters = PreprocessingFilters()
    both = [filters.get_combined_filter(bins, size) for size in (tuple(bins.shape), (24, 13))]
    found = preprocess_image(bins, both[0], torch.ones(bins.shape), shape, shape)
    image, curve = oracle.whitened(coloured)
    np.testing.assert_allclose(np.fft.irfft2(found.numpy(), shape), image,
                               atol=2e-6 * np.abs(image).max() * 10)
    np.testing.assert_allclose(both[1], np.interp(oracle.radii_of((24, 24)), *curve), atol=2e-5)


def test_orientations_are_those_of_leopard():
    from leopard_em.pydantic_models.config import OrientationSearchConfig
    for psi_step, theta_step in ((30.0, 20.0), (45.0, 7.0)):
        found = OrientationSearchConfig(psi_step=psi_step, theta_step=theta_step).euler_angles
        expected = oracle.uniform_grid(psi_step, theta_step)
        by_psi = expected.reshape(-1, round(360 / psi_step), 3).swapaxes(0, 1).reshape(-1, 3)
        np.testing.assert_allclose(found, by_psi, atol=1e-9)


class Ranges:
    """A queue of index ranges, as Leopard-EM's."""

    def __init__(self, count, step):
        self.ranges = [(i, min(i + step, count)) for i in range(0, count, step)]
        self.has_failed = False

    def get_next_indices(self, process_id=None):
        return self.ranges.pop(0) if self.ranges else None

    def error_occurred(self):
        return self.has_failed

    def set_error_flag(self):
        self.has_failed = True


def search_arguments():
    n, shape = 32, (80, 96)
    image = RNG.standard_normal(shape) / np.sqrt(np.prod(shape))
    image -= image.mean()
    angles = oracle.uniform_grid(90.0, 60.0).reshape(-1, 4, 3).swapaxes(0, 1).reshape(-1, 3)
    angles = angles[angles[:, 1] < 170] + [3, 0, 5]
    return {"image_dft": torch.from_numpy(np.fft.rfft2(image)).to(torch.complex64),
            "template_dft": fourier_slice.volume_to_rfft_fourier_slice(
                torch.from_numpy(blob(n)).float()),
            "euler_angles": torch.from_numpy(angles).float(),
            "projective_filters": torch.from_numpy(
                filters_of(n, (-300, 0, 300), {})).float()[None],
            "defocus_values": torch.tensor([-300.0, 0.0, 300.0]), "pixel_values": torch.zeros(1),
            "orientation_batch_size": 5, "num_cuda_streams": 1, "device": torch.device("cpu")}


@pytest.fixture
def installed():
    leopard_em_on_wingbeat.install()
    yield
    leopard_em_on_wingbeat.uninstall()


def test_the_loop_of_a_device_keeps_what_leopard_would(installed, monkeypatch):
    from leopard_em.backend import process_results
    monkeypatch.setattr(match.OrientationSearch, "at_once", 5)  # as on a GPU
    given = search_arguments()
    n = len(given["euler_angles"])
    found = leopard_em_on_wingbeat._core()._core_match_template_single_gpu(
        0, Ranges(n, 7), **given, backend="wingbeat", compute_correlation_table=True)
    matrices = roma.euler_to_rotmat("ZYZ", given["euler_angles"], degrees=True)
    scores = cross_correlation.do_batched_orientation_cross_correlate_cpu(
        given["image_dft"], given["template_dft"], matrices, given["projective_filters"])
    scores = scores[..., :49, :65].reshape(3 * n, 49, 65).numpy()
    assert 0.7 < scores.std() < 1.3 and n % 5
    largest, numbers, sums, squares, table = found
    np.testing.assert_allclose(largest, scores.max(0), atol=2e-5)
    assert numbers.dtype == torch.int32
    chosen = np.take_along_axis(scores, numbers.numpy()[None], 0)[0]
    np.testing.assert_allclose(chosen, largest, atol=2e-5)
    np.testing.assert_allclose(sums, scores.sum(0), atol=2e-5 * 3 * n)
    np.testing.assert_allclose(squares, (scores**2).sum(0), atol=1e-4 * 3 * n)
    merged = process_results.aggregate_distributed_results([dict(zip(
        ("mip", "best_global_index", "correlation_sum", "correlation_squared_sum",
         "correlation_table"), found))])
    assert merged["correlation_table"]["threshold"] == table["threshold"] == 5.5
    listed = scores[table["global_idx"], table["pos_y"], table["pos_x"]]
    np.testing.assert_allclose(table["corr_value"], listed, atol=2e-5)
    assert len(listed) == (scores > 5.5).sum()
    turned = leopard_em_on_wingbeat.search_on_device(
        0, Ranges(n, 7), **given, backend="wingbeat", mag_matrix=torch.tensor(MAGNIFICATION))
    expected = oracle.search(
        np.fft.irfft2(given["image_dft"]), given["template_dft"].numpy(),
        [oracle.axes_of(each, MAGNIFICATION) for each in matrices.numpy()],
        given["projective_filters"][0].numpy())
    np.testing.assert_allclose(turned[0], expected.reshape(3 * n, 49, 65).max(0), atol=2e-5)
    failing = Ranges(n, 7)
    with pytest.raises(ValueError, match="give"):
        leopard_em_on_wingbeat.search_on_device(
            0, failing, **{**given, "projective_filters": torch.ones(1, 3, 8, 5)},
            backend="wingbeat")
    assert failing.has_failed


def test_processes_share_a_search_and_one_may_have_no_work(installed):
    from leopard_em.backend import process_results
    given = search_arguments()
    queue = Ranges(len(given["euler_angles"]), 7)

    def searched(queue, **options):
        return dict(zip(("mip", "best_global_index", "correlation_sum", "correlation_squared_sum",
                         "correlation_table"), leopard_em_on_wingbeat.search_on_device(
                             0, queue, **given, backend="wingbeat", **options)))
    whole = searched(Ranges(len(given["euler_angles"]), 7), compute_correlation_table=False)
    assert whole["correlation_table"]["threshold"] == 5.5  # as Leopard-EM's empty table has it
    first = Ranges(0, 7)
    first.ranges, queue.ranges = queue.ranges[1::2], queue.ranges[::2]
    idle = searched(Ranges(0, 7))
    assert (idle["mip"] == -np.inf).all() and (idle["best_global_index"] == -1).all()
    merged = process_results.aggregate_distributed_results([idle, searched(first),
                                                            searched(queue)])
    assert torch.equal(merged["mip"], whole["mip"])
    assert (merged["best_global_index"] == whole["best_global_index"]).float().mean() > 0.999
    for name in ("correlation_sum", "correlation_squared_sum"):
        np.testing.assert_allclose(merged[name], whole[name], rtol=1e-5, atol=1e-4)
    failed = Ranges(7, 7)
    failed.set_error_flag()
    with pytest.raises(RuntimeError, match="another process failed"):
        searched(failed)


def test_results_are_on_the_device(installed):
    search = match.OrientationSearch(np.ones((8, 8)), np.ones((4, 4, 3)), np.ones((1, 4, 3)))
    *maps, table = leopard_em_on_wingbeat._results(search, np.empty(0, int), 0,
                                                   torch.device("meta"), False)
    assert all(each.device.type == "meta" for each in (*maps, table["pos_x"]))


def test_a_table_is_kept_by_numbers_with_psi_fastest(installed):
    from leopard_em.pydantic_models.results.correlation_table import CorrelationTable
    angles = oracle.uniform_grid(90.0, 60.0)
    by_psi = angles.reshape(-1, 4, 3).swapaxes(0, 1).reshape(-1, 3)
    number = 2 * len(angles) + 9
    table = CorrelationTable.from_match_template_results(
        processed_correlation_table={"threshold": 5.5, "global_idx": [number], "x": [1], "y": [2],
                                     "correlation": [6.0]},
        defocus_values=torch.tensor([0.0, 1.0, 2.0]), euler_angles=torch.from_numpy(by_psi),
        correlation_average=torch.zeros(4, 4), correlation_variance_map=torch.ones(4, 4))
    rotation = table.search_index[0] - 2 * len(angles)
    assert tuple(angles[rotation]) == (*table.phi_theta_angles[rotation // 4],
                                       table.psi_angles[rotation % 4]) == tuple(by_psi[9])


def test_other_versions_are_refused(monkeypatch):
    monkeypatch.setattr(leopard_em_on_wingbeat, "version", lambda _: "1.4.0")
    with pytest.raises(ImportError, match="install leopard-em==1.3.0"):
        leopard_em_on_wingbeat.install()


PROGRAM = '''
import sys
import mrcfile
import numpy as np
import torch
import wingbeat.compat.leopard_em

if __name__ == "__main__":
    wingbeat.compat.leopard_em.install()
    from leopard_em.pydantic_models.managers import MatchTemplateManager
    MatchTemplateManager.from_yaml("match.yaml").run_match_template(
        orientation_batch_size=4, compute_correlation_table=True)
'''

CONFIGURATION = '''
template_volume_path: volume.mrc
micrograph_path: image.mrc
match_template_result:
  allow_file_overwrite: true
  mip_path: mip.mrc
  scaled_mip_path: scaled_mip.mrc
  correlation_average_path: average.mrc
  correlation_variance_path: deviation.mrc
  orientation_psi_path: psi.mrc
  orientation_theta_path: theta.mrc
  orientation_phi_path: phi.mrc
  relative_defocus_path: defocus.mrc
  correlation_table_path: table.h5
optics_group: {label: one, voltage: 300.0, pixel_size: 1.5, defocus_u: 6200.0, defocus_v: 5800.0,
               astigmatism_angle: 32.0}
defocus_search_config: {enabled: true, defocus_min: -300.0, defocus_max: 300.0, defocus_step: 300.0}
orientation_search_config: {base_grid_method: uniform, psi_step: 60.0, theta_step: 40.0}
preprocessing_filters: {whitening_filter: {enabled: true}}
computational_config: {gpu_ids: [cpu, cpu], num_cpus: 1, backend: wingbeat}
'''


def test_a_configuration_runs_on_wingbeat(tmp_path):
    mrcfile = pytest.importorskip("mrcfile", reason="mrcfile is not installed here")
    n, shape = 32, (96, 120)
    image, volume = np.float32(RNG.standard_normal(shape)), np.float32(blob(n))
    for name, values in (("image", image), ("volume", volume)):
        mrcfile.write(tmp_path / f"{name}.mrc", values)
    (tmp_path / "match.yaml").write_text(CONFIGURATION)
    (tmp_path / "match.py").write_text(PROGRAM)
    subprocess.run([sys.executable, "match.py"], cwd=tmp_path, check=True, timeout=300)
    prepared, whitening = microscopy.prepare_micrograph(image)
    optics = microscopy.Optics(1.5, 6200, 5800, 32)
    angles = microscopy.orientation_grid(60, 40)
    expected = match.OrientationSearch(
        prepared, microscopy.prepare_volume(volume),
        microscopy.projection_filters(optics, n, whitening, [-300, 0, 300]),
        n_orientations=len(angles)).add(angles)
    maps = {name: mrcfile.read(tmp_path / f"{name}.mrc")
            for name in ("mip", "scaled_mip", "average", "deviation", "psi", "theta", "phi",
                         "defocus")}
    np.testing.assert_allclose(maps["mip"], expected.best, atol=1e-4)
    np.testing.assert_allclose(maps["average"], expected.mean, atol=1e-4)
    np.testing.assert_allclose(maps["deviation"], np.sqrt(expected.variance), atol=1e-4)
    np.testing.assert_allclose(maps["scaled_mip"], expected.z, atol=1e-3)
    rotation, defocus = np.divmod(expected.index, 3)
    found = np.stack([maps[name] for name in ("phi", "theta", "psi")], -1)
    assert (np.abs(found - angles[rotation]).max(-1) < 1e-3).mean() > 0.98
    assert (maps["defocus"] == np.array([-300, 0, 300])[defocus]).mean() > 0.98
