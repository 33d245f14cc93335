"""Failures that users of other clients have met: each ends with the right bytes or a clear error,
within its deadline."""
import time

import lab
import scripted
from scripted import fault

SIZE = 5 * lab.MIB + 123


class Copies(scripted.TestCase):
    def up(self, *faults, size=SIZE, options=(), **settings):
        """An upload under these faults: the run, the source, the file on the share."""
        self.server = self.serve_folder(faults, **settings)
        (self.shared / "copy").unlink(missing_ok=True)
        source = self.source(size)
        began = time.monotonic()
        run = lab.smbcp("--timeout", 4, *options, source, self.server.url("rw/copy"))
        self.took = time.monotonic() - began
        return run, source, self.shared / "copy"

    def down(self, *faults, size=SIZE, options=(), **settings):
        (self.folder / "copy").unlink(missing_ok=True)  # of an earlier one of this test
        self.server = self.serve_folder(faults, **settings)
        source = lab.make_file(self.shared / "source", size)
        began = time.monotonic()
        run = lab.smbcp("--timeout", 4, *options, self.server.url("rw/source"),
                        self.folder / "copy")
        self.took = time.monotonic() - began
        return run, source, self.folder / "copy"

    def both(self, *faults, **options):
        """Both directions end well in spite of these faults."""
        for way in (self.up, self.down):
            with self.subTest(way.__name__):
                self.assertEndsWell(*way(*faults, **options))

    def assertNothingLeft(self, target):
        self.assertFalse(target.exists())
        self.assertNoTemporaries(self.folder)


class ShortOnes(Copies):
    def test_short_writes_and_reads_are_continued(self):
        self.assertEndsWell(*self.up(fault("shorten", "WRITE", value=4096, every=2)))
        self.assertEndsWell(*self.down(fault("shorten", "READ", value=4096, every=2)))
        self.assertEndsWell(*self.up(fault("shorten", "WRITE", value=1)))

    def test_a_write_of_nothing_is_an_error(self):
        run, _, target = self.up(fault("set_field", "WRITE", field="count", value=0))
        self.assertFails(run, 5, "protocol", "written")
        self.assertNothingLeft(target)

    def test_a_write_of_more_than_was_sent_is_an_error(self):
        run, _, target = self.up(fault("set_field", "WRITE", field="count", value=1 << 30))
        self.assertFails(run, 5, "protocol", "written")
        self.assertNothingLeft(target)

    def test_a_read_of_nothing_before_the_end_is_an_error(self):
        run, _, target = self.down(fault("status", "READ", status="STATUS_END_OF_FILE", first=3))
        self.assertEnds(run, 1)
        self.assertNothingLeft(target)

    def test_a_lost_last_write_is_found(self):
        run, _, target = self.up(fault("lose_write", "WRITE", first=1), size=1000)
        self.assertEnds(run, 1)
        self.assertSays(run, "bytes")
        self.assertNothingLeft(target)


class Credits(Copies):
    def test_one_credit_for_ever(self):
        self.both(fault("credits", value=1))

    def test_few_credits(self):
        self.both(credits_max=3)

    def test_as_many_as_domain_controllers_give(self):
        self.both(credits_max=128)

    def test_none_with_the_answer_but_with_an_interim_one(self):
        # the interim answer brings the credits, the final one brings none
        self.both(fault("pending", "READ", delay_ms=3, every=3),
                  fault("pending", "WRITE", delay_ms=3, every=3))

    def test_none_any_more(self):
        run, _, target = self.up(fault("credits", "WRITE", value=0), credits_max=20)
        self.assertNotEqual(run.rc, 0)
        self.assertLess(self.took, 15)
        self.assertFalse(target.exists())
        for path in self.shared.iterdir():  # no credit was left to remove it
            self.assertIn(path.name, run.err)

    def test_more_than_there_can_be(self):
        run, _, target = self.down(fault("credits", value=65535))
        self.assertFails(run, 5, "protocol", "credit")
        self.assertNothingLeft(target)


class Silence(Copies):
    def assertTimesOut(self, run, target):
        self.assertFails(run, 3, "timed_out")
        self.assertLess(self.took, 9)
        self.assertFalse(target.exists())

    def test_at_every_command(self):
        for command in ("NEGOTIATE", "SESSION_SETUP", "TREE_CONNECT", "CREATE", "READ", "CLOSE"):
            for kind in ("silence", "ignore"):
                with self.subTest(f"{kind} at {command}"):
                    run, _, target = self.down(fault(kind, command))
                    self.assertTimesOut(run, target)

    def test_in_the_middle_of_an_upload(self):
        for kind in ("silence", "drop"):
            with self.subTest(kind):
                run, _, target = self.up(fault(kind, "WRITE", first=3))
                self.assertTimesOut(run, target)

    def test_within_a_frame(self):
        run, _, target = self.down({"connection_fault": "silence", "sent_bytes": lab.MIB + 77})
        self.assertTimesOut(run, target)

    def test_pending_is_not_silence(self):
        # longer than the timeout, but the server has said that it works on it
        self.both(fault("pending", "READ", delay_ms=6000, first=2, times=1),
                  fault("pending", "WRITE", delay_ms=6000, first=2, times=1))

    def test_pending_for_ever_ends(self):
        run, _, target = self.down(fault("pending_for_ever", "READ", first=2),
                                   options=("--timeout", 1))
        self.assertNotEqual(run.rc, 0)
        self.assertLess(self.took, 30)
        self.assertNothingLeft(target)

    def test_slow_answers_are_waited_for(self):
        self.both(fault("delay", delay_ms=300), size=lab.MIB)


class LostConnections(Copies):
    def assertLost(self, run, target):
        self.assertFails(run, 3, "disconnected")
        self.assertLess(self.took, 6)
        self.assertFalse(target.exists())

    def test_at_every_command(self):
        for command in ("NEGOTIATE", "SESSION_SETUP", "TREE_CONNECT", "CREATE", "READ"):
            for kind in ("close", "reset"):
                with self.subTest(f"{kind} at {command}"):
                    run, _, target = self.down(fault(kind, command))
                    self.assertEnds(run, 3 if command != "NEGOTIATE" else run.rc)
                    self.assertIn(run.rc, (3, 5))
                    self.assertNothingLeft(target)

    def test_within_an_answer(self):
        for kind in ("close_within", "reset_within"):
            for after in (1, 3, 4, 40, 70, 100_000):
                with self.subTest(f"{kind} {after}"):
                    run, _, target = self.down(fault(kind, "READ", first=2, value=after))
                    self.assertLost(run, target)

    def test_at_any_byte(self):
        for sent in (1, 3, 77, 500, 1000, 200_000):
            with self.subTest(sent):
                run, _, target = self.down({"connection_fault": "reset", "sent_bytes": sent})
                self.assertIn(run.rc, (3, 5))
                self.assertNothingLeft(target)

    def test_in_the_middle_of_an_upload(self):
        run, _, target = self.up({"connection_fault": "reset", "received_bytes": 2 * lab.MIB})
        self.assertLost(run, target)
        self.assertSays(run, lab.TEMPORARY.pattern)


class Answers(Copies):
    def test_pending_and_then_the_answer_also_signed(self):
        for settings in ({}, {"signing": "required"}, {"encrypt": True}):
            with self.subTest(str(settings)):
                self.both(fault("pending", delay_ms=2, every=2), **settings)

    def test_padding_behind_answers(self):
        for settings in ({}, {"signing": "required"}, {"encrypt": True}):
            with self.subTest(str(settings)):
                self.both(fault("trailing_bytes", value=8), **settings)

    def test_answers_that_come_twice(self):
        for command in ("CREATE", "READ", "QUERY_INFO", "CLOSE"):
            with self.subTest(command):
                run, _, target = self.down(fault("replay_answer", command))
                # the second one belongs to nothing: it must not complete anything else
                self.assertIn(run.rc, (0, 5))
                self.assertNoTemporaries(self.folder)
                if target.exists():
                    self.assertSameFile(self.shared / "source", target)

    def test_answers_with_other_ids(self):
        for field in ("message_id", "session_id", "tree_id"):
            for settings in ({}, {"signing": "required"}, {"encrypt": True}):
                with self.subTest(f"{field} {settings}"):
                    run, _, target = self.down(
                        fault("set_header", "READ", field=field, value=0x1234567), **settings)
                    self.assertIn(run.rc, (3, 5))
                    self.assertLess(self.took, 8)
                    self.assertNothingLeft(target)

    def test_damaged_payload_does_not_pass_for_the_file(self):
        for settings in ({"signing": "required"}, {"encrypt": True}):
            with self.subTest(str(settings)):
                kind = "wrong_signature" if "signing" in settings else "wrong_tag"
                run, _, target = self.down(fault(kind, "READ", first=3, times=1), **settings)
                self.assertFails(run, 5, "security")
                self.assertNothingLeft(target)

    def test_a_server_that_offers_one_cipher_only(self):
        for cipher in ("AES-256-GCM", "AES-256-CCM", "AES-128-CCM"):
            with self.subTest(cipher):
                self.both(ciphers=[cipher], encrypt=True)


class Statuses(Copies):
    def test_each_command_refused(self):
        expected = {"TREE_CONNECT": 4, "CREATE": 1, "READ": 1, "CLOSE": 1}
        for command, code in expected.items():
            with self.subTest(command):
                run, _, target = self.down(
                    fault("status", command, status="STATUS_ACCESS_DENIED"))
                self.assertEnds(run, code)
                self.assertSays(run, "ACCESS_DENIED")
                self.assertNothingLeft(target)
        for command in ("CREATE", "WRITE", "SET_INFO", "CLOSE"):
            with self.subTest(f"{command} of an upload"):
                run, _, target = self.up(fault("status", command, status="STATUS_ACCESS_DENIED"))
                self.assertEnds(run, 1)
                self.assertSays(run, "ACCESS_DENIED")

    def test_disk_full_in_the_middle(self):
        run, _, target = self.up(fault("status", "WRITE", status="STATUS_DISK_FULL", first=4))
        self.assertFails(run, 1, "no_space", "DISK_FULL")
        self.assertNothingLeft(target)

    def test_an_unknown_status_is_named_by_number(self):
        run, _, target = self.down(fault("status", "READ", status="0xC0DE1234"))
        self.assertEnds(run, 1)
        self.assertSays(run, "C0DE1234")
        self.assertNothingLeft(target)

    def test_a_session_that_expires_once(self):
        for command in ("TREE_CONNECT", "CREATE", "READ", "WRITE", "QUERY_INFO", "SET_INFO"):
            for settings in ({}, {"signing": "required"}, {"encrypt": True}):
                with self.subTest(f"{command} {settings}"):
                    expired = fault("status", command, status="STATUS_NETWORK_SESSION_EXPIRED",
                                    times=1)
                    self.both(expired, **settings)

    def test_a_session_that_expires_in_time(self):
        self.both(fault("delay", "READ", delay_ms=120), fault("delay", "WRITE", delay_ms=120),
                  session_lifetime_ms=100, size=40 * lab.MIB, encrypt=True)
        setups = [line for line in self.server.log("SESSION_SETUP") if line["session_id"]]
        self.assertGreater(len(setups), 2, "it was never renewed")

    def test_a_session_that_stays_expired(self):
        run, _, target = self.down(
            fault("status", "READ", status="STATUS_NETWORK_SESSION_EXPIRED"))
        self.assertEnds(run, 4)
        self.assertLess(self.took, 10)
        self.assertNothingLeft(target)

    def test_a_session_that_is_gone(self):
        run, _, target = self.down(
            fault("status", "READ", status="STATUS_USER_SESSION_DELETED", first=2))
        self.assertNotEqual(run.rc, 0)
        self.assertLess(self.took, 10)
        self.assertFalse(target.exists())


class Shares(Copies):
    def test_asymmetric_shares_are_used(self):
        self.both(share={"capabilities": ["asymmetric", "scaleout", "cluster",
                                          "continuous_availability"]})

    def test_every_flag_of_a_share(self):
        self.both(share={"flags": ["isolated_transport", "compress_data", "identity_remoting",
                                   "force_levelii_oplock", "access_based_directory_enum"]})


class Directories(scripted.TestCase):
    def tree(self, faults=(), members=300, **settings):
        server = self.serve_folder(faults, **settings)
        (self.shared / "tree").mkdir()
        for i in range(members):
            (self.shared / "tree" / f"file {i:04} {'x' * 150}").write_text(str(i))
        return server

    def fetch(self, server):
        return lab.smbcp("--timeout", 4, "-r", server.url("rw/tree"), self.folder / "back")

    def test_an_error_on_the_second_page_is_not_the_end(self):
        server = self.tree([fault("status", "QUERY_DIRECTORY", status="STATUS_IO_DEVICE_ERROR",
                                  first=2)])
        run = self.fetch(server)
        self.assertEnds(run, 1)
        self.assertSays(run, "tree", "IO_DEVICE_ERROR")

    def test_one_file_that_cannot_be_read(self):
        server = self.tree([fault("status", "CREATE", status="STATUS_ACCESS_DENIED",
                                  path="file 0007 " + "x" * 150)], members=20)
        run = self.fetch(server)
        self.assertEnds(run, 1)
        self.assertSays(run, "file 0007", "ACCESS_DENIED")
        self.assertEqual(run.json["files"], 19)
        self.assertEqual(run.json["failed"], 1)
