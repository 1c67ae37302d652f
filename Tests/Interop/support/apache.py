"""An Apache of our own whose module is a relying party."""

from __future__ import annotations

import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from support.configuration import secret_of
from support.server import die_with_parent

MODULES = Path("/usr/lib/apache2/modules")
START_SECONDS = 10

# Shared memory instead of files, everything in the foreground, nothing outside its folder.
CONFIGURATION = """
ServerRoot {folder}
ServerName 127.0.0.1
Listen 127.0.0.1:{port}
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
StartServers 1
ThreadsPerChild 8
MinSpareThreads 8
MaxSpareThreads 16
MaxRequestWorkers 16

OIDCCryptoPassphrase a-passphrase-for-tests-alone
OIDCSessionType server-cache
OIDCSSLValidateServer Off
OIDCProviderMetadataURL {issuer}/.well-known/openid-configuration
OIDCClientID {client_id}
OIDCClientSecret {client_secret}
OIDCRedirectURI http://127.0.0.1:{port}/protected/callback
OIDCScope "openid profile email"
OIDCPKCEMethod S256
OIDCIDTokenSignedResponseAlg {algorithm}
OIDCProviderTokenEndpointAuth client_secret_basic
OIDCRemoteUserClaim sub
OIDCResponseMode {response_mode}

<Location /protected>
  AuthType openid-connect
  Require valid-user
  Header always set X-Remote-User "expr=%{{REMOTE_USER}}"
  RequestHeader unset If-Modified-Since
</Location>
"""


def is_installed() -> bool:
    return shutil.which("apache2") is not None and (MODULES / "mod_auth_openidc.so").exists()


class Apache:
    """Serves `/protected/` to people who signed in at `issuer`, and `/open/` to everybody."""

    def __init__(
        self,
        port: int,
        issuer: str,
        client_id: str,
        *,
        algorithm: str = "RS256",
        response_mode: str = "query",
    ):
        # Not among pytest's folders, which only their owner may enter.
        self.folder = folder = Path(tempfile.mkdtemp(prefix="keyturn-apache-"))
        self.base = f"http://127.0.0.1:{port}"
        self.address = f"{self.base}/protected/"
        for name in ("protected", "open"):
            (folder / "pages" / name).mkdir(parents=True, exist_ok=True)
            (folder / "pages" / name / "index.html").write_text(f"<!doctype html><title>{name}</title><h1>{name}</h1>")
        (folder / "pages" / "open" / "signed-out").write_text("signed out")
        # Its workers have an account of their own, and write into the folder.
        folder.chmod(0o777)
        configuration = folder / "httpd.conf"
        configuration.write_text(
            CONFIGURATION.format(
                folder=folder,
                port=port,
                modules=MODULES,
                issuer=issuer,
                client_id=client_id,
                client_secret=secret_of(client_id),
                algorithm=algorithm,
                response_mode=response_mode,
            )
        )
        self.process = subprocess.Popen(
            ["apache2", "-f", configuration, "-D", "FOREGROUND"],
            stdout=subprocess.DEVNULL,
            stderr=(folder / "stderr.log").open("wb"),
            preexec_fn=die_with_parent,
        )
        self._wait(port)

    def _wait(self, port: int) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    return
            time.sleep(0.05)
        log = self.log_tail()
        self.stop()
        raise RuntimeError(f"apache2 did not start:\n{log}")

    def log_tail(self) -> str:
        logs = [self.folder / name for name in ("stderr.log", "error.log")]
        return "\n".join(
            line for log in logs if log.exists() for line in log.read_text(errors="replace").splitlines()[-20:]
        )

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
