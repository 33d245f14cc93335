"""Kerberos: a private KDC and a server that takes its tickets."""
import os
import pathlib
import shutil
import tempfile
import threading
import time

import lab
import scripted

HOST = "fs.lab.test"


class KerberosCase(lab.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.kdc = pathlib.Path(tempfile.mkdtemp(prefix="kdc-", dir=lab.folder()))
        lab.tool(lab.LAB / "kdc", "start", cls.kdc)
        cls.addClassCleanup(lab.tool, lab.LAB / "kdc", "stop", cls.kdc)
        cls.server = cls.start(
            settings=["realm = LAB.TEST", "kerberos method = dedicated keytab",
                      f"dedicated keytab file = FILE:{cls.kdc}/smb.keytab"],
            env=[f"KRB5_CONFIG={cls.kdc}/krb5.conf"])
        lab.make_file(cls.server.share() / "file", lab.MIB)

    def setUp(self):
        super().setUp()
        self.ccache = self.folder / "ccache"
        self.env = {"KRB5_CONFIG": f"{self.kdc}/krb5.conf", "KRB5CCNAME": f"FILE:{self.ccache}"}

    def kinit(self, *options):
        lab.tool("kinit", *options, "-k", "-t", self.kdc / "alice.keytab", "alice",
                 env=lab.environment(self.env))

    def tickets(self):
        if not self.ccache.exists():
            return ""
        return lab.tool("klist", env=lab.environment(self.env))


class AtTheScriptedServer(KerberosCase, scripted.TestCase):
    """What the tickets do on the wire."""

    def setUp(self):
        super().setUp()
        self.kinit()

    def copy(self, source, target, *options):
        return lab.smbcp("--address", self.scripted.address, "--port", self.scripted.port,
                         "--use-kerberos=required", *options, source, target, logon="",
                         env=self.env)

    def serve_tickets(self, **settings):
        self.scripted = self.serve_folder(keytab=str(self.kdc / "smb.keytab"),
                                          env={"KRB5_CONFIG": f"{self.kdc}/krb5.conf"}, **settings)

    def assertCopiesBothWays(self, *options):
        source = self.source()
        self.assertEndsWell(self.copy(source, f"smb://{HOST}/rw/copy", *options), source,
                            self.shared / "copy")
        self.assertEndsWell(self.copy(f"smb://{HOST}/rw/copy", self.folder / "back", *options),
                            source, self.folder / "back")

    def test_logs_on_and_copies(self):
        for options in ((), ("--sign",), ("--encrypt",)):
            with self.subTest(options):
                self.serve_tickets()
                self.assertCopiesBothWays(*options)
                logons = self.scripted.events("logon")
                self.assertEqual({(one["mechanism"], one["spn"]) for one in logons},
                                 {("Kerberos", f"cifs/{HOST}@LAB.TEST")}, logons)
                reads = self.scripted.log("READ")
                self.assertTrue(reads)
                self.assertTrue(all(one["signed"] == ("--sign" in options) for one in reads))
                self.assertTrue(all(one["sealed"] == ("--encrypt" in options) for one in reads))

    def test_a_session_that_expires_is_renewed_with_the_ticket(self):
        slow = [scripted.fault("delay", command, delay_ms=150) for command in ("READ", "WRITE")]
        self.serve_tickets(faults=slow, session_lifetime_ms=400)
        source = self.source(80 * lab.MIB)
        run = self.copy(source, f"smb://{HOST}/rw/copy", "--sign")
        self.assertEndsWell(run, source, self.shared / "copy")
        kinds = [one["kind"] for one in self.scripted.events("logon")]
        self.assertEqual(kinds[0], "session")
        self.assertIn("reauthentication", kinds)


class Kerberos(KerberosCase):
    def fetch(self, *options, host=HOST, logon="", env=None):
        return lab.smbcp("--address", self.server.address, "--port", self.server.port, *options,
                         f"smb://{host}/rw/file", self.folder / "copy", logon=logon,
                         env=self.env | (env or {}))

    def assertFetched(self, run):
        self.assertEnds(run, 0)
        self.assertSameFile(self.server.share() / "file", self.folder / "copy")

    def test_ticket_in_the_cache(self):
        self.kinit()
        self.assertFetched(self.fetch("--use-kerberos=required"))
        self.assertIn(f"cifs/{HOST}", self.tickets())

    def test_ticket_is_preferred(self):
        self.kinit()
        self.assertFetched(self.fetch())
        self.assertIn(f"cifs/{HOST}", self.tickets())

    def test_password_and_realm(self):
        self.assertFetched(self.fetch("--use-kerberos=required", logon="alice@LAB.TEST%Passw0rd!"))

    def test_wrong_password_and_realm(self):
        run = self.fetch("--use-kerberos=required", logon="alice@LAB.TEST%wrong")
        self.assertEnds(run, 4)
        self.assertNotIn("wrong", run.err.replace("wrong password", ""))

    def test_client_keytab(self):
        shutil.copy(self.kdc / "alice.keytab", self.folder / "keytab")
        keytab = f"FILE:{self.folder}/keytab"
        self.assertFetched(self.fetch("--use-kerberos=required", logon="alice",
                                      env={"KRB5_CLIENT_KTNAME": keytab}))

    def test_required_without_a_ticket(self):
        # a password would do: MIT asks the default realm for a ticket
        run = self.fetch("--use-kerberos=required", "--no-pass", logon="alice")
        self.assertEnds(run, 4)
        self.assertSays(run, "kerberos|ticket|credentials")
        self.assertFalse((self.folder / "copy").exists())

    def test_required_with_a_user_whom_the_kdc_does_not_know(self):
        run = self.fetch("--use-kerberos=required", logon="zoe%x")
        self.assertEnds(run, 4)

    def test_required_never_for_an_address(self):
        self.kinit()
        self.assertEnds(self.fetch("--use-kerberos=required", host="127.0.0.1"), 4)

    def test_off_uses_ntlm_beside_a_ticket(self):
        self.kinit()
        self.assertFetched(self.fetch("--use-kerberos=off", logon=lab.LOGON))
        self.assertNotIn("cifs/", self.tickets())

    def test_password_without_realm_is_ntlm(self):
        self.assertFetched(self.fetch(logon=lab.LOGON))
        self.assertEqual(self.tickets(), "")

    def test_silent_kdc_does_not_outlast_the_deadline(self):
        with lab.SilentPort() as peer:
            config = self.folder / "krb5.conf"
            text = (self.kdc / "krb5.conf").read_text()
            lines = [f"        kdc = 127.0.0.1:{peer.port}" if "kdc =" in line else line
                     for line in text.splitlines()]
            config.write_text("\n".join(lines) + "\n")
            run = self.fetch("--use-kerberos=required", "--timeout", 3,
                             logon="alice@LAB.TEST%Passw0rd!", env={"KRB5_CONFIG": str(config)})
        self.assertNotEqual(run.rc, 0)


class Expiry(KerberosCase):
    """Copies that last longer than the ticket: the server ends the session, not the connection."""
    TICKET_S, COPY_S = 4, 10

    def config(self):
        """Tickets that are asked for end soon."""
        text = (self.kdc / "krb5.conf").read_text()
        path = self.folder / "krb5.conf"
        path.write_text(text.replace("[libdefaults]\n",
                                     f"[libdefaults]\n    ticket_lifetime = {self.TICKET_S}s\n"))
        return {"KRB5_CONFIG": str(path)}

    def slow_source(self):
        """A pipe that gives a MiB a second, and the file with what came out of it."""
        pipe, sent = self.folder / "pipe", self.folder / "sent"
        os.mkfifo(pipe)

        def feed():
            with open(pipe, "wb", buffering=0) as out, open(sent, "wb") as copy:
                for _ in range(self.COPY_S):
                    block = os.urandom(lab.MIB)
                    copy.write(block)
                    try:
                        out.write(block)
                    except BrokenPipeError:
                        return
                    time.sleep(1)
        feeder = threading.Thread(target=feed)
        feeder.start()
        self.addCleanup(feeder.join)
        return pipe, sent

    def upload(self, name, logon="", env=None, meanwhile=lambda: None):
        pipe, sent = self.slow_source()
        timer = threading.Timer(self.TICKET_S - 1, meanwhile)
        timer.start()
        self.addCleanup(timer.join)
        run = lab.smbcp("--address", self.server.address, "--port", self.server.port,
                        "--use-kerberos=required", pipe, f"smb://{HOST}/rw/{name}", logon=logon,
                        env=self.env | (env or {}))
        return run, sent

    def assertUploaded(self, run, sent, name):
        self.assertEnds(run, 0)
        self.assertSameFile(sent, self.server.share() / name)
        self.assertNoTemporaries(self.server.share())

    def test_password(self):
        run, sent = self.upload("password", logon="alice@LAB.TEST%Passw0rd!", env=self.config())
        self.assertUploaded(run, sent, "password")

    def test_ticket_that_is_renewed_meanwhile(self):
        self.kinit("-l", f"{self.TICKET_S}s")
        run, sent = self.upload("renewed", meanwhile=lambda: self.kinit("-l", "1h"))
        self.assertUploaded(run, sent, "renewed")

    def test_client_keytab(self):
        keytab = f"FILE:{self.kdc}/alice.keytab"
        run, sent = self.upload("keytab", logon="alice",
                                env=self.config() | {"KRB5_CLIENT_KTNAME": keytab})
        self.assertUploaded(run, sent, "keytab")

    def test_no_other_ticket(self):
        self.kinit("-l", f"{self.TICKET_S}s")
        run, _ = self.upload("none")
        self.assertEnds(run, 4)
        self.assertSays(run, "session has expired and could not be renewed", "kinit",
                        r"\.smbcp-[0-9a-f]{16}\.part")
        self.assertFalse((self.server.share() / "none").exists())
        for left in self.server.share().glob(".smbcp-*.part"):  # nobody may remove it any more
            left.unlink()
        self.assertEqual(run.json["errors"][0]["kind"], "authentication")
