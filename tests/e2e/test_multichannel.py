"""Several connections for one session, over four links between two network namespaces."""
import concurrent.futures
import itertools
import pathlib
import random
import signal
import subprocess
import tempfile
import threading
import time

import lab
import scripted
from scripted import fault

LINKS = 4
ADDRESS = "198.18.1.2"
SIZE = 64 * lab.MIB
# Between the same two ends: what a new connection of a lost one is, too.
ENDS = {(f"198.18.{i}.1", f"198.18.{i}.2") for i in range(1, LINKS + 1)}


def interfaces(rss=True):
    capability = ",capability=RSS" if rss else ""
    return "interfaces = " + " ".join(f'"198.18.{i}.2;speed=1000000000{capability}"'
                                      for i in range(1, LINKS + 1))


def host(address):
    return address.rsplit(":", 1)[0]


class Linked(lab.TestCase):
    RATE = "none"

    @classmethod
    def setUpClass(cls):
        cls.client, cls.server_netns = cls.network(LINKS, cls.RATE)
        cls.name = cls.client.removeprefix("smb3_").removesuffix("_c")

    @classmethod
    def serve(cls, *settings, rss=True, **options):
        return cls.start(settings=["server multi channel support = yes", interfaces(rss),
                                   *settings],
                         netns=cls.server_netns, address=ADDRESS, **options)

    ports = itertools.count(4451)

    def serve_here(self, *settings, rss=True):
        """A server for this test, beside the one of the class."""
        return self.start_own(settings=["server multi channel support = yes", interfaces(rss),
                                        *settings],
                              netns=self.server_netns, address=ADDRESS, port=next(self.ports))

    def smbcp(self, *args, **options):
        return lab.smbcp(*args, netns=self.client, **options)

    def link(self, number, state):
        lab.tool(lab.LAB / "net", "link", self.name, number, state)

    def connections(self):
        """The client's, as ss shows them."""
        return lab.tool("nsenter", f"--net=/run/netns/{self.client}", "ss", "-Htn", "state",
                        "established", "dport", "=", ":445").splitlines()

    def await_channels(self, stop):
        """Until most are there, and bound."""
        while len(self.connections()) < 6 and not stop.wait(0.1):
            pass
        stop.wait(1)

    def reset_one(self):
        """A connection of the client's, by chance, is reset at both ends."""
        listed = self.connections()
        if len(listed) < 4:
            return  # the last one is not for this test
        port = random.choice(listed).split()[2].rsplit(":", 1)[1]
        lab.tool("nsenter", f"--net=/run/netns/{self.client}", "ss", "-K", "sport", "=",
                 f":{port}", check=False)

    def ends_of(self, run, at_least=1):
        """Which pairs of addresses carried so many bytes."""
        return {(host(one["local"]), host(one["remote"])) for one in run.json["channels"]
                if one["bytes"] >= at_least}

    def states_of(self, run):
        return {one["state"] for one in run.json["channels"]}

    def assertCopies(self, run, source, target):
        self.assertEnds(run, 0)
        self.assertSameFile(source, target)


class Spread(Linked):
    RATE = "300mbit"  # slow enough that a file outlasts the opening of channels

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = cls.serve(shares=["rw", "enc; smb encrypt = required"])

    def both_ways(self, *options, share="rw", server=None, **more):
        """Both runs, of a file that is worth more connections."""
        server = server or self.server
        source = lab.make_file(self.folder / "source", SIZE)
        up = self.smbcp(*options, source, server.url(f"{share}/copy"), **more)
        self.assertCopies(up, source, server.share(share) / "copy")
        down = self.smbcp(*options, server.url(f"{share}/copy"), self.folder / "back", **more)
        self.assertCopies(down, source, self.folder / "back")
        (self.folder / "back").unlink()
        return up, down

    def test_every_link_is_used(self):
        for run in self.both_ways():
            self.assertEqual(self.ends_of(run), ENDS)
            self.assertLessEqual(len(run.json["channels"]), 8)
            self.assertEqual(sum(one["bytes"] for one in run.json["channels"]), SIZE)
            self.assertEqual({one["state"] for one in run.json["channels"]}, {"up"})

    def test_as_many_as_asked_for(self):
        for count in (1, 2, 4):
            for run in self.both_ways("--channels", count):
                self.assertEqual(len(run.json["channels"]), count)

    def test_interfaces_can_be_chosen(self):
        for run in self.both_ways("--interface", "c2,198.18.3.1"):
            self.assertLessEqual(self.ends_of(run),
                                 {(f"198.18.{i}.1", f"198.18.{i}.2") for i in (1, 2, 3)})

    def test_a_small_copy_opens_none(self):
        source = lab.make_file(self.folder / "small", 10_000)
        for _ in range(3):
            run = self.smbcp(source, self.server.url())
            self.assertEnds(run, 0)
            self.assertEqual(len(run.json["channels"]), 1)

    def test_the_table_is_shown(self):
        source = lab.make_file(self.folder / "source", SIZE)
        run = self.smbcp("-v", source, self.server.url())
        self.assertSays(run, r"channel 198\.18\.1\.1:\d+ -> 198\.18\.1\.2:\d+: 1000 Mbit/s, "
                             r"\d+ bytes, \d+ requests, up")

    def test_a_tree_is_spread(self):
        tree = self.folder / "tree"
        for i in range(48):
            (tree / f"d{i % 3}").mkdir(parents=True, exist_ok=True)
            lab.make_file(tree / f"d{i % 3}" / f"f{i}", lab.MIB)
        run = self.smbcp("-r", tree, self.server.url("rw/tree"))
        self.assertEnds(run, 0)
        self.assertEqual(lab.hash_tree(tree), lab.hash_tree(self.server.share() / "tree"))
        self.assertGreater(len(self.ends_of(run)), 1)

    def test_an_encrypted_share(self):
        for run in self.both_ways(share="enc"):
            self.assertNotEqual(run.json["cipher"], "none")
            self.assertEqual(self.ends_of(run), ENDS)

    def test_a_server_that_encrypts_all_sessions_binds_none(self):
        """Samba wants a binding both sealed and unsealed then: the copy goes on over one."""
        server = self.serve_here("smb encrypt = required")
        for run in self.both_ways("-v", server=server):
            self.assertNotEqual(run.json["cipher"], "none")
            self.assertEqual(self.ends_of(run), {("198.18.1.1", "198.18.1.2")})
            self.assertSays(run, "no channel from")

    def test_signing_is_mandatory(self):
        for algorithm in ("AES-128-GMAC", "AES-128-CMAC"):
            with self.subTest(algorithm):
                server = self.serve_here("server signing = mandatory",
                                         f"server smb3 signing algorithms = {algorithm}")
                for run in self.both_ways(server=server):
                    self.assertEqual(run.json["signing"], algorithm)
                    self.assertEqual(self.ends_of(run), ENDS)

    def test_without_receive_side_scaling_a_pair_has_one(self):
        server = self.serve_here(rss=False)
        for run in self.both_ways(server=server):
            self.assertEqual(len(run.json["channels"]), LINKS)

    def test_a_server_that_has_no_part_in_it(self):
        server = self.serve_here("server multi channel support = no")
        for run in self.both_ways("-v", server=server):
            self.assertEqual(len(run.json["channels"]), 1)
            self.assertNotIn("no channel", run.err)

    def test_a_capture_shows_a_binding_for_each(self):
        source = lab.make_file(self.folder / "source", SIZE)
        file, keys = self.folder / "capture.pcapng", self.folder / "keys"
        tshark = subprocess.Popen(
            ["nsenter", f"--net=/run/netns/{self.client}", "tshark", "-i", "any", "-B", "256", "-q",
             "-s", "400", "-w", str(file), "-f", "tcp port 445"],
            stderr=subprocess.DEVNULL)
        deadline = time.monotonic() + 20
        while not (file.exists() and file.stat().st_size) and time.monotonic() < deadline:
            time.sleep(0.02)
        time.sleep(0.5)
        run = self.smbcp("--channels", 4, "--keylog", keys, source, self.server.url())
        time.sleep(0.5)
        tshark.send_signal(signal.SIGINT)
        tshark.wait(timeout=20)
        self.assertEnds(run, 0)
        setups = lab.tool("tshark", "-r", file, "-Y", "smb2.cmd == 1 && smb2.flags.response == 0",
                          "-T", "fields", "-e", "ip.src", "-e",
                          "smb2.ses_req_flags.session_binding", timeout=60,
                          env={"HOME": str(self.folder), "PATH": "/usr/bin:/bin"}).splitlines()
        bound = {line.split("\t")[0] for line in setups
                 if line.startswith("198.18") and line.split("\t")[1] in ("1", "True")}
        self.assertEqual(bound, {f"198.18.{i}.1" for i in range(2, LINKS + 1)}, setups)


class WithKerberos(Linked):
    def test_channels_are_bound_with_tickets(self):
        kdc = pathlib.Path(tempfile.mkdtemp(prefix="kdc-", dir=lab.folder()))
        inside = ["nsenter", f"--net=/run/netns/{self.client}"]
        lab.tool(*inside, lab.LAB / "kdc", "start", kdc)
        self.addCleanup(lab.tool, lab.LAB / "kdc", "stop", kdc)
        server = self.serve("realm = LAB.TEST", "kerberos method = dedicated keytab",
                            f"dedicated keytab file = FILE:{kdc}/smb.keytab",
                            env=[f"KRB5_CONFIG={kdc}/krb5.conf"])
        source = lab.make_file(self.folder / "source", SIZE)
        run = self.smbcp("--address", ADDRESS, "--port", server.port, "--use-kerberos=required",
                         "--sign", source, "smb://fs.lab.test/rw/copy",
                         logon="alice@LAB.TEST%Passw0rd!",
                         env={"KRB5_CONFIG": f"{kdc}/krb5.conf",
                              "KRB5CCNAME": f"FILE:{self.folder}/ccache"})
        self.assertCopies(run, source, server.share() / "copy")
        self.assertEqual(self.ends_of(run), ENDS)


class Failover(Linked):
    RATE = "60mbit"
    BYTES = 192 * lab.MIB

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.server = cls.serve()

    def tearDown(self):
        for i in range(1, LINKS + 1):
            self.link(i, "up")

    def while_copying(self, disturb):
        """Both ways, with `disturb(stop)` beside them: the runs."""
        runs = []
        source = lab.make_file(self.folder / "source", self.BYTES)
        for name, args, target in (
                ("up", (source, self.server.url("rw/copy")), self.server.share() / "copy"),
                ("down", (self.server.url("rw/copy"), self.folder / "back"),
                 self.folder / "back")):
            with self.subTest(name):
                stop = threading.Event()
                with concurrent.futures.ThreadPoolExecutor(1) as beside:
                    disturbed = beside.submit(disturb, stop)
                    try:
                        run = self.smbcp("-v", *args, timeout=120)
                    finally:
                        stop.set()
                    disturbed.result()
                self.assertCopies(run, source, target)
                self.assertNoTemporaries(target.parent)
                runs.append(run)
        return runs

    def test_links_go_down_until_one_is_left_and_come_back(self):
        def disturb(stop):
            self.await_channels(stop)
            for i in (1, 2, 3):
                self.link(i, "down")
                stop.wait(0.5)
            stop.wait(6)
            for i in (1, 2, 3):
                self.link(i, "up")
        for run in self.while_copying(disturb):
            self.assertIn("failed", self.states_of(run), run)
            for i in range(1, LINKS + 1):
                self.link(i, "up")

    def test_connections_are_reset_at_random(self):
        def disturb(stop):
            self.await_channels(stop)
            while not stop.wait(0.5):
                self.reset_one()
        for run in self.while_copying(disturb):
            self.assertIn("failed", self.states_of(run), run)


class Lies(scripted.TestCase):
    """What a server says of its interfaces costs no time and no copy. There is no route to
    anywhere here, so that nothing is dialled outside."""

    @classmethod
    def setUpClass(cls):
        cls.client, cls.server_netns = cls.network(1)

    def copy(self, list_of_interfaces, faults=(), **settings):
        server = self.serve_folder(faults, netns=self.server_netns, interfaces=list_of_interfaces,
                                   address=ADDRESS, **settings)
        source = self.source(40 * lab.MIB)
        began = time.monotonic()
        run = lab.smbcp("-v", source, server.url("rw/copy"), netns=self.client)
        self.took = time.monotonic() - began
        self.assertEndsWell(run, source, self.shared / "copy")
        return run, server

    def test_addresses_that_lead_nowhere(self):
        lies = [{"index": i, "address": address, "speed_bits": 4294967295000000, "rss": True}
                for i, address in enumerate(["::", "0.0.0.0", "fe80::1", "169.254.7.7",
                                             "198.19.255.1", "224.0.0.1", "127.0.0.1", "fd00::77",
                                             "198.18.1.99"])]
        run, _ = self.copy(lies)
        self.assertLess(self.took, 4)
        self.assertEqual(len(run.json["channels"]), 1)

    def test_many_interfaces(self):
        many = [{"index": i, "address": f"198.18.1.{i + 100}", "speed_bits": 1, "rss": True}
                for i in range(64)]
        self.copy(many)
        self.assertLess(self.took, 4)

    def test_a_refused_binding(self):
        mine = [{"index": 1, "address": ADDRESS, "speed_bits": 1000000000, "rss": True}]
        run, server = self.copy(mine, [fault("status", "SESSION_SETUP", first=3,
                                             status="STATUS_REQUEST_NOT_ACCEPTED")])
        self.assertEqual(len(run.json["channels"]), 1)
        self.assertSays(run, "no channel from 198.18.1.1 to 198.18.1.2")
        self.assertLessEqual(len(server.log("SESSION_SETUP")), 2 + 8, "it is not asked for ever")

    def test_what_it_says_is_true(self):
        mine = [{"index": 1, "address": ADDRESS, "speed_bits": 1000000000, "rss": True}]
        for cipher in (None, "AES-128-GCM", "AES-128-CCM", "AES-256-GCM", "AES-256-CCM"):
            with self.subTest(cipher):
                settings = {"encrypt": True, "ciphers": [cipher]} if cipher else {}
                run, server = self.copy(mine, **settings)
                self.assertEqual(len(run.json["channels"]), 4)
                self.assertEqual([one["kind"] for one in server.events("logon")],
                                 ["session"] + ["binding"] * 3)
                self.assertEqual({one["channel_sequence"] for one in server.log()}, {0})
                self.assertEqual({one["sealed"] for one in server.log("WRITE")}, {bool(cipher)})
                (self.shared / "copy").unlink()
