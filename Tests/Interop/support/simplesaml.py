"""A second identity provider of other people's making: SimpleSAMLphp, as Debian packages it, in PHP's own web server.

Its settings are files that it reads at each request, so that one running provider stands for many.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import time
from pathlib import Path

import requests

from support.server import die_with_parent, free_port

PROGRAM = Path("/usr/share/simplesamlphp")
START_SECONDS = 30
KIM, LEE = "kim@acme.example", "lee@branch.example"
# The provider's people, by the names with which they sign in there.
PEOPLE = {
    KIM: {"password": "a-password-at-acme", "mail": [KIM], "givenName": ["Kim"], "sn": ["Lee"],
          "affiliation": ["staff", "guests"]},
    LEE: {"password": "a-password-at-branch", "mail": [LEE], "givenName": ["Lee"], "sn": ["Doe"]},
}
PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"

# PHP's own web server does not split addresses like /module.php/core/loginuserpass.php.
#
# This release can encrypt with AES-GCM, and later ones let their operators choose it, but has AES-CBC where the key comes
# from a certificate. With a cipher in the settings, the line that says so reads otherwise.
ROUTER = r"""<?php
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
if (!preg_match('#^(/[^.]*\.php)(/.*)?$#', $path, $parts)) { return false; }
$file = '/usr/share/simplesamlphp/www' . $parts[1];
if (!is_file($file)) { return false; }
$_SERVER['SCRIPT_NAME'] = $_SERVER['PHP_SELF'] = $parts[1];
$_SERVER['SCRIPT_FILENAME'] = $file;
if (isset($parts[2])) { $_SERVER['PATH_INFO'] = $parts[2]; } else { unset($_SERVER['PATH_INFO']); }
chdir(dirname($file));
$cipher = json_decode(file_get_contents(__DIR__ . '/cipher.json'));
if ($cipher !== null) {
    require_once '/usr/share/simplesamlphp/lib/_autoload.php';
    $text = file_get_contents('/usr/share/simplesamlphp/vendor/simplesamlphp/saml2/src/SAML2/EncryptedAssertion.php');
    $fixed = 'new XMLSecurityKey(XMLSecurityKey::AES128_CBC)';
    if (substr_count($text, $fixed) !== 1) { throw new \Exception('another release'); }
    eval(substr(str_replace($fixed, "new XMLSecurityKey(XMLSecurityKey::$cipher)", $text), 5));
}
require $file;
"""
SETTINGS = """<?php
$config = [
    'baseurlpath' => '{base}/', 'certdir' => '{folder}/', 'loggingdir' => '{folder}/', 'datadir' => '{folder}/',
    'tempdir' => '{folder}/temporary', 'metadatadir' => '{folder}/metadata/', 'timezone' => 'UTC',
    'secretsalt' => 'harbour-salt-of-the-provider', 'auth.adminpassword' => 'administration-at-acme',
    'technicalcontact_email' => 'it@acme.example', 'logging.handler' => 'file', 'statistics.out' => [],
    'admin.checkforupdates' => false, 'enable.saml20-idp' => true, 'module.enable' => ['exampleauth' => true],
    'session.cookie.name' => 'acme-session', 'session.cookie.secure' => false, 'session.cookie.samesite' => null,
    'language.cookie.secure' => false, 'language.cookie.samesite' => null, 'store.type' => 'phpsession',
    'session.phpsession.cookiename' => 'acme-php', 'session.phpsession.savepath' => '{folder}/sessions',
    'session.authtoken.cookiename' => 'acme-token', 'production' => true, 'showerrors' => true,
];
$config['metadata.sources'] = {sources};
"""
# What the page for administrators does with the metadata of a service.
CONVERT = r"""<?php
require '/usr/share/simplesamlphp/lib/_autoload.php';
$entities = \SimpleSAML\Metadata\SAMLParser::parseDescriptorsFile($argv[1]);
foreach ($entities as $id => $entity) { $services[$id] = json_decode($argv[2], true) + $entity->getMetadata20SP(); }
echo '<?php $metadata = ' . var_export($services, true) . ';';
"""


def is_installed() -> bool:
    return (PROGRAM / "www").is_dir() and shutil.which("php") is not None


def php(value) -> str:
    """An expression of PHP."""
    return f"json_decode(<<<'JSON'\n{json.dumps(value)}\nJSON\n, true)"


class SimpleSAML:
    """The running provider.

    - `entity_id`: its name, which is also the address of its metadata.
    """

    def __init__(self, folder: Path, keys: tuple[str, ...]):
        self.folder = folder
        self.port = free_port()
        self.base = f"http://127.0.0.1:{self.port}"
        self.environment = {"PATH": "/usr/bin:/bin", "SIMPLESAMLPHP_CONFIG_DIR": str(folder / "settings")}
        self.entity_id = f"{self.base}/saml2/idp/metadata.php"
        for name in ("metadata", "temporary", "sessions", "settings"):
            (folder / name).mkdir()
        for key in keys:
            self.make_key(key)
        self.write("router.php", ROUTER)
        self.write("convert.php", CONVERT)
        people = {
            f"{name}:{person['password']}": {key: value for key, value in person.items() if key != "password"}
            for name, person in PEOPLE.items()
        }
        self.write(
            "settings/authsources.php", f"<?php\n$config = ['acme' => ['exampleauth:UserPass'] + {php(people)}];\n")
        self.trust_nothing()
        self.answer_with()
        self.log = (folder / "php.log").open("wb")
        self.process = subprocess.Popen(
            # A file that was written anew counts at once.
            ["php", "-d", "opcache.revalidate_freq=0", "-S", f"127.0.0.1:{self.port}", "-t", PROGRAM / "www",
             folder / "router.php"],
            stdout=self.log, stderr=self.log, preexec_fn=die_with_parent, env=self.environment)

    def write(self, name: str, text: str) -> None:
        (self.folder / name).write_text(text)

    def make_key(self, name: str) -> None:
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "300", "-subj", f"/CN={name}",
             "-keyout", self.folder / f"{name}.key", "-out", self.folder / f"{name}.crt"],
            check=True, capture_output=True)

    def trust_nothing(self) -> None:
        self.configure([{"type": "flatfile"}])

    def trust_address(self, address: str) -> None:
        """Reads the metadata of a service there, and does what it asks for."""
        self.configure([{"type": "xml", "url": address}, {"type": "flatfile"}])

    def trust_file(self, file: Path, **more) -> None:
        """Keeps the metadata of a service, as its converter reads it; what the operator says beside it counts more."""
        converted = subprocess.run(
            ["php", self.folder / "convert.php", file, json.dumps(more)], env=self.environment, check=True,
            capture_output=True, text=True)
        self.write("metadata/saml20-sp-remote.php", converted.stdout)
        self.configure([{"type": "flatfile"}])

    def configure(self, sources: list[dict]) -> None:
        text = SETTINGS.replace("{folder}", str(self.folder)).replace("{base}", self.base)
        self.write("settings/config.php", text.replace("{sources}", php(sources)))

    def answer_with(self, *, response: bool = False, assertion: bool = True, is_encrypted: bool = False,
                    cipher: str | None = None, key: str = "first", new_key: str | None = None, faults: str = "") -> None:
        """How responses are made from now on.

        - `cipher`: a constant of its library; without it, what the release does.
        - `key`: signs.
        - `new_key`: stands in the metadata beside it.
        - `faults`: PHP that changes the `$state` of a sign-in.
        """
        self.write("cipher.json", json.dumps(cipher))
        filters = {"3": {"class": "saml:PersistentNameID", "attribute": "mail"}}
        if faults:
            filters["50"] = {"class": "core:PHP", "code": faults}
        hosted = {
            "host": "__DEFAULT__", "auth": "acme", "privatekey": f"{key}.key", "certificate": f"{key}.crt",
            "saml20.sign.response": response, "saml20.sign.assertion": assertion, "assertion.encryption": is_encrypted,
            "redirect.validate": True, "validate.authnrequest": True, "sign.logout": True, "validate.logout": True, "NameIDFormat": PERSISTENT,
            "signature.algorithm": "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256",
            "authproc": filters,
        }
        if new_key:
            hosted |= {"new_privatekey": f"{new_key}.key", "new_certificate": f"{new_key}.crt"}
        self.write("metadata/saml20-idp-hosted.php", f"<?php\n$metadata[{php(self.entity_id)}] = {php(hosted)};\n")

    def metadata(self) -> bytes:
        deadline = time.monotonic() + START_SECONDS
        while True:
            try:
                answer = requests.get(self.entity_id, timeout=5)
            except requests.ConnectionError:
                assert time.monotonic() < deadline and self.process.poll() is None, "the provider did not start"
                time.sleep(0.05)
                continue
            assert answer.status_code == 200, answer.text
            return answer.content

    def stop(self) -> None:
        self.process.terminate()
        self.process.wait(10)
        self.log.close()
