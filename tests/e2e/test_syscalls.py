"""Payload moves through io_uring alone; what happens where io_uring or its memory is refused."""
import re
import shutil

import lab

CALLS = ("%network,read,write,readv,writev,pread64,pwrite64,preadv,pwritev,preadv2,pwritev2,"
         "sendfile,splice,tee,vmsplice,copy_file_range")
SIZE = 100 * lab.MIB


@lab.unittest.skipIf(lab.SANITIZED, "LeakSanitizer does not work under strace")
class Counted(lab.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.start(shares=["rw"])

    def calls(self, *args):
        trace = self.folder / "trace"
        run = lab.smbcp(*args, wrap=["strace", "-f", "-qq", "-o", trace, "-e", f"trace={CALLS}"])
        self.assertEnds(run, 0)
        # calls that strace has no name for it shows whatever is asked for; none of CALLS is such
        return [line for line in trace.read_text().splitlines()
                if re.match(r"\d+ +(?!syscall_0x)\w+\(", line)]

    def assertFew(self, calls):
        self.assertLess(len(calls), 60, "\n".join(calls[:200]))

    def test_up(self):
        source = lab.make_file(self.folder / "big", SIZE)
        self.assertFew(self.calls(source, self.server.url()))
        self.assertSameFile(source, self.server.share() / "big")

    def test_down(self):
        source = lab.make_file(self.server.share() / "source", SIZE)
        self.assertFew(self.calls(self.server.url("rw/source"), self.folder))
        self.assertSameFile(source, self.folder / "source")

    def test_encrypted(self):
        source = lab.make_file(self.folder / "sealed", SIZE)
        self.assertFew(self.calls("--encrypt", source, self.server.url()))


class Refused(lab.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.start(shares=["rw"])
        lab.make_file(cls.server.share() / "file", 20 * lab.MIB)

    def test_io_uring_refused(self):
        for error in ("EPERM", "ENOSYS"):
            with self.subTest(error=error):
                run = lab.smbcp(self.server.url("rw/file"), self.folder,
                                wrap=[lab.LAB / "refuse", "io_uring", error])
                self.assertEnds(run, 2)
                self.assertSays(run, "io_uring", "seccomp|sysctl|kernel|container")
                self.assertEqual(list(self.folder.iterdir()), [])

    def test_little_locked_memory(self):
        """An ordinary user may lock 8 MiB, of old 64 KiB: too little for a registered pool."""
        # root may lock whatever it likes, unless that capability is gone
        for limit in (65536, 8 * lab.MIB):
            with self.subTest(limit=limit):
                run = lab.smbcp(self.server.url("rw/file"), self.folder / "copy",
                                wrap=["setpriv", "--bounding-set=-ipc_lock", "--inh-caps=-ipc_lock",
                                      "prlimit", f"--memlock={limit}:{limit}"])
                self.assertEnds(run, 0)
                self.assertSameFile(self.server.share() / "file", self.folder / "copy")


@lab.unittest.skipIf(lab.SANITIZED, "valgrind and AddressSanitizer exclude each other")
class Valgrind(lab.TestCase):
    @lab.unittest.skipUnless(shutil.which("valgrind"), "valgrind is not installed")
    def test_short_copy_is_clean(self):
        server = self.start_own(shares=["rw"])
        source = lab.make_file(self.folder / "file", 2 * lab.MIB + 5)
        check = ["valgrind", "-q", "--error-exitcode=99", "--leak-check=full",
                 "--errors-for-leak-kinds=definite", "--num-callers=40",
                 f"--suppressions={lab.ROOT}/tests/support/leaks_of_others.valgrind"]
        self.assertEnds(lab.smbcp(source, server.url(), wrap=check, timeout=180), 0)
        self.assertEnds(lab.smbcp(server.url("rw/file"), self.folder / "back", wrap=check,
                                  timeout=180), 0)
        self.assertSameFile(source, self.folder / "back")
