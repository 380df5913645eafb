"""A model that ONNX Runtime runs: the vectors of torch, or else torch itself."""

import json
import logging
import sys
from itertools import product

import numpy as np
import pytest
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Normalize, Pooling, Transformer
from transformers import BertConfig, BertModel, BertTokenizerFast, DistilBertConfig, DistilBertModel

from gear_neo4j import SentenceTransformerEmbedder
from gear_neo4j.models.embeddings import STORED_SIZE
from gear_neo4j.models.onnx_record import FOLDER, LEAST_COSINE, make_record, read_record
from tests.processes import run

NAMES = (
    "Ada Lovelace",
    "Émilie du Châtelet",
    "Łukasz Żak",
    "Ιωάννα",
    "Мария",
    "Nguyễn Trãi",
    "鲁迅",
    "फ़ातिमा",
    "أحمد",
    "O'Brien",
)
# One question and one statement in each of twenty languages.
TEMPLATES = (
    *("Where did {} study, and who taught her?", "{} was born in 1897 and moved to Paris."),
    *("¿Dónde estudió {} y quién le enseñó?", "{} nació en 1897 y se mudó a París."),
    *("Où {} a-t-elle étudié ?", "{} est née en 1897 à Besançon."),
    *("Wo hat {} studiert, und bei wem?", "{} wurde 1897 in Köln geboren."),
    *("Dove ha studiato {}?", "{} nacque nel 1897 e si trasferì a Forlì."),
    *("Onde estudou {}?", "{} nasceu em 1897 e mudou-se para São Paulo."),
    *("Waar studeerde {}?", "{} werd in 1897 geboren en verhuisde naar Parijs."),
    *("Gdzie studiowała {}?", "{} urodziła się w 1897 roku w Łodzi."),
    *("Kde studovala {}?", "{} se narodila roku 1897 v Plzni."),
    *("Var studerade {}?", "{} föddes 1897 och flyttade till Malmö."),
    *("{} nerede okudu?", "{} 1897'de doğdu ve İzmir'e taşındı."),
    *("Где училась {}?", "{} родилась в 1897 году и переехала в Париж."),
    *("Къде е учила {}?", "{} е родена през 1897 година във Варна."),
    *("Πού σπούδασε η {};", "Η {} γεννήθηκε το 1897 στην Αθήνα."),
    *("היכן למדה {}?", "{} נולדה בשנת 1897 ועברה לפריז."),
    *("أين درست {}؟", "ولدت {} عام 1897 وانتقلت إلى باريس."),
    *("{} ने कहाँ पढ़ाई की?", "{} का जन्म 1897 में हुआ।"),
    *("{}在哪里学习？", "{}生于1897年，后来搬到巴黎。"),
    *("{}はどこで学びましたか？", "{}は1897年に生まれ、パリに移りました。"),
    *("{}는 어디에서 공부했나요?", "{}는 1897년에 태어나 파리로 이사했다."),
)
# A process that embeds one text, and reports which of these it imported.
ALONE = """
import sys
from pathlib import Path
from gear_neo4j import SentenceTransformerEmbedder
SentenceTransformerEmbedder(home=Path(sys.argv[1])).embed(["Ada"])
print(*sorted({"torch", "transformers", "sentence_transformers", "onnxruntime"} & sys.modules.keys()))
"""


def texts(count):
    """Different texts, equally many per language: some twice as long, and some in capitals."""
    filled = [template.format(name) for name, template in product(NAMES, TEMPLATES)]
    pairs = [f"{one} {other}".upper() for one, other in zip(filled, filled[7:], strict=False)]
    more = [f"{one} {other}" for one, other in zip(filled, filled[13:], strict=False)]
    return [*filled, *pairs, *more][:count]


def cosines(left, right):
    return (left * right).sum(axis=1)


@pytest.fixture(scope="module")
def home(tmp_path_factory):
    """A home in which the packaged model has been checked."""
    folder = tmp_path_factory.mktemp("home")
    SentenceTransformerEmbedder(home=folder).embed(["Ada"])
    return folder


def save(folder, made, *, pooling="mean", prompt=""):
    """A model of random weights, saved like sentence-transformers; each text begins with a prompt."""
    words = [
        "[PAD]",
        "[UNK]",
        "[CLS]",
        "[SEP]",
        "[MASK]",
        "ada",
        "knew",
        "she",
        "query",
        ":",
        *"abcdefghijklmnopqrstuvwxyz",
    ]
    words += [f"##{letter}" for letter in "abcdefghijklmnopqrstuvwxyz"]
    (folder / "plain").mkdir(parents=True)
    (folder / "plain" / "vocab.txt").write_text("\n".join(words))
    BertTokenizerFast(str(folder / "plain" / "vocab.txt")).save_pretrained(folder / "plain")
    made.save_pretrained(folder / "plain")
    transformer = Transformer(str(folder / "plain"), max_seq_length=24)
    modules = [transformer, Pooling(transformer.get_embedding_dimension(), pooling), Normalize()]
    prompts = {"prompts": {"query": prompt}, "default_prompt_name": "query"} if prompt else {}
    SentenceTransformer(modules=modules, **prompts).save(str(folder / "model"))
    return str(folder / "model")


def bert(seed=0):
    torch.manual_seed(seed)
    sizes = {"vocab_size": 70, "hidden_size": 32, "num_hidden_layers": 3, "num_attention_heads": 4}
    return BertModel(BertConfig(**sizes, intermediate_size=48, max_position_embeddings=40, initializer_range=0.3))


def test_a_thousand_texts_of_twenty_languages_have_the_vectors_of_torch(home):
    """In batches, and alone like a question; compared with float32."""
    given = texts(1_000)
    expected = SentenceTransformerEmbedder(dtype="float32").embed(given)
    embedder = SentenceTransformerEmbedder(dtype="float32", home=home)

    together = embedder.embed(given)
    alone = np.concatenate([embedder.embed([text]) for text in given[::20]])

    assert 1_000 == len(set(given))
    assert not (expected == together).all()
    assert cosines(expected, together).min() >= LEAST_COSINE
    assert cosines(expected[::20], alone).min() >= LEAST_COSINE


def test_once_checked_the_packaged_model_needs_no_torch(home):
    """In a separate process; the first one had to load it."""
    done = run([sys.executable, "-c", ALONE, home], check=True)

    assert "onnxruntime\n" == done.stdout


def test_on_request_an_ingest_computes_in_half_the_bits_and_a_question_in_all(home):
    """With one embedder; the vectors can be compared."""
    half = SentenceTransformerEmbedder(dtype="bfloat16", home=home)
    whole = SentenceTransformerEmbedder(dtype="float32", home=home)
    many = ["Ana Petkova designed the harbour of Varna. " * 5] * 60

    assert (whole.embed(["Who was Ana?"]) == half.embed(["Who was Ana?"])).all()
    assert not (whole.embed(many) == half.embed(many)).all()
    assert cosines(whole.embed(many), half.embed(many)).min() > 0.999


def test_data_that_comes_in_small_batches_goes_to_torch_once_there_is_enough_of_it(home):
    """A question never does."""
    embedder = SentenceTransformerEmbedder(dtype="bfloat16", home=home)
    half = SentenceTransformerEmbedder(dtype="bfloat16")
    names = [f"{name} of {number}" for number, name in enumerate(NAMES * 10)]
    characters = sum(map(len, names))

    first = embedder.embed(names)
    for _ in range(STORED_SIZE // characters):
        last = embedder.embed(names)
    question = embedder.embed(names[:1])

    in_half = half.embed(names)
    assert 1e-4 < abs(first - in_half).max()
    assert 1e-6 > abs(last - in_half).max()
    assert 1e-6 > abs(first[:1] - question).max()


@pytest.mark.parametrize(("pooling", "prompt"), [("mean", ""), ("cls", "query: "), ("mean", "query: ")])
def test_any_bert_that_is_pooled_has_the_vectors_of_torch(pooling, prompt, tmp_path):
    """Of other sizes, pooled by the first token, and with a prompt; including truncated texts."""
    model = save(tmp_path, bert(), pooling=pooling, prompt=prompt)
    given = ["Ada knew", "", "she", "ada knew zebras and foxes " * 9]

    embedder = SentenceTransformerEmbedder(model, dtype="float32", home=tmp_path)

    assert (
        cosines(SentenceTransformerEmbedder(model, dtype="float32").embed(given), embedder.embed(given)).min()
        > LEAST_COSINE
    )
    assert read_record(model, home=tmp_path).agrees
    assert 32 == embedder.dimension


@pytest.mark.parametrize(
    ("made", "pooling"),
    [
        (
            lambda: DistilBertModel(DistilBertConfig(vocab_size=70, dim=32, n_layers=1, hidden_dim=48, n_heads=4)),
            "mean",
        ),
        (bert, "max"),
    ],
)
def test_another_model_is_left_to_torch(made, pooling, tmp_path):
    """One that is not a BERT, and one with another pooling."""
    model = save(tmp_path, made(), pooling=pooling)

    found = SentenceTransformerEmbedder(model, home=tmp_path).embed(["Ada knew"])

    assert (SentenceTransformerEmbedder(model).embed(["Ada knew"]) == found).all()
    assert not (tmp_path / FOLDER).exists()


def test_vectors_that_are_not_those_of_torch_are_not_used(tmp_path):
    """Torch has loaded other weights than the current files; the result is stored, so nothing is compared twice."""
    model = save(tmp_path / "one", bert(1))
    loaded = SentenceTransformer(model)
    other = save(tmp_path / "other", bert(2))

    same, different = (
        make_record(loaded, where, by_torch=lambda texts: loaded.encode(list(texts)), on_processor=True, bfloat16=False)
        for where in (model, other)
    )

    assert (True, False) == (same.agrees, different.agrees)


def test_a_model_whose_files_have_changed_is_checked_again(tmp_path):
    """As after training; a question never uses the old weights."""
    model = save(tmp_path / "one", bert(1))
    before = SentenceTransformerEmbedder(model, dtype="float32", home=tmp_path).embed(["Ada knew"])
    other = save(tmp_path / "other", bert(2))
    (weights := tmp_path / "one" / "model" / "model.safetensors").unlink()
    weights.write_bytes((tmp_path / "other" / "model" / "model.safetensors").read_bytes())

    assert read_record(model, home=tmp_path) is None
    after = SentenceTransformerEmbedder(model, dtype="float32", home=tmp_path).embed(["Ada knew"])
    assert np.allclose(SentenceTransformerEmbedder(other, dtype="float32").embed(["Ada knew"]), after, atol=1e-5)
    assert not np.allclose(before, after, atol=1e-2)


@pytest.mark.parametrize("text", ["", "{", "[]", "{}", json.dumps({"encoder": {"bert": {"layers": 1}}})])
def test_a_record_that_cannot_be_read_is_made_again(text, tmp_path):
    """A truncated one, or one of another version."""
    model = save(tmp_path, bert())
    SentenceTransformerEmbedder(model, home=tmp_path).embed(["Ada"])
    (file,) = (tmp_path / FOLDER).iterdir()
    file.write_text(text)

    assert read_record(model, home=tmp_path) is None
    SentenceTransformerEmbedder(model, home=tmp_path).embed(["Ada"])
    assert read_record(model, home=tmp_path).agrees


def test_where_nothing_can_be_kept_torch_does_all(tmp_path, caplog):
    """There is a file in place of the home; only the debug log says so."""
    model = save(tmp_path, bert())
    (home := tmp_path / "home").write_text("")

    with caplog.at_level(logging.DEBUG, logger="gear_neo4j"):
        found = SentenceTransformerEmbedder(model, home=home).embed(["Ada knew"])

    assert (SentenceTransformerEmbedder(model).embed(["Ada knew"]) == found).all()
    assert [("DEBUG", f"{model} is left to torch")] == [(one.levelname, one.message) for one in caplog.records]
