"""What others do to an honest client: thousands of idle connections, heads that never end, and floods of pipelined
requests."""

import asyncio
import resource
import subprocess
import sys
import time

from driving import keyturn, row

NAME = "honest-p99"
IDLE, SLOW, FLOODS = 10_000, 2_000, 8
SECONDS, PAUSE = 5, 0.01


class Flood(asyncio.Protocol):
    """A connection that asks without end, and waits for no answer."""

    requests = b"GET /.well-known/openid-configuration HTTP/1.1\r\nHost: a\r\n\r\n" * 1000
    is_paused = False

    def connection_made(self, transport):
        self.transport = transport
        transport.set_write_buffer_limits(len(self.requests))
        self.write()

    def write(self):
        if self.is_paused or self.transport.is_closing():
            return
        self.transport.write(self.requests)
        asyncio.get_running_loop().call_soon(self.write)

    def pause_writing(self):
        self.is_paused = True

    def resume_writing(self):
        self.is_paused = False
        self.write()


async def flood(port):
    loop = asyncio.get_running_loop()
    for _ in range(FLOODS):
        await loop.create_connection(Flood, "127.0.0.1", port)
    await asyncio.sleep(3600)


async def honest(port):
    """Milliseconds of requests with a pause between them, in order."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    times, end = [], time.monotonic() + SECONDS
    while time.monotonic() < end:
        start = time.monotonic()
        writer.write(b"GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n")
        await reader.readuntil(b"\r\n\r\n")
        times.append((time.monotonic() - start) * 1000)
        await asyncio.sleep(PAUSE)
    writer.close()
    return sorted(times)


async def measured(server):
    alone = await honest(server.port)
    connections = []
    for number in range(IDLE):
        connections.append(await asyncio.open_connection("127.0.0.1", server.port))
        if number % 500 == 0:
            await asyncio.sleep(0.05)
    for _, writer in connections[:SLOW]:
        writer.write(b"GET / HTTP/1.1\r\nX-A: ")
    flooder = subprocess.Popen([sys.executable, __file__, str(server.port)])
    await asyncio.sleep(1)
    beside = await honest(server.port)
    flooder.terminate()
    flooder.wait()
    resident = server.resident_mib()
    for _, writer in connections:
        writer.close()
    return alone, beside, resident


def flood_rows(folder, wanted):
    if wanted not in ("", NAME):
        return []
    files, files_max = IDLE + 5_000, resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (files, max(files, files_max)))
    except (OSError, ValueError):
        print(f"{NAME}: left out, it needs {files:,} open files and may have {files_max:,}", file=sys.stderr)
        return []
    server = keyturn(folder, "floods")
    alone, beside, resident = asyncio.run(measured(server))
    server.stop()
    value, limit = (times[int(len(times) * 0.99)] for times in (beside, alone))
    return [row(NAME, value, "ms", 50, "goal", value / 50, 1.0,
                f"beside {FLOODS} pipelining floods, {IDLE:,} idle connections and {SLOW:,} heads without an end; "
                f"{limit:.1f} ms without them; {resident:.0f} MiB")]


if __name__ == "__main__":
    asyncio.run(flood(int(sys.argv[1])))
