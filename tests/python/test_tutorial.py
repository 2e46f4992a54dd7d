"""docs/notebook.ipynb runs, and shows what it says that it shows."""

from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).parents[2] / "docs/notebook.ipynb"


def text_of(cell):
    """What a cell prints, however many messages it comes in; tables for people are left out."""
    outputs = [dict(output) for output in cell.get("outputs", ())]
    assert [output for output in outputs if output["output_type"] == "error"] == []
    return "".join(output["text"] for output in outputs if output.get("name") == "stdout")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore")  # of the kernel's own libraries
def test_every_cell_shows_what_the_notebook_holds(tmp_path):
    written = nbformat.read(NOTEBOOK, as_version=4)
    ran = nbformat.read(NOTEBOOK, as_version=4)
    client = NotebookClient(ran, timeout=240, resources={"metadata": {"path": str(tmp_path)}})
    client.execute()
    assert [text_of(cell) for cell in ran.cells] == [text_of(cell) for cell in written.cells]
    tables = [
        output["data"]["text/html"]
        for cell in ran.cells
        for output in cell.get("outputs", ())
        if "text/html" in output.get("data", ())
    ]
    assert len(tables) == 2  # the device and an array
    assert "usm_type" in tables[1]
