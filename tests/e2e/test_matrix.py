"""Every way of protecting the traffic, every awkward size, up and down: the same bytes arrive."""
import lab

KIB, MIB = 1 << 10, lab.MIB
SIZES = [0, 1, 4095, 64 * KIB - 1, 64 * KIB, 64 * KIB + 1, MIB - 1, MIB, MIB + 1,
         8 * MIB - 1, 8 * MIB, 8 * MIB + 1] + ([1 << 30] if lab.LONG else [])


def signed(algorithm):
    return ("server signing = mandatory", f"server smb3 signing algorithms = {algorithm}")


def sealed(cipher):
    return ("server smb encrypt = required", f"server smb3 encryption algorithms = {cipher}")


class Matrix:
    settings = ()
    signing = None  # what the report must say; None: whatever
    cipher = "none"

    @classmethod
    def setUpClass(cls):
        cls.server = cls.start(settings=cls.settings, shares=["rw"])

    def check_report(self, run, size):
        self.assertEnds(run, 0)
        self.assertEqual(run.json["files"], 1)
        self.assertEqual(run.json["bytes"], size)
        self.assertEqual(run.json["failed"], 0)
        self.assertEqual(run.json["errors"], [])
        self.assertEqual(run.json["dialect"], "3.1.1")
        self.assertEqual(run.json["cipher"], self.cipher)
        if self.signing is not None:
            self.assertEqual(run.json["signing"], self.signing)

    def test_up(self):
        for size in SIZES:
            with self.subTest(size=size):
                source = lab.make_file(self.folder / f"up-{size}", size)
                run = lab.smbcp(source, self.server.url("rw/"))
                self.check_report(run, size)
                self.assertSameFile(source, self.server.share() / source.name)
        self.assertNoTemporaries(self.server.share())

    def test_down(self):
        for size in SIZES:
            with self.subTest(size=size):
                source = lab.make_file(self.server.share() / f"down-{size}", size)
                run = lab.smbcp(self.server.url(f"rw/{source.name}"), self.folder)
                self.check_report(run, size)
                self.assertSameFile(source, self.folder / source.name)
        self.assertNoTemporaries(self.folder)


class UnsignedAllowed(Matrix, lab.TestCase):
    signing = "none"


class SigningByGmac(Matrix, lab.TestCase):
    settings, signing = signed("AES-128-GMAC"), "AES-128-GMAC"


class SigningByCmac(Matrix, lab.TestCase):
    settings, signing = signed("AES-128-CMAC"), "AES-128-CMAC"


class SigningByHmac(Matrix, lab.TestCase):
    settings, signing = signed("HMAC-SHA256"), "HMAC-SHA256"


class Aes128Gcm(Matrix, lab.TestCase):
    settings, cipher = sealed("AES-128-GCM"), "AES-128-GCM"


class Aes128Ccm(Matrix, lab.TestCase):
    settings, cipher = sealed("AES-128-CCM"), "AES-128-CCM"


class Aes256Gcm(Matrix, lab.TestCase):
    settings, cipher = sealed("AES-256-GCM"), "AES-256-GCM"


class Aes256Ccm(Matrix, lab.TestCase):
    settings, cipher = sealed("AES-256-CCM"), "AES-256-CCM"


class Demanded(lab.TestCase):
    """Protection that one share or the user demands, of a server that does not."""

    @classmethod
    def setUpClass(cls):
        cls.server = cls.start()

    def test_encrypted_share(self):
        source = lab.make_file(self.folder / "sealed", MIB + 1)
        run = lab.smbcp(source, self.server.url("enc/"))
        self.assertEnds(run, 0)
        self.assertSameFile(source, self.server.share("enc") / "sealed")

    def test_encryption_that_the_user_demands(self):
        source = lab.make_file(self.folder / "sealed", MIB + 1)
        run = lab.smbcp("--encrypt", source, self.server.url())
        self.assertEnds(run, 0)
        self.assertEqual(run.json["cipher"], "AES-128-GCM")
        self.assertSameFile(source, self.server.share() / "sealed")

    def test_signing_that_the_user_demands(self):
        source = lab.make_file(self.folder / "signed", MIB + 1)
        run = lab.smbcp("--sign", source, self.server.url())
        self.assertEnds(run, 0)
        self.assertEqual(run.json["signing"], "AES-128-GMAC")
        self.assertSameFile(source, self.server.share() / "signed")

    def test_encryption_that_the_server_cannot_do(self):
        server = self.start_own(settings=["server smb encrypt = off"])
        source = lab.make_file(self.folder / "plain", 1)
        run = lab.smbcp("--encrypt", source, server.url())
        self.assertEnds(run, 5)
        self.assertEqual(list(server.share().iterdir()), [])


if lab.LONG:
    class Huge(lab.TestCase):
        def test_sparse_file_of_5_gib(self):
            server = self.start_own(shares=["rw"])
            size = 5 << 30
            source = lab.make_file(self.folder / "huge", size, sparse=True)
            self.assertEnds(lab.smbcp(source, server.url(), timeout=600), 0)
            self.assertSameFile(source, server.share() / "huge")
            source.unlink()
            self.assertEnds(lab.smbcp(server.url("rw/huge"), self.folder, timeout=600), 0)
            self.assertSameFile(source, server.share() / "huge")
