"""Configures Sphinx for the manual; ``python -m tools.manual`` builds it, and writes the pages of ``reference/``."""

from importlib.metadata import version as version_of

project = "gear-neo4j"
author = "the authors of gear-neo4j"
project_copyright = f"2026, {author}"
version = release = version_of("gear-neo4j")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
html_title = f"gear-neo4j {release}"
myst_heading_anchors = 3
autodoc_member_order = "bysource"
autodoc_typehints = "signature"
autodoc_preserve_defaults = True
# Sections of our docstrings: Args, Raises, Example, Usage, Attributes.
napoleon_custom_sections = ["Usage"]
python_use_unqualified_type_names = True
exclude_patterns = ["benchmarks/*.md"]
# Mermaid stays text: drawing it needs a script of another host.
suppress_warnings = ["misc.highlighting_failure"]
nitpick_ignore_regex = [
    # Names of Python itself and of other packages.
    ("py:.*", r"(?!gear_neo4j\.).*"),
    # Types in annotations that are not public. What our texts refer to must be there.
    ("py:class", r"gear_neo4j\.[a-z].*"),
]
