import pytest
import usmx
import usmx_with_cython


def numbers(**options):
    return usmx.asarray([1.0, 2.0, 3.0, 4.0], **{"usm_type": "shared", **options})


class Producer:
    """An object of somebody else, who knows the protocol and nothing of usmx."""

    def __init__(self, array):
        self.array = array
        self.__sycl_usm_array_interface__ = array.__sycl_usm_array_interface__


def test_elements_are_multiplied():
    result = usmx_with_cython.scaled(numbers(), 0.5)
    assert type(result) is usmx.USMArray
    assert usmx.asnumpy(result).tolist() == [0.5, 1, 1.5, 2]


def test_views_are_read_where_they_lie():
    assert usmx.asnumpy(usmx_with_cython.scaled(numbers()[::-2], 10)).tolist() == [40, 20]


def test_any_producer_is_taken():
    assert usmx.asnumpy(usmx_with_cython.scaled(Producer(numbers()), 1)).tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("kind", ["shared", "host"])
def test_result_is_in_memory_of_the_same_kind(kind):
    assert usmx_with_cython.scaled(numbers(usm_type=kind), 1).usm_type == kind


def test_another_element_type_is_refused():
    with pytest.raises(TypeError, match="float64"):
        usmx_with_cython.scaled(numbers(dtype="float32"), 1)


def test_another_number_of_dimensions_is_refused():
    with pytest.raises(TypeError, match="dimension"):
        usmx_with_cython.scaled(usmx.reshape(numbers(), (2, 2)), 1)


def test_device_memory_is_refused():
    with pytest.raises(TypeError, match="host"):
        usmx_with_cython.scaled(numbers(usm_type="device"), 1)


def test_result_that_no_memory_holds_is_a_memory_error():
    many = usmx.broadcast_to(numbers()[:1], (1 << 50,))  # views of one number
    with pytest.raises(MemoryError):
        usmx_with_cython.scaled(many, 1)


def test_what_is_no_usm_array_is_refused():
    with pytest.raises(TypeError):
        usmx_with_cython.scaled([1.0, 2.0], 1)
