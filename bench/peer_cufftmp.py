#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""peer_cufftmp.py [--gpus 2] [N..]: times cuFFTMp on GPUs of this machine, complex fp32 of N^3, a
process for each, in place, bins cut along the second axis. Lines of JSON; exit code 1 where a rank
failed. Needs numpy, and the libraries of nvidia-cufftmp-cu13 and nvidia-nvshmem-cu13 in
LD_LIBRARY_PATH; no MPI, because NVSHMEM meets by an id on loopback. Memory is not multicast.
"""
import argparse
import ctypes
import json
import multiprocessing
import os
import statistics
import sys
import time
import traceback

FORWARD, INVERSE, C2C, IN_PLACE, NO_MPI, BY_ID = -1, 1, 0x29, 2, 1, 8
MOST_CHECKED = 256
ENVIRONMENT = {"NVSHMEM_BOOTSTRAP": "UID", "NVSHMEM_BOOTSTRAP_UID_SOCK_IFNAME": "lo",
               "NVSHMEM_REMOTE_TRANSPORT": "none", "NVSHMEM_DISABLE_NVLS": "1",
               "NVSHMEM_DISABLE_NCCL": "1", "NVSHMEM_SYMMETRIC_SIZE": "20G"}


class unique_id(ctypes.Structure):
    _fields_ = [("version", ctypes.c_int), ("internal", ctypes.c_char * 124)]


class memory_descriptor(ctypes.Structure):  # cudaXtDesc
    _fields_ = [("version", ctypes.c_int), ("n_gpus", ctypes.c_int), ("gpus", ctypes.c_int * 64),
                ("data", ctypes.c_void_p * 64), ("size", ctypes.c_size_t * 64),
                ("state", ctypes.c_void_p)]


class library_descriptor(ctypes.Structure):  # cudaLibXtDesc
    _fields_ = [("version", ctypes.c_int), ("memory", ctypes.POINTER(memory_descriptor)),
                ("library", ctypes.c_int), ("format", ctypes.c_int), ("own", ctypes.c_void_p)]


class library:
    """A library, whose functions throw where they return another status than 0."""

    def __init__(self, name):
        self.opened = ctypes.CDLL(name, mode=ctypes.RTLD_GLOBAL)

    def __getattr__(self, name):
        def call(*arguments):
            status = getattr(self.opened, name)(*arguments)
            if status != 0:
                raise RuntimeError(f"{name} returns {status}")
        return call


def meet(shmem, rank, size, ends):
    """Has NVSHMEM's ranks meet; rank 0 sends the others its id by pipes."""
    met = unique_id(version=(1 << 16) + ctypes.sizeof(unique_id))
    if rank == 0:
        shmem.nvshmemx_get_uniqueid(ctypes.byref(met))
        for each in ends:
            each.send(bytes(met))
    else:
        ctypes.memmove(ctypes.byref(met), ends[0].recv(), ctypes.sizeof(met))
    attributes = (ctypes.c_int * 36)()  # nvshmemx_init_attr_t, 144 bytes
    attributes[0] = (2 << 16) + 144     # version; then those of args and of args.uid_args
    attributes[4], attributes[6] = (2 << 16) + 128, (1 << 16) + 24
    attributes[12] = -1                 # args.cuda_device_id
    shmem.nvshmemx_set_attr_uniqueid_args(rank, size, ctypes.byref(met), ctypes.byref(attributes))
    shmem.nvshmemx_hostlib_init_attr(BY_ID, ctypes.byref(attributes))


def wave_error(cuda, data, transform, rank, own, n):
    """Transforms a wave, whose one bin is n^3, there and back; returns the largest difference."""
    import numpy as np
    x = np.arange(rank * own, (rank + 1) * own)[:, None, None] * 3
    y, z = np.arange(n)[:, None] * 5, np.arange(n) * 7
    wave = np.exp(2j * np.pi / n * ((x + y + z) % n)).astype(np.complex64)
    bins = np.empty((n, own, n), np.complex64)
    cuda.cudaMemcpy(data, wave.ctypes.data_as(ctypes.c_void_p), ctypes.c_size_t(wave.nbytes), 1)
    transform(FORWARD)
    cuda.cudaMemcpy(bins.ctypes.data_as(ctypes.c_void_p), data, ctypes.c_size_t(bins.nbytes), 2)
    if rank * own <= 5 < (rank + 1) * own:
        bins[3, 5 - rank * own, 7] -= n**3
    transform(INVERSE)
    return float(np.abs(bins).max() / n**3)


def noise_of(cuda, size_bytes):
    """Returns device memory with one block of noise again and again."""
    import numpy as np
    block = np.random.default_rng(1).standard_normal(min(1 << 24, size_bytes // 4), np.float32)
    noise = ctypes.c_void_p()
    cuda.cudaMalloc(ctypes.byref(noise), ctypes.c_size_t(size_bytes))
    for first in range(0, size_bytes, block.nbytes):
        part = ctypes.c_size_t(min(block.nbytes, size_bytes - first))
        cuda.cudaMemcpy(ctypes.c_void_p(noise.value + first),
                        block.ctypes.data_as(ctypes.c_void_p), part, 1)
    return noise


def times_of(transform, refill, shmem):
    """Returns the medians of both ways, from a barrier to the end, in seconds."""
    times = {FORWARD: [], INVERSE: []}
    for turn in range(30):
        refill()  # both ways grow what they transform
        for way, seconds in times.items():
            shmem.opened.nvshmem_barrier_all()
            begin = time.perf_counter()
            transform(way)
            if turn >= 5:
                seconds.append(time.perf_counter() - begin)
    return {"forward_s": statistics.median(times[FORWARD]),
            "inverse_s": statistics.median(times[INVERSE])}


def measure(cuda, shmem, fft, rank, size, n):
    plan, workspace_bytes, stream = ctypes.c_int(), ctypes.c_size_t(), ctypes.c_void_p()
    memory = ctypes.POINTER(library_descriptor)()
    cuda.cudaStreamCreate(ctypes.byref(stream))
    fft.cufftCreate(ctypes.byref(plan))
    fft.cufftMpAttachComm(plan, NO_MPI, None)
    fft.cufftSetStream(plan, stream)
    fft.cufftMakePlan3d(plan, n, n, n, C2C, ctypes.byref(workspace_bytes))
    fft.cufftXtMalloc(plan, ctypes.byref(memory), IN_PLACE)
    own, data = n // size, ctypes.c_void_p(memory.contents.memory.contents.data[0])
    size_bytes = own * n * n * 8
    noise = noise_of(cuda, size_bytes)

    def transform(way):
        fft.cufftXtExecDescriptor(plan, memory, memory, way)
        cuda.cudaStreamSynchronize(stream)

    def refill():
        cuda.cudaMemcpy(data, noise, ctypes.c_size_t(size_bytes), 3)
        cuda.cudaDeviceSynchronize()

    result = {"lengths": [n, n, n], "ranks": size, "workspace_bytes": workspace_bytes.value}
    if n <= MOST_CHECKED:
        result["error"] = wave_error(cuda, data, transform, rank, own, n)
    result.update(times_of(transform, refill, shmem))
    cuda.cudaFree(noise)
    fft.cufftXtFree(memory)
    fft.cufftDestroy(plan)
    return result


def run(rank, size, lengths, ends, said):
    try:
        cuda = library("libcudart.so.13")
        cuda.cudaSetDevice(rank)
        cuda.cudaFree(None)
        shmem = library("libnvshmem_host.so.3")
        meet(shmem, rank, size, ends)
        fft = library("libcufftMp.so.12")
        for n in lengths:
            said.put({"rank": rank, **measure(cuda, shmem, fft, rank, size, n)})
    except Exception:
        said.put({"rank": rank, "failed": traceback.format_exc(limit=2)})


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--gpus", type=int, default=2)
    parser.add_argument("--patience", type=float, default=50, help="seconds for all of it")
    parser.add_argument("lengths", type=int, nargs="*", default=[256, 512, 1024])
    given = parser.parse_args()
    os.environ.update(ENVIRONMENT)
    context = multiprocessing.get_context("spawn")
    said, pipes = context.Queue(), [context.Pipe() for _ in range(given.gpus - 1)]
    ends = [[first for first, _ in pipes]] + [[second] for _, second in pipes]
    ranks = [context.Process(target=run, args=(rank, given.gpus, given.lengths, ends[rank], said),
                             daemon=True) for rank in range(given.gpus)]
    for each in ranks:
        each.start()
    until, n_left = time.monotonic() + given.patience, given.gpus * len(given.lengths)
    while n_left > 0:
        try:
            line = said.get(timeout=max(until - time.monotonic(), 0.01))
        except Exception:  # nothing came in time
            return 1
        print(json.dumps(line), flush=True)
        if "failed" in line:
            return 1
        n_left -= 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
