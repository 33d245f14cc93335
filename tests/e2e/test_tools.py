"""What scripts and shells see of the tools: options, credentials, reports, exit codes."""
import json
import os
import pathlib
import pty
import select
import time

import lab


class Report(lab.TestCase):
    """--json"""

    @classmethod
    def setUpClass(cls):
        cls.server = cls.start()
        lab.make_file(cls.server.share() / "file", 3 * lab.MIB)

    def test_all_of_it(self):
        run = lab.smbcp(self.server.url("rw/file"), self.folder)
        self.assertEnds(run, 0)
        self.assertEqual(set(run.json), {"files", "bytes", "failed", "seconds", "dialect",
                                         "signing", "cipher", "channels", "errors"})
        self.assertIsInstance(run.json["seconds"], (int, float))
        channel, = run.json["channels"]
        self.assertEqual(channel["remote"], f"{self.server.address}:{self.server.port}")
        self.assertEqual(channel["state"], "up")
        self.assertGreaterEqual(channel["bytes"], 3 * lab.MIB)
        self.assertRegex(channel["local"], r"^127\.0\.0\.1:\d+$")

    def test_is_the_only_thing_on_stdout(self):
        run = lab.smbcp("-v", self.server.url("rw/file"), self.folder)
        self.assertEqual(json.loads(run.out), run.json)

    def test_goes_to_stderr_when_the_data_goes_to_stdout(self):
        run = lab.smbcp(self.server.url("rw/file"), "/dev/stdout")
        self.assertEnds(run, 0)
        self.assertEqual(run.raw, (self.server.share() / "file").read_bytes())
        self.assertEqual(json.loads(run.err.strip().splitlines()[-1])["files"], 1)

    def test_after_a_failure_too(self):
        run = lab.smbcp(self.server.url("rw/missing"), self.folder)
        self.assertEnds(run, 1)
        self.assertEqual((run.json["files"], run.json["bytes"], run.json["failed"]), (0, 0, 1))
        error, = run.json["errors"]
        self.assertEqual(set(error), {"path", "kind", "message"})
        self.assertIn("missing", error["path"])


class Options(lab.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.start()
        lab.make_file(cls.server.share() / "file", 100)

    def test_help_names_the_exit_codes(self):
        for tool in ("smbcp", "smbget"):
            run = lab.run(tool, "--help")
            self.assertEnds(run, 0)
            for word in ("130", "143", "--user"):
                self.assertIn(word, run.out)

    def test_version(self):
        for tool in ("smbcp", "smbget"):
            run = lab.run(tool, "--version")
            self.assertEnds(run, 0)
            self.assertRegex(run.out, r"\d+\.\d+\.\d+")

    def test_usage_errors(self):
        for words in ([], ["--no-such-option"], ["only-one"], ["--port", "x", "a", "b"],
                      ["--timeout", "-1", "a", "b"], ["--use-kerberos=perhaps", "a", "b"]):
            run = lab.run("smbcp", *words)
            self.assertEnds(run, 2)
            self.assertTrue(run.err)

    def test_unreadable_credentials_file(self):
        run = lab.smbcp("-A", self.folder / "missing", self.server.url("rw/file"), self.folder,
                        logon="")
        self.assertEnds(run, 2)
        self.assertSays(run, "missing")

    def test_quiet(self):
        run = lab.run("smbcp", "-q", "-U", lab.LOGON, self.server.url("rw/file"), self.folder)
        self.assertEnds(run, 0)
        self.assertEqual((run.out, run.err), ("", ""))

    def test_writethrough(self):
        source = lab.make_file(self.folder / "file", 2 * lab.MIB)
        self.assertEnds(lab.smbcp("--writethrough", source, self.server.url("rw/through")), 0)
        self.assertSameFile(source, self.server.share() / "through")

    def test_keylog_file(self):
        log = self.folder / "keys"
        run = lab.smbcp("--keylog", log, self.server.url("rw/file"), self.folder)
        self.assertEnds(run, 0)
        self.assertRegex(log.read_text(), r'\A[0-9a-f]{16},[0-9a-f]{32},"",""\n\Z')
        self.assertEqual(log.stat().st_mode & 0o777, 0o600)
        run = lab.smbcp("--keylog", log, self.server.url("rw/file"), self.folder)
        self.assertNotEqual(run.rc, 0)  # it is created exclusively


class Credentials(lab.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = cls.start(shares=["rw"], users=["alice:Passw0rd!", "bob:a%b c:@/"])
        lab.make_file(cls.server.share() / "file", 100)

    def fetch(self, *options, user_in_url="", tool="smbcp", **more):
        url = self.server.url("rw/file", user=user_in_url)
        return lab.run(tool, *options, url, self.folder, **more)

    def test_ways_to_name_the_user(self):
        for name in ("alice", "LAB\\alice", "LAB/alice"):
            with self.subTest(name=name):
                self.assertEnds(self.fetch("-U", f"{name}%{lab.PASSWORD}"), 0)
        for url in ("alice:Passw0rd!", "LAB;alice:Passw0rd!", "alice:Passw0rd%21",
                    "bob:a%25b%20c%3A%40%2F"):
            with self.subTest(url=url):
                self.assertEnds(self.fetch(user_in_url=url), 0)
        self.assertEnds(self.fetch("-U", "bob%a%b c:@/"), 0)

    def test_credentials_file(self):
        file = self.folder / "credentials"
        file.write_text(f"username = alice\npassword = {lab.PASSWORD}\ndomain = LAB\n")
        file.chmod(0o600)
        self.assertEnds(self.fetch("-A", file), 0)

    def test_user_in_the_environment(self):
        self.assertEnds(self.fetch(env={"USER": f"alice%{lab.PASSWORD}"}), 0)

    def test_password_in_the_environment(self):
        self.assertEnds(self.fetch("-U", "alice", env={"PASSWD": lab.PASSWORD}), 0)

    def test_password_in_a_file(self):
        file = self.folder / "password"
        file.write_text(f"{lab.PASSWORD}\n")
        self.assertEnds(self.fetch("-U", "alice", env={"PASSWD_FILE": str(file)}), 0)

    def test_password_from_a_descriptor(self):
        reader, writer = os.pipe()
        os.write(writer, f"{lab.PASSWORD}\n".encode())
        os.close(writer)
        try:
            run = self.fetch("-U", "alice", env={"PASSWD_FD": str(reader)}, pass_fds=(reader,))
        finally:
            os.close(reader)
        self.assertEnds(run, 0)

    def test_order_of_precedence(self):
        file = self.folder / "credentials"
        file.write_text("username = nobody\npassword = x\n")
        self.assertEnds(self.fetch("-U", "nobody%x", user_in_url="alice:Passw0rd!"), 0)
        self.assertEnds(self.fetch("-A", file, "-U", lab.LOGON, env={"USER": "nobody%x"}), 0)

    def test_a_password_belongs_to_its_user(self):
        # bob's password from -U must not be tried for the URL's alice
        run = self.fetch("-U", f"bob%{lab.PASSWORD}", user_in_url="alice")
        self.assertNotEqual(run.rc, 0)

    def test_no_password_asks_nothing_without_a_terminal(self):
        self.assertNotEqual(self.fetch("-U", "alice", timeout=20).rc, 0)
        self.assertNotEqual(self.fetch("-N", "-U", "alice", timeout=20).rc, 0)

    def test_prompt_on_a_terminal(self):
        words = lab.command("smbcp", "-U", "alice", self.server.url("rw/file"), self.folder)
        pid, terminal = pty.fork()
        if pid == 0:
            os.execve(words[0], words, lab.environment())
        shown, asked, deadline = b"", False, time.monotonic() + 20
        while time.monotonic() < deadline:
            if select.select([terminal], [], [], 0.2)[0]:
                try:
                    data = os.read(terminal, 4096)
                except OSError:  # the other side is closed: it has ended
                    break
                shown += data
                if not asked and b"assword" in shown:
                    asked = True
                    time.sleep(0.1)  # until the echo is off
                    os.write(terminal, f"{lab.PASSWORD}\n".encode())
        _, status = os.waitpid(pid, 0)
        os.close(terminal)
        self.assertEqual(os.waitstatus_to_exitcode(status), 0, shown)
        self.assertTrue(asked)
        self.assertNotIn(lab.PASSWORD.encode(), shown)

    def test_secrets_leave_the_command_line(self):
        secret = "Sesame-open-7"
        for words in (["-U", f"alice%{secret}", "smb://127.0.0.1:{port}/rw/x"],
                      [f"--user=alice%{secret}", "smb://127.0.0.1:{port}/rw/x"],
                      [f"smb://alice:{secret}@127.0.0.1:{{port}}/rw/x"]):
            with self.subTest(words=words), lab.SilentPort() as peer:
                process = lab.begin("smbcp", *(word.format(port=peer.port) for word in words),
                                    self.folder)
                try:
                    line = pathlib.Path(f"/proc/{process.pid}/cmdline")
                    deadline = time.monotonic() + 5
                    while not peer.accepted and time.monotonic() < deadline:
                        time.sleep(0.01)
                    self.assertTrue(peer.accepted, "it did not connect")
                    shown = line.read_bytes()
                finally:
                    process.terminate()
                    _, err = process.communicate(timeout=20)
                self.assertIn(b"127.0.0.1", shown)
                self.assertNotIn(secret.encode(), shown)
                self.assertNotIn(secret.encode(), err)
