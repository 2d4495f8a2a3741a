# SPDX-License-Identifier: Apache-2.0
"""A slow second implementation of every contract, in integers and fractions; it shares no code with the library."""
