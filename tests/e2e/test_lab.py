"""The test laboratory itself, by Samba's own client: so that a failure elsewhere is ours."""
import lab


class PrivateServer(lab.TestCase):
    def test_serves_and_leaves_nothing_running(self):
        server = lab.Server()
        try:
            self.assertIn("putting", lab.smbclient(server, "rw", "ls; put /etc/hostname name"))
            self.assertSameFile("/etc/hostname", server.share() / "name")
            self.assertTrue(server.samba("pids").split())
        finally:
            server.stop()
        self.assertEqual(server.samba("pids").split(), [])

    def test_comes_back_after_sigkill(self):
        server = self.start_own()
        server.samba("kill9")
        self.assertEqual(server.samba("pids").split(), [])
        server.samba("relaunch")
        lab.smbclient(server, "rw", "ls")

    def test_accounts_are_its_own(self):
        server = self.start_own(users=["zoe:secret-of-zoe"])
        with open("/etc/passwd", encoding="utf-8") as accounts:
            self.assertNotIn("zoe:", accounts.read())
        lab.smbclient(server, "rw", "ls", logon="zoe%secret-of-zoe")
        self.assertIn("LOGON_FAILURE",
                      lab.smbclient(server, "rw", "ls", logon="zoe%wrong", check=False))


class Namespaces(lab.TestCase):
    def test_server_in_a_namespace_on_port_445(self):
        _, netns = self.network()
        server = self.start_own(netns=netns, address="198.18.1.2")
        self.assertEqual(server.port, 445)
        lab.smbclient(server, "rw", "ls")
