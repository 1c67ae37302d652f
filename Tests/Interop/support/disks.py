"""A disk that can be filled up: memory with a size, mounted as a folder."""

from __future__ import annotations

import contextlib
import subprocess
from pathlib import Path

BLOCK_BYTES = 4096


class MountFailed(RuntimeError):
    """This machine does not let us mount anything."""


class SmallDisk:
    """Mounted at `folder`, for `kilobytes`."""

    def __init__(self, folder: Path, kilobytes: int):
        self.folder = folder
        self._filler = folder / "filler"
        folder.mkdir(parents=True)
        options = f"size={kilobytes}k,mode=0700"
        try:
            subprocess.run(
                ["mount", "-t", "tmpfs", "-o", options, "keyturn-test", folder],
                check=True,
                capture_output=True,
                text=True,
            )
        except (OSError, subprocess.CalledProcessError) as failure:
            raise MountFailed(getattr(failure, "stderr", "") or str(failure)) from failure

    def fill(self) -> None:
        """Not a byte is left."""
        with self._filler.open("ab", buffering=0) as filler, contextlib.suppress(OSError):
            while True:
                filler.write(bytes(BLOCK_BYTES))

    def make_room(self) -> None:
        self._filler.unlink()

    def unmount(self) -> None:
        # Lazily: a process that was killed may still be on its way out.
        subprocess.run(["umount", "--lazy", self.folder], check=True)
