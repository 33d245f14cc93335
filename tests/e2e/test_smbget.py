"""smbget, as users of Samba's know it."""
import lab


class Smbget(lab.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.start()
        share = cls.server.share()
        for name, size in (("one", 10), ("two", 3 * lab.MIB), ("empty", 0)):
            lab.make_file(share / name, size)
        (share / "tree/deep/deeper").mkdir(parents=True)
        for name in ("a", "deep/b", "deep/deeper/c d"):
            lab.make_file(share / "tree" / name, 5000)
        lab.make_file(cls.server.share("guest") / "public", 100)
        lab.make_file(cls.server.share("enc") / "sealed", 100)

    def get(self, *args, **options):
        return lab.smbget(*args, cwd=self.folder, **options)

    def test_single(self):
        self.assertEnds(self.get(self.server.url("rw/two")), 0)
        self.assertSameFile(self.server.share() / "two", self.folder / "two")

    def test_several(self):
        self.assertEnds(self.get(*(self.server.url(f"rw/{n}") for n in ("one", "two", "empty"))), 0)
        for name in ("one", "two", "empty"):
            self.assertSameFile(self.server.share() / name, self.folder / name)

    def test_recursive(self):
        self.assertEnds(self.get("--recursive", self.server.url("rw/tree")), 0)
        found = {path.relative_to(self.folder).as_posix().removeprefix("tree/")
                 for path in self.folder.rglob("*") if path.is_file()}
        self.assertEqual(found, {"a", "deep/b", "deep/deeper/c d"})

    def test_output_file(self):
        self.assertEnds(self.get("-o", "elsewhere", self.server.url("rw/one")), 0)
        self.assertSameFile(self.server.share() / "one", self.folder / "elsewhere")

    def test_stdout(self):
        run = self.get("--stdout", self.server.url("rw/two"))
        self.assertEnds(run, 0)
        self.assertEqual(run.raw, (self.server.share() / "two").read_bytes())
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_quiet_says_nothing(self):
        run = self.get("-q", self.server.url("rw/one"))
        self.assertEnds(run, 0)
        self.assertEqual((run.out, run.err), ("", ""))

    def test_verbose(self):
        run = self.get("-v", self.server.url("rw/one"))
        self.assertEnds(run, 0)
        self.assertIn("one", run.out + run.err)

    def test_guest(self):
        self.assertEnds(self.get("-a", self.server.url("guest/public"), logon=""), 0)
        self.assertSameFile(self.server.share("guest") / "public", self.folder / "public")

    def test_encrypt(self):
        self.assertEnds(self.get("-e", self.server.url("rw/one")), 0)
        self.assertEnds(self.get(self.server.url("enc/sealed")), 0)

    def test_user_in_the_url(self):
        url = self.server.url("rw/one", user="alice:Passw0rd!")
        self.assertEnds(self.get(url, logon=""), 0)

    def test_missing_file(self):
        run = self.get(self.server.url("rw/missing"))
        self.assertEnds(run, 1)
        self.assertSays(run, "missing")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_wrong_password(self):
        self.assertEnds(self.get(self.server.url("rw/one"), logon="alice%wrong"), 4)

    def test_existing_file_is_not_silently_replaced(self):
        mine = self.folder / "one"
        mine.write_bytes(b"mine")
        run = self.get(self.server.url("rw/one"))
        self.assertNotEqual(run.rc, 0)
        self.assertEqual(mine.read_bytes(), b"mine")

    def test_password_in_the_environment(self):
        run = self.get(self.server.url("rw/one"), logon="alice", env={"PASSWD": lab.PASSWORD})
        self.assertEnds(run, 0)
