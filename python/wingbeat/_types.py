# SPDX-License-Identifier: Apache-2.0
"""Types of arguments that functions share."""

from typing import Any, Literal, Sequence, Union

Array = Any  #: Of any library that is known here.
Norm = Literal["backward", "ortho", "forward", None]
Axes = Union[int, Sequence[int], None]  #: Also lengths, one per axis.
