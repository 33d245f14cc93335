"""The installed library: the program of README.md builds against it by find_package and by
pkg-config, with both compilers."""
import os
import pathlib
import re

import lab

CMAKE = """cmake_minimum_required(VERSION 3.25)
project(example CXX)
find_package(smbclient3 0.1 REQUIRED)
add_executable(example example.cpp)
target_link_libraries(example smbclient3::smbclient3)
"""


def example():
    """The complete program of README.md: its first C++ block that has a main."""
    text = (lab.ROOT / "README.md").read_text()
    for block in re.findall(r"^```(?:cpp|c\+\+)\n(.*?)^```", text, re.DOTALL | re.MULTILINE):
        if "int main" in block:
            return block
    raise AssertionError("README.md has no complete program")


@lab.unittest.skipIf(lab.SANITIZED, "a sanitizer build is not for installing")
class Installed(lab.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.prefix = lab.folder() / lab.unique("prefix")
        build = pathlib.Path(os.environ["SMB3_BIN"]).parent
        lab.tool("cmake", "--install", build, "--prefix", cls.prefix)

    def make_example(self):
        (self.folder / "example.cpp").write_text(example())
        (self.folder / "CMakeLists.txt").write_text(CMAKE)

    def test_only_public_files(self):
        files = {path.relative_to(self.prefix).as_posix()
                 for path in self.prefix.rglob("*") if path.is_file()}
        headers = {name for name in files if name.startswith("include/")}
        self.assertTrue(headers)
        self.assertEqual([name for name in headers
                          if not re.fullmatch(r"include/smbclient3/\w+\.h", name)], [])
        self.assertLessEqual({"bin/smbcp", "bin/smbget"}, files)

    def test_installed_tools_find_their_library(self):
        self.assertIn("smbcp", lab.tool(self.prefix / "bin/smbcp", "--version"))

    def test_find_package(self):
        self.make_example()
        for compiler in ("g++", "clang++-19"):
            with self.subTest(compiler=compiler):
                build = self.folder / compiler
                lab.tool("cmake", "-S", self.folder, "-B", build, "-G", "Ninja",
                         f"-DCMAKE_CXX_COMPILER={compiler}", f"-DCMAKE_PREFIX_PATH={self.prefix}")
                lab.tool("cmake", "--build", build, timeout=300)
                self.assertTrue((build / "example").exists())

    def test_pkg_config(self):
        self.make_example()
        configured = next(self.prefix.rglob("smbclient3.pc")).parent
        flags = lab.tool("pkg-config", "--cflags", "--libs", "smbclient3",
                         env=lab.environment({"PKG_CONFIG_PATH": str(configured)})).split()
        for compiler in ("g++", "clang++-19"):
            with self.subTest(compiler=compiler):
                lab.tool(compiler, "example.cpp", "-o", f"example-{compiler}", *flags,
                         cwd=self.folder, timeout=300)

    def test_every_header_alone(self):
        for header in sorted((self.prefix / "include/smbclient3").glob("*.h")):
            with self.subTest(header=header.name):
                source = self.folder / "one.cpp"
                source.write_text(f"#include <smbclient3/{header.name}>\n")
                lab.tool("g++", "-std=c++23", "-fsyntax-only", f"-I{self.prefix}/include", source)
