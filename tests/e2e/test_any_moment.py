"""Ctrl-C and SIGTERM at any moment of a copy: the promised exit code at once, and nothing left."""
import signal
import time

import lab
import scripted
from scripted import fault

WITHIN = 2.5  # seconds: two are promised


class AnyMoment(scripted.TestCase):
    def interrupt(self, number, command, first, words, kind="ignore", **keys):
        """Interrupts a copy whose `first`-th request of a kind has no answer yet."""
        server = self.serve_folder([fault(kind, command, first=first, **({"times": 1} | keys))])
        process = lab.begin("smbcp", "-U", lab.LOGON, "--timeout", 30,
                            *[word(server) for word in words])
        try:
            deadline = time.monotonic() + 10
            while len(server.log(command)) < first and process.poll() is None:
                self.assertLess(time.monotonic(), deadline, f"no {command} came")
                time.sleep(0.01)
            time.sleep(0.05)
            process.send_signal(number)
            began = time.monotonic()
            _, err = process.communicate(timeout=20)
            took = time.monotonic() - began
        finally:
            process.kill()
            process.wait()
        text = f"{command} {first}: {err.decode()}"
        self.assertEqual(process.returncode, 128 + number, text)
        self.assertLess(took, WITHIN, text)
        return server, err.decode()

    def moments(self, commands, check, words):
        for number in (signal.SIGINT, signal.SIGTERM):
            for command, first in commands:
                with self.subTest(f"{number.name} at {command} {first}"):
                    server, err = self.interrupt(number, command, first, words)
                    check(server, err)
                    for path in list(self.shared.iterdir()) + list(self.folder.glob("back*")):
                        if path.name != "there":
                            path.unlink()

    def test_uploads(self):
        self.source(20 * lab.MIB)

        def check(_, err):
            left = [path.name for path in self.shared.iterdir()]
            self.assertFalse([name for name in left if not lab.TEMPORARY.fullmatch(name)], left)
            for name in left:  # what cannot be removed in time is named
                self.assertIn(name, err)
        self.moments([("NEGOTIATE", 1), ("SESSION_SETUP", 1), ("SESSION_SETUP", 2),
                      ("TREE_CONNECT", 1), ("CREATE", 1), ("CREATE", 2), ("WRITE", 1),
                      ("WRITE", 10), ("SET_INFO", 1), ("CLOSE", 1)], check,
                     [lambda _: self.folder / "source", lambda server: server.url()])

    def test_downloads(self):
        self.serve_folder()
        lab.make_file(self.shared / "there", 20 * lab.MIB)

        def check(_, __):
            self.assertEqual(list(self.folder.glob("back*")), [])
            self.assertNoTemporaries(self.folder)
        self.moments([("CREATE", 1), ("READ", 1), ("READ", 12), ("CLOSE", 1)], check,
                     [lambda server: server.url("rw/there"), lambda _: self.folder / "back"])

    def test_the_handle_is_closed(self):
        self.serve_folder()
        lab.make_file(self.shared / "there", 20 * lab.MIB)
        server, _ = self.interrupt(signal.SIGINT, "READ", 5,
                                   [lambda server: server.url("rw/there"),
                                    lambda _: self.folder / "back"],
                                   kind="delay", delay_ms=200, times=0)
        self.assertEqual(len(server.log("CLOSE")), len(server.log("CREATE")))
