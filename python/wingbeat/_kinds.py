# SPDX-License-Identifier: Apache-2.0
"""The cosine and sine transforms of types 1 to 4: the kind of each, and the one that undoes it."""

from wingbeat import _wingbeat

COSINES = {1: (_wingbeat.kind_dct1, _wingbeat.kind_dct1),
           2: (_wingbeat.kind_dct2, _wingbeat.kind_dct3),
           3: (_wingbeat.kind_dct3, _wingbeat.kind_dct2),
           4: (_wingbeat.kind_dct4, _wingbeat.kind_dct4)}
SINES = {1: (_wingbeat.kind_dst1, _wingbeat.kind_dst1),
         2: (_wingbeat.kind_dst2, _wingbeat.kind_dst3),
         3: (_wingbeat.kind_dst3, _wingbeat.kind_dst2),
         4: (_wingbeat.kind_dst4, _wingbeat.kind_dst4)}
