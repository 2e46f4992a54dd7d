import gc

import numpy as np
import usmx
import usmx_adoption


def pictures_alive():
    gc.collect()
    usmx.synchronize()
    return usmx_adoption.pictures_alive()


def test_picture_is_an_array_of_the_librarys_memory():
    picture = usmx_adoption.take_picture(2, 3)
    assert (picture.shape, picture.dtype, picture.usm_type) == ((2, 3), np.float32, "shared")
    assert np.all(np.asarray(picture) == 0.5)


def test_picture_goes_back_with_the_last_view_of_it():
    before = pictures_alive()
    picture = usmx_adoption.take_picture(4, 4)
    row = np.asarray(picture[1])
    del picture
    assert pictures_alive() == before + 1
    assert np.all(row == 0.5)
    del row
    assert pictures_alive() == before
