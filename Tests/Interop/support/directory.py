"""A directory of people: Debian's slapd, without root and with a database of its own."""

from __future__ import annotations

import shutil
import socket
import subprocess
import time
from pathlib import Path

from support.certificates import Authority
from support.server import die_with_parent, free_port

START_SECONDS = 15
SUFFIX = "dc=acme,dc=example"
SERVICE = f"cn=keyturn,{SUFFIX}"
SERVICE_PASSWORD = "the-service-s-own-password"
STAFF = f"cn=staff,ou=groups,{SUFFIX}"
SCHEMAS = Path("/etc/ldap/schema")


def slapd() -> str | None:
    return shutil.which("slapd") or shutil.which("slapd", path="/usr/sbin")


def person(uid: str, name: str, password: str, *, mail: str | None = None) -> str:
    given, family = name.split(" ")
    return f"""dn: uid={uid},ou=people,{SUFFIX}
objectClass: inetOrgPerson
uid: {uid}
cn: {name}
givenName: {given}
sn: {family}
mail: {mail or f"{uid}@acme.example"}
userPassword: {password}
"""


class Directory:
    """One slapd.

    - `scheme`: `ldaps`, or `ldap` to wait for StartTLS.
    - `has_tls`: whether it has a certificate.
    - `authority`: whose certificate it shows.
    """

    def __init__(
        self, folder: Path, entries: list[str], *, scheme: str = "ldaps", has_tls: bool = True, host: str = "localhost"
    ):
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self.port = free_port()
        self.authority = Authority(folder / "tls", host)
        self.has_tls = has_tls
        # Not localhost: libldap puts the machine's own name in its place before it looks at the certificate.
        self.url = f"{scheme}://127.0.0.1:{self.port}"
        (folder / "db").mkdir(exist_ok=True)
        self.configuration = folder / "slapd.conf"
        self.configuration.write_text(self._settings())
        ldif = folder / "base.ldif"
        ldif.write_text("\n".join([self._base(), *entries]))
        subprocess.run([slapd(), "-T", "add", "-f", self.configuration, "-l", ldif], check=True, capture_output=True)
        self.process: subprocess.Popen | None = None
        self.start()

    def _settings(self) -> str:
        server = self.folder / "tls" / "server.pem"
        return "\n".join(
            [
                *(f"include {SCHEMAS}/{name}.schema" for name in ("core", "cosine", "inetorgperson")),
                "modulepath /usr/lib/ldap", "moduleload back_mdb", "moduleload memberof",
                *([f"TLSCACertificateFile {self.authority.ca_file}", f"TLSCertificateFile {server}",
                   f"TLSCertificateKeyFile {server}"] if self.has_tls else []),
                f"pidfile {self.folder}/slapd.pid",
                "disallow bind_anon",
                # What each operation was: a test looks for binds.
                "loglevel stats",
                "database mdb", f"directory {self.folder}/db", f'suffix "{SUFFIX}"', "maxsize 10485760",
                f'rootdn "cn=root,{SUFFIX}"', "rootpw root", "overlay memberof",
                "access to attrs=userPassword by anonymous auth by * none", "access to * by users read by * none", "",
            ]
        )

    @staticmethod
    def _base() -> str:
        return f"""dn: {SUFFIX}
objectClass: dcObject
objectClass: organization
dc: acme
o: Acme

dn: ou=people,{SUFFIX}
objectClass: organizationalUnit
ou: people

dn: ou=groups,{SUFFIX}
objectClass: organizationalUnit
ou: groups

dn: {SERVICE}
objectClass: organizationalRole
objectClass: simpleSecurityObject
cn: keyturn
userPassword: {SERVICE_PASSWORD}
"""

    def start(self) -> None:
        with (self.folder / "slapd.log").open("ab") as log:
            self.process = subprocess.Popen(
                [slapd(), "-f", self.configuration, "-h", f"{self.url}/", "-d", "stats"],
                stdout=log, stderr=log, preexec_fn=die_with_parent,
            )
        deadline = time.monotonic() + START_SECONDS
        while time.monotonic() < deadline:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            time.sleep(0.05)
        raise RuntimeError(f"slapd did not start:\n{self.log_text()[-2000:]}")

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self.process.wait(10)
            self.process = None

    def log_text(self) -> str:
        return (self.folder / "slapd.log").read_text(errors="replace")

    def change(self, ldif: str) -> None:
        """Changes entries as its administrator."""
        text = ldif.encode()
        environment = {"LDAPTLS_CACERT": str(self.authority.ca_file), "PATH": "/usr/bin:/bin"}
        subprocess.run(
            ["ldapmodify", "-H", self.url, "-x", "-D", f"cn=root,{SUFFIX}", "-w", "root"],
            input=text, env=environment, check=True, capture_output=True,
        )

    def add_to_staff(self, uid: str) -> None:
        self.change(
            f"dn: {STAFF}\nchangetype: add\nobjectClass: groupOfNames\ncn: staff\n"
            f"member: uid={uid},ou=people,{SUFFIX}\n"
        )

    def remove_staff(self) -> None:
        self.change(f"dn: {STAFF}\nchangetype: delete\n")

    def connection(self, **more) -> dict:
        """The entry of a configuration."""
        ldap = {
            "url": self.url, "bind_dn": SERVICE, "bind_password": SERVICE_PASSWORD,
            "base_dn": f"ou=people,{SUFFIX}",
        }
        if self.has_tls:
            ldap["ca_file"] = str(self.authority.ca_file)
        return {"id": "staff", "name": "Acme directory", "trust_email": True} | more | {
            "ldap": ldap | more.get("ldap", {})
        }
