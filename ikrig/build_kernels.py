"""Compiles the kernels with setuptools: in parallel, with each compiler's flags.

``pyproject.toml`` names these classes as build commands. Nothing else imports
them.
"""

from __future__ import annotations

import os
import sys

from setuptools import Extension
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

SHARED = "ikrig.kernels._cyutility"
"""Cython's code for buffers, compiled once instead of into each kernel."""
MSVC = ("/O2", "/fp:precise")
"""No contractions, as ``-ffp-contract=off``: all builds compute the same bits."""
GCC_ONLY = ("-fno-tree-slp-vectorize", "-finline-limit=")


class BuildKernels(build_ext):
    """Compiles the kernels in parallel, one job per core."""

    def finalize_options(self) -> None:
        """Add the shared code; set one job per core, unless a number is given."""
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
        """Translate all kernels to C and compile them.

        A Cython error is only a warning, like a missing compiler.
        """
        from Cython.Build import cythonize
        from Cython.Compiler.Errors import CompileError

        try:
            translated = cythonize(
                self.extensions,
                build_dir=self.build_temp,
                force=self.force,
                language_level=3,
                # elsewhere child processes would run the build script again
                nthreads=self.parallel if sys.platform == "linux" else 0,
                quiet=True,
                shared_utility_qualified_name=SHARED,
            )
        except CompileError as error:
            self.warn(f"no kernel is compiled, because Cython rejects one: {error}")
            self.extensions.clear()
            return
        for extension, made in zip(self.extensions, translated, strict=True):
            extension.sources = made.sources
            extension.extra_compile_args = self.flags(extension.extra_compile_args)
        super().build_extensions()

    def flags(self, flags: list[str]) -> list[str]:
        """Translate gcc's flags from ``pyproject.toml`` for the compiler in use."""
        if self.compiler.compiler_type == "msvc":
            return list(MSVC)
        if "clang" in str(self.compiler.compiler_so[0]) or sys.platform == "darwin":
            return [flag for flag in flags if not flag.startswith(GCC_ONLY)]
        return flags


class Wheel(bdist_wheel):
    """Builds a pure-Python wheel with IKRIG_PURE=1, for all other platforms."""

    def finalize_options(self) -> None:
        """Drop the kernels before the wheel's tag is computed from them."""
        if os.environ.get("IKRIG_PURE", "0") not in ("", "0"):
            self.distribution.ext_modules = None
        super().finalize_options()
