"""Records how to run an embedding model without torch, and whether its vectors are the same as with torch.

A record is made once, when torch has been loaded anyway, and stored in ``<home>/encoders/``, in a file for each model.
It becomes invalid if a file of the model, or a package that computes vectors, changes.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from hashlib import blake2b
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from gear_neo4j.models.onnx_encoder import POOLINGS, Encoder, OnnxEncoder, Vectors
from gear_neo4j.models.onnx_graph import Bert
from gear_neo4j.text.files import write_file

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

FOLDER = "encoders"
LEAST_COSINE = 0.9999
PACKAGES = ("gear-neo4j", "onnxruntime", "sentence-transformers", "tokenizers", "torch", "transformers")
MODULES = (["Transformer", "Pooling"], ["Transformer", "Pooling", "Normalize"])
# Test texts: scripts, accents, case, spaces, symbols, special tokens, an empty text, and one that is too long.
CHECKED = (
    "",
    "Hinton",
    "Who supervised the PhD of the 2024 physics laureate from Toronto?",
    "WHO WROTE “Émile”? – naïve façade, ﬁne",
    "  two\tblanks\n and a line  ",
    "e = mc² ± 3.5 % (#42) a_b/c\\d [SEP] [MASK] <s> 🙂👩‍🚀",
    "¿Quién dirigió la tesis? Qui a écrit la thèse? Wer prüfte die Größe? Chi era Niccolò? Quem compôs a canção?",
    "Kto napisał książkę? Kdo řídil výzkum? Cine a scris cărțile? Hvem skrev bøgerne? Kitabı kim yazdı?",
    "Кто руководил работой? Кой написа книгата? Хто винайшов це? Ποιος έγραψε το βιβλίο;",
    "מי כתב את הספר? من كتب الكتاب؟ کتاب را چه کسی نوشت؟",
    "किसने किताब लिखी? বইটি কে লিখেছেন? ใครเขียนหนังสือ Ai đã viết cuốn sách? Nani aliandika kitabu?",
    "谁指导了他的论文？ 誰が論文を書いたか 누가 논문을 썼나요?",
    "x" * 300,
    "She moved to Varna and met him there. " * 60,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Record:
    """The facts about a model that were found when torch was loaded.

    Args:
        stamp: the files of the model and the packages; see :func:`_stamp`.
        cosine: the smallest cosine between the vectors of torch and of the encoder, over all test texts.
        on_processor: torch runs on the CPU.
        bfloat16: the CPU multiplies bfloat16.
    """

    encoder: Encoder
    stamp: dict[str, Any]
    cosine: float
    on_processor: bool
    bfloat16: bool

    @property
    def agrees(self) -> bool:
        """Whether the encoder can replace torch."""
        return self.cosine >= LEAST_COSINE


def read_record(location: str, *, home: Path) -> Record | None:
    """The record of a model; None if there is no valid one."""
    try:
        found = json.loads(_file(location, home=home).read_text(encoding="utf-8"))
        encoder = found["encoder"]
        record = Record(**found | {"encoder": Encoder(**encoder | {"bert": Bert(**encoder["bert"])})})
        return record if record.stamp == _stamp(Path(record.encoder.weights)) else None
    except (OSError, ValueError, TypeError, KeyError):
        # Whatever the error in the file, a new one is made.
        return None


def write_record(record: Record, location: str, *, home: Path) -> None:
    """Store a record; processes that read it meanwhile get the old one."""
    file = _file(location, home=home)
    file.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    write_file(file, json.dumps(asdict(record)))


def make_record(
    model: "SentenceTransformer",
    location: str,
    *,
    by_torch: Callable[[Sequence[str]], Vectors],
    on_processor: bool,
    bfloat16: bool,
) -> Record | None:
    """Compare the encoder of a model with torch; None if the model is not a BERT, or does more than pool its tokens.

    Args:
        by_torch: computes vectors with sentence-transformers, in float32 and of any length.
    """
    encoder = _encoder(model, location)
    if encoder is None:
        return None
    stamp = _stamp(Path(encoder.weights))
    opened = OnnxEncoder(encoder)
    cosine = _least_cosine(by_torch(CHECKED), np.concatenate([opened.encode([text]) for text in CHECKED]))
    return Record(encoder=encoder, stamp=stamp, cosine=cosine, on_processor=on_processor, bfloat16=bfloat16)


def _encoder(model: "SentenceTransformer", location: str) -> Encoder | None:
    from sentence_transformers.util import load_file_path

    if [type(module).__name__ for module in model] not in MODULES:
        return None
    transformer: Any = model[0].auto_model
    config, pooling = transformer.config, getattr(model[1], "pooling_mode", None)
    if type(transformer).__name__ != "BertModel" or config.hidden_act != "gelu" or pooling not in POOLINGS:
        return None
    hub_name = location if "/" in location or Path(location).exists() else f"sentence-transformers/{location}"
    weights = load_file_path(hub_name, "model.safetensors", local_files_only=True)
    if weights is None:
        return None
    return Encoder(
        bert=Bert(layers=config.num_hidden_layers, heads=config.num_attention_heads, epsilon=config.layer_norm_eps),
        weights=str(Path(weights).absolute()),
        tokenizer=model.tokenizer.backend_tokenizer.to_str(),
        tokens=min(model.max_seq_length or config.max_position_embeddings, config.max_position_embeddings),
        prompt=model.prompts.get(model.default_prompt_name or "") or "",
        pooling=pooling,
    )


def _least_cosine(left: Vectors, right: Vectors) -> float:
    lengths = np.linalg.norm(left, axis=1) * np.linalg.norm(right, axis=1)
    return float(((left * right).sum(axis=1) / lengths).min())


def _stamp(weights: Path) -> dict[str, Any]:
    """The size and time of each file beside the weights, and the versions of the packages."""
    files = sorted((*weights.parent.glob("*.*"), *weights.parent.glob("*/config.json")))
    about = {file.relative_to(weights.parent).as_posix(): file.stat() for file in files if file.is_file()}
    return {
        "files": {name: [one.st_size, one.st_mtime_ns] for name, one in about.items()},
        "packages": {package: version(package) for package in PACKAGES},
    }


def _file(location: str, *, home: Path) -> Path:
    # By the absolute path of a folder, because a relative one depends on the working directory.
    name = str(Path(location).resolve()) if Path(location).exists() else location
    return home / FOLDER / f"{blake2b(name.encode(), digest_size=16).hexdigest()}.json"
