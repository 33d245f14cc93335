"""A hostile server: names that lead elsewhere, and every offset, length and count of every answer
set to values that lie. Nothing crashes, hangs, or is written outside of the target folder."""
import concurrent.futures
import subprocess

import lab
import scripted
from scripted import fault

NAMES = ["..\\..\\evil", "../../evil", "a/b", "a\\b", "C:evil", "..", ".", "", "/", "\\", "\\evil",
         "/tmp/evil", "x\x00y", "evil:stream", " ", "x" * 256, "%2e%2e%2fevil", "...", "CON"]
LONE_SURROGATES = ["00d8", "00dc", "610000d86200", "00dc00d8"]


class Names(scripted.TestCase):
    def listing(self, **keys):
        server = self.serve_folder([fault("entry_name", "QUERY_DIRECTORY", times=1, **keys)])
        tree = self.shared / "tree"
        tree.mkdir()
        (tree / "good").write_text("good")
        (self.shared / "evil").write_text("evil")
        self.target = self.folder / "a" / "b" / "target"
        self.target.mkdir(parents=True)
        return lab.smbcp("--timeout", 4, "-r", server.url("rw/tree"), self.target)

    def check(self, run):
        found = sorted(str(path.relative_to(self.folder / "a"))
                       for path in (self.folder / "a").rglob("*"))
        outside = [path for path in found if not (path + "/").startswith("b/target/")
                   and path != "b"]
        self.assertEqual(outside, [], f"written outside of the target by {run}")
        self.assertEqual((self.target / "tree" / "good").read_text(), "good")
        self.assertFalse(any("evil" in path and "/tree/" not in path for path in found), found)

    def test_names_that_lead_elsewhere(self):
        for name in NAMES:
            for kind in ("file", "directory"):
                with self.subTest(f"{kind} {name[:20]!r}"):
                    run = self.listing(name=name, field=kind)
                    if name not in (".", ".."):  # those are in every listing
                        self.assertEnds(run, 1)
                        self.assertEqual(run.json["failed"], 1, run)
                    self.check(run)
                    subprocess.run(["rm", "-r", self.folder / "a", self.shared], check=True)

    def test_names_that_are_no_text(self):
        for name in LONE_SURROGATES:
            with self.subTest(name):
                run = self.listing(data=name, field="file")
                self.assertEnds(run, 1)
                self.check(run)
                subprocess.run(["rm", "-r", self.folder / "a", self.shared], check=True)

    def test_a_reparse_point_is_left_out(self):
        run = self.listing(name="link", field="reparse")
        self.assertSays(run, "link", "reparse")
        self.check(run)

    def test_a_link_that_was_there_is_not_followed(self):
        server = self.serve_folder()
        (self.shared / "tree" / "sub").mkdir(parents=True)
        (self.shared / "tree" / "sub" / "file").write_text("new")
        (self.shared / "tree" / "other").write_text("new")
        target, outside = self.folder / "target", self.folder / "outside"
        (target / "tree").mkdir(parents=True)
        outside.mkdir()
        (outside / "other").write_text("old")
        (target / "tree" / "sub").symlink_to(outside)
        (target / "tree" / "other").symlink_to(outside / "other")
        run = lab.smbcp("-r", server.url("rw/tree"), target)
        self.assertEnds(run, 1)
        self.assertEqual([path.name for path in outside.iterdir()], ["other"])
        self.assertEqual((outside / "other").read_text(), "old")


def fields():
    """What smb3-testserver can falsify: [(command, name, kind, bytes wide)], each once."""
    text = lab.tool(lab.binary("smb3-testserver"), "--list-fields")
    rows = (line.split("\t") for line in text.splitlines())
    return sorted({(row[0].split()[0], row[1], row[2], int(row[3])) for row in rows})


def lies(kind, width):
    top = (1 << (8 * min(width, 8))) - 1
    if kind in ("value", "constant"):
        return (0, top)
    return sorted({0, 1, 7, 8, 63, 64, 65, 0x70, top // 2, top // 2 + 1, top - 7, top - 63, top})


class Fields(scripted.TestCase):
    """Each run is a small copy both ways and a listing, so that every answer comes once."""

    ANSWERS = ("NEGOTIATE", "SESSION_SETUP", "TREE_CONNECT", "CREATE", "CLOSE", "READ", "WRITE",
               "QUERY_DIRECTORY", "QUERY_INFO", "SET_INFO")

    def setUp(self):
        super().setUp()
        (self.folder / "up").mkdir()
        lab.make_file(self.folder / "up" / "source", 70_000)

    def attack(self, job):
        command, name, value, settings = job
        server = scripted.Server(
            faults=[fault("set_field", command, field=name, value=value)], **settings)
        try:
            ends = []
            for words in (["-r", self.folder / "up", server.url("rw/")],
                          ["-r", server.url("rw/up"), server.folder / "down"]):
                ends.append(lab.smbcp("--timeout", 2, *words, timeout=30))
        finally:
            server.stop()
        return job, ends

    def sweep(self, jobs):
        self.assertGreater(len(jobs), 100)
        with concurrent.futures.ThreadPoolExecutor(4) as pool:
            for job, ends in pool.map(self.attack, jobs):
                for run in ends:
                    if run.rc not in (0, 1, 3, 4, 5):
                        self.fail(f"{job}: {run}")

    def jobs(self, kinds, *settings):
        listed = [field for field in fields() if field[0] in self.ANSWERS and field[2] in kinds]
        self.assertEqual({field[0] for field in listed} - set(self.ANSWERS), set())
        return [(command, name, value, setting) for command, name, kind, width in listed
                for value in lies(kind, width) for setting in settings]

    def test_every_length_and_offset(self):
        secured = [{"signing": "required"}, {"encrypt": True}] if lab.LONG else []
        self.sweep(self.jobs(("offset", "length", "count", "next"), {}, *secured))

    def test_every_value(self):
        self.sweep(self.jobs(("value", "constant"), {}))


class Bytes(scripted.TestCase):
    """Answers that are no answers."""

    def attack(self, *faults):
        server = self.serve_folder(faults)
        lab.make_file(self.shared / "file", 70_000)
        run = lab.smbcp("--timeout", 3, server.url("rw/file"), self.folder / "back", timeout=30)
        self.assertIn(run.rc, (3, 5), run)
        self.assertFalse((self.folder / "back").exists())
        self.assertTrue(run.json["errors"][0]["message"])

    def test_cut_answers(self):
        for command in ("NEGOTIATE", "SESSION_SETUP", "TREE_CONNECT", "CREATE", "READ"):
            for size in (0, 1, 4, 16, 63, 64, 65, 66, 70):
                with self.subTest(f"{command} {size}"):
                    self.attack(fault("truncate", command, value=size))

    def test_frames_that_lie_about_their_length(self):
        for length in (0, 1, 63, 0x10000, 0xFFFFFF, 0x01000040, 0xFFFFFFFF):
            for command in ("NEGOTIATE", "READ"):
                with self.subTest(f"{command} {length:x}"):
                    self.attack(fault("frame_length", command, value=length))

    def test_other_protocols(self):
        for data in (b"\xffSMB" + bytes(60), b"\xfcSMB" + bytes(60), b"\xfdSMB" + bytes(60),
                     b"\xfeSMB" + bytes(60), b"\xfeSMB\x40\x00" + b"\xff" * 58, b"hello", b"",
                     bytes(200)):
            for command in ("NEGOTIATE", "READ"):
                with self.subTest(f"{command} {data[:8]}"):
                    self.attack(fault("raw_frame", command, data=data.hex()))
        self.attack(fault("raw_bytes", "NEGOTIATE", data=b"HTTP/1.1 400 Bad Request\r\n".hex()))
        self.attack(fault("raw_bytes", "NEGOTIATE", data=b"SSH-2.0-OpenSSH_9.2\r\n".hex()))
