"""Agentic RAG: plans questions for tools, runs them in parallel, replans, and checks the answer claim by claim."""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from itertools import chain, zip_longest
from typing import Annotated, Any, ClassVar

from pydantic import AfterValidator

from gear_neo4j.agents.answer import Answer, Judgement, StopReason, ToolCall
from gear_neo4j.agents.run import OnEvent, Run
from gear_neo4j.agents.tools import Tool, ToolReply, attempt
from gear_neo4j.domain import Fact, Hit, Hits
from gear_neo4j.errors import SettingsError
from gear_neo4j.recipes.recipe import Budget, option
from gear_neo4j.recipes.registry import AGENTS, RETRIEVERS, Entry
from gear_neo4j.retrieval.question import checked
from gear_neo4j.retrieval.retriever import ranked_again
from gear_neo4j.roles.citations import without_markers
from gear_neo4j.roles.parsers import Draft
from gear_neo4j.roles.planner import Outcome, PlannedStep, PlanWriter

SHOWN_FACTS = 40


def _check_tool(tool: Any) -> Any:
    if not isinstance(tool, str) and not all(hasattr(tool, part) for part in ("name", "description", "run")):
        raise ValueError("a name, or an object with name, description and run")
    return tool


NameOrTool = Annotated[Any, AfterValidator(_check_tool)]


def _has_closed(tools: Sequence[object]) -> bool:
    """Whether one of the tools is for the operator only."""
    entries: dict[str, Entry[Any]] = {**RETRIEVERS.entries, **AGENTS.entries}
    return any(tool in entries and entries[tool].recipe.operator_only for tool in map(str, tools))


class Planner(Budget):
    """Agentic RAG: plans questions for several tools, runs them side by side, replans, and checks each claim.

    ``tools`` are names of retrievers and agents, or tools of your own; the first one gets the steps that name none of
    them. The default is all that describe their purpose, but ``cypher``, whose queries a model writes, must be allowed.

    Raises:
        SettingsError: a number is out of its range.
    """

    name: ClassVar[str] = "planner"
    tools: tuple[NameOrTool, ...] = option(
        (), "retrievers and agents that the plan may use, by name", operator_only=_has_closed
    )
    allow_cypher: bool = option(False, "let the plan use queries that the model writes", operator_only=bool)
    max_steps: int = option(8, "maximum number of steps in the plan", least=1, client_most=8)
    max_replans: int = option(3, "maximum number of revisions of the plan", least=0, client_most=8)
    concurrency: int = option(4, "number of concurrent steps", least=1, client_most=8)
    verify: bool = option(True, "check each claim of the answer")


class PlannerLoop:
    """The loop over tools; the first tool gets the steps that name an unknown tool.

    Raises:
        SettingsError: no tool is given, or two have the same name.
    """

    def __init__(self, tools: Sequence[Tool], *, planner: PlanWriter, options: Planner = Planner()) -> None:
        self._tools = {tool.name: tool for tool in tools}
        if not tools or len(self._tools) < len(tools):
            raise SettingsError("a planner needs at least one tool, and tools with different names")
        self._first = tools[0]
        self._planner = planner
        self._options = options

    def ask(self, question: str, *, k: int = 10, on_event: OnEvent | None = None) -> Answer:
        """Answer a question; each step of the plan is a step of the trace.

        A failed step is recorded, and the plan continues. ``grounded`` is False if a claim of the answer has no
        support, even after one more step for it.

        Raises:
            InputError: the question is blank, or k is below 1.
        """
        text = checked(question, k=k)
        run = Run(
            text, self._planner.name, on_event, tokens=self._options.max_tokens, seconds=self._options.max_seconds
        )
        run.begin(text)
        plan = self._plan(run, (), ())
        if plan == ():
            return self._recall(run)
        findings = _Findings()
        stop = self._execute(run, plan or (PlannedStep("1", text, self._first.name),), findings)
        return self._conclude(run, findings, k, stop)

    def _plan(self, run: Run, plan: Sequence[PlannedStep], done: Sequence[Outcome]) -> tuple[PlannedStep, ...] | None:
        tools = {tool.name: tool.description for tool in self._tools.values()}
        steps = run.call("plan", lambda: self._planner.plan(run.question, tools, plan=plan, done=done))
        if steps is not None:
            run.note(plan=tuple(f"{step.tool}: {step.question}" for step in steps))
            if not done:
                run.note(action="plan")
        return steps

    def _recall(self, run: Run) -> Answer:
        """An answer without any tool."""
        draft = run.call("recall", lambda: self._planner.recall(run.question)) or Draft("")
        hits = Hits(run.question, "planner", (), usage=dict(run.usage))
        return run.finish(hits, draft, stop="model_error" if run.failure else "answerable", grounded=False)

    def _execute(self, run: Run, plan: Sequence[PlannedStep], findings: "_Findings") -> StopReason:
        """Run the plan wave by wave, and revise it after each; returns the stop reason."""
        remaining, replans, tried = list(plan), 0, {_identity(plan)}
        while remaining:
            if stop := run.stopped():
                return stop
            room = self._options.max_steps - len(findings.outcomes)
            if room <= 0:
                return "max_steps"
            wave = _ready(remaining, findings)[:room]
            self._wave(run, wave, findings)
            remaining = [step for step in remaining if step not in wave]
            if stop := run.stopped():
                return stop
            if replans < self._options.max_replans:
                replans += 1
                revised = self._plan(run, plan, findings.outcomes)
                if revised is not None:
                    fresh = [step for step in revised if _request(step) not in findings.answered]
                    if fresh and _identity(fresh) in tried and _identity(fresh) != _identity(remaining):
                        return "no_new_question"
                    tried.add(_identity(fresh))
                    remaining = fresh
        return "answerable"

    def _wave(self, run: Run, wave: Sequence[PlannedStep], findings: "_Findings") -> None:
        """Run steps in parallel; a question repeated to the same tool runs once."""
        filled = [(step, step.filled(findings.answers)) for step in wave]
        tools = {step.id: self._tools.get(step.tool, self._first) for step in wave}
        asks = {(tools[step.id].name, question): tools[step.id] for step, question in filled}
        asks = {key: tool for key, tool in asks.items() if key not in findings.replies}
        with ThreadPoolExecutor(self._options.concurrency, thread_name_prefix="plan") as pool:
            # A context can only be entered once at a time, so each thread gets its own copy.
            calls = [pool.submit(copy_context().run, attempt, tool, key[1]) for key, tool in asks.items()]
        findings.replies |= {key: call.result() for key, call in zip(asks, calls, strict=True)}
        for step, question in filled:
            tool = tools[step.id]
            self._record(run, step, question, tool, findings, paid=(tool.name, question) in asks)
            asks.pop((tool.name, question), None)

    def _record(
        self, run: Run, step: PlannedStep, question: str, tool: Tool, findings: "_Findings", *, paid: bool
    ) -> None:
        reply = findings.replies[tool.name, question]
        run.begin(question)
        fallen = "" if step.tool == tool.name else f" (there is no tool {step.tool!r})"
        ids = tuple(hit.passage.id for hit in reply.hits)
        run.note(
            action=f"{tool.name}{fallen}",
            base=ids,
            ranking=ids,
            paths=reply.paths,
            tool_calls=(ToolCall(tool.name, question, reply.answer, reply.failure),),
        )
        if reply.failure:
            run.note(failures=(f"{tool.name}: {reply.failure}",))
            run.emit("failure", f"{tool.name}: {reply.failure}")
        for role, usage in reply.usage.items() if paid else ():
            run.pay(role, usage)
        run.passages.update({hit.passage.id: hit.passage for hit in reply.hits})
        learnt = [Fact(question, "answer", reply.answer)] if reply.answer else []
        run.remember([*learnt, *reply.facts][: max(0, SHOWN_FACTS - len(run.memory.facts))])
        findings.add(Outcome(step, question, reply.answer, reply.failure), reply)

    def _conclude(self, run: Run, findings: "_Findings", k: int, stop: StopReason) -> Answer:
        draft = self._synthesise(run, findings, k)
        unsupported = self._unsupported_claims(run, findings, draft, k) if self._options.verify else ()
        if unsupported and not run.stopped() and len(findings.outcomes) < self._options.max_steps:
            # Only one extra step, for the first unsupported claim.
            claim = PlannedStep("check", unsupported[0], self._first.name)
            self._wave(run, [claim], findings)
            if not run.stopped():
                draft = self._synthesise(run, findings, k)
                unsupported = self._unsupported_claims(run, findings, draft, k)
        hits = ranked_again(findings.hits[:k])
        run.note(merged=tuple(hit.passage.id for hit in hits))
        ranking = Hits(run.question, "planner", hits, run.paths(), facts=run.memory.facts, usage=dict(run.usage))
        grounded = bool(draft.text) and not unsupported
        return run.finish(ranking, draft, stop=run.stopped() or stop, grounded=grounded)

    def _synthesise(self, run: Run, findings: "_Findings", k: int) -> Draft:
        if run.failure:
            return Draft("")
        passages = [hit.passage for hit in findings.hits[:k]]
        return run.answer(self._planner, passages, memory=run.memory.facts)

    def _unsupported_claims(self, run: Run, findings: "_Findings", draft: Draft, k: int) -> tuple[str, ...]:
        """The claims of an answer that the findings do not support; a claim that could not be judged counts."""
        if not draft.text or run.stopped():
            return ()
        text = without_markers(draft.text)
        claims = run.call("claims", lambda: self._planner.claims(run.question, text)) or ()
        if not claims or run.stopped():
            return ()
        passages = [hit.passage for hit in findings.hits[:k]]
        verdicts = run.call("verify", lambda: self._planner.supported(run.question, claims, passages))
        verdicts = verdicts or (False,) * len(claims)
        judgements = [
            Judgement("claim", claim, "supported" if good else "unsupported")
            for claim, good in zip(claims, verdicts, strict=True)
        ]
        run.note(judgements=(*run.steps[-1].judgements, *judgements))
        return tuple(claim for claim, good in zip(claims, verdicts, strict=True) if not good)


class _Findings:
    """The results of the steps so far: outcomes in order, and every reply by tool and question."""

    def __init__(self) -> None:
        self.outcomes: list[Outcome] = []
        self.answers: dict[str, str] = {}
        self.replies: dict[tuple[str, str], ToolReply] = {}
        self._lists: list[tuple[Hit, ...]] = []

    @property
    def hits(self) -> list[Hit]:
        """All hits without duplicates, interleaved so that no step crowds out the others."""
        by_turns = chain.from_iterable(zip_longest(*self._lists))
        unique: dict[str, Hit] = {}
        for hit in by_turns:
            if hit is not None:
                unique.setdefault(hit.passage.id, hit)
        return list(unique.values())

    @property
    def answered(self) -> set[tuple[str, str]]:
        """The requests of the steps that succeeded."""
        return {_request(outcome.step) for outcome in self.outcomes if not outcome.failure}

    def add(self, outcome: Outcome, reply: ToolReply) -> None:
        """Add the result of a step."""
        self.outcomes.append(outcome)
        self.answers[outcome.step.id] = outcome.answer or "?"
        self._lists.append(reply.hits)


def _ready(remaining: Sequence[PlannedStep], findings: _Findings) -> list[PlannedStep]:
    """The steps whose dependencies are done; in a cycle, the first step by id."""
    done = {outcome.step.id for outcome in findings.outcomes}
    waiting = {step.id for step in remaining}
    ready = [step for step in remaining if all(id in done or id not in waiting for id in step.after)]
    return ready or sorted(remaining, key=lambda step: step.id)[:1]


def _request(step: PlannedStep) -> tuple[str, str]:
    return step.tool, step.question.casefold()


def _identity(plan: Sequence[PlannedStep]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(map(_request, plan)))
