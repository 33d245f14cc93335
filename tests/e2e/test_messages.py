"""What the tools say when the user or the surroundings are at fault."""
import contextlib
import os
import socket
import threading
import time

import lab


class Stranger:
    """A port where somebody else answers: says `text` to whoever connects, then ends."""

    def __init__(self, text, listens=True):
        self.text, self.listens = text, listens
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.thread = threading.Thread(target=self._serve, daemon=True)

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                peer = self.listener.accept()[0]
                with peer:
                    if self.listens:
                        peer.recv(4096)
                    peer.sendall(self.text)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()


class Strangers(lab.TestCase):
    def visit(self, text, listens=True):
        with Stranger(text, listens) as peer:
            run = lab.smbcp(f"smb://127.0.0.1:{peer.port}/rw/x", self.folder)
        self.assertSays(run, f"127.0.0.1:{peer.port}")
        return run

    def test_no_smb(self):
        for text, listens in ((b"HTTP/1.1 400 Bad Request\r\n\r\n", True),
                              (b"SSH-2.0-OpenSSH_9.2\r\n", False)):
            run = self.visit(text, listens)
            self.assertEnds(run, 5)
            self.assertSays(run, "does not speak SMB", text[:4].decode())

    def test_smb1(self):
        answer = b"\xffSMBr" + bytes(80)
        run = self.visit(len(answer).to_bytes(4, "big") + answer)
        self.assertEnds(run, 5)
        self.assertSays(run, "SMB 1 only", r"speaks SMB 3\.1\.1 and nothing older; enable it")

    def test_end_instead_of_an_answer(self):
        run = self.visit(b"")
        self.assertEnds(run, 3)
        self.assertSays(run, "instead of an answer", r"speaks SMB 3\.1\.1 and nothing older")


class Output(lab.TestCase):
    """Whatever cannot be printed is told of."""

    @classmethod
    def setUpClass(cls):
        cls.server = cls.start()
        lab.make_file(cls.server.share() / "file", 1000)

    def runs(self):
        copy = ["-U", lab.LOGON, self.server.url("rw/file")]
        yield "smbcp", "--help"
        yield "smbget", "--version"
        yield "smbcp", "--json", *copy, str(self.folder / "json")
        yield "smbcp", "-v", *copy, str(self.folder / "verbose")

    def test_full(self):
        for words in self.runs():
            run = lab.run(*words, wrap=["sh", "-c", '"$@" >/dev/full', "sh"])
            self.assertEnds(run, 1)
            self.assertSays(run, "standard output: no space left")
            self.assertEqual(run.err.count("standard output"), 1)

    def test_closed(self):
        for words in self.runs():
            run = lab.run(*words, wrap=["sh", "-c", '"$@" >&-', "sh"])
            self.assertEnds(run, 1)
            self.assertSays(run, "standard output: bad file descriptor")

    def test_the_report_of_a_wrong_usage(self):
        run = lab.run("smbcp", "--json", "alone", wrap=["sh", "-c", '"$@" >/dev/full', "sh"])
        self.assertEnds(run, 2)
        self.assertSays(run, "standard output: no space left")


class Descriptors(lab.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.start()
        tree = cls.server.share() / "tree"
        tree.mkdir(mode=0o777)
        for number in range(60):
            lab.make_file(tree / str(number), 10)

    def fetch(self, limit, to, *options):
        return lab.smbcp("-r", *options, self.server.url("rw/tree"), to,
                         wrap=["sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh"])

    def test_too_few(self):
        for limit in (8, 10, 12, 16, 20):
            run = self.fetch(limit, self.folder)
            self.assertNotEqual(run.rc, 0)
            self.assertSays(run, "ulimit -n")
            self.assertEqual(len(run.err.strip().splitlines()), 1, run)
            self.assertNotIn("gss", run.err.lower())

    def test_few_are_enough(self):
        for limit in (24, 30, 50):
            run = self.fetch(limit, self.folder / str(limit))
            self.assertEnds(run, 0)
            self.assertEqual(run.json["files"], 60)
            up = lab.smbcp("-r", self.folder / str(limit), self.server.url(f"rw/up{limit}"),
                           wrap=["sh", "-c", f'ulimit -n {limit}; exec "$@"', "sh"])
            self.assertEnds(up, 0)

    def test_a_low_soft_limit_is_raised(self):
        run = lab.smbcp("-r", self.server.url("rw/tree"), self.folder / "soft",
                        wrap=["sh", "-c", 'ulimit -S -n 10; exec "$@"', "sh"])
        self.assertEnds(run, 0)


class Names(lab.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.start()
        lab.make_file(cls.server.share() / "file", 1000)

    def test_a_slash_in_a_password(self):
        run = lab.smbcp("smb://u:se/cret@127.0.0.1/rw/x", self.folder, logon="")
        self.assertEnds(run, 2)
        self.assertSays(run, "%2F")
        self.assertNotIn("cret", run.err)

    def test_a_slash_behind_a_file(self):
        run = lab.smbcp(self.server.url("rw/file/"), self.folder / "copy")
        self.assertEnds(run, 1)
        self.assertSays(run, "not a directory")
        run = lab.smbget(self.server.url("rw/file/"), cwd=self.folder)
        self.assertEnds(run, 1)
        self.assertSays(run, "not a directory")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_a_dot_or_a_space_at_the_end(self):
        source = lab.make_file(self.folder / "source", 10)
        for name in ("ends.", "ends%20", "..."):
            run = lab.smbcp(source, self.server.url(f"rw/{name}"))
            self.assertEnds(run, 1)
            self.assertSays(run, "ends in a dot or a space")
        dotted = lab.make_file(self.folder / "dotted.", 10)
        run = lab.smbcp(dotted, self.server.url())
        self.assertEnds(run, 1)
        self.assertSays(run, "ends in a dot or a space")
        self.assertEqual([path.name for path in self.server.share().iterdir()], ["file"])

    def test_the_port_is_named(self):
        where = f"//127.0.0.1:{self.server.port}/rw/missing"
        for words in ((self.server.url("rw/missing"),),
                      ("--port", self.server.port, "smb://127.0.0.1/rw/missing")):
            run = lab.smbcp(*words, self.folder)
            self.assertEnds(run, 1)
            self.assertSays(run, where)
            self.assertEqual(run.json["errors"][0]["path"], where)

    def test_addresses_of_ipv6_stand_in_brackets(self):
        port = lab.closed_port()
        for words in ((f"smb://[::1]:{port}/rw/x",), ("--port", port, "//::1/rw/x"),
                      ("--port", port, "//[::1]/rw/x")):
            run = lab.smbcp(*words, self.folder)
            self.assertEnds(run, 3)
            self.assertIn(f"//[::1]:{port}/rw/x: ", run.err)


class Changing(lab.TestCase):
    """Sources that somebody writes to meanwhile."""

    @classmethod
    def setUpClass(cls):
        cls.server = cls.start()

    def copy_while(self, change, source, target, folder):
        """Changes a source of a GiB in the middle of its copy."""
        process = lab.begin("smbcp", "-U", lab.LOGON, source, target)
        deadline = time.monotonic() + 20
        while not any(lab.TEMPORARY.fullmatch(path.name) for path in folder.iterdir()):
            self.assertLess(time.monotonic(), deadline)
            time.sleep(0.001)
        change()
        _, err = process.communicate(timeout=60)
        return process.returncode, err.decode()

    def assertRefused(self, outcome, target, *folders):
        code, err = outcome
        self.assertEqual(code, 1, err)
        self.assertRegex(err, "(changed|became shorter) while it was copied")
        self.assertEqual(target.read_text(), "as before")
        self.assertNoTemporaries(*folders)

    def changes(self, path):
        yield lambda: os.truncate(path, (1 << 30) + 1)
        yield lambda: os.truncate(path, 5)
        yield lambda: os.utime(path, (1, 1))

    def test_up(self):
        source, target = self.folder / "source", self.server.share() / "up"
        for change in self.changes(source):
            lab.make_file(source, 1 << 30, sparse=True)
            target.write_text("as before")
            target.chmod(0o666)
            outcome = self.copy_while(change, source, self.server.url("rw/up"),
                                      self.server.share())
            self.assertRefused(outcome, target, self.server.share())

    def test_down(self):
        source, target = self.server.share() / "down", self.folder / "target"
        for change in self.changes(source):
            lab.make_file(source, 1 << 30, sparse=True)
            target.write_text("as before")
            outcome = self.copy_while(change, self.server.url("rw/down"), target, self.folder)
            self.assertRefused(outcome, target, self.folder)

    def test_a_pipe_has_no_state(self):
        pipe = self.folder / "pipe"
        os.mkfifo(pipe)
        writer = threading.Thread(target=pipe.write_bytes, args=(b"x" * 100_000,))
        writer.start()
        self.addCleanup(writer.join)
        run = lab.smbcp(pipe, self.server.url("rw/from-pipe"))
        self.assertEnds(run, 0)
        self.assertEqual((self.server.share() / "from-pipe").stat().st_size, 100_000)
