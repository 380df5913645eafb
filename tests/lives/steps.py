"""The steps of a life: the viewers, the documents, and the operations."""

from dataclasses import dataclass

from hypothesis import strategies as st

from tests.lives.model import Viewer
from tests.lives.world import FORMS, PROJECTS

ADA, CEM = "user:ada", "user:cem"
VIEWERS = (
    Viewer("root", None, None, True),
    Viewer("ada", frozenset({ADA}), frozenset({"legal"}), True),
    Viewer("cem", frozenset({CEM}), None, False),
    Viewer("mallory", frozenset(), frozenset({"legal"}), True),
)
BY_NAME = {viewer.name: viewer for viewer in VIEWERS}
NAMES = ("salaries.html", "plan.html", "notes.html")
HOME = {"a": "legal", "b": "default"}
# Names of uploaded documents, and of sources that only lines have: two of them are one path.
SENT, CONTRACT, ALIKE = "plan.txt", "contracts/varna.md", "contracts//varna.md"


@dataclass(frozen=True)
class Document:
    """A document of a folder or, without a project, an uploaded one of that name."""

    project: str | None
    name: str


@dataclass(frozen=True)
class Change:
    """A change of a file: it is edited, alternately broken and repaired, renamed, touched, or deleted."""

    kind: str
    name: str
    to: str = ""


@dataclass(frozen=True)
class Meanwhile:
    """What happens during an operation: it is killed, or somebody sets readers."""

    document: Document | None = None
    readers: tuple = ()


@dataclass(frozen=True)
class Request:
    """A request to the service: upload a document or a line, or delete a source, possibly twice."""

    kind: str
    viewer: str
    document: Document
    readers: tuple | None = None


COLLECTION = st.sampled_from(["home", "home", "home", "other"])
SET = st.sampled_from([(CEM,), (CEM,), (ADA,), (ADA, CEM), ()])
GIVEN = st.sampled_from([None, None, None, None, (CEM,), (ADA,), ()])
FORM = st.sampled_from(FORMS)
OF_FOLDER = st.builds(Document, st.sampled_from(PROJECTS), st.sampled_from(NAMES))
OF_NOBODY = st.sampled_from([Document(None, name) for name in (SENT, CONTRACT, ALIKE)])
ANY = st.one_of(OF_FOLDER, OF_NOBODY)
CHANGES = st.lists(
    st.builds(
        Change,
        st.sampled_from(["edit", "spoil", "spoil", "rename", "rename", "touch", "delete"]),
        st.sampled_from(NAMES),
        st.sampled_from(NAMES),
    ),
    max_size=2,
)
MEANWHILE = st.one_of(
    st.none(),
    st.none(),
    st.just(Meanwhile()),
    st.builds(Meanwhile, st.one_of(OF_FOLDER, st.just(Document(None, SENT))), SET),
)
REQUESTS = st.lists(
    st.builds(
        Request,
        st.sampled_from(["send", "line", "delete", "delete twice"]),
        st.sampled_from(["ada", "mallory", "mallory"]),
        st.one_of(OF_NOBODY, OF_NOBODY, OF_FOLDER),
        st.sampled_from([None, None, (ADA,)]),
    ),
    min_size=1,
    max_size=3,
)
