"""Doxygen's XML of the public C++ headers, for the documentation site and its tests."""

import subprocess
from pathlib import Path
from xml.etree import ElementTree

ROOT = Path(__file__).parents[1]


def write_xml(output):
    """Write the XML below the folder `output`, and return its own folder."""
    output.mkdir(parents=True, exist_ok=True)
    settings = (ROOT / "docs/Doxyfile").read_text() + f'OUTPUT_DIRECTORY = "{output}"\n'
    subprocess.run(["doxygen", "-"], input=settings, text=True, check=True, cwd=ROOT)
    name_files_by_path(output / "xml")
    drop_private_members(output / "xml")
    return output / "xml"


def name_files_by_path(xml):
    """Tell usmx/array.hpp from usmx/array/array.hpp in the index, which has last parts only."""
    index = ElementTree.parse(xml / "index.xml")
    for file in index.iterfind("compound[@kind='file']"):
        compound = ElementTree.parse(xml / f"{file.get('refid')}.xml")
        file.find("name").text = compound.find("compounddef/location").get("file")
    index.write(xml / "index.xml")


def drop_private_members(xml):
    """Take the private members out of all classes: Doxygen's XML has them whatever its settings."""
    for file in [*xml.glob("class*.xml"), *xml.glob("struct*.xml")]:
        compound = ElementTree.parse(file)
        definition = compound.find("compounddef")
        for section in definition.findall("sectiondef"):
            if section.get("kind").startswith("private-"):
                definition.remove(section)
        compound.write(file)
