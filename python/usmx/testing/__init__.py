"""Checks whether an object is a good producer, or a function a good consumer, of USM arrays.

`check_producer(obj)` and `check_consumer(f)` judge what is seen from outside, rule by rule, by the
protocol as docs/protocol.md has it, `check_dlpack_producer(obj)` and `check_dlpack_consumer(f)` by
DLPack's. They return a `Report`; NumPy is all they need besides usmx.
`assert_array_equal(actual, desired)` and `assert_allclose(actual, desired)` are NumPy's, for arrays
in USM too.
"""

from typing import TYPE_CHECKING

from usmx.testing._assertions import assert_allclose, assert_array_equal
from usmx.testing._consumers import check_consumer, check_dlpack_consumer
from usmx.testing._producer import check_producer
from usmx.testing._report import Finding, Report
from usmx.testing._tensor_producer import check_dlpack_producer

__all__ = [
    "Finding",
    "Report",
    "assert_allclose",
    "assert_array_equal",
    "check_consumer",
    "check_dlpack_consumer",
    "check_dlpack_producer",
    "check_producer",
]

if not TYPE_CHECKING:  # for which every name that is not there would be an Any

    def __getattr__(name):
        """Say what takes the place of NumPy's names that are not here."""
        from usmx._container.elsewhere import refuse_name_of_module

        refuse_name_of_module("testing", name)
