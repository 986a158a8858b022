"""How setuptools compiles the kernels: at the same time, with each compiler's flags.

``pyproject.toml`` names these classes for the steps of the build. Nothing else imports
them.
"""

from __future__ import annotations

import os
import sys

from setuptools import Extension
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

SHARED = "ikrig.kernels._cyutility"
"""Cython's code for buffers, compiled once; it was three quarters of each kernel."""
MSVC = ("/O2", "/fp:precise")
"""Without contractions, as ``-ffp-contract=off``: all builds compute the same bits."""
GCC_ONLY = ("-fno-tree-slp-vectorize", "-finline-limit=")


class BuildKernels(build_ext):
    """Compiles the kernels, as many at a time as there are cores."""

    def finalize_options(self) -> None:
        """Add the shared code; take one job for each core, unless given a number."""
        modules = self.distribution.ext_modules
        if modules and SHARED not in [module.name for module in modules]:
            source = f"{SHARED.replace('.', '/')}.c"
            flags = ["-O2", "-g0"]
            modules.append(
                Extension(SHARED, [source], optional=True, extra_compile_args=flags)
            )
        super().finalize_options()
        if self.parallel is None:
            self.parallel = os.cpu_count() or 1

    def build_extensions(self) -> None:
        """Make C of all kernels' Python, and machine code of that.

        A Cython that refuses them is told as a warning, as a missing compiler is.
        """
        from Cython.Build import cythonize
        from Cython.Compiler.Errors import CompileError

        try:
            translated = cythonize(
                self.extensions,
                build_dir=self.build_temp,
                force=self.force,
                language_level=3,
                # elsewhere new processes would import what runs this again
                nthreads=self.parallel if sys.platform == "linux" else 0,
                quiet=True,
                shared_utility_qualified_name=SHARED,
            )
        except CompileError as error:
            self.warn(f"no kernel is compiled, Cython refuses one: {error}")
            self.extensions.clear()
            return
        for extension, made in zip(self.extensions, translated, strict=True):
            extension.sources = made.sources
            extension.extra_compile_args = self.flags(extension.extra_compile_args)
        super().build_extensions()

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
