"""The scripted server serves as a real one does: the tools cannot tell them apart."""
import os
import unicodedata

import lab
import scripted

SIZES = (0, 1, 4095, 65535, 65536, 65537, lab.MIB - 1, lab.MIB + 1, 8 * lab.MIB + 1)
SIGNING = ("AES-128-GMAC", "AES-128-CMAC", "HMAC-SHA256")
CIPHERS = ("AES-128-GCM", "AES-128-CCM", "AES-256-GCM", "AES-256-CCM")


class Matrix(scripted.TestCase):
    def to_and_fro(self, server, *options):
        """Every size up and down; the last report."""
        run = None
        for size in SIZES:
            source = self.source(size)
            back = self.folder / "back"
            self.assertEnds(lab.smbcp(*options, source, server.url("rw/copy")), 0)
            run = lab.smbcp(*options, server.url("rw/copy"), back)
            self.assertEndsWell(run, source, back)
        return run

    def test_unsigned(self):
        run = self.to_and_fro(self.serve(strict=True))
        self.assertEqual(run.json["cipher"], "none")

    def test_signed(self):
        for algorithm in SIGNING:
            with self.subTest(algorithm):
                server = self.serve(strict=True, signing="required",
                                    signing_algorithms=[algorithm])
                self.assertEqual(self.to_and_fro(server).json["signing"], algorithm)
                unsigned = [line for line in server.log() if not line["signed"] and
                            line["command"] not in ("NEGOTIATE", "SESSION_SETUP")]
                self.assertEqual(unsigned, [])

    def test_sealed(self):
        for cipher in CIPHERS:
            with self.subTest(cipher):
                server = self.serve(strict=True, encrypt=True, ciphers=[cipher])
                self.assertEqual(self.to_and_fro(server).json["cipher"], cipher)
                plain = [line for line in server.log() if not line["sealed"] and
                         line["command"] not in ("NEGOTIATE", "SESSION_SETUP")]
                self.assertEqual(plain, [])

    def test_share_that_seals(self):
        server = self.serve([{"name": "rw", "encrypt": True}])
        self.assertEqual(self.to_and_fro(server).json["cipher"], "AES-128-GCM")
        self.assertTrue(all(line["sealed"] for line in server.log("CREATE")))

    def test_small_limits(self):
        self.to_and_fro(self.serve(max_read_bytes=65536, max_write_bytes=65536,
                                   max_transact_bytes=65536))

    def test_without_large_mtu(self):
        self.to_and_fro(self.serve(large_mtu=False))

    def test_write_through(self):
        server = self.serve(strict=True)
        self.assertEnds(lab.smbcp("--writethrough", self.source(), server.url()), 0)
        for line in server.log("WRITE"):
            self.assertEqual(line["body"]["flags"], ["write_through", "write_unbuffered"])
        created = [line["body"]["create_options"] for line in server.log("CREATE")
                   if "write_data" in line["body"]["desired_access"]]
        self.assertTrue(created)
        self.assertTrue(all("write_through" in options for options in created))


class Files(scripted.TestCase):
    def test_a_tree(self):
        server = self.serve_folder()
        tree = self.folder / "tree"
        names = ["with space", "😀", unicodedata.normalize("NFD", "é"), "x" * 255, "deep"]
        for name in names:
            (tree / name / "sub" / "empty").mkdir(parents=True)
            for i in range(20):
                (tree / name / "sub" / f"{i}{name[:200]}").write_bytes(os.urandom(i * 50))
        self.assertEnds(lab.smbcp("-r", tree, server.url()), 0)
        self.assertEqual(lab.hash_tree(tree), lab.hash_tree(self.shared / "tree"))
        self.assertEnds(lab.smbcp("-r", server.url("rw/tree"), self.folder / "back"), 0)
        self.assertEqual(lab.hash_tree(tree), lab.hash_tree(self.folder / "back"))

    def test_a_large_directory(self):
        server = self.serve_folder()
        (self.shared / "many").mkdir()
        for i in range(3000):
            (self.shared / "many" / f"a file with a rather long name {i:06}").touch()
        self.assertEnds(lab.smbcp("-r", server.url("rw/many"), self.folder / "back"), 0)
        self.assertEqual(len(list((self.folder / "back").iterdir())), 3000)

    def test_replacing(self):
        server = self.serve_folder()
        lab.make_file(self.shared / "copy", lab.MIB)
        source = self.source(10)
        self.assertEnds(lab.smbcp(source, server.url("rw/copy")), 0)
        self.assertSameFile(source, self.shared / "copy")
        self.assertNoTemporaries(self.shared)

    def test_preserved_times(self):
        server = self.serve_folder()
        source = self.source(10)
        os.utime(source, ns=(1_500_000_000_123_456_700, 1_400_000_000_765_432_100))
        self.assertEnds(lab.smbcp("-p", source, server.url("rw/copy")), 0)
        self.assertEqual((self.shared / "copy").stat().st_mtime_ns, 1_400_000_000_765_432_100)
        self.assertEnds(lab.smbcp("-p", server.url("rw/copy"), self.folder / "back"), 0)
        self.assertEqual((self.folder / "back").stat().st_mtime_ns, 1_400_000_000_765_432_100)

    def test_read_only_share_and_missing_names(self):
        server = self.serve([{"name": "rw", "read_only": True}])
        self.assertEnds(lab.smbcp(self.source(10), server.url()), 1)
        self.assertFails(lab.smbcp(server.url("rw/missing"), self.folder / "x"), 1, "not_found")
        self.assertEnds(lab.smbcp(server.url("none/x"), self.folder / "x"), 4)

    def test_disk_full(self):
        server = self.serve([{"name": "rw", "size_bytes": 2 * lab.MIB}])
        self.assertFails(lab.smbcp(self.source(), server.url()), 1, "no_space", "DISK_FULL")
        self.assertFails(lab.smbcp(server.url("rw/source"), self.folder / "x"), 1, "not_found")

    def test_reference_client(self):
        server = self.serve_folder()
        server.netns = ""
        source = self.source(100_000)
        listed = lab.smbclient(server, "rw", f"put {source} a; mkdir d; rename a d/b; cd d; ls; "
                                             f"get b {self.folder}/back; del b; cd ..; rmdir d")
        self.assertRegex(listed, r"b +A? +100000")
        self.assertSameFile(source, self.folder / "back")
        self.assertEqual(list(self.shared.iterdir()), [])


class Logons(scripted.TestCase):
    def test_wrong_password(self):
        server = self.serve()
        run = lab.smbcp(server.url("rw/x"), self.folder, logon="alice%wrong")
        self.assertFails(run, 4, "authentication", "LOGON_FAILURE")

    def test_ntlm_carries_its_proofs(self):
        server = self.serve()
        self.assertEnds(lab.smbcp(self.source(5), server.url()), 0)
        logons = server.events("logon")
        self.assertEqual([line["mechanism"] for line in logons], ["NTLMSSP"])
        self.assertTrue(logons[0]["mic"])
        self.assertEqual(logons[0]["spn"].lower(), "cifs/127.0.0.1")

    def test_guest_only_when_asked_for(self):
        server = self.serve([{"name": "rw", "guest_ok": True}], allow_guest=True)
        source = self.source(5)
        run = lab.smbcp(source, server.url(), logon="nobody%x")
        self.assertFails(run, 5, "security", "guest")
        self.assertEqual(server.log("TREE_CONNECT"), [])
        self.assertEnds(lab.run("smbcp", "--guest", source, server.url()), 0)

    def test_anonymous_only_when_asked_for(self):
        server = self.serve([{"name": "rw", "guest_ok": True}], allow_anonymous=True)
        self.assertEnds(lab.run("smbcp", "-N", self.source(5), server.url()), 0)

    def test_negotiated_contexts(self):
        server = self.serve()
        self.assertEnds(lab.smbcp(self.source(5), server.url()), 0)
        request = server.log("NEGOTIATE")[0]["body"]
        self.assertIn("127.0.0.1", str(request))  # NETNAME
        self.assertEqual(request["dialects"], ["smb_3_1_1"])


class Security(scripted.TestCase):
    """What was asked for is never silently given up."""

    def test_no_cipher_where_encryption_is_demanded(self):
        server = self.serve()
        run = lab.smbcp("--encrypt", self.source(5), server.url())
        self.assertEnds(run, 0)
        self.assertTrue(all(line["sealed"] for line in server.log("CREATE")))

    def test_demanded_signing_is_verified(self):
        for command in ("TREE_CONNECT", "CREATE", "READ", "CLOSE"):
            for kind in ("wrong_signature", "unsigned_answer"):
                with self.subTest(f"{kind} on {command}"):
                    server = self.serve_folder([scripted.fault(kind, command)],
                                               signing="required")
                    lab.make_file(self.shared / "file", 200_000)
                    run = lab.smbcp(server.url("rw/file"), self.folder / "back")
                    self.assertFails(run, 5, "security")
                    self.assertFalse((self.folder / "back").exists())

    def test_the_tree_connect_is_verified_without_mandatory_signing(self):
        for kind in ("wrong_signature", "unsigned_answer"):
            with self.subTest(kind):
                server = self.serve(faults=[scripted.fault(kind, "TREE_CONNECT")])
                self.assertFails(lab.smbcp(server.url("rw/x"), self.folder), 5, "security")

    def test_the_logon_is_verified(self):
        for kind in ("wrong_signature", "unsigned_answer"):
            with self.subTest(kind):
                server = self.serve(faults=[scripted.fault(kind, "SESSION_SETUP", first=2)])
                self.assertFails(lab.smbcp(server.url("rw/x"), self.folder), 5, "security")
                self.assertEqual(server.log("TREE_CONNECT"), [])

    def test_what_is_sealed_comes_sealed(self):
        for command in ("TREE_CONNECT", "CREATE", "READ", "CLOSE"):
            for kind in ("wrong_tag", "plain_answer"):
                with self.subTest(f"{kind} on {command}"):
                    server = self.serve_folder([scripted.fault(kind, command)], encrypt=True)
                    lab.make_file(self.shared / "file", 200_000)
                    run = lab.smbcp(server.url("rw/file"), self.folder / "back")
                    self.assertFails(run, 5, "security")
                    self.assertFalse((self.folder / "back").exists())
