"""Settings: their sources, and which source takes precedence."""

from pathlib import Path

import pytest

from gear_neo4j.errors import SettingsError
from gear_neo4j.settings import DEFAULT_NEO4J_VERSION, Settings

AURA = """\
# Wait 60 seconds before connecting using these details, or login to https://console.neo4j.io to validate
NEO4J_URI=neo4j+s://abcd1234.databases.neo4j.io
NEO4J_USERNAME={quote}neo4j{quote}
NEO4J_PASSWORD={quote}p4-ss_w0rd{quote}
NEO4J_DATABASE={quote}abcd1234{quote}
AURA_INSTANCEID=abcd1234
AURA_INSTANCENAME=Instance01
"""


def file_of(tmp_path, text):
    file = tmp_path / "neo4j.env"
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    return file


def test_without_any_value_the_local_server_is_meant():
    """No URI, and the default names."""
    actual = Settings.load({})

    assert (None, "neo4j", None, None, "default") == (
        actual.uri,
        actual.username,
        actual.password,
        actual.database,
        actual.name,
    )
    assert (Path.home() / ".gear-neo4j", DEFAULT_NEO4J_VERSION, None) == (
        actual.home,
        actual.neo4j_version,
        actual.embedding_model,
    )
    assert Settings() == actual


def test_every_variable_is_read():
    """Eight of them; others are ignored."""
    environment = {
        "NEO4J_URI": "bolt://db:7687",
        "NEO4J_USERNAME": "ann",
        "NEO4J_PASSWORD": "secret",
        "NEO4J_DATABASE": "papers",
        "GEAR_NAME": "second",
        "GEAR_HOME": "/srv/gear",
        "GEAR_NEO4J_VERSION": "2025.10.1",
        "GEAR_EMBEDDING_MODEL": "my/model",
        "NEO4J_ACCEPT_LICENSE_AGREEMENT": "yes",
    }

    expected = Settings(
        uri="bolt://db:7687",
        username="ann",
        password="secret",
        database="papers",
        name="second",
        home=Path("/srv/gear"),
        neo4j_version="2025.10.1",
        embedding_model="my/model",
    )
    assert expected == Settings.load(environment)


def test_the_environment_of_the_process_is_the_default(monkeypatch):
    """``Settings.load()`` reads os.environ."""
    monkeypatch.setenv("NEO4J_DATABASE", "from the process")

    assert "from the process" == Settings.load().database


def test_the_environment_wins_over_the_file(tmp_path):
    """Variable by variable: missing ones come from the file."""
    file = file_of(tmp_path, "NEO4J_URI=bolt://file:7687\nNEO4J_DATABASE=file\n")

    actual = Settings.load({"NEO4J_URI": "bolt://environment:7687"}, env_file=file)

    assert ("bolt://environment:7687", "file") == (actual.uri, actual.database)


def test_neo4j_user_is_another_name_of_neo4j_username():
    """Many tools use it; if both are set, NEO4J_USERNAME counts."""
    assert "ann" == Settings.load({"NEO4J_USER": "ann"}).username
    assert "bob" == Settings.load({"NEO4J_USER": "ann", "NEO4J_USERNAME": "bob"}).username


def test_the_environments_neo4j_user_wins_over_the_files_neo4j_username(tmp_path):
    """The environment takes precedence under either name."""
    file = file_of(tmp_path, "NEO4J_USERNAME=file\n")

    assert "environment" == Settings.load({"NEO4J_USER": "environment"}, env_file=file).username


@pytest.mark.parametrize("quote", ["", '"', "'"])
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_the_file_of_aura_is_read_as_it_is(tmp_path, quote, newline):
    """With its comment and the lines about the instance, with or without quotes."""
    file = file_of(tmp_path, AURA.format(quote=quote).replace("\n", newline))

    expected = Settings(
        uri="neo4j+s://abcd1234.databases.neo4j.io", username="neo4j", password="p4-ss_w0rd", database="abcd1234"
    )
    assert expected == Settings.load({}, env_file=file)


def test_a_file_with_a_byte_order_mark_is_read(tmp_path):
    """Notepad writes one; otherwise the first variable would be lost."""
    file = file_of(tmp_path, b"\xef\xbb\xbfNEO4J_URI=bolt://db:7687\n")

    assert "bolt://db:7687" == Settings.load({}, env_file=file).uri


def test_a_password_is_taken_literally(tmp_path):
    """A dollar sign does not refer to another variable."""
    file = file_of(tmp_path, "NEO4J_PASSWORD=pa${HOME}ss\n")

    assert "pa${HOME}ss" == Settings.load({}, env_file=file).password


def test_a_file_that_is_no_text_is_a_settings_error(tmp_path):
    """The message names it."""
    file = file_of(tmp_path, b"\xff\xfeN\x00E\x00")

    with pytest.raises(SettingsError, match=r"neo4j\.env"):
        Settings.load({}, env_file=file)


@pytest.mark.parametrize("name", ["gone.env", "."])
def test_a_missing_file_is_a_settings_error(tmp_path, name):
    """The message names the file and the option; a folder is not a file either."""
    with pytest.raises(SettingsError, match="is not a file: --env"):
        Settings.load({}, env_file=tmp_path / name)


def test_an_empty_value_counts_as_none():
    """``NEO4J_URI=`` in a shell or a compose file means not set."""
    assert Settings() == Settings.load({"NEO4J_URI": "", "NEO4J_USERNAME": "", "GEAR_NAME": "", "GEAR_HOME": ""})


def test_the_home_may_begin_with_a_tilde():
    """No shell expands a value in a file."""
    assert Path.home() / "gear" == Settings.load({"GEAR_HOME": "~/gear"}).home


def test_the_password_is_not_shown():
    """Neither by repr nor by str."""
    settings = Settings(password="secret")

    assert "secret" not in repr(settings) + str(settings)


def test_the_service_has_settings_of_its_own():
    """Lists with commas; an invalid number or switch is refused."""
    environment = {
        "GEAR_SERVE_HOST": "0.0.0.0",
        "GEAR_SERVE_PORT": "9000",
        "GEAR_SERVE_KEYS_FILE": "/srv/keys.json",
        "GEAR_SERVE_ALLOWED_HOSTS": "gear.test, gear2.test,",
        "GEAR_SERVE_ALLOWED_ORIGINS": "https://wiki.test",
        "GEAR_SERVE_PUBLIC_URL": "https://gear.test",
        "GEAR_SERVE_LOG_QUESTIONS": "on",
        "GEAR_SERVE_AUDIT": "/srv/audit",
        "GEAR_SERVE_AUDIT_REQUIRED": "on",
    }
    settings = Settings.load(environment)

    assert ("0.0.0.0", 9000, Path("/srv/keys.json"), ("gear.test", "gear2.test")) == (
        settings.serve_host,
        settings.serve_port,
        settings.serve_keys_file,
        settings.serve_allowed_hosts,
    )
    assert (("https://wiki.test",), "https://gear.test", True) == (
        settings.serve_allowed_origins,
        settings.serve_public_url,
        settings.serve_log_questions,
    )
    assert (Path("/srv/audit"), True, False) == (
        settings.serve_audit,
        settings.serve_audit_required,
        settings.serve_audit_texts,
    )
    for name, value in (("GEAR_SERVE_PORT", "http"), ("GEAR_SERVE_LOG_QUESTIONS", "yes")):
        with pytest.raises(SettingsError, match=name):
            Settings.load({name: value})


def test_minutes_without_a_query_may_be_none_at_all():
    """0 means never; negative values are refused."""
    assert [30.0, 0.0, 0.5] == [Settings.load({"GEAR_LOCAL_IDLE": text}).local_idle for text in ("", "0", "0.5")]
    with pytest.raises(SettingsError, match="GEAR_LOCAL_IDLE is '-1': it must be a number, 0 or more"):
        Settings.load({"GEAR_LOCAL_IDLE": "-1"})
