#!/usr/bin/python3
"""run.py [--bin FOLDER] [--seconds N] [NAME...]: runs the tests against real servers.

Without names, all of test_*.py; a name is test_errors, test_errors.WrongPassword or
test_errors.WrongPassword.test_x. FOLDER holds smbcp and smbget (build/test/bin). Tests that have
not begun after N seconds count as failed. SMB3_LONG=1 adds what takes longer; SMB3_SANITIZED=1
leaves out what a sanitizer build cannot show. SMB3_COUNTS: see scripts/common.sh.
"""
import argparse
import os
import pathlib
import sys
import time
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class Counts(unittest.TestResult):
    """Counts test methods, prints one line for each and the text of what failed."""

    def __init__(self, seconds):
        super().__init__()
        self.began = time.monotonic()
        self.deadline = self.began + seconds
        self.passed, self.failed, self.skips = 0, set(), {}

    def startTest(self, test):
        super().startTest(test)
        self.test_began = time.monotonic()

    def out_of_time(self):
        return time.monotonic() > self.deadline

    def line(self, word, test):
        print(f"{word:7} {time.monotonic() - self.test_began:6.1f} s  {test.id()}", flush=True)

    def fail_with(self, test, text):
        self.failed.add(test.id().split(" (")[0])
        print(f"FAILED  {test.id()}\n{text}", flush=True)

    def addSuccess(self, test):
        self.passed += 1
        self.line("ok", test)

    def addFailure(self, test, err):
        self.fail_with(test, self._exc_info_to_string(err, test))

    addError = addFailure

    def addSubTest(self, test, subtest, err):
        if err is not None:
            print(f"FAILED  {subtest.id()}\n{self._exc_info_to_string(err, test)}", flush=True)
            self.failed.add(test.id())

    def addSkip(self, test, reason):
        self.skips[test.id()] = reason
        print(f"SKIPPED {test.id()}: {reason}", flush=True)

    def addUnexpectedSuccess(self, test):
        self.fail_with(test, "marked as an expected failure, but it passed\n")


def flatten(suite):
    for item in suite:
        if isinstance(item, unittest.TestSuite):
            yield from flatten(item)
        else:
            yield item


def main():
    parser = argparse.ArgumentParser(description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", default=HERE.parent.parent / "build/test/bin", type=pathlib.Path)
    parser.add_argument("--seconds", default=14400, type=int)
    parser.add_argument("names", nargs="*")
    options = parser.parse_args()
    if os.geteuid() != 0:
        sys.exit("run.py: needs root: it starts file servers and makes network namespaces")
    os.environ["SMB3_BIN"] = str(options.bin.resolve())
    sys.path.insert(0, str(HERE))
    import lab

    loader = unittest.defaultTestLoader
    suite = loader.loadTestsFromNames(options.names) if options.names \
        else loader.discover(str(HERE), "test_*.py")
    result = Counts(options.seconds)
    with lab.session():
        suite.run(result)
    failed, skipped = len(result.failed), len(result.skips)
    print(f"   {result.passed} passed, {failed} failed, {skipped} skipped"
          f" in {time.monotonic() - result.began:.0f} s")
    if counts := os.environ.get("SMB3_COUNTS"):
        with open(counts, "a", encoding="utf-8") as file:
            print("e2e", result.passed, failed, skipped, file=file)
    sys.exit(bool(failed) or not result.passed)


if __name__ == "__main__":
    main()
