"""Interrupted copies clean up after themselves, at once."""
import signal
import time

import lab

SIZE = 16 << 30  # sparse, and far more than is copied before the signal


class Interrupted(lab.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.start(shares=["rw"])

    def interrupt(self, source, target, folder, number):
        """Sends the signal while the temporary grows; returns the exit code."""
        process = lab.begin("smbcp", "-U", lab.LOGON, source, target)
        try:
            deadline = time.monotonic() + 20
            while time.monotonic() < deadline and process.poll() is None:
                if any(lab.TEMPORARY.fullmatch(path.name) for path in folder.iterdir()):
                    break
                time.sleep(0.005)
            else:
                self.fail(f"no temporary appeared: {process.communicate(timeout=5)}")
            time.sleep(0.1)
            process.send_signal(number)
            began = time.monotonic()
            _, err = process.communicate(timeout=20)
            self.assertLess(time.monotonic() - began, 2.5, err)
            return process.returncode
        finally:
            process.kill()
            process.wait()

    def test_upload_by_ctrl_c(self):
        source = lab.make_file(self.folder / "big", SIZE, sparse=True)
        code = self.interrupt(source, self.server.url(), self.server.share(), signal.SIGINT)
        self.assertEqual(code, 130)
        self.assertNoTemporaries(self.server.share())
        self.assertFalse((self.server.share() / "big").exists())

    def test_download_by_ctrl_c(self):
        lab.make_file(self.server.share() / "source", SIZE, sparse=True)
        self.addCleanup((self.server.share() / "source").unlink)
        code = self.interrupt(self.server.url("rw/source"), self.folder, self.folder, signal.SIGINT)
        self.assertEqual(code, 130)
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_upload_by_sigterm(self):
        source = lab.make_file(self.folder / "big", SIZE, sparse=True)
        code = self.interrupt(source, self.server.url(), self.server.share(), signal.SIGTERM)
        self.assertEqual(code, 143)
        self.assertNoTemporaries(self.server.share())

    def test_while_nothing_answers(self):
        with lab.SilentPort() as peer:
            process = lab.begin("smbcp", "-U", lab.LOGON, "--port", peer.port,
                                "smb://127.0.0.1/rw/x", self.folder)
            deadline = time.monotonic() + 10
            while not peer.accepted and time.monotonic() < deadline:
                time.sleep(0.01)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=10)
        self.assertEqual(process.returncode, 130)

    def test_existing_target_is_as_it_was(self):
        source = lab.make_file(self.folder / "big", SIZE, sparse=True)
        target = lab.make_file(self.server.share() / "big", 1000)
        self.addCleanup(target.unlink)
        before = lab.hash_file(target)
        self.assertEqual(self.interrupt(source, self.server.url(), self.server.share(),
                                        signal.SIGINT), 130)
        self.assertEqual(lab.hash_file(target), before)
