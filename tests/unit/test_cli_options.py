"""The vocabulary of the options: a name has the same meaning everywhere, and every option has an effect."""

import ast
import inspect
import json
from dataclasses import fields
from functools import partial
from pathlib import Path

import click
import pytest
from click.shell_completion import BashComplete
from click.testing import CliRunner

from gear_neo4j.cli.choice import Choice
from gear_neo4j.cli.evaluate_passages import RunOptions
from gear_neo4j.cli.extraction import ExtractionOptions
from gear_neo4j.cli.lazy import json_to_output
from gear_neo4j.cli.main import cli, main
from gear_neo4j.cli.options import CONNECTION, FLAGS, given_connection, with_settings
from gear_neo4j.cli.output import STDOUT, emit
from gear_neo4j.errors import InputError
from gear_neo4j.recipes.registry import AGENTS, EXTRACTORS, RETRIEVERS

# By the parameter of a command, the options from which a decorator makes it.
MADE_FROM = {
    "settings": {*FLAGS, "env_file"},
    "flags": {*FLAGS},
    "scope": {"collections", "principals", "where", "strict"},
    "documents": {"chunk_size", "follow_links", "max_file_mib", "max_file_pages", "max_file_seconds", "ocr"},
    "tables": {
        "loader",
        "options",
        "version_field",
        "readers_field",
        "key",
        "text",
        "title",
        "metadata",
        "table",
        "query",
    },
    "choice": {"retriever", "agent", "base", "base_k", "score", "assignments"},
    "membership": {"collection", "readers", "widen"},
    "cluster": {"ray", "workers"},
    "run": {field.name for field in fields(RunOptions)},
    "extracting": {field.name for field in fields(ExtractionOptions)},
}
MOST_OPTIONS = {"search": 25, "ask": 25, "evaluate": 30}


def leaves(group, context, words=()):
    """Every command without subcommands, with its words."""
    for name in group.list_commands(context):
        command = group.load(name) if group is cli else group.get_command(context, name)
        if isinstance(command, click.Group):
            yield from leaves(command, click.Context(command, parent=context), (*words, name))
        else:
            yield (*words, name), command


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("gear sea", "plain,search"),
        ("gear search --retriever sco", "plain,scout"),
        ("gear ask --agent graphrag-l", "plain,graphrag-local"),
        ("gear evaluate data --agent cr", "plain,crag"),
        ("gear recipes scou", "plain,scout"),
        ("gear search --retriever scout --set da", "plain,damping="),
        ("gear search --retriever naive --base scout --set da", "plain,damping="),
        ("gear search --set da", ""),
        ("gear ask --agent crag --set fallb", "plain,fallback="),
        ("gear ask --retriever naive --set over.beam.w", "plain,over.beam.width="),
        ("gear ask --agent nosuch --set da", ""),
        ("gear paths --set ho", "plain,hops="),
    ],
)
def test_the_shell_completes_commands_recipes_and_their_options(words, expected, monkeypatch):
    """Called as bash does."""
    monkeypatch.setenv("COMP_WORDS", words)
    monkeypatch.setenv("COMP_CWORD", str(words.count(" ")))

    assert expected == BashComplete(cli, {}, "gear", "_GEAR_COMPLETE").complete()


COMMANDS = dict(leaves(cli, click.Context(cli, info_name="gear")))


def parameters(command):
    """All parameters of a command, including those of recipes."""
    return command.get_params(click.Context(command))


def body(command):
    """The names that a command's function uses, without its signature."""
    function = inspect.unwrap(command.callback)
    function = function.func if isinstance(function, partial) else function
    (tree,) = ast.parse(inspect.cleandoc("\n" + inspect.getsource(function))).body
    assert isinstance(tree, ast.FunctionDef)
    return {node.id for part in tree.body for node in ast.walk(part) if isinstance(node, ast.Name)}


@pytest.fixture
def gear(capsys, tmp_path, monkeypatch):
    """Run a command in its own folder, with an environment that names no server."""
    for variable in ("NEO4J_URI", "NEO4J_PASSWORD", "GEAR_NAME", "GEAR_CHAT_MODEL", "OPENAI_API_KEY"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("GEAR_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "200")

    def run(*args):
        with pytest.raises(SystemExit) as ended:
            main([str(arg) for arg in args])
        printed = capsys.readouterr()
        return ended.value.code, printed.out, printed.err

    return run


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_no_option_is_ignored(words):
    """The function of each command uses all its parameters, including those that decorators combine."""
    command = COMMANDS[words]
    given = {one.name for one in parameters(command) if one.expose_value}
    taken = set(inspect.signature(inspect.unwrap(command.callback)).parameters)
    made = set().union(*(options for value, options in MADE_FROM.items() if value in taken))

    assert set() == (given - made | taken) - {"help"} - body(command)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_settings_are_those_that_a_command_needs(words):
    """No server options without a database, no embedding model without vectors, no cache without a model."""
    names = {one.name for one in parameters(COMMANDS[words])}
    connected = {"uri", "username", "password", "database", "name"} <= names

    embeds = {"demo", "ingest", "export", "adopt", "migrate", "doctor", "search", "paths", "ask", "evaluate", "mcp"}
    embeds |= {"serve", "sync"}
    calls = {
        "ingest",
        "search",
        "ask",
        "evaluate",
        "export",
        "communities build",
        "communities update",
        "calibrate",
        "config",
        "mcp",
        "serve",
        "sync",
    }
    offline = {"up", "down", "status", "export", "compare", "calibrate", "explain", "cypher"}
    offline |= {"keys add", "keys list", "keys revoke", "recipes", "help"}
    offline |= {"audit verify", "audit anchor", "audit export"}

    assert connected == (" ".join(words) not in offline)
    assert ("embedding_model" in names) == (" ".join(words) in embeds | {"calibrate", "config"})
    assert ("chat_model" in names) == ("chat_cache" in names) == (" ".join(words) in calls)


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_every_option_explains_itself(words):
    """In a sentence, followed only by the variable or the default."""
    for option in parameters(COMMANDS[words]):
        if isinstance(option, click.Option) and not option.hidden:
            assert option.help, option.name
            assert option.help.rstrip()[-1] in ".]", option.help


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_one_vocabulary(words):
    """--json takes an optional file, and no option is hidden."""
    options = {name: one for one in parameters(COMMANDS[words]) for name in one.opts}

    if "--json" in options:
        assert ("json_file", "[FILE]", str(STDOUT)) == (
            options["--json"].name,
            options["--json"].metavar,
            options["--json"].flag_value,
        )
    assert [] == [name for name, one in options.items() if getattr(one, "hidden", False)]


@pytest.mark.parametrize(("name", "most"), MOST_OPTIONS.items())
def test_the_options_fit_a_screen(name, most):
    """Options of recipes are set with --set."""
    options = [one for one in parameters(COMMANDS[(name,)]) if isinstance(one, click.Option)]

    assert len(options) <= most
    assert {"--retriever", "--base", "--set", "--json"} <= {opt for one in options for opt in one.opts}


def test_the_flag_of_json_takes_no_question_and_no_source_for_its_file():
    """Only a word that ends in .json; other file names need an equals sign."""
    assert ["--json=-", "Who?"] == list(json_to_output(["--json", "Who?"]))
    assert ["--json=-", "corpus.jsonl"] == list(json_to_output(["--json", "corpus.jsonl"]))
    assert ["Who?", "--json=-"] == list(json_to_output(["Who?", "--json"]))
    assert ["--json=-", "-k", "3"] == list(json_to_output(["--json", "-k", "3"]))
    assert ["--json", "out/Hits.JSON", "Who?"] == list(json_to_output(["--json", "out/Hits.JSON", "Who?"]))
    assert ["--json=report", "Who?"] == list(json_to_output(["--json=report", "Who?"]))
    assert ["--", "--json"] == list(json_to_output(["--", "--json"]))


def test_json_goes_to_standard_output_or_to_a_file(gear, tmp_path):
    """Without a file it is the whole output; with a file the normal output stays."""
    code, out, err = gear("config", "--json")
    printed = json.loads(out)
    assert (0, "") == (code, err)

    code, out, _ = gear("config", "--json", "config.json")
    assert (0, printed) == (code, json.loads((tmp_path / "config.json").read_text()))
    assert "NEO4J_URI" in out

    assert 0 == gear("config", "--json=settings")[0]
    assert printed == json.loads((tmp_path / "settings").read_text())


def test_a_file_of_json_is_checked_first(gear, tmp_path):
    """Before any server is contacted."""
    code, out, err = gear("search", "Who?", "--json", tmp_path / "gone" / "x.json")

    assert (2, "") == (code, out)
    assert "x.json cannot be written: there is no folder" in err
    with pytest.raises(InputError, match="cannot be written"):
        emit(tmp_path / "gone" / "x.json", {})


def test_every_recipe_is_listed_with_a_line(gear):
    """By kind; for a name, its options with types and defaults; also as JSON."""
    code, out, _ = gear("recipes")
    lines = out.splitlines()
    assert (0, ["retrievers", "agents", "extractors"]) == (code, [line for line in lines[:-1] if line[0] != " "])
    for entry in (*RETRIEVERS, *AGENTS, *EXTRACTORS):
        assert any(line.startswith(f"  {entry.name} ") for line in lines), entry.name

    _, out, _ = gear("recipes", "scout")
    assert "damping" in out
    assert "number, at least 0, below 1" in out
    assert out.endswith("gear search QUESTION --retriever scout --set triples=5\n")

    told = json.loads(gear("recipes", "paths", "--json")[1])
    assert [("retriever", "paths"), ("agent", "paths")] == [(one["kind"], one["name"]) for one in told]
    hops = {"name": "hops", "type": "integer, at least 1, at most 4", "default": "2"}
    assert hops.items() <= told[0]["options"][3].items()

    code, _, err = gear("recipes", "scuot")
    assert (2, True) == (code, "there is no recipe 'scuot': did you mean scout? choose one of auto, " in err)
    assert list(AGENTS.entries) == [Choice(None, name).make().name for name in AGENTS.entries]


@pytest.mark.parametrize("words", [(), ("search",), ("keys", "add"), ("communities",)], ids=" ".join)
def test_help_prints_what_the_option_prints(gear, words):
    """For the program, a command, and a subcommand."""
    assert gear(*words, "--help") == gear("help", *words)


def test_help_of_what_is_no_command_is_refused(gear):
    """In one line each."""
    assert (2, "", "gear: there is no command nosuch (see gear --help)\n") == gear("help", "nosuch")
    assert "gear search has no command 'x'" in gear("help", "search", "x")[2]


@pytest.mark.parametrize("command", ["search", "ask", "paths"])
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["Who founded Sigma?"], "Who founded Sigma?"),
        (["Who", "founded", "Sigma"], "Who founded Sigma"),
        (["Who", "--strict", "founded", "Sigma"], "Who founded Sigma"),
        (["--strict", "Who", "founded", "Sigma"], "Who founded Sigma"),
        (["--strict", "--", "-5", "degrees?"], "-5 degrees?"),
    ],
)
def test_a_question_needs_no_quotes(command, words, expected):
    """Options may be anywhere; after -- a word may begin with a dash."""
    context = COMMANDS[(command,)].make_context(command, list(words))

    assert expected == context.params["question"]
    assert ("--strict" in words) == context.params["strict"]


@pytest.mark.parametrize("words", [["ingest"], ["export", "--admin-import", "out"]])
def test_an_address_is_refused_where_only_files_are_read(gear, words):
    """It used to be reported as a missing path, with a slash less."""
    message = "gear: https://***@example.org/a.html is an address: only gear sync reads those\n"

    assert (2, "", message) == gear(*words, "https://ada:secret@example.org/a.html")


@pytest.mark.parametrize("words", [["search"], ["ask", "--agent", "crag"]])
def test_a_base_given_as_a_retriever_is_explained(gear, words):
    """Both rank passages, but a base is an option."""
    code, _, err = gear(*words, "a question", "--retriever", "sbert")

    assert (2, "gear: sbert is a base, not a retriever: give --retriever base --base sbert\n") == (code, err)


def test_a_check_rebuilds_nothing(gear):
    """The two options contradict each other."""
    code, _, err = gear("migrate", "--check", "--rebuild")

    assert (2, True) == (code, "give only one of them" in err)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--set", "width"], "'width' is not NAME=VALUE, such as damping=0.5"),
        (["--retriever", "naive", "--set", "width=0"], "the beam's width is 0: it must be at least 1"),
        (["--retriever", "naive", "--set", "widht=3"], "naive has no option 'widht': did you mean width?"),
        (["--retriever", "naive", "--base", "sbert", "--set", "base=bm25"], "base is set twice: give it once"),
        (["--set", "damping=0.5"], "auto has no option 'damping': choose a retriever that has it"),
    ],
)
def test_an_option_that_cannot_be_set_costs_one_line(gear, options, message):
    """Before a server is contacted."""
    code, _, err = gear("search", "Who?", *options)

    assert (2, 1) == (code, len(err.splitlines()))
    assert message in err


def rows(text):
    return {row["setting"]: (row["value"], row["from"]) for row in json.loads(text)}


def test_config_says_where_each_setting_comes_from(gear, tmp_path, monkeypatch):
    """An option, the environment, a file, or the default, in this order."""
    (tmp_path / "aura.env").write_text("NEO4J_URI=neo4j+s://file\nNEO4J_USERNAME=ann\nNEO4J_DATABASE=papers\n")
    monkeypatch.setenv("NEO4J_USERNAME", "bob")
    monkeypatch.setenv("GEAR_CHAT_TIMEOUT", "5")

    found = rows(gear("config", "--env", "aura.env", "--database", "books", "--no-cache", "--json")[1])

    assert ("neo4j+s://file", "file aura.env") == found["uri"]
    assert ("bob", "environment") == found["username"]
    assert ("books", "option") == found["database"]
    assert (False, "option") == found["chat_cache"]
    assert (5.0, "environment") == found["chat_timeout"]
    assert (4, "default") == found["chat_concurrency"]
    assert (None, "option") == rows(gear("config", "--env", "aura.env", "--name", "mine", "--json")[1])["uri"]


def test_config_shows_no_secret(gear, monkeypatch):
    """No password, no key, and none inside a URL."""
    monkeypatch.setenv("NEO4J_PASSWORD", "HIDDEN1")
    monkeypatch.setenv("OPENAI_API_KEY", "HIDDEN2")
    monkeypatch.setenv("GEAR_EMBEDDING_KEY", "HIDDEN3")
    monkeypatch.setenv("GEAR_SERVE_OIDC_SECRET", "HIDDEN7")
    monkeypatch.setenv("OPENAI_BASE_URL", "https://me:HIDDEN4@host/v1?key=HIDDEN5")
    monkeypatch.setenv("NEO4J_URI", "bolt://me:HIDDEN6@host")

    shown = gear("config")[1] + gear("config", "--json")[1]

    assert "HIDDEN" not in shown
    assert 8 == shown.count("(set)")
    assert "https://***@host/v1?***" in shown


def test_config_connects_to_nothing_and_creates_nothing(gear, tmp_path):
    """Showing the settings leaves no trace."""
    assert 0 == gear("config")[0]
    assert [] == list(Path(tmp_path).iterdir())


@pytest.mark.parametrize(
    "option",
    [
        "--extract=rules",
        "--agent=gear",
        "--quality",
        "--table",
        "--report=page",
        "--llm=model",
        "--protocol=one",
        "--ks=5",
        "--fresh",
    ],
)
def test_an_option_for_passages_is_refused_for_a_knowledge_graph(tmp_path, capsys, option):
    for name in ("nodes.csv", "relationships.csv", "questions.jsonl"):
        (tmp_path / name).touch()

    with pytest.raises(SystemExit) as caught:
        main(["evaluate", str(tmp_path), option])

    assert 2 == caught.value.code
    reason = f"{option.split('=')[0]} is for a data set with passages: leave it out for a knowledge graph"
    assert reason in " ".join(capsys.readouterr().err.split())


def test_a_hint_repeats_the_options_that_choose_the_database():
    """But no password, and nothing from the environment."""

    @click.command()
    @with_settings(CONNECTION)
    def hinting(settings):
        click.echo(f"gear adopt{given_connection()}")

    given = ["--uri", "bolt://h:7687", "--password", "secret", "--database", "my graph"]
    shown = CliRunner(env={"NEO4J_USERNAME": "ann"}).invoke(hinting, given).output

    assert "gear adopt --uri bolt://h:7687 --database 'my graph'\n" == shown
    assert "gear adopt --name films\n" == CliRunner().invoke(hinting, ["--name", "films"]).output


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("search -k 0 Who", "-k 0: give a whole number, 1 or more"),
        ("search -k many Who", "-k many: give a whole number, 1 or more"),
        ("serve --port 70000", "--port 70000: give a whole number from 0 to 65535"),
        ("sync docs --max-file-seconds 0", "--max-file-seconds 0.0: give a number above 0"),
        ("adopt --vectors x", "--vectors x: give encoded or composed"),
        ("search --retriver naive Who", "there is no option --retriver: did you mean --retriever?"),
        ("search --frob Who", "there is no option --frob"),
        ("serach", "there is no command serach: did you mean search?"),
        ("search Who --where", "--where needs a value"),
        ("forget", "SOURCE is missing"),
        ("evaluate --ks x docs", "--ks: 'x' is not a list of numbers like 2,5,10,15"),
    ],
)
def test_a_mistake_in_a_command_line_is_one_plain_line(gear, line, message):
    """What was typed, and what to type instead."""
    code, out, err = gear(*line.split())

    assert (2, "", f"gear: {message}") == (code, out, err.partition(" (see gear ")[0].rstrip("\n"))
    assert 1 == err.count("\n")
