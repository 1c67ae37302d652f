"""An Apache whose pages belong to one user each, by what mod_auth_openidc hears of them."""

from __future__ import annotations

import subprocess
import tempfile
from pathlib import Path

import requests

from support.apache import MODULES, Apache
from support.configuration import Client, Person
from support.server import die_with_parent
from support.visitor import Visitor

# Claims that an operator may take for a user's name.
CLAIMS = ("email", "preferred_username", "nickname", "name", "given_name")
CONFIGURATION = """
ServerRoot {folder}
ServerName 127.0.0.1
PidFile {folder}/httpd.pid
Mutex file:{folder} default
DefaultRuntimeDir {folder}
ErrorLog {folder}/error.log
LogLevel warn
LoadModule mpm_event_module {modules}/mod_mpm_event.so
LoadModule authn_core_module {modules}/mod_authn_core.so
LoadModule authz_core_module {modules}/mod_authz_core.so
LoadModule authz_user_module {modules}/mod_authz_user.so
LoadModule dir_module {modules}/mod_dir.so
LoadModule headers_module {modules}/mod_headers.so
LoadModule mime_module {modules}/mod_mime.so
LoadModule auth_openidc_module {modules}/mod_auth_openidc.so
TypesConfig /dev/null
User www-data
Group www-data
DocumentRoot {folder}/pages
DirectoryIndex index.html
FallbackResource /index.html
StartServers 1
ThreadsPerChild 8
MinSpareThreads 8
MaxSpareThreads 16
MaxRequestWorkers 16

OIDCCryptoPassphrase a-passphrase-for-tests-alone
OIDCSessionType server-cache
OIDCProviderMetadataURL {issuer}/.well-known/openid-configuration
OIDCScope "openid profile email"
OIDCPKCEMethod S256
OIDCInfoHook userinfo id_token
"""
SITE = """
Listen 127.0.0.1:{port}
<VirtualHost 127.0.0.1:{port}>
  OIDCClientID {client_id}
  OIDCClientSecret {secret}
  OIDCRedirectURI http://127.0.0.1:{port}/callback
  OIDCProviderTokenEndpointAuth client_secret_basic
  OIDCIDTokenSignedResponseAlg RS256
  OIDCRemoteUserClaim {claim}
  # Cookies know no ports.
  OIDCCookie session_by_{claim}
  <Location />
    AuthType openid-connect
    Require valid-user
    Header always set X-Remote-User "expr=%{{REMOTE_USER}}"
    RequestHeader unset If-Modified-Since
  </Location>
  {rules}
</VirtualHost>
"""


def page_of(person: Person, claim: str = "user") -> str:
    """The path of a page for one user."""
    return f"/{claim}/{person.login.split('@')[0]}/"


class GuardingApache(Apache):
    """Two sites of one process, each a client of its own.

    - `ports`: at the first site users are who the claim `email` says, and pages ask for a user (`Require user`); at the
      second they are who `sub` says, and pages ask for claims (`Require claim`).
    - `people`: whose pages there are.
    """

    # Another site than the base class has; it is watched and stopped as that one is.
    def __init__(self, ports: tuple[int, int], issuer: str, clients: list[Client], people: list[Person]):
        # Not among pytest's folders, which only their owner may enter.
        self.folder = folder = Path(tempfile.mkdtemp(prefix="keyturn-guarding-"))
        self.by_address, self.by_subject = (f"http://127.0.0.1:{port}" for port in ports)
        (folder / "pages").mkdir()
        (folder / "pages" / "index.html").write_text("<!doctype html><title>inside</title><h1>inside</h1>")
        # Its workers have an account of their own, and write into the folder.
        folder.chmod(0o777)
        users = [f'<Location {page_of(p)}>\n    Require user {p.login}\n  </Location>' for p in people]
        claims = [
            f'<Location {page_of(p, claim)}>\n    Require claim "{claim}:{p.login}"\n  </Location>'
            for p in people for claim in CLAIMS
        ]
        sites = [
            SITE.format(
                port=port, client_id=client.client_id, secret=client.secret, claim=claim, rules="\n  ".join(rules))
            for port, client, claim, rules in zip(ports, clients, ("email", "sub"), (users, claims), strict=True)
        ]
        configuration = folder / "httpd.conf"
        configuration.write_text(
            CONFIGURATION.format(folder=folder, modules=MODULES, issuer=issuer) + "".join(sites))
        self.process = subprocess.Popen(
            ["apache2", "-f", configuration, "-D", "FOREGROUND"],
            stdout=subprocess.DEVNULL, stderr=(folder / "stderr.log").open("wb"), preexec_fn=die_with_parent,
        )
        self._wait(ports[1])

    def begin(self, visitor: Visitor, site: str) -> requests.Response:
        """The redirect with which a sign-in begins."""
        answer = visitor.get(f"{site}/")
        assert answer.status_code == 302, f"status {answer.status_code}\n{self.log_tail()}"
        return answer

    def told(self, visitor: Visitor) -> dict:
        """What the module heard about the user who is signed in at the second site."""
        answer = visitor.get(f"{self.by_subject}/callback", params={"info": "json"})
        assert answer.status_code == 200, f"status {answer.status_code}\n{self.log_tail()}"
        return answer.json()
