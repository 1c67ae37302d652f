"""scim2-tester: every check that it has, against the built program."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path


def test_every_check_of_scim2_tester_passes(site):
    directory = site.directory("other")
    done = subprocess.run(
        [Path(sys.executable).parent / "scim2", "--url", directory.base,
         "--header", f"Authorization: Bearer {directory.token}", "test", "--verbose"],
        capture_output=True, text=True, timeout=300, check=False,
    )
    text = re.sub(r"\x1b\[[0-9;]*m", "", done.stdout + done.stderr)
    results = re.findall(r"\b(SUCCESS|COMPLIANT|ACCEPTABLE|DEVIATION|ERROR|CRITICAL|SKIPPED)\b", text)
    failures = [line for line in text.splitlines() if re.search(r"\b(ERROR|CRITICAL|DEVIATION)\b", line)]
    assert done.returncode == 0 and not failures, "\n".join(failures[:20]) or text[-2000:]
    assert len(results) > 100, text[-2000:]
    assert directory.send("GET", "/Users?count=0").json()["totalResults"] == 0, "the tester left users behind"
