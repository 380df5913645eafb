"""Profiles as files: the built-in ones, round trips, and refusals."""

import re

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from gear_neo4j.adoption.profile import Chunks, Entities, Facts, Profile
from gear_neo4j.adoption.profile_file import built_in, dump, load, parse
from gear_neo4j.adoption.triples import property_triples
from gear_neo4j.cli.adopt import adopt
from gear_neo4j.errors import InputError

NAMES = ["graphiti", "langchain", "langchain-vector", "llama-index", "llm-graph-builder", "neo4j-graphrag"]
MINE = '[entities.Drug]\nnames = ["name"]\n'


def test_the_built_in_profiles_are_those_that_the_command_names():
    """Its help lists them."""
    told = re.sub(r"\s+", "", CliRunner().invoke(adopt, ["--help"]).output)

    assert NAMES == sorted(built_in())
    assert [] == [name for name in NAMES if name not in told]


@pytest.mark.parametrize("name", NAMES)
def test_a_built_in_profile_says_what_it_reads(name):
    """It has the name of its file, reads passages, and is the same after a round trip."""
    profile = load(built_in()[name])

    assert name == profile.name
    assert all(chunk.text for chunk in profile.chunks.values())
    assert [] != list(profile.chunks)
    assert profile == parse(dump(profile), file="again.toml")


@pytest.mark.parametrize("name", [name for name in NAMES if name != "langchain-vector"])
def test_a_built_in_profile_of_a_graph_knows_what_a_passage_mentions(name):
    """Nothing is both a mention and left out, or both an entity and a passage."""
    profile = load(built_in()[name])

    mentions = {kind for chunk in profile.chunks.values() for kind in chunk.mentions}
    assert set() != mentions
    assert set() == mentions & ({*profile.without} | profile.relationships.keys())
    assert set() == profile.entities.keys() & profile.chunks.keys()


LABELS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
LISTS = st.lists(LABELS, max_size=3).map(tuple)
FILLED = st.lists(LABELS, min_size=1, max_size=3).map(tuple)
PROFILES = st.builds(
    Profile,
    name=LABELS,
    entities=st.dictionaries(
        LABELS, st.builds(Entities, names=FILLED, text=LISTS, facts=LISTS), min_size=1, max_size=3
    ),
    chunks=st.dictionaries(
        LABELS, st.builds(Chunks, text=FILLED, title=LISTS, mentions=LISTS, key=st.none() | LABELS), max_size=2
    ),
    relationships=st.dictionaries(
        LABELS,
        st.builds(
            Facts,
            words=st.text(st.characters(codec="utf-8"), max_size=20),
            predicate=st.none() | LABELS,
            rank=st.none() | LABELS,
            details=LISTS,
        ),
        max_size=3,
    ),
    without=LISTS,
    sources=LISTS,
    synonyms=st.dictionaries(LABELS, FILLED, max_size=2),
    collection=st.sampled_from(["default", "crm", "größe 2"]),
    readers=st.none() | st.just("a property of forty characters, or so it seems"),
    default_readers=st.lists(st.sampled_from(["group:crm", "user:ada"]), max_size=2).map(tuple),
).filter(lambda profile: not profile.sources or any(chunk.key for chunk in profile.chunks.values()))


@given(PROFILES)
def test_a_profile_of_any_words_says_the_same_when_it_comes_back(profile):
    """With quotes, line breaks, dots, brackets and emoji."""
    assert profile == parse(dump(profile), file="mine.toml")


VALUES = st.none() | st.text(max_size=30) | st.sampled_from(["true", "No", "18.0", "1996-07-04T00:00:00Z", "NaN", "-"])


@given(st.lists(st.tuples(LABELS, st.lists(VALUES, max_size=3)), max_size=3, unique_by=lambda pair: pair[0]))
def test_any_values_make_facts_of_one_line_or_none(facts):
    """Each once, and none for empty values; the same values give the same ids."""
    profile = Profile(name="p", entities={"A": Entities(names=("n",), facts=tuple(name for name, _ in facts))})
    row = {"id": "1", "labels": ["A"], "names": [["n", "Ada"]], "facts": facts}

    made = list(property_triples(row, profile))

    assert [triple.id for triple in made] == [triple.id for triple in property_triples(row, profile)]
    assert len(made) <= sum(len(values) for _, values in facts)
    assert all(triple.object and triple.object == " ".join(triple.object.split()) for triple in made)
    assert all(triple.object.casefold() not in ("no", "nan", "-", "true") for triple in made)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", "needs [entities.LABEL] or [chunks.LABEL]: 'gear adopt' proposes one"),
        ('name = "mine"', "needs [entities.LABEL] or [chunks.LABEL]"),
        ("entities = [", "not TOML: "),
        ('synonyms = ["boss"]', "synonyms must be a table"),
        ('[synonyms]\nDrug = "medicine"', "synonyms: Drug must be a list"),
        ("[synonyms]\nDrug = [1]", "synonyms.Drug: a list must hold names alone"),
        ("[entities.Drug]\n[entities.Drug]\n", "not TOML: "),
        ("[entities.Drug]\n", "entities.Drug: it needs names, a list of properties"),
        ("[entities.Drug]\nnames = []\n", "entities.Drug: it needs names, a list of properties"),
        ('[entities.Drug]\nnames = "name"\n', "entities.Drug: names must be a list"),
        ('[entities.Drug]\nnames = ["name", 1]\n', "entities.Drug: a list must hold names alone"),
        ('[entities.Drug]\nnames = [""]\n', "entities.Drug: a list must hold names alone"),
        ('[entities.Drug]\nname = ["name"]\n', "entities.Drug: 'name' is not known; there are names, key, text"),
        ("[entities]\nDrug = 1\n", "entities.Drug: it must be a table"),
        ("entities = 1\n", "entities must be a table"),
        ("[[entities]]\nnames = ['name']\n", "entities must be a table"),
        ("[chunks.Page]\nmentions = ['SAYS']\n", "chunks.Page: it needs text, a list of properties"),
        (f"{MINE}[relationships.HAS]\nwords = 1\n", "relationships.HAS: words must be a text"),
        (f"{MINE}[relationships.HAS]\nrank = ['weight']\n", "relationships.HAS: rank must be a text"),
        (f"{MINE}[relationships]\nHAS = 'has'\n", "relationships.HAS: it must be a table"),
        (f"without = 'NEXT'\n{MINE}", "without must be a list"),
        (f"without = [1]\n{MINE}", "a list must hold names alone"),
        (f"name = 1\n{MINE}", "name must be a text"),
        (f"collection = 'a/b'\n{MINE}", "the collection 'a/b' holds a slash"),
        (f"collection = ['a']\n{MINE}", "collection must be a text"),
        (f"default_readers = [' ']\n{MINE}", "the reader ' ' is blank"),
        (f"default_readers = 'a'\n{MINE}", "default_readers must be a list"),
        ("readers = 'name'\n[entities.Drug]\nnames = ['name']\n", "'name' holds the readers of a node"),
        ("a = " + "[" * 5_000, "not TOML: brackets are nested too deeply"),
        ("a = " + "{b = " * 5_000, "not TOML: brackets are nested too deeply"),
        ("a = " + "1" * 5_000, "not TOML: a number is too long"),
        ('[entities."Drug\\nname"]\n', r"entities.'Drug\nname': it needs names, a list of properties"),
        (
            '[entities."a b\\u2028"]\nname = 1\n',
            r"entities.'a b\u2028': 'name' is not known; there are names, key, text",
        ),
        (f'"x\\ny" = 1\n{MINE}', r"'x\ny' is not known"),
        (f'name = ""\n{MINE}', "name must not be empty: leave it out"),
        (f"{MINE}[relationships.HAS]\nwords = ''\n", "relationships.HAS: words must not be empty: leave it out"),
        (
            f"{MINE}[relationships.HAS]\npredicate = ''\n",
            "relationships.HAS: predicate must not be empty: leave it out",
        ),
        (f"{MINE}[relationships.HAS]\nrank = ''\n", "relationships.HAS: rank must not be empty: leave it out"),
        (
            f"nodes = 1\n{MINE}",
            "'nodes' is not known; there are name, collection, readers, entities, chunks",
        ),
        (
            f"sources = ['from']\n{MINE}",
            "sources name chunks by a key: some [chunks.LABEL] must say which property that is",
        ),
        (f"{MINE}[chunks.Page]\ntext = ['text']\nkey = ['id']\n", "chunks.Page: key must be a text"),
    ],
)
def test_a_bad_profile_is_refused_with_one_line_that_says_where(tmp_path, text, told):
    """The line has the file, the key, and what the value must be."""
    file = tmp_path / "mine.toml"
    file.write_text(text, "utf-8")

    with pytest.raises(InputError) as refused:
        load(file)

    assert str(refused.value).startswith(f"{file}: ")
    assert told in str(refused.value)
    assert 1 == len(str(refused.value).splitlines())


def test_a_file_that_cannot_be_read_is_refused_with_one_line(tmp_path):
    """A missing file, a folder, or one that is not UTF-8."""
    (tmp_path / "latin.toml").write_bytes(b'name = "\xe9"')

    for name, told in (("none.toml", "cannot be read"), ("", "cannot be read"), ("latin.toml", "is not UTF-8")):
        with pytest.raises(InputError, match=told) as refused:
            load(tmp_path / name)
        assert 1 == len(str(refused.value).splitlines())


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=10) | st.lists(LABELS, max_size=2),
    lambda inner: st.dictionaries(st.sampled_from(["names", "text", "title", "words", "Drug", "é"]), inner, max_size=3),
    max_leaves=8,
)
TABLES = st.dictionaries(
    st.sampled_from(["name", "entities", "chunks", "relationships", "without", "sources", "other"]), VALUES, max_size=4
)


def written(value):
    """A value in TOML, with inline tables; values that TOML lacks become texts."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{written(key)} = {written(one)}" for key, one in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(written, value)) + "]"
    if isinstance(value, bool):
        return str(value).lower()
    return str(value) if isinstance(value, int) else '"' + re.sub(r"[^\w ]", "", str(value)) + '"'


@given(st.text(max_size=60) | TABLES.map(lambda table: "\n".join(f"{key} = {written(table[key])}" for key in table)))
def test_any_text_is_a_profile_or_refused_with_one_line(text):
    """No other error is raised, and a profile is the same after a round trip."""
    told = None
    try:
        profile = parse(text, file="mine.toml")
    except InputError as error:
        told = str(error)

    if told is None:
        assert profile == parse(dump(profile), file="mine.toml")
    else:
        assert told.startswith("mine.toml: ")
        assert 1 == len(told.splitlines())
