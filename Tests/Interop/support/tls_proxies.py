"""nginx, Caddy and HAProxy in front of a server, by the very files that docs/proxies.md shows."""

from __future__ import annotations

import os
import shutil
import socket
import ssl
import subprocess
import time
from dataclasses import dataclass, field
from pathlib import Path

from support.certificates import Authority
from support.server import REPOSITORY, die_with_parent, free_port

FILES = REPOSITORY / "Packaging/proxies"
HOST = "localhost"
START_SECONDS = 20
# What Debian's own nginx.conf says, where it matters to the file that it includes.
NGINX = """
{user}
pid {folder}/nginx.pid;
worker_processes 1;
error_log stderr;
events {{}}
http {{
    gzip on;
    keepalive_timeout 65;
    include /etc/nginx/mime.types;
    default_type application/octet-stream;
    access_log off;
    client_body_temp_path {folder}/client_body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    include {folder}/keyturn.conf;
}}
"""
# Ports that need no rights, and nothing that changes this machine.
CADDY = "\tadmin off\n\tskip_install_trust\n\tdefault_bind 127.0.0.1\n\thttp_port {plain}\n\thttps_port {port}\n"


def replaced(text: str, pairs: dict[str, str]) -> str:
    """The text with each key's value in its place; each must be there."""
    for old, new in pairs.items():
        assert old in text, f"the file has no {old!r}"
        text = text.replace(old, new)
    return text


@dataclass
class TLSProxy:
    """One of them, running.

    - `kind`: nginx, caddy or haproxy.
    - `upstream`: the port of the server on this machine.
    - `changes`: lines of the file that a test needs otherwise.
    - `port`: https; chosen before, because the server must know its own address.
    """

    kind: str
    folder: Path
    upstream: int
    authority: Authority
    port: int = field(default_factory=free_port)
    changes: dict[str, str] = field(default_factory=dict)

    def __post_init__(self):
        self.folder.mkdir(parents=True, exist_ok=True)
        self.plain_port = free_port()
        self.log = self.folder / "proxy.log"
        command = getattr(self, f"_{self.kind}")()
        home = {"HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder), "XDG_CONFIG_HOME": str(self.folder)}
        with self.log.open("ab") as log:
            self.process = subprocess.Popen(command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=log, stderr=log,
                                            env=os.environ | home, preexec_fn=die_with_parent)
        self._wait()

    @property
    def base(self) -> str:
        return f"https://{HOST}:{self.port}"

    @property
    def address(self) -> tuple[str, int]:
        return "127.0.0.1", self.port

    def context(self) -> ssl.SSLContext:
        """For clients that trust the authority."""
        return ssl.create_default_context(cafile=str(self.authority.ca_file))

    def requests_logged(self) -> str:
        """What the proxy wrote about requests."""
        time.sleep(0.2)
        return self.log.read_text(errors="replace")

    def close(self) -> None:
        self.process.terminate()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                with socket.create_connection(self.address, timeout=1):
                    return
            except OSError:
                assert self.process.poll() is None and time.monotonic() < deadline, self.log.read_text()
                time.sleep(0.05)

    def _file(self, name: str, pairs: dict[str, str]) -> str:
        text = (FILES / name).read_text()
        return replaced(replaced(text, self.changes), {"127.0.0.1:8080": f"127.0.0.1:{self.upstream}"} | pairs)

    def _nginx(self) -> list[str]:
        text = self._file("nginx.conf", {
            "    listen [::]:80;\n": "", "    listen [::]:443 ssl http2;\n": "",
            "listen 80;": f"listen 127.0.0.1:{self.plain_port};",
            "listen 443 ": f"listen 127.0.0.1:{self.port} ",
            "https://id.example.com$": f"{self.base}$",
            "id.example.com;": f"{HOST};",
            "/etc/ssl/certs/id.example.com.pem": str(self.authority.server_file),
            "/etc/ssl/private/id.example.com.key": str(self.authority.server_file),
            "/var/log/nginx/keyturn.log": "/dev/stdout",
        })
        (self.folder / "keyturn.conf").write_text(text)
        main = self.folder / "nginx.conf"
        user = "user root;" if os.geteuid() == 0 else ""
        main.write_text(NGINX.format(folder=self.folder, user=user))
        return [program("nginx"), "-p", str(self.folder), "-e", "stderr", "-c", str(main), "-g", "daemon off;"]

    def _caddy(self) -> list[str]:
        certificate = f"\ttls {self.authority.server_file} {self.authority.server_file}\n"
        options = CADDY.format(plain=self.plain_port, port=self.port)
        text = self._file("Caddyfile", {
            "{\n\tservers {": f"{{\n{options}\tservers {{",
            "id.example.com {\n": f"{HOST} {{\n{certificate}",
        })
        (self.folder / "Caddyfile").write_text(text)
        return [program("caddy"), "run", "--config", "Caddyfile", "--adapter", "caddyfile"]

    def _haproxy(self) -> list[str]:
        pairs = {
            "bind [::]:80 v4v6\n": f"bind 127.0.0.1:{self.plain_port}\n",
            "bind [::]:443 v4v6 ": f"bind 127.0.0.1:{self.port} ",
            "/etc/haproxy/id.example.com.pem": str(self.authority.server_file),
            "log /dev/log local0": "log stdout format raw local0",
            "redirect scheme https code 308": f"redirect prefix {self.base} code 308",
        }
        if os.geteuid() != 0:
            pairs |= {f"    {line}\n": "" for line in ("chroot /var/lib/haproxy", "user haproxy", "group haproxy")}
        file = self.folder / "haproxy.cfg"
        file.write_text(self._file("haproxy.cfg", pairs))
        return [program("haproxy"), "-db", "-f", str(file)]


def program(kind: str) -> str | None:
    return shutil.which(kind, path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
