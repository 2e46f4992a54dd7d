import pytest
import usmx
import usmx_with_kernel


def numbers(**options):
    return usmx.asarray([1.0, 2.0, 3.0, 4.0], **{"usm_type": "device", **options})


class Producer:
    """An object of somebody else, who knows the protocol and nothing of usmx."""

    def __init__(self, array):
        self.array = array
        self.__sycl_usm_array_interface__ = array.__sycl_usm_array_interface__


def test_elements_are_multiplied():
    result = usmx_with_kernel.scaled(numbers(), 0.5)
    assert type(result) is usmx.USMArray
    assert usmx.asnumpy(result).tolist() == [0.5, 1, 1.5, 2]


def test_calls_follow_each_other_without_waiting():
    x = numbers()
    for _ in range(10):
        x = usmx_with_kernel.scaled(x, 2)
    assert usmx.asnumpy(x).tolist() == [1024, 2048, 3072, 4096]


def test_views_with_gaps_are_refused():
    with pytest.raises(TypeError, match="C-contiguous"):
        usmx_with_kernel.scaled(numbers()[::-2], 1)


def test_array_without_elements_gives_another():
    assert usmx_with_kernel.scaled(numbers()[:0], 1).shape == (0,)


def test_any_producer_is_taken():
    assert usmx.asnumpy(usmx_with_kernel.scaled(Producer(numbers()), 1)).tolist() == [1, 2, 3, 4]


@pytest.mark.parametrize("kind", ["device", "shared", "host"])
def test_result_is_in_memory_of_the_same_kind(kind):
    assert usmx_with_kernel.scaled(numbers(usm_type=kind), 1).usm_type == kind


def test_another_element_type_is_refused():
    with pytest.raises(TypeError, match="float64"):
        usmx_with_kernel.scaled(numbers(dtype="float32"), 1)


def test_another_number_of_dimensions_is_refused():
    with pytest.raises(TypeError, match="dimension"):
        usmx_with_kernel.scaled(usmx.reshape(numbers(), (2, 2)), 1)


def test_what_is_no_usm_array_is_refused():
    with pytest.raises(TypeError):
        usmx_with_kernel.scaled([1.0, 2.0], 1)
