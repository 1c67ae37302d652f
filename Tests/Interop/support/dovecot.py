"""A Dovecot of our own (2.3, as Debian 12 ships it), whose users sign in with tokens by OAUTHBEARER and XOAUTH2."""

from __future__ import annotations

import getpass
import grp
import imaplib
import os
import re
import shutil
import socket
import subprocess
import tempfile
import time
from pathlib import Path

from support.configuration import Person
from support.relying_party import Provider
from support.server import die_with_parent, free_port

START_SECONDS = 10
IMAP_SECONDS = 20
MECHANISMS = ("OAUTHBEARER", "XOAUTH2")
CONFIGURATION = """
base_dir = {folder}/run
state_dir = {folder}/state
log_path = {folder}/dovecot.log
auth_verbose = yes
protocols = imap
listen = 127.0.0.1
ssl = no
disable_plaintext_auth = no
default_internal_user = {internal}
default_internal_group = {internal_group}
default_login_user = {login}
auth_mechanisms = oauthbearer xoauth2
auth_failure_delay = 0
mail_location = maildir:~/mail
first_valid_uid = 1
first_valid_gid = 1
service imap-login {{
  {chroot}
  inet_listener imap {{
    port = {port}
  }}
  inet_listener imaps {{
    port = 0
  }}
}}
service anvil {{
  {chroot}
  # Otherwise each refusal makes the next one slower.
  unix_listener anvil-auth-penalty {{
    mode = 0
  }}
}}
passdb {{
  driver = oauth2
  mechanisms = oauthbearer xoauth2
  args = {folder}/oauth2.conf
}}
userdb {{
  driver = static
  args = uid={owner} gid={owner_group} home={folder}/people/%u
}}
"""
# As its manual says for servers without tokens of their own: UserInfo tells whose a token is. What stands for the user
# is the claim `email`, which is the default.
OAUTH2 = """
introspection_mode = auth
introspection_url = {userinfo}
username_attribute = email
"""


def program() -> str | None:
    return shutil.which("dovecot") or shutil.which("dovecot", path="/usr/sbin")


def is_installed() -> bool:
    """Also whether it is the release whose configuration this is."""
    if program() is None or not Path("/usr/lib/dovecot/imap-login").exists():
        return False
    version = subprocess.run([program(), "--version"], capture_output=True, text=True, check=False).stdout
    return version.startswith("2.3.")


def _accounts() -> dict[str, str]:
    """Whose its processes and its mail are."""
    if os.getuid() == 0:
        return {
            "internal": "dovecot", "internal_group": "dovecot", "login": "dovenull", "chroot": "",
            "owner": "nobody", "owner_group": "nogroup",
        }
    user, group = getpass.getuser(), grp.getgrgid(os.getgid()).gr_name
    return {
        "internal": user, "internal_group": group, "login": user, "chroot": "chroot =", "owner": user,
        "owner_group": group,
    }


class Dovecot:
    """One mail server.

    - `people`: users who have mail already: one letter, whose subject is the address. Any other user starts with none.
    """

    def __init__(self, provider: Provider, people: list[Person]):
        # A short path: sockets lie below it.
        self.folder = folder = Path(tempfile.mkdtemp(prefix="keyturn-dovecot-"))
        folder.chmod(0o755)
        self.port = free_port()
        accounts = _accounts()
        (folder / "people").mkdir()
        for person in people:
            self._deliver(person)
        subprocess.run(
            ["chown", "-R", f"{accounts['owner']}:{accounts['owner_group']}", folder / "people"], check=True)
        (folder / "oauth2.conf").write_text(OAUTH2.format(userinfo=provider.endpoint("userinfo")))
        configuration = folder / "dovecot.conf"
        configuration.write_text(CONFIGURATION.format(folder=folder, port=self.port, **accounts))
        self.process = subprocess.Popen(
            [program(), "-F", "-c", configuration], stdout=subprocess.DEVNULL,
            stderr=(folder / "stderr.log").open("wb"), preexec_fn=die_with_parent,
        )
        self._wait()

    def _deliver(self, person: Person) -> None:
        mail = self.folder / "people" / person.login / "mail"
        for name in ("cur", "new", "tmp"):
            (mail / name).mkdir(parents=True)
        (mail / "new" / "1.letter.here").write_text(f"To: {person.login}\nSubject: {person.login}\n\nPrivate.\n")

    def _wait(self) -> None:
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline and self.process.poll() is None:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        log = self.log_tail()
        self.stop()
        raise RuntimeError(f"dovecot did not start:\n{log}")

    def log_tail(self) -> str:
        logs = [self.folder / name for name in ("stderr.log", "dovecot.log")]
        return "\n".join(
            line for log in logs if log.exists() for line in log.read_text(errors="replace").splitlines()[-20:]
        )

    def letters(self, name: str, token: str, mechanism: str) -> list[str] | None:
        """The subjects in the inbox after a sign-in under this name; `None`: it was refused."""
        words = {
            # RFC 7628 §3.1, and what Google published before it.
            "OAUTHBEARER": f"n,a={name},\x01auth=Bearer {token}\x01\x01",
            "XOAUTH2": f"user={name}\x01auth=Bearer {token}\x01\x01",
        }
        # A refusal says why, and waits for an answer without meaning.
        answers = iter([words[mechanism].encode(), b"\x01"])
        connection = imaplib.IMAP4("127.0.0.1", self.port, timeout=IMAP_SECONDS)
        try:
            connection.authenticate(mechanism, lambda _: next(answers))
            _, (count,) = connection.select("INBOX", readonly=True)
            if count == b"0":
                return []
            _, found = connection.fetch("1:*", "(BODY.PEEK[HEADER.FIELDS (SUBJECT)])")
            headers = [part[1].decode() for part in found if isinstance(part, tuple)]
            return [re.sub(r"^Subject:\s*", "", header).strip() for header in headers]
        except imaplib.IMAP4.error as refusal:
            assert "AUTHENTICATIONFAILED" in str(refusal) or "Temporary authentication failure" in str(refusal), (
                f"{refusal}\n{self.log_tail()}")
            return None
        finally:
            connection.shutdown()

    def stop(self) -> None:
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)
