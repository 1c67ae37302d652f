"""Memory under an hour of mixed load, with a picture of it."""

import os
import re
import statistics
import time
from pathlib import Path

from driving import AUTHORIZATION, HERE, Load, keyturn, refresh_tokens, row
from logins import PEOPLE, sign_ins

NAME = "rss-hour"
SECONDS = int(os.environ.get("SECONDS") or 3600)
PICTURE = HERE / "hour.svg"
# Of what each connection waits before a request, in milliseconds. Sign-ins are the dearest: few.
PAUSE, SIGN_IN_PAUSE = "30", "3000"


def loads(server, folder):
    """What apps and backends ask for all day, at once."""
    tokens, access = refresh_tokens(server, folder, 24, "offline_access bench.read")
    endpoint = f"{server.base}/oauth2/token"
    own = {"AUTHORIZATION": AUTHORIZATION, "PAUSE": PAUSE}
    return [
        Load("refresh.lua", endpoint, SECONDS, TOKENS=tokens, **own),
        Load("form.lua", endpoint, SECONDS, FORM="grant_type=client_credentials&scope=bench.read", **own),
        # An access token lives ten minutes; questions about an old one are answered too.
        Load("form.lua", f"{server.base}/oauth2/introspect", SECONDS, FORM=f"token={access}", **own),
        Load("get.lua", f"{server.base}/.well-known/openid-configuration", SECONDS, **own),
        sign_ins(server, SECONDS, PAUSE=SIGN_IN_PAUSE),
    ]


def memory(server):
    """Resident memory, and what of it is no page of a file, in MiB."""
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return [int(re.search(rf"{name}:\s+(\d+)", status).group(1)) / 1024 for name in ("VmRSS", "RssAnon")]


def watch(server, started):
    samples = []
    while time.monotonic() - started < SECONDS:
        time.sleep(min(5, SECONDS / 100))
        samples.append((time.monotonic() - started, *memory(server)))
    return samples


def hour_rows(folder, wanted):
    # It takes an hour: for those who ask for it.
    if wanted != NAME:
        return []
    server = keyturn(folder, "hour", users=PEOPLE)
    started = time.monotonic()
    running = loads(server, folder)
    samples = watch(server, started)
    rate = sum(load.result()[0] for load in running)
    size = Path(f"{folder}/hour.db").stat().st_size / 2**20
    server.stop()
    PICTURE.write_text(picture(samples))
    tenth = len(samples) // 10
    resident = [total for _, total, _ in samples]
    end, early = statistics.median(resident[-tenth:]), statistics.median(resident[tenth:2 * tenth])
    return [row(NAME, end, "MiB", early, "the second tenth of the time", end / early, 1.05,
                f"{rate:.0f} requests a second, most {max(resident):.1f} MiB, a database of {size:.0f} MiB; {PICTURE}")]


WIDTH, HEIGHT, LEFT, TOP, BOTTOM = 640, 260, 44, 36, 226
STYLE = """<style>
text { font: 12px system-ui, sans-serif; fill: #444 } .grid { stroke: #ddd } .all { stroke: #0b57d0 }
.own { stroke: #b3541e } polyline { fill: none; stroke-width: 1.5 }
text.all { fill: #0b57d0; stroke: none } text.own { fill: #b3541e; stroke: none }
@media (prefers-color-scheme: dark) {
  text { fill: #bbb } .grid { stroke: #444 } .all { stroke: #8ab4f8 } .own { stroke: #f0a36b }
  text.all { fill: #8ab4f8 } text.own { fill: #f0a36b }
}
</style>"""


def picture(samples):
    """Resident memory over time, as SVG."""
    last = samples[-1][0]
    top = (int(max(total for _, total, _ in samples)) // 20 + 1) * 20

    def x(second):
        return LEFT + second / last * (WIDTH - LEFT - 12)

    def y(mib):
        return BOTTOM - mib / top * (BOTTOM - TOP)

    def line(column, name):
        points = " ".join(f"{x(s[0]):.1f},{y(s[column]):.1f}" for s in samples)
        return f'<polyline class="{name}" points="{points}"/>'

    parts = [f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" role="img" '
             'aria-label="Resident memory over time">', STYLE]
    for mib in range(0, top + 1, 20):
        parts.append(f'<line class="grid" x1="{LEFT}" x2="{WIDTH - 12}" y1="{y(mib):.1f}" y2="{y(mib):.1f}"/>')
        parts.append(f'<text x="{LEFT - 6}" y="{y(mib) + 4:.1f}" text-anchor="end">{mib}</text>')
    for sixth in range(7):
        minutes = last / 60 * sixth / 6
        parts.append(f'<text x="{x(last * sixth / 6):.1f}" y="{BOTTOM + 18}" text-anchor="middle">{minutes:.0f}</text>')
    parts += [line(1, "all"), line(2, "own"),
              f'<text class="all" x="{LEFT}" y="16">resident, MiB</text>',
              f'<text class="own" x="{LEFT + 110}" y="16">of it no page of a file</text>',
              f'<text x="{WIDTH - 12}" y="{HEIGHT - 2}" text-anchor="end">minutes</text>', "</svg>"]
    return "\n".join(parts) + "\n"
