"""Each failure has its exit code, its words and its deadline, and leaves no half file behind."""
import os
import stat
import time

import lab

ALL_DONE, FILE_FAILED, USAGE, NO_CONNECTION, REFUSED, INSECURE = 0, 1, 2, 3, 4, 5


class AtServer(lab.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.start(shares=["rw", "ro; read only = yes", "bobs; valid users = bob",
                                       "guest; guest ok = yes; guest only = yes"],
                               users=["alice:Passw0rd!", "bob:B0bs-secret"])
        lab.make_file(cls.server.share() / "there", 2 * lab.MIB)

    def upload(self, url, **options):
        self.source = lab.make_file(self.folder / "source", 2 * lab.MIB)
        return lab.smbcp(self.source, url, **options)

    def assertReports(self, run, kind, code):
        self.assertEnds(run, code)
        self.assertTrue(run.json, f"no report from {run}")
        self.assertEqual([error["kind"] for error in run.json["errors"]], [kind])
        self.assertTrue(run.json["errors"][0]["message"])

    def test_wrong_password(self):
        run = self.upload(self.server.url(), logon="alice%not-hers")
        self.assertReports(run, "authentication", REFUSED)
        self.assertSays(run, "LOGON_FAILURE")
        self.assertNotIn("not-hers", run.err + run.out)

    def test_no_such_share(self):
        run = self.upload(self.server.url("nothing/"))
        self.assertEnds(run, REFUSED)
        self.assertSays(run, "nothing", "BAD_NETWORK_NAME")

    def test_share_of_another(self):
        run = self.upload(self.server.url("bobs/"))
        self.assertEnds(run, REFUSED)
        self.assertSays(run, "bobs", "ACCESS_DENIED")

    def test_no_such_file(self):
        run = lab.smbcp(self.server.url("rw/missing"), self.folder / "here")
        self.assertReports(run, "not_found", FILE_FAILED)
        self.assertSays(run, "missing", "OBJECT_NAME_NOT_FOUND")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_no_such_local_file(self):
        run = lab.smbcp(self.folder / "missing", self.server.url())
        self.assertEnds(run, FILE_FAILED)
        self.assertSays(run, "missing", "no such file")

    def test_one_of_three_is_missing(self):
        for name in ("one", "three"):
            lab.make_file(self.server.share() / name, 10)
        run = lab.smbcp(*(self.server.url(f"rw/{n}") for n in ("one", "two", "three")), self.folder)
        self.assertReports(run, "not_found", FILE_FAILED)
        self.assertEqual(run.json["files"], 2)
        self.assertEqual(run.json["failed"], 1)
        self.assertEqual(sorted(path.name for path in self.folder.iterdir()), ["one", "three"])

    def test_read_only_share(self):
        run = self.upload(self.server.url("ro/"))
        self.assertEnds(run, FILE_FAILED)
        self.assertSays(run, "ro")
        self.assertEqual(list(self.server.share("ro").iterdir()), [])

    def test_read_only_share_small_file(self):
        run = lab.smbcp(lab.make_file(self.folder / "small", 5), self.server.url("ro/"))
        self.assertEnds(run, FILE_FAILED)
        self.assertEqual(list(self.server.share("ro").iterdir()), [])

    def test_local_folder_is_missing(self):
        run = lab.smbcp(self.server.url("rw/there"), self.folder / "missing/here")
        self.assertEnds(run, FILE_FAILED)
        self.assertSays(run, "missing")

    def test_unwritable_file_on_the_server(self):
        secret = lab.make_file(self.server.share() / "secret", 10)
        secret.chmod(0o600)  # root's
        run = lab.smbcp(self.server.url("rw/secret"), self.folder)
        self.assertReports(run, "access_denied", FILE_FAILED)
        self.assertSays(run, "secret", "ACCESS_DENIED")
        self.assertEqual(list(self.folder.iterdir()), [])

    def test_unknown_user_is_made_guest(self):
        run = self.upload(self.server.url("guest/unwanted"), logon="nosuch%x")
        self.assertReports(run, "security", INSECURE)
        self.assertSays(run, "guest")
        self.assertFalse((self.server.share("guest") / "unwanted").exists())

    def test_guest_when_asked_for(self):
        run = self.upload(self.server.url("guest/"), logon="")
        self.assertNotEqual(run.rc, ALL_DONE)
        run = lab.run("smbcp", "--guest", self.source, self.server.url("guest/"))
        self.assertEnds(run, ALL_DONE)
        self.assertSameFile(self.source, self.server.share("guest") / "source")

    def test_dev_null_stays_a_device(self):
        run = lab.smbcp(self.server.url("rw/there"), "/dev/null")
        self.assertEnds(run, ALL_DONE)
        self.assertTrue(stat.S_ISCHR(os.stat("/dev/null").st_mode))
        self.assertEqual(os.stat("/dev/null").st_rdev, os.makedev(1, 3))

    def test_a_thousand_refused_logons_leave_the_server_well(self):
        for _ in range(1000 if lab.LONG else 30):
            self.assertEnds(lab.smbcp(self.server.url("rw/there"), "/dev/null", logon="alice%x"),
                            REFUSED)
        self.assertEnds(lab.smbcp(self.server.url("rw/there"), "/dev/null"), ALL_DONE)


class NoServer(lab.TestCase):
    def test_nobody_listens(self):
        run = lab.smbcp("--port", lab.closed_port(), "smb://127.0.0.1/rw/x", self.folder)
        self.assertEnds(run, NO_CONNECTION)
        self.assertEqual(run.json["errors"][0]["kind"], "disconnected")
        self.assertSays(run, "127.0.0.1", "refused")

    def test_unknown_host(self):
        run = lab.smbcp("smb://no-such-host.invalid/rw/x", self.folder, timeout=40)
        self.assertEnds(run, NO_CONNECTION)
        self.assertSays(run, "no-such-host.invalid")

    def test_a_port_that_stays_silent(self):
        with lab.SilentPort() as peer:
            began = time.monotonic()
            run = lab.smbcp("--timeout", 3, "--port", peer.port, "smb://127.0.0.1/rw/x",
                            self.folder, timeout=20)
            took = time.monotonic() - began
        self.assertEnds(run, NO_CONNECTION)
        self.assertEqual(run.json["errors"][0]["kind"], "timed_out")
        self.assertGreater(took, 2.5)
        self.assertLess(took, 6)

    def test_an_address_that_does_not_answer(self):
        # a namespace whose peer has no such address: SYNs get no answer
        client, _ = self.network()
        lab.tool("ip", "-n", client, "neigh", "replace", "198.18.1.9", "lladdr",
                 "02:00:00:00:00:09", "dev", "c1")
        began = time.monotonic()
        run = lab.smbcp("--timeout", 3, "smb://198.18.1.9/rw/x", self.folder, netns=client)
        self.assertEnds(run, NO_CONNECTION)
        self.assertLess(time.monotonic() - began, 8)

    def test_server_dies_in_the_middle(self):
        server = self.start_own(shares=["rw"])
        source = lab.make_file(self.folder / "big", 8 << 30, sparse=True)
        process = lab.begin("smbcp", "-U", lab.LOGON, "--timeout", 5, source, server.url())
        self.addCleanup(process.stderr.close)
        self.addCleanup(process.stdout.close)
        deadline = time.monotonic() + 20
        while not any(server.share().iterdir()) and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(0.3)
        server.samba("kill9")
        self.assertEqual(process.wait(20), NO_CONNECTION, process.stderr.read().decode())

    def test_server_without_311(self):
        server = self.start_own(settings=["server max protocol = SMB3_02"])
        run = lab.smbcp(server.url("rw/x"), self.folder)
        self.assertEnds(run, INSECURE)
        self.assertSays(run, r"3\.1\.1")


class DiskFull(lab.TestCase):
    def test_at_the_server(self):
        server = self.start_own(shares=["rw"])
        server.samba("enter", "mount", "-t", "tmpfs", "-o", "size=16m,mode=0777", "tmpfs",
                     server.share())
        source = lab.make_file(self.folder / "source", 20 * lab.MIB)
        run = lab.smbcp(source, server.url())
        self.assertEnds(run, FILE_FAILED)
        self.assertEqual(run.json["errors"][0]["kind"], "no_space")
        self.assertSays(run, "DISK_FULL")
        self.assertEqual(server.samba("enter", "ls", "-A", server.share()), "")

    def test_here(self):
        server = self.start_own(shares=["rw"])
        lab.make_file(server.share() / "source", 20 * lab.MIB)
        full = self.folder / "full"
        full.mkdir()
        left = self.folder / "left"
        script = (f"mount -t tmpfs -o size=16m tmpfs {full} || exit 99\n"
                  f'"$@"\nstatus=$?\nls -A {full} >{left}\nexit $status')
        run = lab.smbcp(server.url("rw/source"), full,
                        wrap=["unshare", "--mount", "--propagation", "private", "sh", "-c", script,
                              "sh"])
        self.assertEnds(run, FILE_FAILED)
        self.assertEqual(run.json["errors"][0]["kind"], "no_space")
        self.assertSays(run, "no space")
        self.assertEqual(left.read_text(), "")
