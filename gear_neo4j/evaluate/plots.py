"""The report's plots, each a function of the table's rows, as SVG text."""

import io
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import TYPE_CHECKING, Any

from gear_neo4j.evaluate.metrics import recall
from gear_neo4j.text.printable import printable

if TYPE_CHECKING:
    from matplotlib.axes import Axes

Rows = Sequence[Mapping[str, Any]]
SIZE = (7.5, 4.4)
# Eight colours safe for colour-blind readers (Okabe and Ito), then the same with dashes or hatches.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#8C8C00")
DASHES = ("-", "--", ":", "-.")
HATCHES = ("", "////", "....")


def recall_curves(rows: Rows, *, most: int) -> str:
    """Recall at every k up to ``most``, one line per system."""

    def draw(axes: "Axes") -> None:
        ks = range(1, most + 1)
        for index, row in enumerate(rows):
            recalls = [
                100 * fmean(recall(question["retrieved"], question["gold"], k=k) for question in row["per_question"])
                for k in ks
            ]
            axes.plot(ks, recalls, label=row["label"], **_style(index))
        axes.set(xlabel="k", ylabel="recall at k, %", xlim=(1, most))

    return _svg(draw)


def recall_by_step(rows: Rows, *, k: int) -> str | None:
    """Recall had each agent stopped after each step; None if no agent took more than one."""
    agents = [row for row in rows if len(row.get("recall_by_step", ())) > 1]

    def draw(axes: "Axes") -> None:
        for index, row in enumerate(agents):
            recalls = [step_recall[str(k)] for step_recall in row["recall_by_step"].values()]
            axes.plot(range(1, len(recalls) + 1), recalls, marker="o", label=row["label"], **_style(index))
        axes.set(xlabel="steps", ylabel=f"recall at {k}, %")
        axes.set_xticks(range(1, 1 + max(len(row["recall_by_step"]) for row in agents)))

    return _svg(draw) if agents else None


def tokens_and_recall(rows: Rows, *, k: int) -> str | None:
    """Tokens per question against recall; None without a language model."""
    paid = [row for row in rows if row["llm"]["input_tokens"]]

    def draw(axes: "Axes") -> None:
        for index, row in enumerate(paid):
            tokens = (row["llm"]["input_tokens"] + row["llm"]["output_tokens"]) / row["questions"]
            colour = COLOURS[index % len(COLOURS)]
            axes.scatter([tokens], [row["recall"][str(k)]], s=70, color=colour, label=row["label"])
        axes.set(xlabel="tokens per question", ylabel=f"recall at {k}, %", xlim=(0, None))

    return _svg(draw) if paid else None


def recall_by_hops(rows: Rows, *, k: int) -> str | None:
    """Recall by number of hops, a group of bars each; None if all questions have the same number."""
    hops = sorted({question["hops"] for row in rows for question in row["per_question"]})

    def draw(axes: "Axes") -> None:
        width = 0.8 / len(rows)
        for index, row in enumerate(rows):
            recalls = [
                _mean_recall([question for question in row["per_question"] if question["hops"] == count], k)
                for count in hops
            ]
            positions = [group + (index - (len(rows) - 1) / 2) * width for group in range(len(hops))]
            hatch = HATCHES[index // len(COLOURS) % len(HATCHES)]
            axes.bar(positions, recalls, width, label=row["label"], color=COLOURS[index % len(COLOURS)], hatch=hatch)
        axes.set(ylabel=f"recall at {k}, %", ylim=(0, 100))
        counts = [sum(question["hops"] == count for question in rows[0]["per_question"]) for count in hops]
        axes.set_xticks(range(len(hops)), [f"{hop} hops ({n})" for hop, n in zip(hops, counts, strict=True)])

    return _svg(draw) if len(hops) > 1 else None


def _mean_recall(questions: Sequence[Mapping[str, Any]], k: int) -> float:
    return 100 * fmean(recall(question["retrieved"], question["gold"], k=k) for question in questions)


def _style(index: int) -> dict[str, Any]:
    return {"color": COLOURS[index % len(COLOURS)], "linestyle": DASHES[index // len(COLOURS) % len(DASHES)]}


def _svg(draw: Callable[["Axes"], None]) -> str:
    # Without pyplot, which looks for a display and keeps every figure.
    from matplotlib import rc_context
    from matplotlib.backends.backend_svg import FigureCanvasSVG
    from matplotlib.figure import Figure

    # A fixed salt: the same figures give the same file.
    with rc_context({"svg.hashsalt": "gear-neo4j", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=SIZE, layout="constrained")
        FigureCanvasSVG(figure)
        axes = figure.add_subplot()
        draw(axes)
        axes.grid(alpha=0.3)
        axes.spines[["top", "right"]].set_visible(False)
        figure.legend(loc="outside right upper", frameon=False)
        buffer = io.StringIO()
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    # XML may hold no control characters at all.
    text = printable(buffer.getvalue())
    return text[text.index("<svg") :]
