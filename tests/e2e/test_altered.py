"""Requests that are altered on their way to the server."""
import contextlib
import socket
import threading

import lab

WRITE, READ, CLOSE = 9, 8, 6


class Altering:
    """Passes frames on between a client and a server, and turns one bit of one request of it: of
    the first frame that `chosen` takes."""

    def __init__(self, server, chosen):
        self.server, self.chosen, self.done = server, chosen, False
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.sockets, self.threads = [self.listener], []

    def __enter__(self):
        self._start(self._serve)
        return self

    def __exit__(self, *_):
        for one in self.sockets:
            with contextlib.suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)
        for thread in self.threads:
            thread.join(10)
        for one in self.sockets:
            one.close()

    def _start(self, function, *args):
        self.threads.append(threading.Thread(target=function, args=args, daemon=True))
        self.threads[-1].start()

    def _serve(self):
        with contextlib.suppress(OSError):
            while True:
                client = self.listener.accept()[0]
                server = socket.create_connection((self.server.address, self.server.port))
                self.sockets += [client, server]
                self._start(self._pump, client, server, True)
                self._start(self._pump, server, client, False)

    def _pump(self, source, target, alters):
        with contextlib.suppress(OSError), source.makefile("rb") as stream:
            while len(prefix := stream.read(4)) == 4:
                frame = bytearray(stream.read(int.from_bytes(prefix, "big")))
                if alters and not self.done and self.chosen(frame):
                    frame[-1] ^= 1
                    self.done = True
                target.sendall(prefix + frame)
        with contextlib.suppress(OSError):
            target.shutdown(socket.SHUT_WR)


def of_command(command):
    return lambda frame: frame[0] == 0xFE and frame[12] == command


class Altered(lab.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.start()
        lab.make_file(cls.server.share() / "there", 3 * lab.MIB)

    def copy(self, chosen, source, target, *options):
        with Altering(self.server, chosen) as proxy:
            run = lab.smbcp("--port", proxy.port, "--timeout", 10, *options, source, target)
            self.assertTrue(proxy.done)
        return run

    def test_a_signed_request(self):
        source = lab.make_file(self.folder / "source", 3 * lab.MIB)
        for command, paths in (
                (WRITE, (source, "smb://127.0.0.1/rw/new")),
                (READ, ("smb://127.0.0.1/rw/there", self.folder / "copy")),
                (CLOSE, ("smb://127.0.0.1/rw/there", self.folder / "copy"))):
            with self.subTest(command=command):
                run = self.copy(of_command(command), *paths, "--sign")
                self.assertIn(run.rc, (1, 5), run)
                self.assertSays(run, "altered on its way")
                self.assertFalse((self.server.share() / "new").exists())
                self.assertFalse((self.folder / "copy").exists())

    def test_an_encrypted_request(self):
        sealed = [0]

        def chosen(frame):
            sealed[0] += frame[0] == 0xFD
            return sealed[0] == 3
        run = self.copy(chosen, "smb://127.0.0.1/rw/there", self.folder / "copy", "--encrypt")
        self.assertEnds(run, 3)
        self.assertSays(run, "altered on its way")
        self.assertFalse((self.folder / "copy").exists())
