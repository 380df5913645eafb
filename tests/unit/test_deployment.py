"""The image, the compose file, the systemd unit and their page agree with the package, and grant no extra rights."""

import configparser
import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

from gear_neo4j.cli.keys import keys
from gear_neo4j.cli.serve import serve
from gear_neo4j.settings import DEFAULT_NEO4J_VERSION, VARIABLES, Settings
from gear_neo4j.web.running import STOP_SECONDS

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
COMPOSE = yaml.safe_load((ROOT / "docker-compose.yml").read_text("utf-8"))
PAGE = (ROOT / "docs" / "team.md").read_text("utf-8")
WORKFLOWS = {file.stem: yaml.safe_load(file.read_text("utf-8")) for file in (ROOT / ".github" / "workflows").iterdir()}
KNOWN = {variable for variables in VARIABLES.values() for variable in variables}
OTHERS = {"PATH", "HF_HUB_OFFLINE", "ORT_DISABLE_TELEMETRY", "PYTHONDONTWRITEBYTECODE"}
SECRET = re.compile(r"(PASSWORD|API_KEY|AUTH|TOKEN)$")
USER = "10001"


def instructions():
    """The instructions of the Dockerfile, as (name, arguments), with continued lines joined."""
    text = re.sub(r"(?m)^#.*\n", "", (ROOT / "Dockerfile").read_text("utf-8")).replace("\\\n", " ")
    return [tuple(line.split(None, 1)) for line in text.splitlines() if line.strip()]


DOCKERFILE = instructions()
LAST_STAGE = DOCKERFILE[max(index for index, (name, _) in enumerate(DOCKERFILE) if name == "FROM") :]


def unit():
    """The systemd unit: each option with all its values."""
    lines = (ROOT / "examples" / "gear.service").read_text("utf-8").splitlines()
    pairs = [line.split("=", 1) for line in lines if "=" in line and not line.startswith("#")]
    return {name: [value for other, value in pairs if other == name] for name, _ in pairs}


UNIT = unit()


def commands(job):
    """The shell commands of a job of a workflow."""
    return [step["run"] for step in job["steps"] if "run" in step]


def test_a_release_is_published_by_a_job_that_runs_nothing_of_ours():
    """Only this job may request a token from PyPI; the job that builds can only read."""
    release = WORKFLOWS["release"]
    rights = {name: job["permissions"] for name, job in release["jobs"].items()}

    assert {} == release["permissions"]
    assert {"contents": "read"} == rights["build"] == WORKFLOWS["test"]["permissions"]
    assert {"id-token": "write"} == rights["publish"]
    assert [] == commands(release["jobs"]["publish"])
    assert not any("id-token" in permissions for name, permissions in rights.items() if name != "publish")


def test_the_workflows_name_existing_targets_and_versions():
    """Each supported version of Python is tested."""
    jobs = [job for workflow in WORKFLOWS.values() for job in workflow["jobs"].values()]
    targets = {target for job in jobs for command in commands(job) for target in re.findall(r"make (\w+)", command)}
    pythons = {line.rpartition(" ")[2] for line in PROJECT["classifiers"] if "Python ::" in line}

    assert {"lint", "test", "sbom"} == targets
    assert all(re.search(rf"(?m)^{target}:", (ROOT / "Makefile").read_text("utf-8")) for target in targets)
    assert pythons == set(WORKFLOWS["test"]["jobs"]["test"]["strategy"]["matrix"]["python"])


def test_the_image_runs_without_privileges_and_checks_its_own_health():
    """With Python, because the image has no curl."""
    last = dict(LAST_STAGE)

    assert f"{USER}:{USER}" == last["USER"]
    assert any(name == "RUN" and f"--uid {USER}" in text for name, text in LAST_STAGE)
    assert "/healthz" in last["HEALTHCHECK"]
    assert 'CMD ["python"' in last["HEALTHCHECK"]
    assert "curl" not in "".join(text for _, text in DOCKERFILE)
    assert str(Settings().serve_port) == last["EXPOSE"]
    assert f"127.0.0.1:{last['EXPOSE']}/" in last["HEALTHCHECK"]
    assert ('["gear"]', '["serve"]') == (last["ENTRYPOINT"], last["CMD"])


def test_the_image_has_the_python_and_the_torch_of_the_package():
    """The base names its version; the installed extras exist."""
    bases = [text.split()[0] for name, text in DOCKERFILE if name == "FROM"]
    (base,) = set(bases)
    runs = " ".join(text for name, text in DOCKERFILE if name == "RUN")
    (extras,) = re.findall(r"'\.\[(.*?)\]'", runs)

    assert f"python:{PROJECT['requires-python'].removeprefix('>=')}-slim-bookworm" == base
    assert re.findall(r"'(torch\S+)'", runs) == [one for one in PROJECT["dependencies"] if one.startswith("torch")]
    assert set(extras.split(",")) <= PROJECT["optional-dependencies"].keys()


def test_the_image_is_built_from_sources_alone():
    """It copies what .dockerignore allows, and every part of the package."""
    allowed = {
        line[1:].rstrip("/") for line in (ROOT / ".dockerignore").read_text().splitlines() if line.startswith("!")
    }
    copied = [source for name, text in DOCKERFILE if name == "COPY" for source in shlex.split(text)[:-1]]

    assert allowed == {source.removeprefix("./") for source in copied if not source.startswith(("--from", "/"))}
    assert all((ROOT / name).exists() for name in allowed)


def test_no_setting_of_the_image_or_the_services_is_unknown_or_a_secret():
    """A secret in an environment would be shown by docker inspect."""
    image = re.findall(r"(\w+)=", dict(LAST_STAGE)["ENV"])
    service = COMPOSE["services"]["gear"]["environment"]

    assert set() == {*image, *service} - KNOWN - OTHERS
    for environment in (one.get("environment", {}) for one in COMPOSE["services"].values()):
        assert [] == [name for name in environment if SECRET.search(name)]


def test_the_compose_file_opens_ports_on_this_machine_alone():
    """And the services' own ports."""
    ports = {name: one["ports"] for name, one in COMPOSE["services"].items()}

    assert {"127.0.0.1"} == {port.split(":")[0] for some in ports.values() for port in some}
    assert [f"127.0.0.1:{Settings().serve_port}:{Settings().serve_port}"] == ports["gear"]


def test_the_versions_of_the_compose_file_are_those_of_the_package():
    """The tag of the image, and the Neo4j version of local servers."""
    neo4j, gear = COMPOSE["services"]["neo4j"], COMPOSE["services"]["gear"]
    (version,) = re.findall(r":-([\d.]+)}", neo4j["image"])

    assert f"{PROJECT['name']}:{PROJECT['version']}" == gear["image"]
    assert DEFAULT_NEO4J_VERSION.startswith(f"{version}.")


def test_the_service_of_the_compose_file_can_write_only_where_it_must():
    """Secrets are files; it waits for Neo4j, and gets time to finish before it is killed."""
    gear = COMPOSE["services"]["gear"]
    last = dict(LAST_STAGE)

    assert (True, ["ALL"], ["no-new-privileges:true"]) == (gear["read_only"], gear["cap_drop"], gear["security_opt"])
    assert [f"home:{path}" for path in re.findall(r'"(.*?)"', last["VOLUME"])] == gear["volumes"]
    assert f"GEAR_HOME={gear['volumes'][0].split(':')[1]}" in last["ENV"]
    assert {"condition": "service_healthy"} == gear["depends_on"]["neo4j"]
    assert int(gear["stop_grace_period"].removesuffix("s")) > STOP_SECONDS
    for one in COMPOSE["services"].values():
        for name in one["secrets"]:
            assert COMPOSE["secrets"][name]["file"].startswith("./secrets/")
            assert f"/run/secrets/{name}" in f"{one.get('command')} {one['environment']}"
    assert "secrets/" in (ROOT / ".gitignore").read_text().splitlines()
    assert serve.make_context("serve", [*gear["command"][1:2], __file__])


def test_a_neo4j_of_the_compose_file_has_the_limits_of_the_manual():
    """For one query, for all queries, and for their time."""
    environment = COMPOSE["services"]["neo4j"]["environment"]
    manual = (ROOT / "docs" / "operations.md").read_text("utf-8")
    limits = dict(re.findall(r"(?m)^    (db\.[a-z.]+)=(\w+)", manual))

    assert 3 == len(limits)
    for name, value in limits.items():
        assert value == environment[f"NEO4J_{name.replace('.', '_')}"].lower()


HARDENED = {
    "DynamicUser": "yes",
    "NoNewPrivileges": "yes",
    "ProtectSystem": "strict",
    "ProtectHome": "yes",
    "PrivateTmp": "yes",
    "PrivateDevices": "yes",
    "CapabilityBoundingSet": "",
    "StateDirectoryMode": "0700",
    "UMask": "0077",
}


@pytest.mark.parametrize("option", HARDENED)
def test_the_unit_gives_the_service_no_rights(option):
    """No permanent user, and no folder to write to."""
    assert [HARDENED[option]] == UNIT[option]


def test_the_unit_starts_an_existing_command_with_existing_settings():
    """It gets time to finish before it is killed, and contains no secret."""
    (start,), variables = UNIT["ExecStart"], [text.split("=", 1) for text in UNIT["Environment"]]
    program, command, *options = shlex.split(start)
    names = {name for name, _ in variables}

    assert ("gear", "serve") == (Path(program).name, command)
    assert serve.make_context("serve", [options[0], __file__])
    assert [f"%d/{text.split(':')[0]}" for text in UNIT["LoadCredential"]] == options[1:]
    assert set() == names - KNOWN - OTHERS
    assert [] == [name for name in names if SECRET.search(name)]
    assert f"/var/lib/{UNIT['StateDirectory'][0]}" == dict(variables)["GEAR_HOME"]
    assert int(UNIT["TimeoutStopSec"][0]) > STOP_SECONDS


def test_the_unit_is_one_that_a_parser_takes():
    """Each option is in a section."""
    parser = configparser.RawConfigParser(strict=False)
    parser.read(ROOT / "examples" / "gear.service")

    assert ["Unit", "Service", "Install"] == parser.sections()


def test_the_commands_of_the_page_have_existing_options():
    """For keys; and the proxies use the service's port."""
    lines = [line for line in PAGE.splitlines() if "gear keys add " in line]
    port = Settings().serve_port

    assert len(lines) >= 2
    for line in lines:
        options = shlex.split(line.partition("   #")[0].partition("gear keys add ")[2])
        assert keys.commands["add"].make_context("add", options)
    assert [f"127.0.0.1:{port}"] * 2 == re.findall(r"127\.0\.0\.1:\d+", PAGE)
