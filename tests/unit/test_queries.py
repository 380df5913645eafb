"""The query files and their fragments: what a file must declare, and that all of ours do."""

import re

import pytest

from gear_neo4j.graph.fragments import fragment, resource_folder
from gear_neo4j.graph.queries import Query, has_form, load, named

FOLDER = resource_folder("cypher")
OURS = sorted(FOLDER.rglob("*.cypher"))
FRAGMENTS = sorted((FOLDER / "fragments").glob("*.cypher"))
FORMS = ("plain", "search_clause", "small_scope")
SENT = {f"{name} {form}": query for form in FORMS for name, query in load(FOLDER, form=form).items()}
SEARCHED = [path.stem for path in FOLDER.glob("*.cypher") if has_form(path.stem, "search_clause")]


def loaded(tmp_path, text, name="find.cypher", form="plain", **fragments):
    """The queries of a folder with one file, and with fragments by name."""
    (tmp_path / "fragments").mkdir(exist_ok=True)
    for fragment_name, content in fragments.items():
        (tmp_path / "fragments" / f"{fragment_name}.cypher").write_text(content, encoding="utf-8")
    (tmp_path / name).write_text(text, encoding="utf-8")
    return load(tmp_path, form=form)


def test_a_query_is_loaded_with_its_header(tmp_path):
    """The comment lines are not sent."""
    text = (
        "// name: find(ids, limit)\n// access: read\n// columns: id, text\n// timeout: 10\n// Finds $nothing.\n"
        "MATCH (n)\n  // and $no more\nWHERE n.id IN $ids RETURN n.id AS id, n.text AS text LIMIT $limit\n"
    )

    actual = loaded(tmp_path, text)

    body = "MATCH (n)\nWHERE n.id IN $ids RETURN n.id AS id, n.text AS text LIMIT $limit"
    file = f"{tmp_path.name}/find.cypher"
    assert {
        "find": Query(
            "find",
            body,
            frozenset({"ids", "limit"}),
            timeout=10,
            columns=("id", "text"),
            file=file,
            documentation="Finds $nothing.",
        )
    } == actual


def test_a_query_that_writes_says_so(tmp_path):
    """It is sent to the leader of a cluster."""
    assert loaded(tmp_path, "// name: find()\n// access: write\n// columns: none\nCREATE ()")["find"].writes


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("// name: other()\n// access: read\n// columns: one\nRETURN 1 AS one", "declares the name other"),
        ("// name: find()\n// access: read\n// columns: id\nRETURN $id AS id", r"declares \[\] but uses \['id'\]"),
        (
            "// name: find(id, k)\n// access: read\n// columns: id\nRETURN $id AS id",
            r"declares \['id', 'k'\] but uses \['id'\]",
        ),
        (
            "// name: find(ids)\n// access: read\n// columns: id\nRETURN $id AS id",
            r"declares \['ids'\] but uses \['id'\]",
        ),
        (
            "// name: find()\n// access: read\n// columns: id, text\nRETURN 1 AS id",
            r"declares the columns \['id', 'text'\] but returns \['id'\]",
        ),
        (
            "// name: find()\n// access: read\n// columns: text, id\nRETURN 1 AS id, 2 AS text",
            r"declares the columns \['text', 'id'\] but returns \['id', 'text'\]",
        ),
        (
            "// name: find()\n// access: write\n// columns: none\nCREATE (n) RETURN n",
            r"declares the columns \[\] but returns \['n'\]",
        ),
        (
            "// name: find()\n// access: write\n// columns: n\nCREATE (n)",
            r"declares the columns \['n'\] but returns \[\]",
        ),
        ("// name: find()\nRETURN 1\nLIMIT 1", "first lines must be"),
        ("// name: find()\n// access: read\nRETURN 1 AS one", "first lines must be"),
        ("// name: find()\n// access: read\n// columns:\nRETURN 1 AS one", "first lines must be"),
        ("// name: find()\n// access: append\n// columns: one\nRETURN 1 AS one", "first lines must be"),
        ("// access: read\n// name: find()\n// columns: one\nRETURN 1 AS one", "first lines must be"),
        ("// name: find\n// access: read\n// columns: one\nRETURN 1 AS one", "first lines must be"),
        ("RETURN 1", "first lines must be"),
        ("// name: find()\n// access: read\n// columns: none", "first lines must be"),
        ("", "first lines must be"),
    ],
)
def test_a_file_that_is_not_what_it_says_is_refused(tmp_path, text, message):
    """The message names the file and the difference."""
    with pytest.raises(ValueError, match=rf"find\.cypher: .*{message}"):
        loaded(tmp_path, text)


@pytest.mark.parametrize(
    "body",
    [
        "WITH 'costs $5 or $amount' AS text RETURN $id AS id",
        'WITH "costs $amount" AS text RETURN $id AS id',
        "WITH 'it''s $amount' AS text RETURN $id AS id",
        r"WITH 'it\'s $amount' AS text RETURN $id AS id",
        "MATCH (n) WHERE n.`$amount` = 1 RETURN $id AS id",
        "// $amount\nRETURN $id AS id",
        "RETURN $id AS id // not $amount",
        "RETURN $id /* not\n$amount */ AS id",
        "MATCH (n) // the user's\nWHERE n.x = '$amount' RETURN $id AS id",
    ],
)
def test_parameters_in_literals_and_comments_do_not_count(tmp_path, body):
    """Only $id is a parameter of the query."""
    actual = loaded(tmp_path, f"// name: find(id)\n// access: read\n// columns: id\n{body}")

    assert {"id"} == actual["find"].parameters


@pytest.mark.parametrize("file", OURS, ids=lambda file: str(file.relative_to(FOLDER)))
def test_each_of_our_files_is_static(file):
    """Python fills in nothing: values are parameters, labels are written out."""
    assert [] == re.findall(r"\{\w*\}|\$\{|%[sdr(]|<%|\{\{", file.read_text("utf-8"))


@pytest.mark.parametrize("name", [name for name in SENT if SENT[name].marked])
def test_a_scoped_query_checks_each_triple_that_it_reaches_from_a_passage(name):
    """In an adopted graph, a triple may be for fewer readers than its passage."""
    text = SENT[name].marked
    reached = re.findall(r"<-\[:FROM\]-\((\w*)", text)

    unchecked = [
        one for one in reached if not one or not re.search(rf"(IN_SCOPE_TRIPLE|STATED_IN_SCOPE)\({one}\)", text)
    ]

    # Ingested passages, whose triples have the same readers: the server's counters have their number.
    assert ([""] if SENT[name].name == "scope_size" else []) == unchecked


@pytest.mark.parametrize("name", [name for name in SENT if "STATED_IN_SCOPE" in SENT[name].marked])
def test_a_filter_is_left_out_only_for_triples_of_a_passage_that_fulfils_it(name):
    """The triple is reached from a passage that the same text checks."""
    text = SENT[name].marked

    for triple in re.findall(r"STATED_IN_SCOPE\((\w+)\)", text):
        sources = re.findall(rf"\((\w+)(?::Passage)?\)<-\[:FROM\]-\({triple}\b", text)
        assert sources
        assert [] == [source for source in sources if f"IN_SCOPE_PASSAGE({source})" not in text]


def test_all_of_our_files_are_loaded():
    """One query a file."""
    assert {file.stem for file in FOLDER.glob("*.cypher")} == set(load(FOLDER))
    assert [] == [file for file in OURS if file.parent not in (FOLDER, FOLDER / "fragments")]


@pytest.mark.parametrize("name", SEARCHED)
def test_each_form_takes_and_gives_the_same(name):
    """Callers need not know which one is sent; variants without an index ignore the number of candidates."""
    plain, search, small = (named(name, form=form) for form in FORMS)

    assert {(plain.writes, plain.columns, plain.file)} == {
        (query.writes, query.columns, query.file) for query in (search, small)
    }
    assert (plain.parameters, plain.parameters) == (search.parameters, small.parameters | small.ignored)
    assert (True, False) == (search.text.startswith("CYPHER 25\n"), "CYPHER" in plain.text)
    assert ("SEARCH" in search.text, "SEARCH" in plain.text) == (True, False)
    assert not plain.marked or "db.index.vector" not in small.text


def test_a_query_without_another_form_is_the_same_on_every_server():
    """Only queries that gain from the SEARCH clause have a variant."""
    assert {"find_passages", "link_synonyms"} <= set(SEARCHED)
    assert named("counts") == named("counts", form="search_clause")
    assert not has_form("counts", "small_scope")
    assert not has_form("link_synonyms", "small_scope")


FIND = "// name: find(ids, k)\n// access: read\n// columns: id\n// Finds.\n"


def test_a_fragment_is_put_in_with_what_its_line_gives(tmp_path):
    """Each parameter replaces a word of its text, but not query parameters, properties and longer names."""
    some = (
        "// fragment: some(n, most)\n// Some of them.\nMATCH (n:Passage)\n  WHERE n.n IN $ids AND nn[..most] = n.most\n"
    )
    text = f"{FIND}CALL () {{\n  // include: some(p, $k)\n  RETURN p\n}}\nRETURN p.id AS id"

    actual = loaded(tmp_path, text, some=some)["find"]

    body = (
        "CALL () {\n  MATCH (p:Passage)\n    WHERE p.n IN $ids AND nn[..$k] = p.most\n  RETURN p\n}\nRETURN p.id AS id"
    )
    assert (body, {"ids", "k"}, "Finds.") == (actual.text, actual.parameters, actual.documentation)


def test_a_fragment_may_include_another_and_have_several_forms(tmp_path):
    """If a fragment lacks a variant, its plain one is used; the SEARCH clause needs Cypher 25."""
    outer = "// fragment: outer(p)\n// include: inner(p)\nWITH p\n"
    inner = "// fragment: inner(n)\n// form: plain\nMATCH (n {k: $k})\n// form: search_clause\nMATCH (n) // $k\n"
    text = f"{FIND.replace('ids, k', 'k')}// include: outer(x)\nRETURN x.id + $k AS id"

    texts = [loaded(tmp_path, text, form=form, outer=outer, inner=inner)["find"].text for form in FORMS]

    plain = "MATCH (x {k: $k})\nWITH x\nRETURN x.id + $k AS id"
    assert [plain, "CYPHER 25\nMATCH (x) // $k\nWITH x\nRETURN x.id + $k AS id", plain] == texts


@pytest.mark.parametrize(
    ("line", "some", "message"),
    [
        ("// include: other(p)", "// fragment: some(p)\n", "'// include: other\\(p\\)' is wrong: .*No such file"),
        ("// include: some()", "// fragment: some(p)\n", "'// include: some\\(\\)' is wrong: .*shorter"),
        ("// include: some(p, 1)", "// fragment: some(p)\n", "'// include: some\\(p, 1\\)' is wrong: .*longer"),
        ("// include: some(p)", "MATCH (p)\n", "first line of some.cypher must be '// fragment: some\\(parameters\\)'"),
        ("// include: some(p)", "// fragment: any(p)\n", "first line of some.cypher must be"),
    ],
)
def test_a_line_that_includes_no_fragment_is_refused(tmp_path, line, some, message):
    """The message names the file, the line and the error."""
    with pytest.raises(ValueError, match=rf"find\.cypher: .*{message}"):
        loaded(tmp_path, f"{FIND}{line}\nRETURN $ids + $k AS id", some=some)


def test_the_header_is_compared_with_the_text_that_results(tmp_path):
    """A parameter that only a fragment uses belongs to the query."""
    some = "// fragment: some()\nUNWIND $ids AS one\n"

    with pytest.raises(ValueError, match=r"declares \['ids', 'k'\] but uses \['ids'\]"):
        loaded(tmp_path, f"{FIND}// include: some()\nRETURN one AS id", some=some)


@pytest.mark.parametrize("file", FRAGMENTS, ids=lambda file: file.stem)
def test_each_fragment_uses_its_parameters_and_is_used(file):
    """In one of its variants, and by a query, another fragment or the conditions of a scope."""
    forms = fragment(file.stem).forms.values()
    included = f"// include: {file.stem}("

    assert [] == [one for one in fragment(file.stem).parameters if not re.search(rf"\b{one}\b", "".join(forms))]
    assert file.stem in ("fulfils", "spelling") or any(included in other.read_text("utf-8") for other in OURS)
    assert 1 == len(re.findall(r"^// fragment: ", file.read_text("utf-8"), re.MULTILINE))


def test_an_unknown_name_is_a_key_error():
    """A misspelt name fails at once."""
    with pytest.raises(KeyError):
        named("no_such_query")


def test_the_folders_of_the_package_are_found():
    """In a checkout they are next to the package, in a wheel inside it."""
    assert resource_folder("cypher").is_dir()
    assert resource_folder("migrations").is_dir()
