"""Memory stays bounded whatever a file's size."""
import os
import subprocess

import lab

SIZE = (4 << 30) if lab.LONG else (512 << 20)
PEAK_KIB_MAX = 64 << 10


@lab.unittest.skipIf(lab.SANITIZED, "a sanitizer's shadow memory is no measure of ours")
class Peak(lab.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.start(shares=["rw"])

    def peak_kib(self, *args):
        process = subprocess.Popen(lab.command("smbcp", "-U", lab.LOGON, *args),
                                   env=lab.environment(), stdin=subprocess.DEVNULL)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        self.assertEqual(process.returncode, 0)
        return usage.ru_maxrss

    def test_up(self):
        source = lab.make_file(self.folder / "big", SIZE, sparse=True)
        self.assertLess(self.peak_kib(source, self.server.url()), PEAK_KIB_MAX)
        (self.server.share() / "big").unlink()

    def test_down(self):
        source = lab.make_file(self.server.share() / "source", SIZE, sparse=True)
        self.assertLess(self.peak_kib(self.server.url("rw/source"), self.folder), PEAK_KIB_MAX)
        source.unlink()

    def test_encrypted(self):
        source = lab.make_file(self.server.share() / "source", SIZE, sparse=True)
        self.assertLess(self.peak_kib("--encrypt", self.server.url("rw/source"), self.folder),
                        PEAK_KIB_MAX)
        source.unlink()
