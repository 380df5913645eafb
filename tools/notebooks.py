"""Execute the notebooks of ``examples/`` and store their outputs: ``python -m tools.notebooks``.

They run on the Neo4j at NEO4J_URI, or else on a local one.
"""

from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "examples"


def executed(file: Path) -> Any:
    """A notebook with the outputs of its cells, without times and warnings.

    Raises:
        nbclient.exceptions.CellExecutionError: a cell fails.
    """
    notebook = nbformat.read(file, as_version=4)  # type: ignore[no-untyped-call]
    NotebookClient(notebook, timeout=300, record_timing=False, resources={"metadata": {"path": FOLDER}}).execute()
    for cell in notebook.cells:
        if cell.cell_type == "code":
            # Libraries warn about particularities of this machine.
            cell.outputs = [output for output in cell.outputs if output.get("name") != "stderr"]
            for output in cell.outputs:
                if "text/html" in output.get("data", {}):
                    output.data.pop("text/plain", None)
    return notebook


def main() -> None:
    """Execute all."""
    for file in sorted(FOLDER.glob("*.ipynb")):
        nbformat.write(executed(file), file)  # type: ignore[no-untyped-call]
        print(file.name)


if __name__ == "__main__":
    main()
