"""Trees of files: many of them, folders in folders, and every kind of name."""
import contextlib
import os
import signal
import socket
import threading
import time
import unicodedata

import lab

NAMES = [
    "with spaces in it", " leading space", "emoji 🐧🎉", unicodedata.normalize("NFD", "é à ö ñ"),
    unicodedata.normalize("NFC", "é à ö ñ"), "日本語のファイル", "a" * 255, "é" * 127 + "x",
    "UPPER", "dots.in.the.name", ".hidden", "percent%41", "plus+and&", "semi;colon,", "quote'd",
    "brackets[1]", "hash#tag", "~tilde", "-dash",
]


def make_tree(top, files):
    """A tree with that many files: nested and empty folders, and all of NAMES."""
    top.mkdir()
    for name in NAMES:
        (top / name).write_bytes(os.urandom(100) + name.encode())
    made = len(NAMES)
    (top / "empty").mkdir()
    (top / "nested/empty/in/depth").mkdir(parents=True)
    for name in NAMES[:6]:
        (top / "names" / name / "inner").mkdir(parents=True)
    deep = top
    for level in range(20):
        deep = deep / f"level {level}"
        deep.mkdir()
        (deep / "file").write_bytes(os.urandom(level * 11))
        made += 1
    for index in range(files - made):
        folder = top / "many" / f"folder {index % 37}"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / f"file {index}").write_bytes(os.urandom(index * 7 % 9001))
    for where, _, _ in os.walk(top):
        os.chmod(where, 0o777)
    return top


class Tree(lab.TestCase):
    files = 2000

    @classmethod
    def setUpClass(cls):
        cls.server = cls.start(shares=["rw"])

    def test_up_and_down(self):
        tree = make_tree(self.folder / "tree", self.files)
        expected = lab.hash_tree(tree)
        up = lab.smbcp("-r", tree, self.server.url(), timeout=180)
        self.assertEnds(up, 0)
        self.assertEqual(up.json["files"], self.files)
        self.assertEqual(lab.hash_tree(self.server.share() / "tree"), expected)
        back = self.folder / "back"
        down = lab.smbcp("-r", self.server.url("rw/tree"), back, timeout=180)
        self.assertEnds(down, 0)
        self.assertEqual(down.json["files"], self.files)
        self.assertEqual(lab.hash_tree(back), expected)
        self.assertNoTemporaries(self.folder, self.server.share())

    def test_smbget_fetches_it_too(self):
        tree = make_tree(self.server.share() / "for smbget", 200)
        run = lab.smbget("--recursive", self.server.url("rw/for%20smbget"), cwd=self.folder,
                         timeout=120)
        self.assertEnds(run, 0)
        self.assertEqual(lab.hash_tree(self.folder), lab.hash_tree(tree))


class PlaceOnShare(lab.TestCase):
    """A folder of its own on the server for each test."""

    @classmethod
    def setUpClass(cls):
        cls.server = cls.start(shares=["rw"])

    def setUp(self):
        super().setUp()
        self.place = self.server.share() / lab.unique("place")
        self.place.mkdir()
        self.place.chmod(0o777)
        self.url = self.server.url(f"rw/{self.place.name}")


class Faults(lab.TestCase):
    """What testers found once."""

    def test_names_that_differ_in_case_only_are_told(self):
        server = self.start_own()
        source = self.folder / "source"
        for name in ("D", "d"):
            (source / name).mkdir(parents=True)
            for number in range(20):
                (source / name / f"f{number}").write_text(name)
        (source / "File").write_text("1")
        (source / "FILE").write_text("2")
        run = lab.smbcp("-r", source, server.url())
        self.assertEnds(run, 1)
        self.assertEqual([error["kind"] for error in run.json["errors"]], ["exists", "exists"])
        self.assertEqual(run.json["files"], 21)

    def test_closed_standard_output_is_an_error(self):
        server = self.start_own()
        lab.make_file(server.share() / "there", 100000).chmod(0o644)
        run = lab.run("smbget", "-U", lab.LOGON, "--stdout", server.url("rw/there"),
                      wrap=["sh", "-c", 'exec "$@" >&-', "sh"])
        self.assertNotEqual(run.rc, 0)

    def test_a_reader_that_leaves_is_no_lost_connection(self):
        server = self.start_own()
        lab.make_file(server.share() / "there", 4 * lab.MIB).chmod(0o644)
        run = lab.run("smbget", "-U", lab.LOGON, "--stdout", server.url("rw/there"),
                      wrap=["bash", "-o", "pipefail", "-c", '"$@" | head -c 10', "bash"])
        self.assertEqual(run.rc, 1, run.err)

    def test_a_trickling_answer_is_not_waited_for(self):
        with socket.create_server(("127.0.0.1", 0)) as listener:
            def trickle():
                peer, _ = listener.accept()
                with peer, contextlib.suppress(OSError):
                    for byte in b"\0\0\1\0\xfeSMB" + b"\0" * 200:
                        peer.send(bytes([byte]))
                        time.sleep(0.2)
            thread = threading.Thread(target=trickle, daemon=True)
            thread.start()
            begin = time.monotonic()
            run = lab.smbcp("--timeout", "2", "--port", listener.getsockname()[1],
                            "smb://127.0.0.1/rw/x", self.folder)
            self.assertEnds(run, 3)
            self.assertLess(time.monotonic() - begin, 4)

    def test_a_signal_ends_the_wait_for_a_fifo(self):
        server = self.start_own()
        os.mkfifo(self.folder / "fifo")
        process = lab.begin("smbcp", "-U", lab.LOGON, self.folder / "fifo", server.url("rw/x"))
        time.sleep(1)
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=5)
        self.assertEqual(process.returncode, 143)


class Destinations(PlaceOnShare):
    """Where a source ends up, by the rules of cp."""

    def test_new_name(self):
        source = lab.make_file(self.folder / "a", 10)
        self.assertEnds(lab.smbcp(source, f"{self.url}/b"), 0)
        self.assertSameFile(source, self.place / "b")

    def test_into_an_existing_folder_without_slash(self):
        source = lab.make_file(self.folder / "a", 10)
        self.assertEnds(lab.smbcp(source, self.url), 0)
        self.assertSameFile(source, self.place / "a")

    def test_several_sources_into_a_folder(self):
        sources = [lab.make_file(self.folder / name, 10) for name in "abc"]
        self.assertEnds(lab.smbcp(*sources, f"{self.url}/"), 0)
        self.assertEqual(sorted(path.name for path in self.place.iterdir()), ["a", "b", "c"])

    def test_several_sources_need_a_folder(self):
        sources = [lab.make_file(self.folder / name, 10) for name in "ab"]
        self.assertNotEqual(lab.smbcp(*sources, f"{self.url}/missing").rc, 0)
        self.assertEqual(list(self.place.iterdir()), [])

    def test_a_folder_needs_recursive(self):
        (self.folder / "dir").mkdir()
        run = lab.smbcp(self.folder / "dir", f"{self.url}/")
        self.assertEnds(run, 1)
        self.assertEqual(list(self.place.iterdir()), [])

    def test_recursive_to_a_new_name(self):
        source = make_tree(self.folder / "dir", 60)
        self.assertEnds(lab.smbcp("-r", source, f"{self.url}/renamed"), 0)
        self.assertEqual(lab.hash_tree(self.place / "renamed"), lab.hash_tree(source))

    def test_unc_and_backslash_paths(self):
        source = lab.make_file(self.folder / "a", 10)
        port = ["--port", self.server.port]
        place = f"rw/{self.place.name}"
        self.assertEnds(lab.smbcp(*port, source, f"//127.0.0.1/{place}/slashes"), 0)
        backslashes = "\\\\127.0.0.1\\" + place.replace("/", "\\") + "\\back"
        self.assertEnds(lab.smbcp(*port, source, backslashes), 0)
        self.assertSameFile(source, self.place / "slashes")
        self.assertSameFile(source, self.place / "back")

    def test_percent_is_decoded_in_urls_only(self):
        source = lab.make_file(self.folder / "a", 10)
        self.assertEnds(lab.smbcp(source, f"{self.url}/x%20y"), 0)
        self.assertEnds(lab.smbcp("--port", self.server.port, source,
                                  f"//127.0.0.1/rw/{self.place.name}/x%20y"), 0)
        self.assertEqual(sorted(path.name for path in self.place.iterdir()), ["x y", "x%20y"])

    def test_local_by_file_url_and_dot(self):
        lab.make_file(self.place / "a", 10)
        self.assertEnds(lab.smbcp(f"{self.url}/a", f"file:{self.folder}/b"), 0)
        self.assertEnds(lab.smbcp(f"{self.url}/a", "./c", cwd=self.folder), 0)
        self.assertSameFile(self.place / "a", self.folder / "b")
        self.assertSameFile(self.place / "a", self.folder / "c")

    def test_share_to_share(self):
        lab.make_file(self.place / "a", lab.MIB + 1)
        self.assertEnds(lab.smbcp(f"{self.url}/a", f"{self.url}/b"), 0)
        self.assertSameFile(self.place / "a", self.place / "b")

    def test_dry_run_writes_nothing(self):
        source = make_tree(self.folder / "dir", 60)
        self.assertEnds(lab.smbcp("-n", "-r", source, f"{self.url}/"), 0)
        self.assertEqual(list(self.place.iterdir()), [])


class Replacing(PlaceOnShare):
    """What happens to a file that is there already."""

    def test_smaller_file_replaces_a_larger_one(self):
        source = lab.make_file(self.folder / "a", 10)
        target = lab.make_file(self.place / "a", 3 * lab.MIB)
        self.assertEnds(lab.smbcp(source, f"{self.url}/a"), 0)
        self.assertSameFile(source, target)
        self.assertNoTemporaries(self.place)

    def test_download_replaces_and_keeps_the_mode(self):
        source = lab.make_file(self.place / "a", 2 * lab.MIB)
        target = lab.make_file(self.folder / "a", 3 * lab.MIB)
        target.chmod(0o640)
        self.assertEnds(lab.smbcp(f"{self.url}/a", target), 0)
        self.assertSameFile(source, target)
        self.assertEqual(target.stat().st_mode & 0o777, 0o640)
        self.assertNoTemporaries(self.folder)

    def test_in_place_keeps_the_inode(self):
        for size in (10, 2 * lab.MIB):
            source = lab.make_file(self.place / "a", size)
            target = lab.make_file(self.folder / "a", 3 * lab.MIB)
            inode = target.stat().st_ino
            self.assertEnds(lab.smbcp("--inplace", f"{self.url}/a", target), 0)
            self.assertSameFile(source, target)
            self.assertEqual(target.stat().st_ino, inode)

    def test_symlink_target_is_followed(self):
        source = lab.make_file(self.place / "a", 10)
        real = lab.make_file(self.folder / "real", 20)
        (self.folder / "link").symlink_to("real")
        self.assertEnds(lab.smbcp(f"{self.url}/a", self.folder / "link"), 0)
        self.assertTrue((self.folder / "link").is_symlink())
        self.assertSameFile(source, real)

    def test_name_of_255_bytes_is_replaced(self):
        name = "n" * 255
        source = lab.make_file(self.folder / name, 2 * lab.MIB)
        target = lab.make_file(self.place / name, 10)
        self.assertEnds(lab.smbcp(source, f"{self.url}/"), 0)
        self.assertSameFile(source, target)

    def test_preserve_keeps_times_and_read_only(self):
        source = lab.make_file(self.folder / "old", 10)
        os.utime(source, (1_000_000_000, 1_000_000_000))
        source.chmod(0o444)
        self.assertEnds(lab.smbcp("-p", source, f"{self.url}/"), 0)
        self.assertEqual(int((self.place / "old").stat().st_mtime), 1_000_000_000)
        self.assertEnds(lab.smbcp("-p", f"{self.url}/old", self.folder / "back"), 0)
        back = (self.folder / "back").stat()
        self.assertEqual(int(back.st_mtime), 1_000_000_000)
        self.assertEqual(back.st_mode & 0o222, 0)
