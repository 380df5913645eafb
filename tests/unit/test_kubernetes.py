"""The manifests for Kubernetes are valid, agree with each other and with the package, and grant no extra rights."""

import re
import shlex
import tomllib
from pathlib import Path

import pytest
import yaml

from gear_neo4j.cli.main import cli
from gear_neo4j.errors import SettingsError
from gear_neo4j.mcp import calls
from gear_neo4j.settings import SECRETS, VARIABLES, Settings
from gear_neo4j.web import app
from gear_neo4j.web.audit.writing import ChainWriter
from gear_neo4j.web.identity.rights import Rights
from gear_neo4j.web.keys import add_key, read_keys
from gear_neo4j.web.options import LOOPBACK, ServiceOptions
from gear_neo4j.web.routes.health import OPEN_PATHS
from gear_neo4j.web.running import STOP_SECONDS

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "deploy" / "kubernetes"
PAGE = (ROOT / "docs" / "kubernetes.md").read_text("utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
IMAGE = (ROOT / "Dockerfile").read_text("utf-8")
KUSTOMIZATIONS = {file.parent: yaml.safe_load(file.read_text("utf-8")) for file in FOLDER.rglob("kustomization.yaml")}
OBJECTS = [
    found
    for folder, kustomization in KUSTOMIZATIONS.items()
    for name in kustomization["resources"]
    for found in yaml.safe_load_all((folder / name).read_text("utf-8"))
]
BY_NAME = {(found["kind"], found["metadata"]["name"]): found for found in OBJECTS}
# Made by whoever installs it, because they hold secrets and documents.
OWN = {"secret": {"gear-env", "gear-keys"}, "persistentVolumeClaim": {"gear-documents"}}
NAMED_BY = {"secret": "secretName", "persistentVolumeClaim": "claimName", "configMap": "name"}
WRITABLE = {"/var/lib/gear", "/var/lib/gear-audit", "/run/gear", "/tmp"}
SETTINGS = BY_NAME["ConfigMap", "gear-settings"]["data"]
SECRET_VARIABLES = {variable for name in SECRETS for variable in VARIABLES[name]}
STATEFUL = BY_NAME["StatefulSet", "gear"]["spec"]


def template(found):
    """The template of the pods of an object; None for one without pods."""
    spec = found.get("spec", {})
    return spec.get("jobTemplate", {"spec": spec})["spec"].get("template")


PODS = {found["metadata"]["name"]: made for found in OBJECTS if (made := template(found))}
CONTAINERS = {
    (name, container["name"]): container
    for name, pod in PODS.items()
    for container in (*pod["spec"].get("initContainers", ()), *pod["spec"]["containers"])
}
SERVICE = CONTAINERS["gear", "gear"]


def pods_of(labels):
    """The names of the objects whose pods have these labels."""
    return {name for name, pod in PODS.items() if labels.items() <= pod["metadata"]["labels"].items()}


def test_every_file_belongs_to_a_kustomization():
    """And all objects have names of their own."""
    named = {folder / name for folder, one in KUSTOMIZATIONS.items() for name in one["resources"]}

    assert {file for file in FOLDER.rglob("*") if file.is_file()} == named | {
        folder / "kustomization.yaml" for folder in KUSTOMIZATIONS
    }
    assert len(BY_NAME) == len(OBJECTS)
    assert [] == [name for name in re.findall(r"`(\w+\.yaml)`", PAGE) if not (FOLDER / name).is_file()]
    assert {BY_NAME["Namespace", "gear"]["metadata"]["name"]} == {one["namespace"] for one in KUSTOMIZATIONS.values()}


@pytest.mark.parametrize("name", BY_NAME, ids="-".join)
def test_an_object_has_the_schema_of_kubernetes(name):
    """Without fields that Kubernetes does not know."""
    kubernetes_validate = pytest.importorskip("kubernetes_validate")

    kubernetes_validate.validate(BY_NAME[name], kubernetes_validate.latest_version(), strict=True)


def test_a_misspelt_field_has_no_schema():
    """So the check above can fail."""
    kubernetes_validate = pytest.importorskip("kubernetes_validate")
    misspelt = {**BY_NAME["Service", "gear"], "specs": {}}

    with pytest.raises(kubernetes_validate.ValidationError):
        kubernetes_validate.validate(misspelt, kubernetes_validate.latest_version(), strict=True)


@pytest.mark.parametrize(
    ("kind", "name", "selected"),
    [
        ("Service", "gear", {"gear"}),
        ("Service", "gear-pods", {"gear"}),
        ("PodDisruptionBudget", "gear", {"gear"}),
        ("StatefulSet", "gear", {"gear"}),
        ("NetworkPolicy", "gear", {"gear", "gear-sync", "gear-migrate"}),
        ("NetworkPolicy", "gear-serve", {"gear"}),
    ],
)
def test_a_selector_selects_what_it_is_for(kind, name, selected):
    """By the labels of the pods."""
    spec = BY_NAME[kind, name]["spec"]
    selector = spec.get("podSelector") or spec["selector"]

    assert selected == pods_of(selector.get("matchLabels", selector))


def test_what_is_referred_to_exists():
    """In the manifests, or it is made as the page says; and the page says it of nothing else."""
    volumes = [volume for pod in PODS.values() for volume in pod["spec"]["volumes"]]
    named = {kind: {volume[kind][key] for volume in volumes if kind in volume} for kind, key in NAMED_BY.items()}
    maps = {source["configMapRef"]["name"] for one in CONTAINERS.values() for source in one.get("envFrom", ())}
    (tls,) = BY_NAME["Ingress", "gear"]["spec"]["tls"]

    assert OWN == {kind: named[kind] for kind in OWN}
    assert named["configMap"] | maps == {name for kind, name in BY_NAME if kind == "ConfigMap"}
    assert all(name in PAGE for name in (*OWN["secret"], *OWN["persistentVolumeClaim"], tls["secretName"]))
    for name, pod in PODS.items():
        claims = BY_NAME.get(("StatefulSet", name), {}).get("spec", {}).get("volumeClaimTemplates", [])
        there = {one["name"] for one in pod["spec"]["volumes"]} | {one["metadata"]["name"] for one in claims}
        mounts = {
            one["name"] for (owner, _), each in CONTAINERS.items() if owner == name for one in each["volumeMounts"]
        }
        assert there == mounts


def test_requests_reach_the_port_of_the_service():
    """From the host that the service allows, over its own port."""
    spec = BY_NAME["Ingress", "gear"]["spec"]
    (rule,), (tls,) = spec["rules"], spec["tls"]
    (path,) = rule["http"]["paths"]
    backend = path["backend"]["service"]
    (port,) = SERVICE["ports"]
    hosts = SETTINGS["GEAR_SERVE_ALLOWED_HOSTS"].split(",")
    pods = [f"gear-{number}.{STATEFUL['serviceName']}" for number in range(STATEFUL["replicas"])]

    assert Settings().serve_port == port["containerPort"]
    assert backend["port"]["name"] in [one["name"] for one in BY_NAME["Service", backend["name"]]["spec"]["ports"]]
    for service in (backend["name"], STATEFUL["serviceName"]):
        assert [port["name"]] == [one["targetPort"] for one in BY_NAME["Service", service]["spec"]["ports"]]
    assert [rule["host"], "gear", *pods] == hosts
    assert [rule["host"]] == tls["hosts"]
    assert f"https://{rule['host']}" == SETTINGS["GEAR_SERVE_PUBLIC_URL"]
    assert ServiceOptions(allowed_hosts=tuple(hosts), public_url=SETTINGS["GEAR_SERVE_PUBLIC_URL"])


def test_probes_ask_health_routes_as_a_host_that_is_always_allowed():
    """The service answers 400 to requests for the address of a pod, and health routes need no key."""
    probes = {kind: SERVICE[f"{kind}Probe"]["httpGet"] for kind in ("startup", "liveness", "readiness")}

    assert OPEN_PATHS == ("/healthz", "/readyz")
    assert {"startup": "/healthz", "liveness": "/healthz", "readiness": "/readyz"} == {
        kind: one["path"] for kind, one in probes.items()
    }
    for one in probes.values():
        assert "http" == one["port"]
        assert [("Host", True)] == [(header["name"], header["value"] in LOOPBACK) for header in one["httpHeaders"]]


def test_settings_are_known_and_hold_no_secret():
    """Values of the environment are those that the settings accept."""
    known = {variable for variables in VARIABLES.values() for variable in variables}
    environment = [one for container in CONTAINERS.values() for one in container.get("env", ())]

    assert [] == environment
    assert set() == SETTINGS.keys() - known
    assert set() == SETTINGS.keys() & SECRET_VARIABLES
    assert Settings.load(SETTINGS).serve_audit_required


def test_secrets_of_the_page_are_settings():
    """Those of the file of secrets."""
    (line,) = re.findall(r"(?m)^printf '(.*?)'", PAGE)

    assert {"NEO4J_PASSWORD", "OPENAI_API_KEY"} == set(re.findall(r"([A-Z0-9_]+)=%s", line)) & SECRET_VARIABLES


@pytest.mark.parametrize("name", [("gear", "gear"), ("gear-sync", "gear"), ("gear-migrate", "gear")], ids="-".join)
def test_the_command_of_a_container_exists(name):
    """With its options; paths of the container become ones that exist here."""
    command, *arguments = CONTAINERS[name]["args"]
    mounted = "|".join(mount["mountPath"] for mount in CONTAINERS[name]["volumeMounts"])
    arguments = [re.sub(rf"({mounted})[\w./-]*$", str(ROOT / "LICENSE"), one) for one in arguments]

    assert cli.load(command).make_context(command, arguments)


def test_the_commands_of_the_page_exist():
    """With their options."""
    lines = re.findall(r"(?m)^(?:kubectl exec \S+ -- )?gear ((?:keys add|audit verify) .*?)(?:   #.*)?$", PAGE)

    assert len(lines) >= 2
    for line in lines:
        group, command, *arguments = shlex.split(line)
        assert (
            cli.load(group)
            .commands[command]
            .make_context(command, [re.sub(r"^/.*", str(ROOT), one) for one in arguments])
        )


def test_images_have_the_version_of_the_package():
    """And no other image is needed."""
    assert {f"{PROJECT['name']}:{PROJECT['version']}"} == {one["image"] for one in CONTAINERS.values()}


@pytest.mark.parametrize("name", PODS)
def test_a_pod_has_no_rights(name):
    """It meets the strictest of the Pod Security Standards, which the namespace demands, and knows no account."""
    spec = PODS[name]["spec"]
    namespace = BY_NAME["Namespace", "gear"]["metadata"]["labels"]

    assert "restricted" == namespace["pod-security.kubernetes.io/enforce"]
    assert not spec["automountServiceAccountToken"]
    assert spec["securityContext"]["runAsNonRoot"]
    assert {"type": "RuntimeDefault"} == spec["securityContext"]["seccompProfile"]
    assert f"USER {spec['securityContext']['runAsUser']}:{spec['securityContext']['runAsGroup']}\n" in IMAGE
    for (owner, _), container in CONTAINERS.items():
        if owner == name:
            assert {
                "allowPrivilegeEscalation": False,
                "readOnlyRootFilesystem": True,
                "capabilities": {"drop": ["ALL"]},
            } == container["securityContext"]
            assert container["resources"]["limits"]["memory"]


def test_the_service_can_write_where_it_must_and_nowhere_else():
    """In its home, in the record, beside the keys, and in the folder for uploads that arrive."""
    mounts = {one["mountPath"] for one in SERVICE["volumeMounts"] if not one.get("readOnly")}

    assert WRITABLE == mounts
    assert "GEAR_HOME=/var/lib/gear " in IMAGE
    assert str(Path(SETTINGS["GEAR_SERVE_KEYS_FILE"]).parent) in mounts
    assert str(Path(SETTINGS["GEAR_SERVE_AUDIT"]).parent) in mounts


def test_a_record_in_the_volume_itself_would_be_open_to_its_group(tmp_path):
    """Kubernetes gives the root of a volume to a group; a folder in it stays with the service."""
    volume = tmp_path / "volume"
    volume.mkdir()
    volume.chmod(0o2775)

    with pytest.raises(SettingsError, match="open to others"):
        ChainWriter(volume)
    ChainWriter(volume / Path(SETTINGS["GEAR_SERVE_AUDIT"]).name).close()


def test_keys_that_a_group_may_read_are_refused_until_they_are_copied(tmp_path):
    """So they do not come straight from a Secret."""
    secret = tmp_path / "keys.json"
    add_key(secret, "ada")
    (volume,) = [one["secret"] for one in PODS["gear"]["spec"]["volumes"] if one["name"] == "keys"]
    secret.chmod(volume["defaultMode"])
    program, option, mode, source, target = CONTAINERS["gear", "keys"]["command"]

    with pytest.raises(SettingsError, match="open to others"):
        read_keys(secret)
    assert ("install", "-m", 0o600) == (program, option, int(mode, 8))
    assert SETTINGS["GEAR_SERVE_KEYS_FILE"] == target
    assert Path(source).parent.as_posix() == CONTAINERS["gear", "keys"]["volumeMounts"][0]["mountPath"]


def test_a_replica_has_time_to_finish():
    """For requests under way, then for questions, searches, jobs and calls over MCP that do not end by themselves."""
    sleep = SERVICE["lifecycle"]["preStop"]["sleep"]["seconds"]
    closing = 3 * app.CLOSING_SECONDS + calls.CLOSING_SECONDS

    assert STATEFUL["template"]["spec"]["terminationGracePeriodSeconds"] >= sleep + STOP_SECONDS + closing


def test_nobody_writes_through_several_replicas():
    """Because documents are accepted by one process only."""
    rights = Rights.parse(BY_NAME["ConfigMap", "gear-rights"]["data"]["rights.toml"])
    keys = re.findall(r"(?m)^gear keys add .*$", PAGE)

    assert STATEFUL["replicas"] > 1
    assert rights.everyone
    assert [] == [rule for rule in (rights.everyone, *rights.groups.values()) if rule.writes]
    assert keys
    assert [] == [line for line in keys if "--write" in line]


def test_only_named_addresses_can_be_reached():
    """Names, Neo4j, the model and the provider, each by its port; and only the proxy reaches the service."""
    everything, serving = (BY_NAME["NetworkPolicy", name]["spec"] for name in ("gear", "gear-serve"))
    rules = [*everything["egress"], *serving["egress"]]

    assert ["Ingress", "Egress"] == everything["policyTypes"] == serving["policyTypes"]
    assert [] == everything["ingress"]
    assert [[53, 53], [7687], [443], [443]] == [[port["port"] for port in rule["ports"]] for rule in rules]
    assert all(rule["to"] for rule in rules)
    assert f":{rules[1]['ports'][0]['port']}" in SETTINGS["NEO4J_URI"]
    assert [["http"]] == [[port["port"] for port in rule["ports"]] for rule in serving["ingress"]]
    assert all(rule["from"] for rule in serving["ingress"])
