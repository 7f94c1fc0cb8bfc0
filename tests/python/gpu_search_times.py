# SPDX-License-Identifier: Apache-2.0
"""Times `wingbeat.match.Search` on a GPU beside the same search written with torch.fft, and checks
that both find the same: python gpu_search_times.py [--image 4096] [--template 512] [--count 256].

Prints a line of JSON: microseconds for each template, the best of seven runs.
"""

import argparse
import json
import time

import torch

from wingbeat import match


def searched_by_torch(image, templates, at_once):
    """Returns (best scores, which template had them) as torch.fft's users write it."""
    height, width = image.shape
    h, w = templates.shape[-2:]
    bins = torch.fft.rfft2(image)
    shape = (height - h + 1, width - w + 1)
    best = torch.full(shape, -torch.inf, device=image.device)
    index = torch.zeros(shape, dtype=torch.int64, device=image.device)
    for first in range(0, len(templates), at_once):
        batch = torch.fft.rfft2(templates[first:first + at_once], s=image.shape)
        maps = torch.fft.irfft2(bins * batch.conj(), s=image.shape)[:, :shape[0], :shape[1]]
        scores, numbers = maps.max(0)
        is_higher = scores > best
        best = torch.where(is_higher, scores, best)
        index = torch.where(is_higher, numbers + first, index)
    return best, index


def microseconds(call, count):
    call()
    times = []
    for _ in range(7):
        torch.cuda.synchronize()
        start = time.perf_counter()
        call()
        torch.cuda.synchronize()
        times.append(time.perf_counter() - start)
    return round(1e6 * min(times) / count, 2)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--image", type=int, default=4096)
    parser.add_argument("--template", type=int, default=512)
    parser.add_argument("--count", type=int, default=256)
    parser.add_argument("--at-once", type=int, default=8)
    given = parser.parse_args()
    torch.manual_seed(0)
    image = torch.randn(given.image, given.image, device="cuda")
    templates = torch.randn(given.count, given.template, given.template, device="cuda")
    search = match.Search(image, templates.shape[1:], normalised=False, at_once=given.at_once)
    best, index = searched_by_torch(image, templates, given.at_once)
    search.add(templates)
    found = torch.from_numpy(search.best).cuda()
    largest_error = float((found - best).abs().max() / best.abs().max())
    same = float((torch.from_numpy(search.index).cuda() == index).float().mean())
    print(json.dumps({
        "device": torch.cuda.get_device_name(), "image": given.image, "template": given.template,
        "count": given.count, "at_once": given.at_once, "largest_error": largest_error,
        "same_index": same,
        "wingbeat_us": microseconds(lambda: search.restart().add(templates), given.count),
        "torch_us": microseconds(lambda: searched_by_torch(image, templates, given.at_once),
                                 given.count)}))


if __name__ == "__main__":
    main()
