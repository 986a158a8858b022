"""How setuptools compiles the kernels: at the same time, with each compiler's flags.

``pyproject.toml`` names these classes for the steps of the build. Nothing else imports
them.
"""

from __future__ import annotations

import os
import subprocess
import sys
from copy import copy
from pathlib import Path

from setuptools import Extension
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext
from setuptools.errors import CompileError

MSVC = ("/O2", "/fp:precise")
"""Without contractions, as ``-ffp-contract=off``: all builds compute the same bits."""
GCC_ONLY = ("-fno-tree-slp-vectorize", "-finline-limit=")


class BuildKernels(build_ext):
    """Compiles every kernel in processes of its own, as many at a time as cores."""

    def finalize_options(self) -> None:
        """Take the number of cores for the number of jobs, unless it was given."""
        super().finalize_options()
        if self.parallel is None:
            self.parallel = os.cpu_count() or 1

    def build_extension(self, ext: Extension) -> None:
        """Make C of a kernel's Python, and machine code of that.

        Raises:
            CompileError: One of the two fails; for kernels, being optional, a warning.
        """
        made = Path(self.build_temp) / f"{ext.name.rpartition('.')[2]}.c"
        made.parent.mkdir(parents=True, exist_ok=True)
        command = [sys.executable, "-m", "cython", "-3", "--module-name", ext.name]
        # in a process: threads that run Cython itself would wait for one another
        cython = subprocess.run(
            [*command, *ext.sources, "-o", str(made)],
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        if cython.returncode:
            raise CompileError(f"{ext.name}: {cython.stdout}")
        compiled = copy(ext)
        compiled.sources = [str(made)]
        compiled.extra_compile_args = self.flags(ext.extra_compile_args)
        super().build_extension(compiled)

    def flags(self, flags: list[str]) -> list[str]:
        """Return a compiler's own flags for those of ``pyproject.toml``, gcc's."""
        if self.compiler.compiler_type == "msvc":
            return list(MSVC)
        if "clang" in str(self.compiler.compiler_so[0]) or sys.platform == "darwin":
            return [flag for flag in flags if not flag.startswith(GCC_ONLY)]
        return flags


class Wheel(bdist_wheel):
    """With IKRIG_PURE=1 a wheel of pure Python, for what has no wheel of its own."""

    def finalize_options(self) -> None:
        """Forget the kernels first, if none are wanted: they decide on the tag."""
        if os.environ.get("IKRIG_PURE", "0") not in ("", "0"):
            self.distribution.ext_modules = None
        super().finalize_options()
