"""The profile proposed for a graph: which labels are entities or chunks, their names, and which graphs are recognised.

The surveys are built by hand, for all kinds of graphs; integration tests use those of the libraries themselves.
"""

from dataclasses import replace

import pytest

from gear_neo4j.adoption.fact_properties import notes, why_no_fact
from gear_neo4j.adoption.profile import Chunks, Entities, Facts
from gear_neo4j.adoption.profile_file import built_in, dump, load, parse
from gear_neo4j.adoption.proposal import propose
from gear_neo4j.adoption.schema import schema_of
from gear_neo4j.adoption.survey import Label, Property, Survey, Type
from gear_neo4j.errors import InputError

PROSE = "Marie Curie left Warsaw for Paris, where she read physics at the Sorbonne, chapter {}."
PEOPLE = ["Marie Curie", "Pierre Curie", "Gabriel Lippmann", "Lise Meitner", "Otto Hahn", "Ida Noddack"]


def prop(name, *values):
    """A property with these values, one per node; a list counts as texts, anything else as a value."""
    found = Property(name)
    for value in values:
        text = value[0] if isinstance(value, list) else str(value)
        found.nodes += 1
        found.kinds["texts" if isinstance(value, list) else "text" if isinstance(value, str) else "value"] += 1
        found.characters += len(text)
        found.latin += text.isascii()
        found.distinct.add(text)
        found.compared += 1
        found.examples = [*found.examples, text][:3]
    return found


def label(name, *properties, nodes=None, together=()):
    """A label; by default with as many nodes as its most frequent property."""
    count = max((one.nodes for one in properties), default=0) if nodes is None else nodes
    return Label(name, count, count, {one.name: one for one in properties}, set(together))


def kind(name, start, end, /, **texts):
    """A relationship type between the labels of two lists, with two values of each given text."""
    found = Type(name, 2, dict.fromkeys(start, 2), dict.fromkeys(end, 2), sampled=2)
    for key, values in texts.items():
        found.texts[key] = 2
        found.values[key] = set(values)
    return found


def graph(*parts, nodes=None):
    """A survey of labels and types; by default, labels do not overlap."""
    labels = {one.name: one for one in parts if isinstance(one, Label)}
    types = {one.name: one for one in parts if isinstance(one, Type)}
    return Survey(sum(one.nodes for one in labels.values()) if nodes is None else nodes, labels, types)


def names_of(*properties, nodes=None):
    """The proposed name properties of a single label."""
    return propose(graph(label("Thing", *properties, nodes=nodes)), name="mine").entities["Thing"].names


def texts(count, form=PROSE):
    return [form.format(number) for number in range(count)]


@pytest.mark.parametrize(
    ("properties", "names"),
    [
        ([prop("file_name", *texts(6, "scan {}")), prop("name", *PEOPLE)], ("name",)),
        ([prop("fileName", *texts(6, "report-{}.pdf")), prop("title", *PEOPLE)], ("title",)),
        ([prop("createdAt", *texts(6, "2026-11-21T17:40:3{}+00:00")), prop("label", *PEOPLE)], ("label",)),
        ([prop("file_name", *texts(6, "report-{}.pdf")), prop("id", *PEOPLE)], ("id",)),
        ([prop("url", *texts(6, "https://example.org/{}")), prop("code", *texts(6, "unit {}"))], ("code",)),
        ([prop("uuid", *texts(6, "7c9e6679-7425-40de-944b-e07fc1f90a{:02}")), prop("id", *PEOPLE)], ("id",)),
        ([prop("checksum", *texts(6, "d41d8cd98f00b204e980099{}")), prop("word", *PEOPLE)], ("word",)),
        ([prop("full_name", *PEOPLE), prop("name", *PEOPLE)], ("name", "full_name")),
        ([prop("title", *PEOPLE), prop("cfname", *PEOPLE)], ("title", "cfname")),
        # There is nothing better.
        ([prop("path", *texts(6, "src/gear/{}.py")), prop("etag", *texts(6, "d41d8cd98f00b204e980099{}"))], ("path",)),
        ([prop("name", *texts(6, "module_{}.py")), prop("author", *PEOPLE)], ("name",)),
    ],
)
def test_a_plain_name_comes_before_files_times_and_hashes(properties, names):
    """In any order; a file, a URL or a hash names a node only if nothing better exists."""
    assert names == names_of(*properties)
    assert names == names_of(*reversed(properties))


def test_a_node_with_nothing_but_a_counter_is_called_by_label_and_key():
    """An order is not called n1034; if nothing better exists, it has no name."""
    numbers = prop("orderID", *map(str, range(10248, 10254)))
    order = label("Order", prop("id", *texts(6, "n103{}")), numbers)
    person = label("Person", prop("name", *PEOPLE))

    found = propose(graph(order, person, kind("PLACED", ["Person"], ["Order"])), name="mine").entities

    assert Entities(key="orderID") == found["Order"]


def test_a_property_that_few_nodes_have_is_no_name():
    """Four of many crimes have a charge; each has an id."""
    charges = ["theft of a bicycle", "handling stolen goods", "bodily harm", "arson"]

    assert ("id",) == names_of(prop("charge", *charges), prop("id", *texts(40, "6ab{}c")))


def test_what_tells_all_nodes_apart_comes_before_what_several_share():
    """Vehicles of one model have different number plates."""
    models = [f"Mark {number // 2}" for number in range(12)]

    assert ("reg",) == names_of(prop("model", *models), prop("reg", *texts(12, "AB{:02} XYZ")))


DATES = prop("call_date", *texts(9, "1{}/08/2017"))
TIMES = prop("call_time", *texts(9, "1{}:44"))


def test_an_event_without_a_name_is_named_by_its_moment():
    """Date and time together, in any order of the properties; a surrogate key says nothing."""
    assert ("call_date + call_time",) == names_of(DATES, TIMES)
    assert ("call_date + call_time",) == names_of(prop("nid", *texts(9, "n169{}")), TIMES, DATES)
    assert ("call_date",) == names_of(DATES, prop("minutes", *range(9)))


def test_a_moment_that_most_events_share_names_none_and_a_key_names_better():
    """Orders of a few days are called by their numbers."""
    few = prop("date", *["03/08/2017", "04/08/2017"] * 10)
    with pytest.raises(InputError, match="a property that could be its name"):
        names_of(few)

    order = label("Order", DATES, prop("orderID", *map(str, range(10248, 10257))))
    person = label("Person", prop("name", *PEOPLE))
    found = propose(graph(order, person, kind("PLACED", ["Person"], ["Order"])), name="mine").entities
    assert ("orderID", ()) == (found["Order"].key, found["Order"].names)


def test_nodes_with_a_key_are_entities_wherever_they_are_connected():
    """A call is connected to a phone, and the phone to a person."""
    person = label("Person", prop("name", *PEOPLE))
    phone = label("Phone", prop("phoneID", *map(str, range(100, 106))))
    call = label("Call", prop("callID", *map(str, range(700, 706))))
    island = label("Island", prop("islandID", *map(str, range(6))))
    ties = (kind("HAS", ["Person"], ["Phone"]), kind("CALLED", ["Call"], ["Phone"]))

    found = propose(graph(person, phone, call, island, *ties), name="mine").entities

    assert {"Person": None, "Phone": "phoneID", "Call": "callID"} == {name: of.key for name, of in found.items()}


def test_a_property_with_few_values_over_many_nodes_is_no_name():
    """Not even if it is called "name"; among few nodes, two may share a name."""
    many = texts(100, "person {}")

    assert ("id",) == names_of(prop("name", *["unknown"] * 100), prop("id", *many))
    assert ("id",) == names_of(prop("label", *["man", "woman", "child", "ghost"] * 25), prop("id", *many))
    assert ("name",) == names_of(prop("name", "Ada", "Ada"), prop("id", "a1", "b2"))
    with pytest.raises(InputError, match="a property that could be its name"):
        names_of(prop("name", *["unknown"] * 100))


def test_names_in_the_script_of_the_model_come_first():
    """Aliases come last."""
    chinese = ["阿来替尼", "厄洛替尼", "吉非替尼"]
    english = prop("name_en", "alectinib", "erlotinib", "gefitinib")

    assert ("name_en", "name") == names_of(prop("name", *chinese), english)
    assert ("name_en", "name", "alias") == names_of(
        prop("alias", ["ALK"], ["EGFR"], ["ErbB"]), prop("name", *chinese), english
    )


def test_a_title_that_few_nodes_have_leaves_the_others_their_ids():
    """A doctor's title is not a name."""
    assert ("title", "id") == names_of(prop("title", "Dr Dr h.c."), prop("id", *PEOPLE), nodes=6)


def test_a_long_text_makes_a_chunk_whatever_file_it_came_from():
    """A node with its own name is an entity with a text."""
    pages = label("Page", prop("content", *texts(8)), prop("fileName", *texts(8, "scan {}")))
    named = label("Film", prop("body", *texts(6)), prop("name", *PEOPLE))
    short = label("Note", prop("text", *PEOPLE), prop("title", *PEOPLE))

    found = propose(graph(pages, named, short), name="mine")

    assert {"Page": Chunks(text=("content",), title=("fileName",))} == found.chunks
    assert {
        "Film": Entities(names=("name",), text=("body",)),
        "Note": Entities(names=("title",), facts=("text",)),
    } == found.entities


def test_what_has_a_title_of_its_own_and_several_relationships_is_no_chunk():
    """Users ask about the questions of a forum; an article that only mentions something is a document."""
    questions = label("Question", prop("body_markdown", *texts(6)), prop("title", *texts(6, "How do I sort {} nodes?")))
    pages = label("Page", prop("content", *texts(6)), prop("title", *texts(6, "Page {}")))
    chapters = label("Chapter", prop("content", *texts(6)), prop("title", *["Radium"] * 6))
    tags = label("Tag", prop("name", *PEOPLE))
    ties = [kind("TAGGED", ["Question"], ["Tag"]), kind("ASKED", ["Tag"], ["Question"])]
    ties += [kind("SEES", ["Page"], ["Tag"]), kind("NEXT", ["Page"], ["Page"])]
    ties += [kind("SAYS", ["Chapter"], ["Tag"]), kind("CITES", ["Chapter"], ["Tag"])]

    found = propose(graph(questions, pages, chapters, tags, *ties), name="mine")

    assert Entities(names=("title",), text=("body_markdown",)) == found.entities["Question"]
    assert {"TAGGED", "ASKED"} == found.relationships.keys()
    assert {"Page", "Chapter"} == found.chunks.keys()


def test_an_address_is_no_prose():
    """However long it is."""
    links = prop("homepage", *texts(6, "https://example.org/people/of/the/radium/institute/of/paris/{}"))
    person = label("Person", prop("name", *PEOPLE), prop("about", *texts(6)), links)

    assert Entities(names=("name",), text=("about",)) == propose(graph(person), name="mine").entities["Person"]


@pytest.mark.parametrize("chunks", [3, 30])
def test_a_label_of_chunks_and_entities_alike_is_left_out(chunks):
    """Whether most of its nodes are chunks or not; a base label of only entities is kept as one."""
    said, files = prop("text", *texts(chunks)), prop("file_name", *["curie.txt"] * (chunks + 6))
    found = propose(
        graph(
            label("Base", said, files, prop("name", *PEOPLE), nodes=chunks + 6, together=["Page", "Human", "Person"]),
            label("Page", said, nodes=chunks, together=["Base"]),
            label("Human", prop("name", *PEOPLE), together=["Base", "Person"]),
            label("Person", prop("name", *PEOPLE), together=["Base", "Human"]),
            kind("SAYS", ["Base", "Page"], ["Base", "Human", "Person"]),
            kind("MET", ["Base", "Human", "Person"], ["Base", "Human", "Person"]),
            nodes=chunks + 6,
        ),
        name="mine",
    )

    assert {"Page": Chunks(text=("text",), mentions=("SAYS",))} == found.chunks
    assert ["Human", "Person"] == sorted(found.entities)
    assert {"MET": Facts(words="met")} == found.relationships


def test_a_base_with_nodes_of_no_other_label_stays():
    """Otherwise they would be lost."""
    base = label("Base", prop("name", *texts(24, "person {}")), nodes=24, together=["Page", "Person"])
    page = label("Page", prop("text", *texts(3)), together=["Base"])
    person = label("Person", prop("name", *PEOPLE), together=["Base"])

    assert ["Base", "Person"] == sorted(propose(graph(base, page, person, nodes=24), name="mine").entities)


def test_a_relation_that_is_a_property_becomes_the_predicate():
    """With its rank."""
    related = kind("Rel", ["Ent"], ["Ent"], relname=["HAS_DRUG", "MAY_CAUSE"])
    related.numbers["rank"] = 2
    things = label("Ent", prop("cid", "C1", "C2", "C3"), prop("cfname", *PEOPLE[:3]), prop("stygrp", "a", "b", "b"))

    found = propose(graph(things, related), name="medical")

    assert {"Ent": Entities(names=("cfname",), facts=("cid", "stygrp"))} == found.entities
    assert {"Rel": Facts(words="rel", predicate="relname", rank="rank")} == found.relationships


@pytest.mark.parametrize(
    ("given", "family"), [("name", "surname"), ("firstName", "lastName"), ("given_name", "family_name")]
)
def test_the_two_parts_of_a_persons_name_are_one_name(given, family):
    """However many people share one of them; a name alone stays one."""
    firsts, lasts = ["Rose", "Ann", "Ann", "Otto"], ["Crawford", "Crawford", "Brandt", "Brandt"]
    person = label("Person", prop(given, *firsts), prop(family, *lasts), prop("email", *texts(4, "p{}@example.org")))

    found = propose(graph(person), name="mine").entities["Person"]

    assert (f"{given} + {family}",) == found.names
    assert (given, family) == found.calling
    assert "email" in found.facts
    assert not {given, family} & set(found.facts)
    assert ("name",) == names_of(prop("name", *PEOPLE), prop("role", "a", "b", "b"))


def test_a_type_that_says_nothing_reads_by_its_keywords():
    """As LightRAG writes its graphs: every relationship is DIRECTED, and names are ids beside sentences."""
    told = kind(
        "DIRECTED", ["base"], ["base"], description=["She built it.", "He shot it."], keywords=["build", "film"]
    )
    wrote = kind("WROTE", ["base"], ["base"], keywords=["novel", "poem"])
    things = label("base", prop("description", *texts(6, "It is thing number {} here.")), prop("entity_id", *PEOPLE))

    found = propose(graph(things, told, wrote), name="mine")

    assert ("entity_id",) == found.entities["base"].names
    assert {"DIRECTED": "keywords", "WROTE": None} == {name: of.predicate for name, of in found.relationships.items()}
    assert ("DIRECTED",) == schema_of(graph(things, told, wrote), found, {("base", "DIRECTED", "base"): 2}).mute


def kept(name, *values, of="number"):
    """A property with values of a kind."""
    made = prop(name, *map(str, values))
    made.kinds.clear()
    made.kinds[of] = made.nodes
    return made


@pytest.mark.parametrize(
    ("property", "why"),
    [
        (prop("country", *["Germany", "Mexico", "Spain"] * 10), None),
        (kept("unitPrice", *range(10, 20), *range(10, 20)), None),
        (kept("discontinued", *["true"] * 30, of="flag"), None),
        (prop("released", *["1999-03-31", "2003-05-15", "2003-05-15"] * 10), None),
        (prop("phone", *texts(30, "030-0074{}")), "differs from node to node"),
        (prop("planet", *["Earth"] * 30), "the same on every node"),
        (prop("supplierID", *["1", "2", "2"] * 10), "an id"),
        (prop("homePage", *texts(30, "https://example.org/{}")), "where something came from"),
        (prop("notes", *[PROSE.format("one"), PROSE.format("two")] * 10), "a long text"),
        (prop("checksum", *["d41d8cd98f00b204e9800998", "e41d8cd98f00b204e9800998"] * 10), "for machines only"),
        (kept("vector", *["0.1"] * 30, of="list"), "no text, number, date or flag"),
        (Property("nothing"), "no text, number, date or flag"),
    ],
    ids=lambda value: value.name if isinstance(value, Property) else "",
)
def test_a_property_is_a_fact_unless_there_is_a_reason(property, why):
    """A comment in the profile gives the reason, and the property's values."""
    assert why == why_no_fact(property)


def test_the_proposal_says_what_properties_hold_and_why_some_are_no_facts():
    """As comments: the profile is the same without them, for any names."""
    hostile = prop('a\n]"', *["x", "y"] * 10)
    survey = graph(label("Shop", prop("name", *texts(20, "shop {}")), hostile, prop("shopID", *["1", "2"] * 10)))
    profile = propose(survey, name="mine")

    text = dump(profile, notes=notes(survey, profile))

    assert Entities(names=("name",), facts=('a\n]"',)) == profile.entities["Shop"]
    assert profile == parse(text, file="mine.toml")
    assert "# 'a\\n]\"': text, on 100 % of the nodes, 2 values\n" in text
    assert "# shopID: text, on 100 % of the nodes, 2 values; no fact: an id\n" in text


def test_properties_of_a_relationship_are_details_of_its_fact():
    """Except for ids, and the property that is the predicate or the rank."""
    related = kind("ACTED_IN", ["Person"], ["Film"])
    related.properties = {"roles": prop("roles", ["Neo"]), "personID": prop("personID", "7"), "rank": kept("rank", 1)}
    related.numbers["rank"] = 2
    parts = [label("Person", prop("name", *PEOPLE)), label("Film", prop("title", *PEOPLE))]

    assert (
        Facts(words="acted in", rank="rank", details=("roles",))
        == (propose(graph(*parts, related), name="mine").relationships["ACTED_IN"])
    )


ENTITY = label("__Entity__", prop("name", *PEOPLE), prop("id", *PEOPLE), together=["Person"])
PERSON = label("Person", prop("name", *PEOPLE), together=["__Entity__"])
CHUNK = label("Chunk", prop("text", *texts(4)))
MENTIONS = kind("MENTIONS", ["Chunk"], ["__Entity__", "Person"])
FROM_CHUNK = kind("FROM_CHUNK", ["__Entity__", "Person"], ["Chunk"])
HAS_ENTITY = kind("HAS_ENTITY", ["Chunk"], ["__Entity__", "Person"])
MET = kind("MET", ["__Entity__", "Person"], ["__Entity__", "Person"])
EPISODES = [
    label("Episodic", prop("content", *texts(4)), prop("name", *texts(4, "episode {}"))),
    label("Entity", prop("name", *PEOPLE), prop("summary", *texts(6))),
    kind("MENTIONS", ["Episodic"], ["Entity"]),
    kind("RELATES_TO", ["Entity"], ["Entity"], name=["MET", "TAUGHT"]),
]
DOCUMENTS = [
    label("Document", prop("text", *texts(4))),
    ENTITY,
    PERSON,
    kind("MENTIONS", ["Document"], ["__Entity__", "Person"]),
    MET,
]
KNOWN = {
    "graphiti": EPISODES,
    "langchain": DOCUMENTS,
    "langchain-vector": [CHUNK],
    "llama-index": [CHUNK, ENTITY, PERSON, MENTIONS, MET],
    "llm-graph-builder": [CHUNK, ENTITY, PERSON, HAS_ENTITY, MET],
    "neo4j-graphrag": [CHUNK, ENTITY, PERSON, FROM_CHUNK, MET],
}


def test_every_built_in_profile_is_recognised_here():
    """A new one needs a graph here."""
    assert sorted(KNOWN) == sorted(built_in())


@pytest.mark.parametrize("name", sorted(KNOWN))
def test_a_graph_of_a_library_gets_the_profile_of_that_library(name):
    """Under the requested name."""
    found = propose(graph(*KNOWN[name]), name="mine")

    known = load(built_in()[name])
    assert replace(known, name="mine") == found


def test_of_two_profiles_that_fit_the_one_that_knows_more_is_proposed():
    """Communities belong to one library."""
    communities = label("__Community__", prop("title", "Physics", "Paris"), prop("summary", *texts(2)))
    belongs = kind("IN_COMMUNITY", ["__Entity__"], ["__Community__"])
    both = [CHUNK, ENTITY, PERSON, FROM_CHUNK, HAS_ENTITY, MET]

    assert (
        load(built_in()["llm-graph-builder"]).without
        == propose(graph(*both, communities, belongs), name="mine").without
    )


@pytest.mark.parametrize(
    "parts",
    [
        [label("Drug", prop("name", *PEOPLE))],
        [label("Ent", prop("cfname", *PEOPLE)), kind("Rel", ["Ent"], ["Ent"])],
        # Each lacks something that the library would have.
        [label("Chunk", prop("text", *PEOPLE)), ENTITY, PERSON, MENTIONS, MET],
        [label("Chunk", prop("text", *texts(1)), nodes=4), ENTITY, PERSON, MENTIONS, MET],
        [CHUNK, ENTITY, PERSON, MET],
        [CHUNK, ENTITY, PERSON, kind("MENTIONS", ["Chunk"], ["Film"]), MET],
        [CHUNK, label("__Entity__", prop("called", *PEOPLE)), MENTIONS, MET],
        EPISODES[:-1],
        # Passages next to a graph of another kind.
        [CHUNK, label("Film", prop("title", *PEOPLE)), kind("ABOUT", ["Chunk"], ["Film"])],
        # The library's part is the smaller one.
        [CHUNK, ENTITY, PERSON, MENTIONS, MET, label("Film", prop("title", *texts(60, "film {}")))],
    ],
)
def test_a_graph_that_only_looks_like_that_of_a_library_gets_a_profile_of_its_own(parts):
    """Not a built-in one."""
    found = propose(graph(*parts), name="mine")

    known = [load(path) for path in built_in().values()]
    assert (found.entities, found.chunks) not in [(one.entities, one.chunks) for one in known]


def test_a_graph_without_nodes_is_refused():
    """The line says how to get some."""
    with pytest.raises(InputError, match="no nodes that could be adopted"):
        propose(graph(), name="mine")
