"""--timeout is the longest silence, not the longest copy: a slow link that moves is never given up,
a server that stands still is."""
import os
import signal
import time

import lab


class SlowLink(lab.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client, cls.namespace = cls.network(rate="1mbit")
        cls.server = cls.start(shares=["rw"], netns=cls.namespace, address="198.18.1.2")

    def test_uploads_take_their_time(self):
        # 4 MiB wait in the queue at once: the last WRITE is answered long after it was asked
        size = 4 * lab.MIB if lab.LONG else 2 * lab.MIB
        source = lab.make_file(self.folder / "source", size)
        began = time.monotonic()
        run = lab.smbcp("--timeout", 4, source, self.server.url(), netns=self.client, timeout=120)
        self.assertGreater(time.monotonic() - began, 12, "the link is not slow")
        self.assertEnds(run, 0)
        self.assertSameFile(source, self.server.share() / "source")

    def test_downloads_take_their_time(self):
        source = lab.make_file(self.server.share() / "there", 2 * lab.MIB)
        run = lab.smbcp("--timeout", 4, self.server.url("rw/there"), self.folder / "here",
                        netns=self.client, timeout=120)
        self.assertEnds(run, 0)
        self.assertSameFile(source, self.folder / "here")


class StoppedServer(lab.TestCase):
    """All of the server's processes are stopped in the middle of a copy."""

    def stopped(self, source, target, watched):
        process = lab.begin("smbcp", "-U", lab.LOGON, "--timeout", 2, source, target)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.stderr.close)
        deadline = time.monotonic() + 20
        while not any(lab.TEMPORARY.fullmatch(path.name) for path in watched.iterdir()):
            self.assertLess(time.monotonic(), deadline, "the copy does not begin")
            time.sleep(0.01)
        pids = [int(pid) for pid in self.server.samba("pids").split()]
        for pid in pids:
            os.kill(pid, signal.SIGSTOP)
        try:
            began = time.monotonic()
            code = process.wait(30)
            took = time.monotonic() - began
        finally:
            process.kill()
            for pid in pids:
                os.kill(pid, signal.SIGCONT)
        message = process.stderr.read().decode()
        self.assertEqual(code, 3, message)
        self.assertGreater(took, 1, message)
        self.assertLess(took, 6, message)  # 2 s of silence, at most 2 s to clean up

    def test_while_data_goes_up(self):
        self.server = self.start_own(shares=["rw"])
        source = lab.make_file(self.folder / "big", 16 << 30, sparse=True)
        self.stopped(source, self.server.url(), self.server.share())

    def test_while_data_comes_down(self):
        self.server = self.start_own(shares=["rw"])
        lab.make_file(self.server.share() / "big", 16 << 30, sparse=True)
        self.stopped(self.server.url("rw/big"), self.folder, self.folder)
        self.assertEqual(list(self.folder.iterdir()), [])
