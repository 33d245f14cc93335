"""What a session can do beyond the tools' needs, and what the server says of its own accord."""
import signal
import subprocess
import time

import lab


class Probe(lab.TestCase):
    def probe(self, server, *words):
        return [lab.binary("session_probe"), server.port, *words]

    def hold(self, server, name):
        """A process that holds a batch oplock on a file of the share."""
        lab.make_file(server.share() / name, 1000).chmod(0o666)
        process = subprocess.Popen([str(word) for word in self.probe(server, "hold", name)],
                                   stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(process.wait, 20)
        self.addCleanup(process.stdin.close)
        self.addCleanup(process.stdout.close)
        self.addCleanup(process.send_signal, signal.SIGCONT)
        self.assertEqual(process.stdout.readline(), "held\n")
        return process

    def test_requests_in_every_protection(self):
        for settings in ([], ["server signing = mandatory"], ["server smb encrypt = required"]):
            with self.subTest(settings=settings):
                server = self.start_own(settings=settings)
                self.assertEqual(lab.tool(*self.probe(server, "requests")), "done\n")

    def test_a_session_is_renewed_in_every_protection(self):
        for settings in ([], ["server signing = mandatory"], ["server smb encrypt = required"]):
            with self.subTest(settings=settings):
                server = self.start_own(settings=settings)
                process = subprocess.Popen([str(word) for word in self.probe(server, "renew")],
                                           stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
                self.addCleanup(process.wait, 20)
                self.addCleanup(process.stdout.close)
                self.assertEqual(process.stdout.readline(), "done\n")
                server.samba("run", "pdbedit", "-u", lab.USER, "-c", "[D]")
                process.stdin.close()
                self.assertIn("ACCOUNT_DISABLED", process.stdout.readline())
                self.assertEqual(process.wait(20), 0)

    def test_refused_logons_leave_no_descriptor(self):
        count = 1000 if lab.LONG else 50
        server = self.start_own()
        self.assertEqual(lab.tool(*self.probe(server, "logons", count), timeout=300), "done\n")

    def test_an_oplock_break_is_answered_at_once(self):
        for settings in ([], ["server smb encrypt = required"]):
            with self.subTest(settings=settings):
                server = self.start_own(settings=settings)
                holder = self.hold(server, "held")
                begin = time.monotonic()
                run = lab.smbcp(server.url("rw/held"), self.folder / "copy")
                self.assertEnds(run, 0)
                # A server waits some 30 seconds for an answer that does not come.
                self.assertLess(time.monotonic() - begin, 5)
                self.assertEqual(holder.stdout.readline(), "broken\n")

    def test_what_waits_for_the_server_is_cancelled(self):
        server = self.start_own()
        holder = self.hold(server, "held")
        holder.send_signal(signal.SIGSTOP)  # it answers no break, so that CREATE is pending
        process = lab.begin("smbcp", "-U", lab.LOGON, server.url("rw/held"), self.folder / "copy")
        time.sleep(1)
        self.assertIsNone(process.poll())
        begin = time.monotonic()
        process.send_signal(signal.SIGINT)
        process.wait(20)
        self.assertEqual(process.returncode, 130)
        self.assertLess(time.monotonic() - begin, 0.9)  # the server answered the CANCEL
        self.assertEqual(list(self.folder.iterdir()), [])
