"""A copy of the tree in which a mutant is built and tested, never the tree itself."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from math import inf
from pathlib import Path
from select import select
from typing import Any

from .area import ROOT
from .sites import Mutant

PARTS = ("ikrig", "tests", "demos", "docs", "assets", "pyproject.toml", "README.md")
QUIET_SECONDS = 30.0
"""Without a word for so long, a test hangs; more on a machine that is busy."""

# looked up once: threads that do so first, at the same time, may be given None
_SUFFIX: str = sysconfig.get_config_var("EXT_SUFFIX")


class WontRunError(Exception):
    """Tests that fail without a mutant, or that would not run the copy."""


class ServerDiedError(WontRunError):
    """The process that forks for the tests died, and so did the one after it."""


class Workshop:
    """A copy of the tree in a folder of its own.

    Args:
        folder: An empty folder for the copy.
    """

    def __init__(self, folder: Path) -> None:
        self.root = folder
        self.longest = 0.0
        """The longest time that tests were quiet [s]."""
        self.seconds: dict[str, float] = {}
        """How long tests take without a mutant."""
        self._running: int | None = None
        """The process group that works in the copy."""
        self._server: subprocess.Popen[bytes] | None = None
        for name in PARTS:
            if (ROOT / name).is_dir():
                skipped = shutil.ignore_patterns("__pycache__", "*.c")
                shutil.copytree(ROOT / name, folder / name, ignore=skipped)
            else:
                shutil.copy2(ROOT / name, folder / name)
        # whatever is installed, this copy must be what runs
        code = "import ikrig; print(ikrig.__file__)"
        found = self._call([sys.executable, "-c", code])[1].strip()
        if folder.resolve() not in Path(found).resolve().parents:
            raise WontRunError(f"the tests would run {found}, not the copy in {folder}")

    @contextmanager
    def changed(self, mutant: Mutant) -> Iterator[str]:
        """Have the mutant in the copy, compiled if it was compiled, and then not.

        Yields what the compiler says when it takes no such source, else "".
        """
        source = self.root / mutant.path
        keep = {source: (source.read_bytes(), source.stat())}
        binary = self._binary(source)
        if binary is not None:
            keep[binary] = (binary.read_bytes(), binary.stat())
        try:
            source.write_bytes(mutant.apply(source.read_bytes()))
            self._forget(source)
            yield self._build(source, binary) if binary is not None else ""
        finally:
            for path, (content, stat) in keep.items():
                # a loaded binary that is written over takes its process with it
                path.unlink(missing_ok=True)
                path.write_bytes(content)
                path.chmod(stat.st_mode)
                os.utime(path, ns=(stat.st_atime_ns, stat.st_mtime_ns))
            self._forget(source)
            shutil.rmtree(self.root / ".hypothesis", ignore_errors=True)

    def test(
        self,
        tests: Iterable[str],
        quiet: float = inf,
        first: Sequence[str] = (),
        measure: bool = False,
        most: float | None = None,
    ) -> str:
        """Run tests up to the first that fails; return its name, "" if none does.

        Args:
            tests: Files and folders, from the root of the tree.
            quiet: Seconds without a test's end after which it counts as failed.
            first: Tests to run before the others.
            measure: Keep how long each takes.
            most: Seconds of tests to run, the quickest; None: all.

        Raises:
            ServerDiedError: The server died, and another in its place as well.
        """
        args = [
            *("-x", "-v", "-n", "0", "--tb=no", "-p", "no:cacheprovider"),
            # plugins are there before pytest could rewrite their asserts
            *("-W", "ignore::pytest.PytestAssertRewriteWarning"),
            *("--whole", "--hypothesis-seed=0", *tests),
        ]
        try:
            code, out = self._fork(args, quiet, first, measure, most)
        except ServerDiedError:
            code, out = self._fork(args, quiet, first, measure, most)
        if code == 0:
            return ""
        lines = [line for line in out.splitlines() if line.strip()] or ["nothing said"]
        if code is None:
            return f"hangs: {lines[-1]}"
        for line in lines:
            if line.startswith(("FAILED ", "ERROR ")):
                return line.split(maxsplit=1)[1].partition(" - ")[0]
        if code < 0:
            # below the last test that began the crash lists its modules and threads
            began = [line for line in lines if line.startswith("tests/")] or lines
            return f"{signal.Signals(-code).name}: {began[-1]}"
        return f"pytest {code}: {lines[-1]}"

    def _fork(
        self,
        args: list[str],
        quiet: float,
        first: Sequence[str],
        measure: bool,
        most: float | None,
    ) -> tuple[int | None, str]:
        """Have the server run tests; return their code, None if they hung, and output.

        Imports take longer than most tests do, so a server has them done.
        """
        server = self._server
        if server is None:
            server = self._server = self._popen(
                [sys.executable, "-m", "tests.mutants.server"],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                # select sees no line that lies in a buffer already
                bufsize=0,
            )
            self._answer()
        log, report = (self.root.with_suffix(end) for end in (".log", ".json"))
        log.unlink(missing_ok=True)
        request = {
            "args": args,
            "first": list(first),
            "seconds": self.seconds,
            "most": most,
            "report": str(report),
            "log": str(log),
        }
        assert server.stdin and server.stdout
        # to a server that is dead: its answer says so
        with suppress(BrokenPipeError):
            server.stdin.write(json.dumps(request).encode() + b"\n")
        self._running = int(self._answer().removeprefix("started "))
        hung = self._wait(
            log, quiet, lambda: bool(select([server.stdout], [], [], 0)[0])
        )
        code = int(self._answer().removeprefix("ended "))
        self._running = None
        if measure and code == 0:
            self.seconds |= json.loads(report.read_text())
        return (None if hung else code), log.read_text(errors="replace")

    def _answer(self) -> str:
        assert self._server and self._server.stdout
        line = self._server.stdout.readline()
        if not line:
            code = self._server.wait()
            self.close()
            raise ServerDiedError(f"the server of the tests died: exit code {code}")
        return line.decode().strip()

    def _wait(self, log: Path, quiet: float, ended: Callable[[], bool]) -> bool:
        """Wait until it has ended; return whether it was quiet for so many seconds."""
        size, since = 0, time.monotonic()
        hung = False
        while not ended():
            time.sleep(0.02)
            now = time.monotonic()
            written = log.stat().st_size if log.exists() else 0
            if written != size:
                self.longest = max(self.longest, now - since)
                size, since = written, now
            elif now - since > quiet and not hung:
                hung = True
                self.stop()
        return hung

    def _popen(self, command: list[str], **streams: Any) -> subprocess.Popen[Any]:
        return subprocess.Popen(
            command,
            cwd=self.root,
            env={
                **os.environ,
                "PYTHONPATH": str(self.root),
                "PYTHONUNBUFFERED": "1",
                # threads of their own do not live through a fork
                "OPENBLAS_NUM_THREADS": "1",
            },
            start_new_session=True,
            **streams,
        )

    def _call(self, command: list[str]) -> tuple[int, str]:
        """Run a command in the copy; return its code and output."""
        process = self._popen(
            command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
        )
        self._running = process.pid
        out = process.communicate()[0]
        self._running = None
        return process.returncode, out

    def stop(self) -> None:
        """End what runs in the copy, with all that it started."""
        if self._running is not None:
            with suppress(ProcessLookupError):
                os.killpg(self._running, signal.SIGKILL)
            self._running = None

    def close(self) -> None:
        """End the copy's processes."""
        self.stop()
        if self._server is not None:
            self._server.kill()
            self._server.wait()
            for stream in (self._server.stdin, self._server.stdout):
                assert stream
                stream.close()
            self._server = None

    def _binary(self, source: Path) -> Path | None:
        """Return what runs in a kernel's place."""
        # the sources of kernels lie in a folder below them
        folder = source.parent
        if folder.name == "source":
            folder = folder.parent
        binary = folder / f"{source.stem}{_SUFFIX}"
        return binary if binary.exists() else None

    def _build(self, source: Path, binary: Path) -> str:
        """Compile one kernel, in less time than the install takes; return errors."""
        made = source.with_suffix(".c")
        # it needs a setuptools that builds wheels, as whoever compiles has
        from ikrig.build_kernels import DIRECTIVES

        include = sysconfig.get_paths()["include"]
        for command in (
            [
                *(sys.executable, "-m", "cython", str(source), "-o", str(made)),
                *(f"-X{name}={value}" for name, value in DIRECTIVES.items()),
                *("--module-name", f"ikrig.kernels.{source.stem}"),
            ],
            # -O1 takes half the time of -O3 and gives the same bits
            [
                *("gcc", "-shared", "-fPIC", "-DNDEBUG", "-fno-strict-aliasing"),
                *("-O1", "-ffp-contract=off", f"-I{include}"),
                *(str(made), "-o", str(binary)),
            ],
        ):
            if "gcc" in command:
                binary.unlink()
            code, out = self._call(command)
            if code != 0:
                return f"compiler: {out.strip().splitlines()[-1]}"
        made.unlink()
        return ""

    @staticmethod
    def _forget(source: Path) -> None:
        # it goes by whole seconds and sizes: two mutants may look the same
        for path in (source.parent / "__pycache__").glob(f"{source.stem}.*.pyc"):
            path.unlink()
