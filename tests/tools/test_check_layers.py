"""tools/check_layers.py: what it refuses in a small house, and that the real one passes."""

import subprocess

import pytest
from check_layers import faults

TABLE = """
[[house]]
name = "library"
title = "The library"
roots = ["include/house", "src", "tests/cpp"]
includes_from = ["include", "src", "tests/cpp"]
tests = { root = "tests/cpp", support = "support" }
drivers = "src/upper/corner"
[[house.room]]
name = "ground"
holds = "what all stand on"
uses = []
[[house.room]]
name = "upper"
holds = "what stands on it"
inner = ["corner"]
uses = ["ground"]
[[house.room]]
name = "inside"
holds = "what the annex may know of it"
files = ["inside.hpp"]
uses = ["upper"]
[[house.room]]
name = "short names"
holds = "what users include"
files = ["upper.hpp"]
uses = ["upper"]
[[house.room]]
name = "support"
holds = "what tests share"
uses = ["ground"]

[[house]]
name = "annex"
title = "The annex"
roots = ["annex"]
includes_from = ["annex", "include", "src"]
doors = { "src" = "inside.hpp" }
[[house.room]]
name = "shed"
holds = "what leans on the library"
uses = ["library/*"]

[[house]]
name = "package"
title = "The package"
roots = ["python/house"]
package = "house"
[[house.room]]
name = "modules"
holds = "what several need"
rest = true
uses = []
[[house.room]]
name = "rooms"
holds = "one subject"
uses = ["modules"]
[[house.room]]
name = "face"
holds = "public names"
files = ["__init__.py"]
uses = ["modules", "rooms"]
"""

HOUSE = {
    "tools/layers.toml": TABLE,
    "include/house/upper.hpp": '#include "house/upper/roof.hpp"\n',
    "include/house/ground/stone.hpp": "#include <vector>\n",
    "include/house/upper/roof.hpp": '#include "house/ground/stone.hpp"\n',
    "src/upper/corner/nook.hpp": '#include "upper/beam.hpp"\n',
    "src/upper/beam.hpp": '#include "house/upper/roof.hpp"\n',
    "src/inside.hpp": '#include "upper/beam.hpp"\n',
    "annex/shed/rake.cpp": '#include "house/upper.hpp"\n#include "inside.hpp"\n',
    "tests/cpp/support/tools.hpp": '#include "house/ground/stone.hpp"\n',
    "tests/cpp/ground/stone_test.cpp": '#include "support/tools.hpp"\n',
    "python/house/__init__.py": "from house.rooms import kitchen\n",
    "python/house/_text.py": "import re\n",
    "python/house/rooms/__init__.py": "",
    "python/house/rooms/kitchen.py": "from house._text import words\nfrom . import table\n",
    "python/house/rooms/table.py": "import house._text\n",
}


@pytest.fixture
def house(tmp_path):
    """A small house that keeps to its table; files are added by `plant`."""
    subprocess.run(["git", "init", "-q", tmp_path], check=True)
    for path, text in HOUSE.items():
        plant(tmp_path, path, text)
    assert faults(tmp_path) == []
    return tmp_path


def plant(root, path, text):
    (root / path).parent.mkdir(parents=True, exist_ok=True)
    (root / path).write_text(text)


def only_fault(root):
    (fault,) = faults(root)
    return fault


def test_the_real_house_keeps_to_its_table():
    assert faults() == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "included"),
    [
        ("src/ground/cellar.cpp", "house/upper/roof.hpp"),
        ("src/ground/cellar.cpp", "upper/beam.hpp"),
        ("include/house/ground/cellar.hpp", "house/upper/roof.hpp"),
        ("tests/cpp/ground/cellar_test.cpp", "upper/corner/nook.hpp"),
    ],
)
def test_include_of_a_room_above_is_refused(house, path, included):
    plant(house, path, f'// cellar\n#include "{included}"\n')
    fault = only_fault(house)
    assert fault.startswith(f'{path}:2: #include "{included}": library/ground -> library/upper')


def test_umbrella_is_refused_within_the_library(house):
    plant(house, "src/upper/wall.cpp", "#include <house/upper.hpp>\n")
    assert "library/upper -> library/short names" in only_fault(house)


def test_support_of_tests_is_refused_outside_of_tests(house):
    plant(house, "src/upper/wall.cpp", '#include "support/tools.hpp"\n')
    assert "library/upper -> library/support" in only_fault(house)


def test_an_include_past_the_door_is_refused(house):
    plant(house, "annex/shed/rake.cpp", '#include "upper/beam.hpp"\n')
    assert only_fault(house).endswith("of src/ annex may include only inside.hpp")


def test_include_beside_the_file_is_found(house):
    plant(house, "src/ground/cellar.hpp", '#include "../upper/beam.hpp"\n')
    assert "library/ground -> library/upper" in only_fault(house)


def test_embedded_file_of_its_room_is_no_fault(house):
    plant(house, "src/upper/wall.cpp", 'USMX_EMBED(nook, USMX_REPOSITORY "/src/upper/beam.hpp")\n')
    assert faults(house) == []


def test_library_embeds_nothing_of_the_package(house):
    plant(house, "python/house/rooms/oven.hpp", "")
    text = '// wall\nUSMX_EMBED(oven, USMX_REPOSITORY "/python/house/rooms/oven.hpp")\n'
    plant(house, "src/upper/wall.cpp", text)
    fault = only_fault(house)
    assert fault.startswith('src/upper/wall.cpp:2: USMX_EMBED("python/house/rooms/oven.hpp"): ')
    assert "library/upper -> package/rooms" in fault


def test_embedding_by_a_folder_of_the_build_is_refused(house):
    plant(house, "python/house/rooms/oven.hpp", "")
    plant(house, "src/upper/wall.cpp", 'USMX_EMBED(oven, SOME_FOLDER "/oven.hpp")\n')
    assert "src/upper/wall.cpp:1: embeds SOME_FOLDER /oven.hpp: expected" in only_fault(house)


def test_embedded_file_that_is_missing_is_refused(house):
    plant(house, "src/upper/wall.cpp", 'USMX_EMBED(oven, USMX_REPOSITORY "/src/upper/oven.hpp")\n')
    assert "embeds USMX_REPOSITORY /src/upper/oven.hpp: expected" in only_fault(house)


def test_include_by_a_folder_of_the_build_is_refused(house):
    plant(house, "python/house/rooms/oven.hpp", "")
    plant(house, "src/upper/wall.cpp", '#include "oven.hpp"\n')
    fault = only_fault(house)
    assert fault.startswith(
        'src/upper/wall.cpp:1: #include "oven.hpp": expected its path from a root folder'
    )


def test_embedded_file_outside_of_all_houses_is_refused(house):
    plant(house, "docs/architecture.md", "")
    plant(
        house, "src/upper/wall.cpp", 'USMX_EMBED(page, USMX_REPOSITORY "/docs/architecture.md")\n'
    )
    assert "lies in no house of tools/layers.toml" in only_fault(house)


@pytest.mark.slow
@pytest.mark.parametrize(
    "text",
    [
        "from house.rooms import kitchen",
        "import house.rooms.kitchen",
        "from .rooms.kitchen import pot",
        "from .rooms import kitchen as k",
        "def cook():\n    from house.rooms import kitchen",
    ],
)
def test_import_of_a_room_above_is_refused(house, text):
    plant(house, "python/house/_cellar.py", text + "\n")
    fault = only_fault(house)
    line = text.count("\n") + 1
    assert fault.startswith(f"python/house/_cellar.py:{line}: ")
    assert "package/modules -> package/rooms" in fault


def test_import_of_the_public_face_from_below_is_refused(house):
    plant(house, "python/house/rooms/hall.py", "import house\n")
    assert "package/rooms -> package/face" in only_fault(house)


@pytest.mark.slow
@pytest.mark.parametrize(
    "path",
    [
        "src/attic/box.hpp",
        "src/box.hpp",
        "src/ground/deep/box.hpp",
        "include/house/box.hpp",
        "python/house/attic/box.py",
    ],
)
def test_folder_that_is_not_in_the_table_is_refused(house, path):
    plant(house, path, "")
    assert only_fault(house).startswith(f"{path}:1: lies in no room of tools/layers.toml")


def test_circle_of_includes_is_refused(house):
    plant(house, "include/house/ground/left.hpp", '#include "house/ground/right.hpp"\n')
    plant(house, "include/house/ground/right.hpp", '#include "house/ground/left.hpp"\n')
    fault = only_fault(house)
    assert fault.startswith('include/house/ground/left.hpp:1: #include "house/ground/right.hpp"')
    assert fault.endswith(
        "circle include/house/ground/left.hpp -> include/house/ground/right.hpp"
        " -> include/house/ground/left.hpp"
    )


def test_circle_of_imports_is_refused(house):
    plant(house, "python/house/rooms/table.py", "from house.rooms import chair\n")
    plant(house, "python/house/rooms/chair.py", "from house.rooms import table\n")
    assert "circle python/house/rooms/chair.py -> python/house/rooms/table.py" in only_fault(house)


def test_circle_of_imports_within_functions_is_refused(house):
    plant(house, "python/house/rooms/table.py", "from house.rooms import chair\n")
    later = "def sit():\n    from house.rooms import table\n"
    plant(house, "python/house/rooms/chair.py", later)
    assert "circle python/house/rooms/chair.py -> python/house/rooms/table.py" in only_fault(house)


def test_circle_that_only_type_checkers_see_is_none(house):
    plant(house, "python/house/rooms/table.py", "from house.rooms import chair\n")
    later = (
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from house.rooms import table\n"
    )
    plant(house, "python/house/rooms/chair.py", later)
    assert faults(house) == []


@pytest.mark.parametrize("path", ["src/upper/wall.cpp", "examples/hut/main.cpp"])
def test_the_expensive_header_is_refused_everywhere(house, path):
    plant(house, path, "#include <vector>\n#  include <sycl/sycl.hpp>\n")
    assert only_fault(house).startswith(f"{path}:2: #include <sycl/sycl.hpp>")


def test_an_exception_allows_one_file_one_room(house):
    excepted = (
        '\n[[exception]]\nfile = "src/ground/cellar.cpp"\nuses = ["upper"]\nreason = "stairs"\n'
    )
    plant(house, "tools/layers.toml", TABLE + excepted)
    plant(house, "src/ground/cellar.cpp", '#include "upper/beam.hpp"\n')
    assert faults(house) == []
    plant(house, "src/ground/well.cpp", '#include "upper/beam.hpp"\n')
    assert only_fault(house).startswith("src/ground/well.cpp:1: ")


def test_an_exception_that_nothing_needs_is_refused(house):
    excepted = (
        '\n[[exception]]\nfile = "src/ground/cellar.cpp"\nuses = ["upper"]\nreason = "stairs"\n'
    )
    plant(house, "tools/layers.toml", TABLE + excepted)
    assert "src/ground/cellar.cpp is excepted for library/upper" in only_fault(house)


def test_a_table_whose_room_uses_one_above_is_refused(house):
    plant(house, "tools/layers.toml", TABLE.replace("uses = []", 'uses = ["upper"]', 1))
    assert "'upper', expected a room that stands above it" in only_fault(house)


def test_files_that_git_ignores_are_left_alone(house):
    plant(house, ".gitignore", "/src/attic/\n")
    plant(house, "src/attic/box.hpp", "#include <sycl/sycl.hpp>\n")
    assert faults(house) == []


def test_a_list_of_back_ends_is_refused_outside_of_the_drivers(house):
    two = "case sycl::backend::opencl:\ncase sycl::backend::ext_oneapi_cuda:\n"
    plant(house, "src/ground/cellar.cpp", two)
    assert only_fault(house).startswith(
        "src/ground/cellar.cpp:2: lists back ends, expected a trait"
    )


@pytest.mark.parametrize("path", ["src/upper/corner/nook.hpp", "tests/cpp/ground/stone_test.cpp"])
def test_drivers_and_tests_may_list_back_ends(house, path):
    plant(house, path, "a(sycl::backend::opencl); b(sycl::backend::ext_oneapi_cuda);\n")
    assert faults(house) == []


def test_one_back_end_is_no_list(house):
    plant(house, "src/ground/cellar.cpp", "is(sycl::backend::opencl); or(sycl::backend::all);\n")
    assert faults(house) == []
