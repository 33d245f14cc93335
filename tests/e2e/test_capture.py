"""What goes over the wire, as Wireshark's dissector reads it: nothing malformed, and the keys that
we write decrypt it."""
import signal
import subprocess
import time

import lab

# types of negotiate contexts, [MS-SMB2] 2.2.3.1
PREAUTH, ENCRYPTION, NETNAME, SIGNING = 1, 2, 5, 8


class Captured(lab.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.client, cls.server_netns = cls.network()
        cls.server = cls.start(netns=cls.server_netns, address="198.18.1.2")

    def capture(self, *args, fresh=()):
        """Runs smbcp while tshark listens; returns the file. On a busy machine TCP may send a
        segment again, which tshark does not put together: then once more, without `fresh`."""
        for _ in range(5):
            for path in fresh:
                path.unlink(missing_ok=True)
            file = self.capture_once(*args)
            if not self.dissect(file, "tcp.analysis.retransmission || tcp.analysis.out_of_order"):
                return file
        self.fail("TCP sends segments again in every one of 5 captures")

    def capture_once(self, *args):
        file = self.folder / "capture.pcapng"
        file.unlink(missing_ok=True)
        tshark = subprocess.Popen(
            ["nsenter", f"--net=/run/netns/{self.client}", "tshark", "-i", "c1", "-B", "64", "-q",
             "-w", str(file), "-f", "tcp port 445"], stderr=subprocess.PIPE, text=True)
        try:
            # tshark says "Capturing on" a little before it does: wait for the file's first bytes
            deadline = time.monotonic() + 20
            while not (file.exists() and file.stat().st_size) and time.monotonic() < deadline:
                time.sleep(0.02)
            time.sleep(0.3)
            run = lab.smbcp(*args, netns=self.client)
            time.sleep(0.3)
        finally:
            tshark.send_signal(signal.SIGINT)
            _, said = tshark.communicate(timeout=20)
        self.assertEnds(run, 0)
        self.assertNotRegex(said, r"[1-9]\d* packets? dropped")
        return file

    def dissect(self, file, display_filter, *fields, options=()):
        words = ["tshark", "-r", file, "-Y", display_filter, *options]
        if fields:
            words += ["-T", "fields", "-E", "separator=|", "-E", "aggregator=,"]
            for field in fields:
                words += ["-e", field]
        lines = lab.tool(*words, timeout=120, env={"HOME": str(self.folder),
                                                   "PATH": "/usr/bin:/bin:/usr/sbin"}).splitlines()
        return [line for line in lines if line and not line.startswith("Running as user")]

    def assertWellFormed(self, file, options=()):
        self.assertTrue(self.dissect(file, "smb2", options=options))
        self.assertEqual(self.dissect(file, "_ws.malformed || _ws.unreassembled || smb",
                                      options=options), [])

    def test_negotiate(self):
        source = lab.make_file(self.folder / "file", 3 * lab.MIB)
        file = self.capture(source, self.server.url())
        self.assertWellFormed(file)
        request, = self.dissect(file, "smb2.cmd == 0 && smb2.flags.response == 0",
                                "smb2.dialect", "smb2.negotiate_context.type")
        dialects, contexts = request.split("|")
        self.assertEqual([int(word, 0) for word in dialects.split(",")], [0x0311])
        self.assertLessEqual({PREAUTH, ENCRYPTION, SIGNING, NETNAME},
                             {int(word, 0) for word in contexts.split(",")})
        response, = self.dissect(file, "smb2.cmd == 0 && smb2.flags.response == 1", "smb2.dialect")
        self.assertEqual(int(response, 0), 0x0311)

    def test_ntlm_carries_its_mic(self):
        source = lab.make_file(self.folder / "file", 10)
        file = self.capture(source, self.server.url())
        mic = self.dissect(file, "ntlmssp.messagetype == 3", "ntlmssp.authenticate.mic")
        self.assertEqual(len(mic), 1)
        self.assertRegex(mic[0].replace(":", ""), r"^[0-9a-f]{32}$")
        self.assertNotEqual(set(mic[0]) - set("0:"), set())

    def test_user_demands_signing(self):
        source = lab.make_file(self.folder / "file", lab.MIB)
        file = self.capture("--sign", source, self.server.url())
        self.assertWellFormed(file)
        for command in (9, 6):  # WRITE, CLOSE
            # interim responses (STATUS_PENDING) are not signed
            flags = self.dissect(file, f"smb2.cmd == {command} && !(smb2.nt_status == 0x103)",
                                 "smb2.flags.signature")
            self.assertTrue(flags)
            self.assertNotIn("0", ",".join(flags).split(","))

    def test_keylog_decrypts(self):
        source = lab.make_file(self.folder / "file", 3 * lab.MIB)
        keys = self.folder / "keys"
        for share in ("rw/", "enc/"):
            with self.subTest(share=share):
                options = ["--encrypt"] if share == "rw/" else []
                file = self.capture(*options, "--keylog", keys, source, self.server.url(share),
                                    fresh=[keys])
                self.assertEqual(self.dissect(file, "smb2.cmd == 9"), [], "it was not encrypted")
                table = ["-o", f"uat:smb2_seskey_list:{keys.read_text().strip()}"]
                writes = self.dissect(file, "smb2.cmd == 9 && smb2.flags.response == 0",
                                      "smb2.write_length", options=table)
                written = sum(int(word) for line in writes for word in line.split(","))
                self.assertEqual(written, 3 * lab.MIB)
                self.assertWellFormed(file, options=table)
