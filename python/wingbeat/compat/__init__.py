# SPDX-License-Identifier: Apache-2.0
"""Interfaces of other packages over wingbeat, for programs that were written for them."""
