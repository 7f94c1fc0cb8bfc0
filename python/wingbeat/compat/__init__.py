# SPDX-License-Identifier: Apache-2.0
"""Interfaces of other packages over wingbeat, for programs that were written for them.

>>> from wingbeat.compat import pyvkfft
>>> pyvkfft.fftn(np.ones(4, np.complex64)).real
array([4., 0., 0., 0.], dtype=float32)
"""
