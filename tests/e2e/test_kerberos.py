"""Kerberos: a private KDC and a server that takes its tickets."""
import pathlib
import shutil
import tempfile

import lab

HOST = "fs.lab.test"


class Kerberos(lab.TestCase):
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
