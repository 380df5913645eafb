"""A real OpenID provider in a process of its own: npm's oidc-provider, which is certified by the OpenID Foundation."""

import json
import os
import re
import shutil
import time
from contextlib import ExitStack, contextmanager
from pathlib import Path
from urllib.parse import parse_qs, urljoin, urlsplit

import httpx2
from authlib.oauth2.rfc7636 import create_s256_code_challenge
from joserfc import jwt
from joserfc.jwk import KeySet, RSAKey

from tests.processes import PIPE, free_port, run, started

VERSION = "9.13.3"
AUDIENCE = "https://gear.example.org"
SCRIPT = Path(__file__).parent / "identity" / "provider.mjs"
VERIFIER = "a-verifier-of-the-tests-which-is-long-enough-for-the-protocol"


def installed(folder):
    """Install the provider into a folder, once."""
    if not (folder / "node_modules" / "oidc-provider").is_dir():
        folder.mkdir(parents=True, exist_ok=True)
        run(
            ["npm", "install", "--silent", "--no-audit", "--no-fund", f"oidc-provider@{VERSION}"],
            cwd=folder,
            check=True,
        )
    return folder


class IdentityProvider:
    """The provider, its keys and its accounts; it can stop, start again, and start with other keys."""

    def __init__(self, modules, folder):
        self.folder = folder
        self.modules = modules
        self.port = free_port()
        self.issuer = f"http://127.0.0.1:{self.port}"
        self.access_seconds = 3_600
        self.keys = new_keys()
        self.accounts = folder / "accounts.json"
        self.set_groups(ada=["staff", "legal"], bob=["staff"], eve=[])
        self._running = ExitStack()

    def set_groups(self, **groups):
        """The groups of each account, from now on."""
        known = json.loads(self.accounts.read_text()) if self.accounts.exists() else {}
        known |= {name: {"groups": of} for name, of in groups.items()}
        self.accounts.write_text(json.dumps(known))

    def start(self):
        """Start it with the present keys."""
        config = self.folder / "config.json"
        config.write_text(
            json.dumps(
                {
                    "port": self.port,
                    "audience": AUDIENCE,
                    "keys": self.keys.as_dict(private=True),
                    "accounts": str(self.accounts),
                    "accessSeconds": self.access_seconds,
                    "modules": str(self.modules / "package.json"),
                }
            )
        )
        with (self.folder / "provider.log").open("ab") as log:
            process = self._running.enter_context(started(["node", SCRIPT, config], stdout=PIPE, stderr=log))
        assert "ready\n" == process.stdout.readline(), (self.folder / "provider.log").read_text()

    def stop(self):
        """Stop it."""
        self._running.close()

    def rotate(self):
        """Start it again with other keys."""
        self.stop()
        self.keys = new_keys()
        self.start()

    def signed(self, *, header=None, key=None, without=(), **claims):
        """A token with the signature of the provider, or of another key, and with any claims."""
        now = int(time.time())
        own = {
            "iss": self.issuer,
            "sub": "ada",
            "aud": AUDIENCE,
            "iat": now,
            "exp": now + 300,
            "client_id": "tool",
            "email": "ada@example.org",
            "email_verified": True,
            "groups": ["staff", "legal"],
            **claims,
        }
        signer = key or self.keys.keys[0]
        given = {name: value for name, value in own.items() if name not in without}
        return jwt.encode({"alg": "RS256", "kid": signer.kid, "typ": "at+jwt", **(header or {})}, given, signer)

    def token(self, account, *, resource=f"{AUDIENCE}/jwt"):
        """An access token for this service by the code flow, as a tool of that person gets it."""
        back = "http://127.0.0.1:1/callback"
        query = {
            "client_id": "tool",
            "response_type": "code",
            "redirect_uri": back,
            "scope": "openid email groups search",
            "resource": resource,
            "state": "state",
            "code_challenge": create_s256_code_challenge(VERIFIER),
            "code_challenge_method": "S256",
        }
        with httpx2.Client(timeout=30) as http:
            answer = signed_in(http, f"{self.issuer}/auth?{httpx2.QueryParams(query)}", account, until=back)
            code = parse_qs(urlsplit(answer).query)["code"][0]
            form = {
                "grant_type": "authorization_code",
                "client_id": "tool",
                "code": code,
                "redirect_uri": back,
                "code_verifier": VERIFIER,
                "resource": resource,
            }
            response = http.post(f"{self.issuer}/token", data=form)
        assert response.is_success, response.text
        return response.json()["access_token"]

    def revoke(self, token):
        """End a token."""
        httpx2.post(f"{self.issuer}/token/revocation", data={"client_id": "tool", "token": token}).raise_for_status()


def signed_in(http, url, account, *, until):
    """Sign in at the provider as a browser does, form by form; the address at which the browser ends."""
    for _ in range(20):
        if url.startswith(until):
            return url
        response = http.get(url)
        if response.is_redirect:
            url = urljoin(url, response.headers["location"])
            continue
        prompt = re.search(r'name="prompt" value="(\w+)"', response.text)[1]
        form = {"prompt": prompt, **({"login": account, "password": "any"} if prompt == "login" else {})}
        action = re.search(r'<form[^>]* action="([^"]+)"', response.text)[1]
        url = urljoin(url, http.post(urljoin(url, action), data=form).headers["location"])
    raise AssertionError(f"the provider does not lead to {until}")


def new_keys():
    """A key set with one private key."""
    return KeySet([RSAKey.generate_key(2048, {"use": "sig", "alg": "RS256"}, auto_kid=True)])


@contextmanager
def running(modules, folder):
    """A provider that runs in the block."""
    provider = IdentityProvider(modules, folder)
    provider.start()
    try:
        yield provider
    finally:
        provider.stop()


MISSING = [name for name in ("node", "npm") if shutil.which(name) is None]
if MISSING and os.environ.get("CI") == "true":
    raise RuntimeError(f"the tests of sign-in need {' and '.join(MISSING)}")
