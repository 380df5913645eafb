"""Published data sets: each format gives the same questions, and errors name file and line."""

import json
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gear_neo4j.errors import InputError
from gear_neo4j.evaluate.datasets import EvaluationQuery, load
from gear_neo4j.ingestion.lines import parsed, read_lines, to_passage, to_triples
from tests.examples import examples

QUESTION = "Where did the laureate study?"
PRIZE = "It went to Hinton. He is a physicist."
STUDY = "Hinton studied at Edinburgh."
BREAD = "A recipe."
STEPS = [
    {"id": 1, "question": "Who won?", "answer": "Hinton", "paragraph_support_idx": 0},
    {"id": 2, "question": "Where did #1 study?", "answer": "Edinburgh", "paragraph_support_idx": 2},
]
MUSIQUE = {
    "id": "2hop__1",
    "question": QUESTION,
    "paragraphs": [
        {"idx": 0, "title": "Prize", "paragraph_text": PRIZE, "is_supporting": True},
        {"idx": 1, "title": "Bread", "paragraph_text": BREAD, "is_supporting": False},
        {"idx": 2, "title": "Study", "paragraph_text": STUDY, "is_supporting": True},
    ],
    "question_decomposition": STEPS,
    "answer": "Edinburgh",
    "answer_aliases": ["Edinburgh University"],
    "answerable": True,
}
HOTPOT = {
    "_id": "5a77",
    "question": QUESTION,
    "answer": "Edinburgh",
    "supporting_facts": [["Study", 0], ["Prize", 0], ["Prize", 1]],
    "context": [
        ["Prize", ["It went to Hinton.", " He is a physicist."]],
        ["Bread", ["A recipe."]],
        ["Study", ["Hinton studied at Edinburgh."]],
    ],
    "type": "bridge",
}
TWO_WIKI = HOTPOT | {
    "context": [[title, [one.strip() for one in sentences]] for title, sentences in HOTPOT["context"]],
    "evidences": [["Hinton", "educated at", "Edinburgh"]],
}
HUGGING_FACE = HOTPOT | {
    "supporting_facts": {"title": ["Study", "Prize", "Prize"], "sent_id": [0, 0, 1]},
    "context": {
        "title": [title for title, _ in HOTPOT["context"]],
        "sentences": [sentences for _, sentences in HOTPOT["context"]],
    },
}
IRCOT = {
    "question_id": "q7",
    "question_text": QUESTION,
    "contexts": MUSIQUE["paragraphs"],
    "answers_objects": [{"number": "", "date": {"day": "", "month": "", "year": ""}, "spans": ["Edinburgh"]}],
    "reasoning_steps": ["Who won? >>>> Hinton"],
}
CORPUS = [{"title": "Prize", "text": PRIZE}, {"title": "Study", "text": STUDY}, {"title": "Bread", "text": BREAD}]
TITLED = dict(HOTPOT["context"])
OPENIE = {
    "docs": [
        {"passage": f"Prize\n{PRIZE}", "extracted_triples": [["Prize", "went to", "Hinton"], ["Hinton"]]},
        {"title": "Study", "text": STUDY, "passage": "", "extracted_triples": [["Hinton", "studied at", "Edinburgh"]]},
    ],
    "avg_ent_chars": float("nan"),
}


@pytest.fixture
def write(tmp_path):
    """Write files by name: JSON for .json, one object per line for .jsonl, else plain text; returns their folder."""
    folder = tmp_path / "given"

    def written(**files):
        for name, value in files.items():
            path = folder / name.replace("__", "/").replace("_DOT_", ".")
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.suffix == ".jsonl" and not isinstance(value, str):
                value = "".join(f"{json.dumps(row)}\n" for row in value)
            path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
        return folder

    return written


@pytest.fixture
def loaded(tmp_path):
    """Load a data set into a home of this test."""
    return lambda path: load(path, home=tmp_path / "home")


def passages(dataset):
    """The passages of a loaded data set by their ids."""
    found = [parsed(line, to_passage) for line in read_lines(dataset.folder / "corpus.jsonl")]
    return {passage.id: (passage.title, passage.text) for passage in found}


def gold(dataset):
    """The titles of the gold passages of the first question."""
    return {passages(dataset)[id] for id in dataset.queries[0].gold}


@pytest.mark.parametrize(
    ("name", "value", "id"),
    [
        ("dev_DOT_jsonl", [MUSIQUE], "2hop__1"),
        ("dev_DOT_json", [MUSIQUE], "2hop__1"),
        ("dev_DOT_json", [HOTPOT], "5a77"),
        ("dev_DOT_json", [TWO_WIKI], "5a77"),
        ("dev_DOT_json", [HUGGING_FACE], "5a77"),
        ("dev_DOT_jsonl", [HUGGING_FACE], "5a77"),
        ("dev_DOT_jsonl", [IRCOT], "q7"),
    ],
)
def test_questions_with_paragraphs_become_the_same_data_set(write, loaded, name, value, id):
    """MuSiQue, HotpotQA, 2WikiMultihopQA and IRCoT, as a list or one per line: the same passages and gold passages."""
    dataset = loaded(write(**{name: value}) / name.replace("_DOT_", "."))

    (query,) = dataset.queries
    assert ("dev", id, QUESTION, "Edinburgh") == (dataset.name, query.id, query.question, query.answers[0])
    assert {("Prize", PRIZE), ("Study", STUDY)} == gold(dataset)
    assert {("Prize", PRIZE), ("Study", STUDY), ("Bread", BREAD)} == set(passages(dataset).values())


def test_musique_keeps_its_decomposition_and_the_aliases_of_its_answer(write, loaded):
    """The oracle needs the former, EM and F1 the latter."""
    (query,) = loaded(write(dev_DOT_jsonl=[MUSIQUE]) / "dev.jsonl").queries

    assert ("Edinburgh", "Edinburgh University") == query.answers
    hops = [(hop.question, hop.answer, hop.passage.split(" [")[0]) for hop in query.decomposition]
    assert [("Who won?", "Hinton", "Prize"), ("Where did #1 study?", "Edinburgh", "Study")] == hops


@pytest.mark.parametrize(
    "change",
    [
        {"paragraph_support_idx": None},
        {"paragraph_support_idx": 9},
        {"answer": ""},
        {"question": "Where did #2 study?"},
        {"question": "Where did #0 study?"},
    ],
)
def test_a_decomposition_that_is_not_whole_is_left_out(write, loaded, change):
    """The question can still be asked; the oracle then says that it has none."""
    row = MUSIQUE | {"question_decomposition": [STEPS[0], STEPS[1] | change]}

    (query,) = loaded(write(dev_DOT_jsonl=[row]) / "dev.jsonl").queries

    assert (2, ()) == (len(query.gold), query.decomposition)


def test_identical_passages_of_several_questions_are_one(write, loaded):
    """Title and text count, white space does not; another text under the same title is another passage."""
    other = {"idx": 0, "title": "Prize", "paragraph_text": "Another cut.", "is_supporting": True}
    spaced = {"idx": 1, "title": "Prize ", "paragraph_text": PRIZE.replace(" ", "  "), "is_supporting": True}
    rows = [MUSIQUE, MUSIQUE | {"id": "second", "paragraphs": [other, spaced], "question_decomposition": []}]

    dataset = loaded(write(dev_DOT_jsonl=rows) / "dev.jsonl")

    assert 4 == len(passages(dataset))
    assert 1 == len(set(dataset.queries[0].gold) & set(dataset.queries[1].gold))


@pytest.mark.parametrize(
    ("questions", "corpus"), [(MUSIQUE, CORPUS), (HOTPOT, TITLED), (TWO_WIKI, CORPUS), (IRCOT, CORPUS)]
)
def test_a_corpus_beside_the_questions_is_the_corpus(write, loaded, questions, corpus):
    """HippoRAG's pairs of files, a list of passages or an object by title; the folder suffices if it has one pair."""
    folder = write(x_DOT_json=[questions], x_corpus_DOT_json=corpus, notes_DOT_json={"a": 1})

    dataset = loaded(folder)

    assert ("x", 3) == (dataset.name, len(passages(dataset)))
    assert {("Prize", PRIZE), ("Study", STUDY)} == gold(dataset)


@pytest.mark.parametrize("name", ["openie_x_results_ner_gpt_DOT_json", "openie_results_ner_gpt_DOT_json"])
def test_triples_of_an_extraction_come_along(write, loaded, name):
    """HippoRAG's file next to the questions; invalid triples are counted, but no ingest reports them."""
    other = {"openie_x_train_results_DOT_json": {"docs": "of another data set"}}
    folder = write(x_DOT_json=[MUSIQUE], x_corpus_DOT_json=CORPUS, **{name: OPENIE}, **other)

    dataset = loaded(folder / "x.json")

    lines = list(read_lines(dataset.folder / "triples.jsonl"))
    found = [parsed(line, to_triples) for line in lines]
    assert ["Prize went to Hinton", "Hinton studied at Edinburgh"] == [one.triples[0].text for one in found]
    assert [["Hinton"]] == json.loads(lines[0].text)["malformed"]
    assert set(passages(dataset)) >= {one.passage for one in found}


def test_paragraphs_that_nobody_marked_are_gold_where_there_is_a_corpus(write, loaded):
    """HippoRAG writes its own data sets like this; without a corpus, the gold passages would be unknown."""
    row = {"id": "1", "question": QUESTION, "answer": ["a", "b"], "paragraphs": [{"title": "Study", "text": STUDY}]}

    assert {("Study", STUDY)} == gold(loaded(write(x_DOT_json=[row], x_corpus_DOT_json=CORPUS)))
    with pytest.raises(InputError, match=r"y\.json: item 1: no paragraph is marked"):
        loaded(write(y_DOT_json=[row]) / "y.json")


def test_gold_that_is_named_by_title_is_found_by_title_where_there_is_one(write, loaded):
    """The corpus may have another excerpt of the article than the question, or one that the question lacks."""
    row = HOTPOT | {"context": [["Prize", ["Cut."]]]}

    assert {("Prize", PRIZE), ("Study", STUDY)} == gold(loaded(write(x_DOT_json=[row], x_corpus_DOT_json=CORPUS)))
    twice = [*CORPUS, {"title": "Study", "text": "A second one."}]
    with pytest.raises(InputError, match=r"x\.json: item 1: the gold passage 'Study' is not in .*x_corpus\.json"):
        loaded(write(x_DOT_json=[row], x_corpus_DOT_json=twice))


BEIR = {
    "corpus_DOT_jsonl": [{"_id": f"d{number}", **row} for number, row in enumerate(CORPUS)],
    "queries_DOT_jsonl": [
        {"_id": "q1", "text": QUESTION, "metadata": {"answer": "Edinburgh"}},
        {"_id": "q2", "text": "Not judged?"},
    ],
    "qrels__test_DOT_tsv": "query-id\tcorpus-id\tscore\nq1\td1\t1\nq1\td0\t2\nq1\td2\t0\n",
}


def test_a_folder_of_beir_is_told_by_its_judgements(write, loaded):
    """Ids are unchanged, scores above 0 mean gold, and questions without gold and blank passages are left out."""
    folder = write(**BEIR | {"corpus_DOT_jsonl": [*BEIR["corpus_DOT_jsonl"], {"_id": "d3", "text": " "}]})

    dataset = loaded(folder)

    assert ("given", (EvaluationQuery("q1", QUESTION, ("d1", "d0"), ("Edinburgh",)),)) == (
        dataset.name,
        dataset.queries,
    )
    assert ["d0", "d1", "d2"] == list(passages(dataset))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"qrels__test_DOT_tsv": "q1\td9\t1\n"}, r"test\.tsv:1: the gold passage 'd9' is not in the corpus"),
        ({"qrels__test_DOT_tsv": "query-id\tcorpus-id\tscore\nq9\td1\t1\n"}, r"test\.tsv:2: the question 'q9' is not"),
        ({"qrels__test_DOT_tsv": "q1 d1 1\n"}, r"test\.tsv:1: expected question, passage and score"),
        ({"qrels__test_DOT_tsv": "q1\td1\tgood\n"}, r"test\.tsv:1: expected question, passage and score"),
        ({"qrels__test_DOT_tsv": "q1\td1\t0\n"}, "holds no question"),
        ({"qrels__dev_DOT_tsv": "q1\td1\t1\n"}, None),
        ({"corpus_DOT_jsonl": [{"_id": "d1", "text": "a"}] * 2}, r"corpus\.jsonl:2: the id 'd1' is repeated"),
        ({"corpus_DOT_jsonl": [{"_id": None, "text": "a"}]}, r'corpus\.jsonl:1: "_id" is missing'),
        ({"queries_DOT_jsonl": [{"_id": "q1", "text": " "}]}, r"queries\.jsonl:1: the question is missing or empty"),
        ({"queries_DOT_jsonl": "{broken\n"}, r"queries\.jsonl:1: not JSON"),
    ],
)
def test_an_error_in_a_beir_folder_names_its_file_and_line(write, loaded, change, message):
    """A second file of judgements next to test.tsv does not matter."""
    folder = write(**BEIR | change)

    if message is None:
        assert 1 == len(loaded(folder).queries)
        return
    with pytest.raises(InputError, match=message) as told:
        loaded(folder)
    assert "\n" not in str(told.value)


def test_judgements_must_be_one_file(write, loaded):
    """Without test.tsv, none of two files is chosen, and a missing one is an error."""
    files = {name: value for name, value in BEIR.items() if "qrels" not in name}
    folder = write(**files, qrels__dev_DOT_tsv="q1\td1\t1\n")
    assert 1 == len(loaded(folder).queries)

    write(qrels__train_DOT_tsv="q1\td1\t1\n")
    with pytest.raises(InputError, match=r"needs test\.tsv, or one file of another name; it holds 2"):
        loaded(folder)
    (folder / "qrels" / "dev.tsv").unlink()
    (folder / "qrels" / "train.tsv").unlink()
    (folder / "qrels").rmdir()
    with pytest.raises(InputError, match="it holds 0"):
        loaded(folder)


UNMARKED = [{"title": "Prize", "paragraph_text": PRIZE, "is_supporting": False}]


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({"x_DOT_jsonl": [MUSIQUE, MUSIQUE]}, r"x\.jsonl:2: the id '2hop__1' is repeated"),
        ({"x_DOT_json": [HOTPOT, HOTPOT]}, r"x\.json: item 2: the id '5a77' is repeated"),
        ({"x_DOT_jsonl": [MUSIQUE | {"question": " "}]}, r"x\.jsonl:1: the question is empty"),
        ({"x_DOT_jsonl": [MUSIQUE | {"answerable": False}]}, r"x\.jsonl:1: the question is marked as not answerable"),
        ({"x_DOT_jsonl": [MUSIQUE | {"paragraphs": UNMARKED}]}, r"x\.jsonl:1: no paragraph is marked as supporting"),
        ({"x_DOT_jsonl": [MUSIQUE | {"paragraphs": []}]}, r"x\.jsonl:1: it has no paragraphs"),
        ({"x_DOT_jsonl": [MUSIQUE | {"paragraphs": [{"title": "Prize"}]}]}, r"x\.jsonl:1: a paragraph has no"),
        ({"x_DOT_json": [HOTPOT | {"supporting_facts": []}]}, r'item 1: "supporting_facts" names no title'),
        ({"x_DOT_json": [HOTPOT | {"supporting_facts": 3}]}, r"item 1: titles with"),
        (
            {"x_DOT_json": [HOTPOT | {"supporting_facts": [["Rome", 0]]}]},
            r"item 1: the gold passage 'Rome' is not among",
        ),
        ({"x_DOT_json": [HOTPOT | {"context": [["Prize", "text"]]}]}, "item 1: a paragraph is not a list of sentences"),
        ({"x_DOT_json": '[{"question":\n}]'}, r"x\.json:2: not JSON: Expecting value at character 1"),
        ({"x_DOT_jsonl": json.dumps(MUSIQUE) + "\n{'a': 1}\n"}, r"x\.jsonl:2: not JSON"),
        ({"x_DOT_json": "[" * 100_000}, r"x\.json: not usable JSON"),
        ({"x_DOT_json": ""}, r"x\.json is empty"),
        ({"x_DOT_json": []}, r"x\.json holds no question"),
        ({"x_DOT_json": {"version": 1}}, r"x\.json:1: no question as MuSiQue, "),
        ({"x_DOT_json": "3"}, r"x\.json: not a JSON object"),
        ({"x_DOT_json": [MUSIQUE], "x_corpus_DOT_json": CORPUS[1:]}, r"item 1: the gold passage 'Prize' is not in"),
        (
            {"x_DOT_json": [MUSIQUE], "x_corpus_DOT_json": [*CORPUS[1:], {"title": "Prize", "text": "Another cut."}]},
            "item 1: the gold passage 'Prize' is not in",
        ),
        ({"x_DOT_json": [MUSIQUE], "x_corpus_DOT_json": [*CORPUS, 3]}, r"x_corpus\.json: item 4: no passage with"),
        ({"x_DOT_json": [HOTPOT], "x_corpus_DOT_json": {"Prize": [1]}}, r"x_corpus\.json:1: a paragraph is not"),
        (
            {"x_DOT_json": [MUSIQUE], "openie_x_results_DOT_json": {"docs": 1}},
            r'openie_x_results\.json:1: no list "docs"',
        ),
        ({"x_DOT_json": [MUSIQUE], "openie_x_results_DOT_json": {"docs": [1]}}, r"doc 1: no list"),
        (
            {
                "x_DOT_json": [MUSIQUE],
                "openie_x_results_DOT_json": {"docs": [{"passage": "A", "extracted_triples": []}]},
            },
            r"openie_x_results\.json: doc 1: its passage is not in the corpus",
        ),
        (
            {"x_DOT_json": [MUSIQUE], "openie_x_results_a_DOT_json": OPENIE, "openie_x_results_b_DOT_json": OPENIE},
            r"several extractions of x\.json \(openie_x_results_a\.json, openie_x_results_b\.json\)",
        ),
        ({"x_DOT_jsonl": [MUSIQUE | {"paragraphs": [MUSIQUE["paragraphs"][0] | {"title": "\ud800"}]}]}, "surrogate"),
    ],
)
def test_an_error_in_a_file_of_questions_names_its_location(write, loaded, files, message):
    """One line with file and location, and nothing is left in the home."""
    folder = write(**files)
    name = next(name for name in files if name.startswith("x_DOT")).replace("_DOT_", ".")

    with pytest.raises(InputError, match=message) as told:
        loaded(folder / name)

    assert "\n" not in str(told.value)
    assert not list((folder.parent / "home" / "datasets").glob("*")), "a half-written data set must not stay"


def test_a_path_without_a_data_set_is_refused_with_what_would_be_one(write, loaded, tmp_path):
    """A missing path, a folder of something else, and an ambiguous one."""
    with pytest.raises(InputError, match="does not exist: give a data set's folder or its file of questions"):
        loaded(tmp_path / "none.json")
    with pytest.raises(InputError, match="holds no data set"):
        loaded(write(readme_DOT_txt="hello"))
    with pytest.raises(InputError, match=r"several files of questions \(dev\.json, test\.jsonl\)"):
        loaded(write(dev_DOT_json=[HOTPOT], test_DOT_jsonl=[MUSIQUE]))


def test_a_data_set_is_converted_once_for_as_long_as_its_files_stay_the_same(write, loaded, tmp_path):
    """The second load reuses it; a changed file is converted again; the user's folder does not change."""
    path = write(dev_DOT_json=[HOTPOT]) / "dev.json"
    first = loaded(path)
    before = (first.folder / "corpus.jsonl").stat().st_mtime_ns

    assert (first, before) == (again := loaded(path), (again.folder / "corpus.jsonl").stat().st_mtime_ns)
    write(dev_DOT_json=[HOTPOT | {"question": "Another?"}])
    second = loaded(path)
    assert (True, first.fingerprint) == (second.folder != first.folder, second.fingerprint)
    assert (tmp_path / "home" / "datasets") == first.folder.parent
    assert ["dev.json"] == [one.name for one in path.parent.iterdir()]


def test_without_a_home_the_settings_say_where(write, monkeypatch, tmp_path):
    """GEAR_HOME moves it."""
    monkeypatch.setenv("GEAR_HOME", str(tmp_path / "elsewhere"))

    assert (tmp_path / "elsewhere" / "datasets") == load(write(dev_DOT_json=[HOTPOT]) / "dev.json").folder.parent


def test_a_home_that_cannot_be_written_is_refused(write, tmp_path):
    """The message names the setting."""
    (tmp_path / "file").write_text("")

    with pytest.raises(InputError, match="cannot be written: .*GEAR_HOME"):
        load(write(dev_DOT_json=[HOTPOT]) / "dev.json", home=tmp_path / "file")


KEYS = """question question_text paragraphs contexts context supporting_facts title paragraph_text is_supporting idx
question_decomposition answer paragraph_support_idx _id id text answers_objects spans date number sentences sent_id docs
extracted_triples passage"""
words = st.sampled_from(KEYS.split())
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8) | words,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(words | st.text(max_size=4), inner, max_size=6),
    max_leaves=25,
)
paragraph = st.fixed_dictionaries({"title": values, "is_supporting": values}, optional={"text": values, "idx": values})
question = st.fixed_dictionaries(
    {"question": st.just("Who?") | values},
    optional={
        "paragraphs": st.lists(paragraph | values, max_size=3),
        "context": st.lists(st.tuples(words, st.lists(words, max_size=2)) | values, max_size=3) | values,
        "supporting_facts": st.lists(st.tuples(words, values), max_size=3) | values,
        "question_decomposition": values,
        "answer": values,
        "id": values,
    },
)


def converts_or_says_why(files):
    """Load the file x.json among others; returns whether it loads."""
    with tempfile.TemporaryDirectory() as folder:
        for name, value in files.items():
            (Path(folder) / name).write_text(value if isinstance(value, str) else json.dumps(value))
        try:
            dataset = load(Path(folder) / "x.json", home=Path(folder) / "home")
        except InputError as error:
            told = str(error)
        else:
            assert all(query.gold for query in dataset.queries)
            return True
        # Errors that our own loader finds in a converted folder should have been found earlier, in the user's file.
        assert "home" not in told.replace(folder, ""), told
        return False


@settings(deadline=None, max_examples=examples(150))
@given(st.lists(question | values, max_size=3) | values)
def test_no_json_makes_it_crash(value):
    """Any file of questions is a data set, or one line says why not."""
    converts_or_says_why({"x.json": value})


@settings(deadline=None, max_examples=examples(60))
@given(values, values, st.text(max_size=20))
def test_no_corpus_and_no_extraction_make_it_crash(corpus, openie, text):
    """Neither JSON of another form nor invalid JSON."""
    assert converts_or_says_why({"x.json": [MUSIQUE], "x_corpus.json": CORPUS})
    converts_or_says_why({"x.json": [HOTPOT], "x_corpus.json": corpus})
    converts_or_says_why({"x.json": [MUSIQUE], "openie_x_results.json": openie})
    converts_or_says_why({"x.json": text})
