"""What the measurements have in common: servers to measure, load, a browser, rows of the table."""

import base64
import http.client
import json
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import time
import urllib.parse
from pathlib import Path

HERE = Path(__file__).resolve().parent
BUILD = HERE.parent / ".build/release"
ROUNDS = 3
SECONDS = 4
CONNECTIONS = 16
SECRET = "bench-secret-bench-secret-bench-secret"
PROJECT = "P2KeyturnBench0000000000000000"
CALLBACK = "http://127.0.0.1:9000/callback"
AUTHORIZATION = "Basic " + base64.b64encode(f"bench:{SECRET}".encode()).decode()
USER, PASSWORD = "bench@example.com", "correct-horse-battery"


def install_wrk():
    if shutil.which("wrk"):
        return
    print("Installing wrk …", file=sys.stderr)
    sudo = [] if os.geteuid() == 0 else ["sudo"]
    subprocess.run([*sudo, "apt-get", "install", "-y", "-qq", "--no-install-recommends", "wrk"], check=True,
                   stdout=subprocess.DEVNULL)


class Process:
    """A server that says where it listens on its first line."""

    def __init__(self, *command):
        self.started = time.monotonic()
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        line = self.process.stdout.readline()
        self.port = int(re.search(r"listening on (?:http://127\.0\.0\.1:)?(\d+)", line).group(1))
        self.base = f"http://127.0.0.1:{self.port}"

    def resident_mib(self):
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) / 1024

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(20)


def keyturn(folder, name, **more):
    """Our server, with two clients, a user, and what else the configuration is to say."""
    client = {
        "client_id": "bench", "client_secret": SECRET, "client_name": "Bench", "first_party": True,
        "redirect_uris": [CALLBACK], "scope": "openid offline_access bench.read",
        "grant_types": ["authorization_code", "refresh_token", "client_credentials",
                        "urn:ietf:params:oauth:grant-type:token-exchange"],
        "id_token_signed_response_alg": "ES256",
    }
    tool = {
        "client_id": "tool", "client_name": "Tool", "first_party": True, "application_type": "native",
        "redirect_uris": ["http://127.0.0.1/callback"], "scope": "openid profile email offline_access",
        "grant_types": ["authorization_code", "refresh_token"], "token_endpoint_auth_method": "none",
        "id_token_signed_response_alg": "ES256",
    }
    configuration = {
        "issuer": "auto", "listen": "127.0.0.1:0", "database": f"sqlite:{folder}/{name}.db", "clients": [client, tool],
        "project": {"id": PROJECT},
        "users": [{"login_ids": [USER], "password": PASSWORD, "email": USER, "email_verified": True}], **more,
    }
    path = Path(folder) / f"{name}.json"
    path.write_text(json.dumps(configuration))
    return Process(BUILD / "keyturn", "serve", "--config", str(path), "--log-level", "error")


class Load:
    """Requests, as fast as they are answered, over a few connections."""

    def __init__(self, script, url, seconds=SECONDS, connections=CONNECTIONS, **environment):
        self.script = script
        self.process = subprocess.Popen(
            ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--timeout", "10s", "-s", HERE / "wrk" / script, url],
            env={**os.environ, **environment}, stdout=subprocess.PIPE, text=True)

    def result(self):
        """Requests per second and the 99th percentile in milliseconds; fails if an answer was not good."""
        output = self.process.communicate()[0]
        found = re.search(r"RESULT (\d+) (\d+) (\d+) (\d+)", output)
        if not found:
            raise SystemExit(f"{self.script}: wrk said {output!r}")
        requests, microseconds, bad, p99 = map(int, found.groups())
        if bad:
            raise SystemExit(f"{self.script}: {bad} of {requests} answers were refusals")
        return requests / (microseconds / 1e6), p99 / 1000

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        return self.result()


def wrk(script, url, seconds=SECONDS, connections=CONNECTIONS, **environment):
    return Load(script, url, seconds, connections, **environment).result()


class Browser:
    """Enough of a browser to sign in."""

    def __init__(self, port):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
        self.cookies = {}

    def request(self, method, path, form=None):
        headers = {"Cookie": "; ".join(f"{k}={v}" for k, v in self.cookies.items())} if self.cookies else {}
        body = None
        if form is not None:
            headers["Content-Type"] = "application/x-www-form-urlencoded"
            body = urllib.parse.urlencode(form)
        self.connection.request(method, path, body, headers)
        answer = self.connection.getresponse()
        for cookie in answer.headers.get_all("Set-Cookie") or []:
            name, _, value = cookie.split(";")[0].partition("=")
            self.cookies[name] = value
        return answer, answer.read().decode()

    def follow(self, url):
        """Goes where a program sent its user, types the password, and goes back."""
        parts = urllib.parse.urlsplit(url)
        answer, _ = self.request("GET", f"{parts.path}?{parts.query}")
        _, page = self.request("GET", answer.headers["Location"])
        form = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
        answer, _ = self.request("POST", "/login", {**form, "username": USER, "password": PASSWORD})
        back = urllib.parse.urlsplit(answer.headers["Location"])
        connection = http.client.HTTPConnection(back.hostname, back.port, timeout=10)
        connection.request("GET", f"{back.path}?{back.query}")
        connection.getresponse().read()

    def sign_in(self, scope):
        """A code, by typing the password."""
        query = urllib.parse.urlencode({
            "client_id": "bench", "redirect_uri": CALLBACK, "response_type": "code", "scope": scope, "prompt": "login"})
        answer, _ = self.request("GET", f"/oauth2/authorize?{query}")
        _, page = self.request("GET", answer.headers["Location"])
        form = dict(re.findall(r'type="hidden" name="(\w+)" value="([^"]*)"', page))
        answer, _ = self.request("POST", "/login", {**form, "username": USER, "password": PASSWORD})
        return urllib.parse.parse_qs(urllib.parse.urlsplit(answer.headers["Location"]).query)["code"][0]


def token(port, form):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=30)
    connection.request("POST", "/oauth2/token", urllib.parse.urlencode(form), {
        "Content-Type": "application/x-www-form-urlencoded", "Authorization": AUTHORIZATION})
    return json.loads(connection.getresponse().read())


def refresh_tokens(server, folder, count, scope):
    path = Path(folder) / f"tokens-{abs(hash(scope))}-{server.port}"
    browser = Browser(server.port)
    tokens = [
        token(server.port, {"grant_type": "authorization_code", "code": browser.sign_in(scope), "redirect_uri": CALLBACK})
        for _ in range(count)]
    path.write_text("".join(f"{t['refresh_token']}\n" for t in tokens))
    return str(path), tokens[0]["access_token"]


def paired(ours, limit):
    """Ours and the limit in turn; the medians, and the median of the rounds' ratios."""
    rounds = [(ours()[0], limit()[0]) for _ in range(ROUNDS)]
    return (statistics.median(a for a, _ in rounds), statistics.median(b for _, b in rounds),
            statistics.median(a / b for a, b in rounds))


def row(name, value, unit, limit, limit_name, ratio, goal, note=""):
    return {"name": name, "value": value, "unit": unit, "limit": limit, "limit_name": limit_name, "ratio": ratio,
            "goal": goal, **({"note": note} if note else {})}
