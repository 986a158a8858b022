"""Compiles the kernels with setuptools: in parallel, with each compiler's flags.

``pyproject.toml`` names these classes as build commands. Nothing else imports
them.
"""

from __future__ import annotations

import hashlib
import os
import sys
from importlib.metadata import version
from pathlib import Path
from shutil import copyfile, rmtree

from setuptools import Extension
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

SHARED = "ikrig.kernels._cyutility"
"""Cython's code for buffers, compiled once instead of into each kernel."""
SOURCES = "ikrig/kernels/source"
CACHE = Path("build/kernels")
"""What was compiled last: installing it once more copies it, in place of a minute."""
MSVC = ("/O2", "/fp:precise")
"""No contractions, as ``-ffp-contract=off``: all builds compute the same bits."""
GCC = ("-O3", "-g0", "-ffp-contract=off", "-fno-math-errno")
"""Square roots set no error number, which nobody reads: the same bits, sooner."""
INLINED = (
    "chain",
    "crowd_gaze",
    "crowd_layers",
    "gap_closing",
    "gaze",
    "gaze_look",
    "joint_poses",
    "matrices",
    "pose",
    "quat_ops",
    "rest_pose",
    "robot_coordinates",
    "robot_fk",
    "spring_damper",
    "springs",
)
"""Kernels whose short functions pay only inlined, and whose pairs, read as one right
after they were written one by one, cost more than they save."""
FEW_PAIRS = ("-fno-tree-vectorize", "-finline-limit=1000")
VECTORS = (
    "-fno-trapping-math",
    "-fno-wrapv",
    "-finline-limit=1000",
    "--param=max-completely-peel-times=3",
)
"""For a kernel that computes several numbers at once, which is possible where a loop
over four joints is one still when the compiler looks for such, and indices that can't
overflow are known to be neighbours."""
DIRECTIVES = {
    "language_level": 3,
    "infer_types": True,
    "cdivision": True,
    **dict.fromkeys(("boundscheck", "wraparound", "initializedcheck"), False),
}
"""What Cython is told of all kernels: they are C, with nothing checked."""
GCC_ONLY = ("-fno-tree-vectorize", "-finline-limit=", "--param=")


class BuildKernels(build_ext):
    """Compiles the kernels in parallel, one job per core."""

    def finalize_options(self) -> None:
        """Add all kernels and what they share; set one job per core by default."""
        modules = self.distribution.ext_modules
        if modules and SHARED not in [module.name for module in modules]:
            modules[:] = [
                Extension(
                    f"ikrig.kernels.{file.stem}",
                    [file.as_posix()],
                    optional=True,
                    extra_compile_args=[
                        *GCC,
                        *(FEW_PAIRS if file.stem in INLINED else ()),
                        *(VECTORS if file.stem in ("crowd", "crowd_clips") else ()),
                    ],
                )
                for file in sorted(Path(SOURCES).glob("[!_]*.py"))
            ]
            source = f"{SHARED.replace('.', '/')}.c"
            flags = ["-O2", "-g0"]
            modules.append(
                Extension(SHARED, [source], optional=True, extra_compile_args=flags)
            )
        super().finalize_options()
        if self.parallel is None:
            self.parallel = os.cpu_count() or 1

    def build_extensions(self) -> None:
        """Translate all kernels to C and compile them, or take them from the cache."""
        made = [Path(self.get_ext_fullpath(module.name)) for module in self.extensions]
        kept, inputs = [CACHE / path.name for path in made], CACHE / "inputs"
        digest = self.digest()
        if (
            not self.force
            and all(path.is_file() for path in [*kept, inputs])
            and inputs.read_text() == digest
        ):
            for old, path in zip(kept, made, strict=True):
                path.parent.mkdir(parents=True, exist_ok=True)
                copyfile(old, path)
            return
        self.compile_all()
        if all(path.is_file() for path in made):
            rmtree(CACHE, ignore_errors=True)
            CACHE.mkdir(parents=True)
            for path, new in zip(made, kept, strict=True):
                copyfile(path, new)
            inputs.write_text(digest)

    def digest(self) -> str:
        """Return a hash of all that compiled kernels depend on."""
        compiler = getattr(self.compiler, "compiler_so", "")
        found = hashlib.sha256(
            repr((sys.version, sys.platform, version("Cython"), compiler)).encode()
        )
        folder = Path(SOURCES)
        files = [*folder.glob("*.py"), *folder.parent.glob("*.pxd"), Path(__file__)]
        for file in sorted(files):
            found.update(file.name.encode())
            found.update(file.read_bytes())
        return found.hexdigest()

    def compile_all(self) -> None:
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
                compiler_directives=DIRECTIVES,
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
        """Translate gcc's flags for the compiler in use."""
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
