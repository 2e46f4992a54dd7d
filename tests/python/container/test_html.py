"""_repr_html_ of arrays and devices: what they are and a corner of the elements, soon."""

import threading
import tracemalloc
from html.parser import HTMLParser

import dpnp
import numpy as np
import pytest
import usmx
from helpers import KINDS, sub_devices
from usmx._container import formatting


@pytest.fixture(params=KINDS)
def kind(request):
    return request.param


class TableReader(HTMLParser):
    """The cells of the rows, and what stands in <pre>; no other resources may be named."""

    def __init__(self, text):
        super().__init__()
        self.open, self.rows, self.pre = [], [], ""
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attributes):
        assert tag in ("div", "table", "tr", "th", "td", "pre")
        assert {name for name, _ in attributes} <= {"style"}
        self.open.append(tag)
        if tag == "tr":
            self.rows.append([])

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if self.open[-1] == "pre":
            self.pre += data
        else:
            self.rows[-1].append(data)


def table_of(shown):
    reader = TableReader(shown._repr_html_())
    return dict(reader.rows), reader.pre


def test_notebooks_show_shape_type_kind_device_and_memory(kind):
    device = usmx.SyclDevice()
    table, elements = table_of(usmx.zeros((256, 512), "f4", usm_type=kind))
    assert table == {
        "shape": "(256, 512)",
        "dtype": "float32",
        "usm_type": kind,
        "device": f"{device.filter_string}: {device.name}",
        "queue": "out of order",
        "memory": "512 KiB of 512 KiB",
        "owner": "usmx",
    }
    assert elements.startswith("[[0. 0. ... 0. 0.]")


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (2, 2), (1,) * 20])
def test_notebooks_show_arrays_of_every_shape(kind, shape):
    table, elements = table_of(usmx.zeros(shape, "i4", usm_type=kind))
    assert table["shape"] == str(shape)
    assert elements == str(np.zeros(shape, "i4"))


def test_notebooks_say_that_a_view_is_read_only():
    assert table_of(usmx.zeros(3).readonly())[0]["usm_type"] == "device, read-only"


def test_text_for_notebooks_is_escaped():
    host = np.zeros(2, [("<b>&", "<f8")])
    table, _ = table_of(usmx.asarray(host))
    assert table["dtype"] == str(host.dtype)
    assert "<b>" not in usmx.asarray(host)._repr_html_()
    with usmx.print_options(nanstr="<i>"):
        assert table_of(usmx.asarray([np.nan]))[1] == "[<i>]"


def test_text_for_notebooks_is_short():
    _, elements = table_of(usmx.zeros((9, 9, 9, 9)))
    assert len(elements.splitlines()) == 21
    assert elements.endswith("\n...")


def test_large_device_array_is_not_fetched_for_a_notebook():
    array = usmx.zeros((8 << 10, 1 << 10))  # 64 MiB
    array._repr_html_()
    tracemalloc.start()
    try:
        array._repr_html_()
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 1 << 20


def test_notebooks_show_a_view_and_the_block_that_it_keeps():
    assert table_of(usmx.zeros(1024, "u1")[:10])[0]["memory"] == "10 B of 1 KiB"


def test_notebooks_name_the_owner_of_borrowed_memory():
    table, elements = table_of(usmx.asarray(dpnp.ones(3)))
    assert table["owner"] == "dpnp.dpnp_array.dpnp_array"
    assert elements == "[1. 1. 1.]"


def test_notebooks_show_the_order_of_the_queue():
    queue = usmx.SyclQueue(property="in_order")
    assert table_of(usmx.zeros(1, sycl_queue=queue))[0]["queue"] == "in order"


def test_array_with_long_work_under_way_is_shown_without_waiting_for_it(monkeypatch):
    work_ends = threading.Event()
    monkeypatch.setattr(formatting, "_PATIENCE", 0.01)
    monkeypatch.setattr(formatting, "_short_text", lambda array: str(work_ends.wait(60)))
    try:
        _, elements = table_of(usmx.ones(3))
    finally:
        work_ends.set()
    assert elements == "(work on this array is not finished after 0.01 s)"


def test_error_of_an_option_reaches_the_notebook():
    broken = np.printoptions(formatter={"float": lambda x: 1 / 0})
    with broken, pytest.raises(ZeroDivisionError):
        usmx.zeros(3)._repr_html_()


def test_options_of_numpy_hold_in_notebooks():
    with np.printoptions(precision=2):
        assert table_of(usmx.asarray([1.23456]))[1] == "[1.23]"


@pytest.mark.parametrize("make", [usmx.SyclDevice, lambda: usmx.zeros(1).device])
def test_notebooks_show_devices(make):
    device = usmx.SyclDevice()
    table, elements = table_of(make())
    assert elements == ""
    assert table["device"] == f"{device.filter_string}: {device.name}"
    assert table["driver"] == f"{device.vendor} {device.driver_version}"
    assert table["sub-groups"] == ", ".join(map(str, device.sub_group_sizes))
    assert table["compute units"] == str(device.max_compute_units)
    assert table["USM kinds"].startswith("device")


def test_notebooks_show_arrays_on_sub_devices():
    import dpctl

    queue = dpctl.SyclQueue(sub_devices()[0])
    assert table_of(usmx.zeros(1, sycl_queue=queue))[0]["device"].startswith("sub-device")
