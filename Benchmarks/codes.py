"""One-time codes: asked for, mailed, read from the mail, and typed."""

import asyncio
import email
import email.policy
import json
import multiprocessing
import re
import statistics
import subprocess
import time
from pathlib import Path

from driving import BUILD, PROJECT, ROUNDS, Process, keyturn, row, wrk

PEOPLE = 2_000


class MailSink:
    """A mail server in a process of its own that takes every mail and keeps it in a file."""

    def __init__(self, folder):
        self.path = Path(folder) / "mails"
        self.path.write_bytes(b"")
        ready = multiprocessing.SimpleQueue()
        self.process = multiprocessing.Process(target=self.serve, args=(str(self.path), ready), daemon=True)
        self.process.start()
        self.port = ready.get()

    @staticmethod
    def serve(path, ready):
        mails = open(path, "ab", buffering=0)

        async def talk(reader, writer):
            writer.write(b"220 sink\r\n")
            try:
                while line := await reader.readline():
                    match line[:4].upper():
                        case b"DATA":
                            writer.write(b"354 go on\r\n")
                            mails.write(await reader.readuntil(b"\r\n.\r\n"))
                            writer.write(b"250 taken\r\n")
                        case b"QUIT":
                            writer.write(b"221 bye\r\n")
                            break
                        case _:
                            writer.write(b"250 sink\r\n")
            except (ConnectionError, asyncio.IncompleteReadError):
                pass
            writer.close()

        async def main():
            server = await asyncio.start_server(talk, "127.0.0.1", 0, limit=1 << 20)
            ready.put(server.sockets[0].getsockname()[1])
            await server.serve_forever()

        asyncio.run(main())

    def codes(self):
        """The code of each address, once everybody has one; and when the last mail came."""
        while self.path.read_bytes().count(b"\r\n.\r\n") < PEOPLE:
            time.sleep(0.02)
        arrived = time.monotonic()
        codes = {}
        for mail in self.path.read_bytes().split(b"\r\n.\r\n")[:-1]:
            message = email.message_from_bytes(mail, policy=email.policy.SMTP)
            text = message.get_body(("plain",)).get_content()
            codes[message["To"]] = re.search(r"\b\d{6}\b", text).group()
        self.path.write_bytes(b"")
        return codes, arrived

    def stop(self):
        self.process.terminate()


def people(server_folder, database):
    """Users, each with an address, on a network of their own."""
    addresses = {f"person-{i}@example.com": f"10.{i >> 16 & 255}.{i >> 8 & 255}.{i & 255}" for i in range(PEOPLE)}
    path = Path(server_folder) / "people.jsonl"
    path.write_text("".join(
        json.dumps({"login_ids": [{"value": a, "verified": True}], "email": a, "email_verified": True}) + "\n"
        for a in addresses))
    subprocess.run([BUILD / "keyturn", "user", "import", path, "--database", database], check=True, capture_output=True)
    return addresses


def lines(folder, addresses, body):
    path = Path(folder) / "lines"
    path.write_text("".join(f"{network}\t{json.dumps(body(address))}\n" for address, network in addresses.items()))
    return {"LINES": str(path), "AUTHORIZATION": f"Bearer {PROJECT}"}


def code_rows(folder, wanted):
    if wanted and wanted not in ("otp-send-verify", "otp-mailed"):
        return []
    sink, limits = MailSink(folder), Process(BUILD / "LimitServer")
    server = keyturn(folder, "codes", trusted_proxies=["127.0.0.1/32"],
                     delivery={"smtp": {"host": "127.0.0.1", "port": sink.port, "from": "bench@example.com",
                                        "tls": "none"}})
    addresses = people(folder, f"sqlite:{folder}/codes.db")
    rounds, mailed = [], []
    for _ in range(ROUNDS):
        begun = time.monotonic()
        sends, _ = wrk("lines.lua", f"{server.base}/v1/auth/otp/signin/email", seconds=60,
                       **lines(folder, addresses, lambda a: {"loginId": a}))
        codes, arrived = sink.codes()
        mailed.append(PEOPLE / (arrived - begun))
        checks, _ = wrk("lines.lua", f"{server.base}/v1/auth/otp/verify/email", seconds=60,
                        **lines(folder, addresses, lambda a: {"loginId": a, "code": codes[a]}))
        constant, _ = wrk("lines.lua", f"{limits.base}/constant", seconds=60,
                          **lines(folder, addresses, lambda a: {"loginId": a}))
        signed, _ = wrk("lines.lua", f"{limits.base}/signed", seconds=60,
                        **lines(folder, addresses, lambda a: {"loginId": a, "code": codes[a]}))
        rounds.append((1 / (1 / sends + 1 / checks), 1 / (1 / constant + 1 / signed), sends, checks))
    server.stop()
    limits.stop()
    sink.stop()
    rates, bounds, sends, checks = (statistics.median(column) for column in zip(*rounds))
    ratio = statistics.median(ours / bound for ours, bound, _, _ in rounds)
    return [
        row("otp-send-verify", rates, "1/s", bounds, "a constant and a signed constant", ratio, None,
            f"durable; {sends:,.0f} codes a second sent, {checks:,.0f} verified, each with a session"),
        row("otp-mailed", statistics.median(mailed), "1/s", sends, "codes asked for", statistics.median(mailed) / sends,
            None, "from the first request to the last mail at an SMTP server"),
    ]
