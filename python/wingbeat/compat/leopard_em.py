# SPDX-License-Identifier: Apache-2.0
"""The search of Leopard-EM over orientations on wingbeat, for Leopard-EM 1.3.0.

    import wingbeat.compat.leopard_em
    wingbeat.compat.leopard_em.install()

After that, configurations with

    computational_config:
      backend: wingbeat

are searched by `wingbeat.match.OrientationSearch`, on the devices that `gpu_ids` names; "cpu" works
too. The other backends stay as they are. `num_cpus` means nothing here, and
`orientation_batch_size` only sets how often progress is shown.

Differences from the other backends: `mag_matrix` is part of the one interpolation of a slice, where
Leopard-EM interpolates the slice a second time and reads 0 across kx = 0; an orientation with theta
0 and psi 180 keeps the lowest bins, which Leopard-EM loses; orientations of a last, shorter batch
have their own numbers. `install` also replaces, for all backends, a check of the results of 1.3.0
that refuses its own grids of orientations, whose psi varies slowest.
"""

import warnings
from importlib import import_module
from importlib.metadata import version

import numpy as np

__all__ = ["install", "search_on_device", "uninstall"]

_VERSION = "1.3.0"
_PROCESS = "_core_match_template_multiprocess_wrapper"
_DEVICE = "_core_match_template_single_gpu"
_replaced = {}


def _core(name="core_match_template"):
    return import_module(f"leopard_em.backend.{name}")  # whose package has functions of these names


def search_on_device(rank, index_queue, image_dft, template_dft, euler_angles, projective_filters,
                     defocus_values, pixel_values, orientation_batch_size, num_cuda_streams,
                     backend, device, mag_matrix=None, compute_correlation_table=True):
    """Searches on one device, as Leopard-EM's `_core_match_template_single_gpu`: takes ranges of
    orientations from a queue until it is empty. Returns (largest scores, numbers of templates, sums
    of scores, sums of squares, table of scores), tensors on the device, where runs over several
    machines gather them."""
    import torch

    from wingbeat.match import OrientationSearch

    angles = euler_angles.cpu().numpy()
    order = np.lexsort((angles[:, 2], angles[:, 0], angles[:, 1]))  # psi fastest: see `add`
    taken = []  # the orientations that this process has added
    threshold = _core().CORRELATION_TABLE_THRESHOLD if compute_correlation_table else None
    try:
        height, columns = image_dft.shape
        image = torch.fft.irfft2(image_dft.to(device), s=(height, 2 * (columns - 1)))
        search = OrientationSearch(
            image - image.mean(), template_dft.to(device), projective_filters.to(device),
            table_threshold=threshold, n_orientations=len(angles), magnification=mag_matrix)
        waiting = np.empty(0, int)
        while (indices := _next_range(index_queue, rank)) is not None:
            waiting = np.append(waiting, order[slice(*indices)])
            whole = len(waiting) // search.at_once * search.at_once
            _add(search, euler_angles, waiting[:whole], taken)
            waiting = waiting[whole:]
        _add(search, euler_angles, waiting, taken)
        return _results(search, np.concatenate([waiting[:0], *taken]), len(angles), device,
                        compute_correlation_table)
    except Exception as error:
        index_queue.set_error_flag()
        print(f"Error occurred in process {rank}: {error}")
        raise


def _next_range(index_queue, rank):
    """Returns (begin, end) of the next orientations; None if there are no more."""
    if index_queue.error_occurred():
        raise RuntimeError("another process failed, whose message is above; this one stops")
    return index_queue.get_next_indices(process_id=rank)


def _add(search, euler_angles, orientations, taken):
    import roma
    search.add(roma.euler_to_rotmat("ZYZ", euler_angles[orientations].cpu(), degrees=True))
    taken.append(orientations)


def _results(search, orientations, n_orientations, device, has_table):
    """Returns what the search kept, by Leopard-EM's numbers: filter times orientations plus
    orientation."""
    import torch
    from tensordict import TensorDict

    def renumbered(numbers):
        rotation, filter_number = np.divmod(numbers.astype(np.int64), search.n_filters)
        return (filter_number * n_orientations + orientations[rotation]).astype(np.int32)
    index = search.index
    index[index >= 0] = renumbered(index[index >= 0])
    n, mean = search.n_templates, search.mean.astype(np.float64)
    maps = (search.best, index.astype(np.int32), (n * mean).astype(np.float32),
            (n * (search.variance + mean**2)).astype(np.float32))
    columns = [np.empty(0, np.int32)] * 3 + [np.empty(0, np.float32)]
    threshold = _core().CORRELATION_TABLE_THRESHOLD
    if has_table:
        table = search.table()
        columns = renumbered(table.number), table.x, table.y, table.score
        if table.lost:
            warnings.warn(f"{table.lost} scores above {threshold} had no room in the table, which "
                          "lacks them", stacklevel=2)
    names = ("global_idx", "pos_x", "pos_y", "corr_value")
    columns = {name: torch.from_numpy(column.view(np.int32) if name != "corr_value" else column)
               for name, column in zip(names, columns)}
    return (*(torch.from_numpy(each).to(device) for each in maps),
            TensorDict({"threshold": threshold, **columns}).to(device))


def _search_in_process(result_dict, rank, **arguments):
    """Searches in a process of its own, whose result goes to a dictionary that processes share."""
    if arguments["backend"] != "wingbeat":
        original = _replaced.get((_core(), _PROCESS)) or getattr(_core(), _PROCESS)
        return original(result_dict, rank, **arguments)
    names = ("mip", "best_global_index", "correlation_sum", "correlation_squared_sum")
    *maps, table = search_on_device(rank, **arguments)
    result_dict[rank] = {**dict(zip(names, (each.cpu().numpy() for each in maps))),
                         "correlation_table": table.cpu()}
    return None


def _search_of_any_backend(rank, index_queue, *arguments, backend, **options):
    """Searches in this process, for runs over several machines."""
    chosen = search_on_device if backend == "wingbeat" else _replaced[_core(), _DEVICE]
    return chosen(rank, index_queue, *arguments, backend=backend, **options)


def _table_of_results(original, processed_correlation_table, defocus_values, euler_angles,
                      **options):
    """Makes a CorrelationTable, which numbers orientations with psi fastest, of a grid with psi
    slowest."""
    n_psi = len(euler_angles[:, 2].unique())
    n = len(euler_angles)
    n_directions = n // n_psi
    if n == n_directions * n_psi and (euler_angles[:n_directions, 2] == euler_angles[0, 2]).all():
        order = np.arange(n).reshape(n_psi, n_directions).T.ravel()
        place = np.argsort(order)
        numbers = np.asarray(processed_correlation_table["global_idx"], int)
        processed_correlation_table = {
            **processed_correlation_table,
            "global_idx": (numbers // n * n + place[numbers % n]).tolist()}
        euler_angles = euler_angles[order]
    return original(processed_correlation_table, defocus_values, euler_angles, **options)


def install():
    """Makes `backend: wingbeat` known to Leopard-EM in this process and those that it starts.
    ImportError for versions other than 1.3.0, whose parts are not known to be the same."""
    if _replaced:
        return
    found = version("leopard-em")
    if found != _VERSION:
        raise ImportError(f"Leopard-EM {found} is installed, and parts of {_VERSION} are replaced; "
                          f"install leopard-em=={_VERSION}")
    from functools import partial
    from typing import Literal

    from leopard_em.pydantic_models import config, managers
    from leopard_em.pydantic_models.results.correlation_table import CorrelationTable

    for owner, name, value in (
            (_core(), _PROCESS, _search_in_process), (_core(), _DEVICE, _search_of_any_backend),
            (_core("core_match_template_distributed"), _DEVICE, _search_of_any_backend),
            (CorrelationTable, "from_match_template_results",
             partial(_table_of_results, CorrelationTable.from_match_template_results))):
        _replaced[owner, name] = getattr(owner, name)
        setattr(owner, name, value)
    _set_backends(Literal["streamed", "batched", "zipfft", "wingbeat"], config, managers)


def _set_backends(names, config, managers):
    config.ComputationalConfigMatch.model_fields["backend"].annotation = names
    for model in (config.ComputationalConfigMatch, managers.MatchTemplateManager):
        model.model_rebuild(force=True)


def uninstall():
    """Undoes `install`."""
    if not _replaced:
        return
    from typing import Literal

    from leopard_em.pydantic_models import config, managers
    for (owner, name), value in _replaced.items():
        setattr(owner, name, value)
    _replaced.clear()
    _set_backends(Literal["streamed", "batched", "zipfft"], config, managers)
