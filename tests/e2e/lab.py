"""What the tests against real servers share: servers of their own, the tools under test, trees of
files. A test module needs nothing else than this and unittest."""
import contextlib
import hashlib
import json
import os
import pathlib
import re
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import unittest

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
LAB = ROOT / "tests" / "lab"
LONG = bool(os.environ.get("SMB3_LONG"))
SANITIZED = bool(os.environ.get("SMB3_SANITIZED"))
USER, PASSWORD = "alice", "Passw0rd!"
LOGON = f"{USER}%{PASSWORD}"
MIB = 1 << 20
TEMPORARY = re.compile(r"\.smbcp-[0-9a-f]{16}\.part")

_session = None


class Session:
    """One run's folder for temporary files, with the servers in it."""

    def __init__(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="smb3-e2e-"))
        self.folder.chmod(0o755)
        self.serial = 0
        os.environ["SMB3_LAB"] = str(self.folder / "lab")

    def unique(self, prefix):
        self.serial += 1
        return f"{prefix}{self.serial}"


@contextlib.contextmanager
def session():
    """Everything that is started inside is gone afterwards, also after SIGTERM."""
    global _session

    def stop(*_):
        raise KeyboardInterrupt
    signal.signal(signal.SIGTERM, stop)
    # A shell's background job ignores Ctrl-C, and so would what it starts: the tools under test.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    _session = Session()
    try:
        yield
    finally:
        for saved in sorted(_session.folder.glob("lab/*/server.json")):
            subprocess.run([LAB / "samba", "stop", saved.parent.name], check=False)
        shutil.rmtree(_session.folder, ignore_errors=True)


def unique(prefix):
    return _session.unique(prefix)


def folder():
    """Where temporary files of this run go."""
    return _session.folder


def tool(*command, timeout=60, check=True, **options):
    """Runs a helper command (not one under test) and returns what it printed."""
    done = subprocess.run([str(word) for word in command], text=True, timeout=timeout,
                          stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False, **options)
    if check and done.returncode:
        raise AssertionError(f"{command} ended with {done.returncode}:\n{done.stdout}")
    return done.stdout


class Server:
    """A private Samba. settings: global 'parameter = value' words of smb.conf."""

    def __init__(self, settings=(), shares=(), users=(f"{USER}:{PASSWORD}",), netns="", port=0,
                 address="", etc=(), env=()):
        self.name = unique("s")
        self.netns = netns
        command = [LAB / "samba", "start", self.name]
        for option, values in (("--set", settings), ("--share", shares), ("--user", users),
                               ("--etc", etc), ("--env", env),
                               ("--netns", [netns] if netns else []),
                               ("--port", [port] if port else []),
                               ("--addr", [address] if address else [])):
            for value in values:
                command += [option, value]
        _, self.address, port, folder = tool(*command).split()
        self.port, self.folder = int(port), pathlib.Path(folder)

    def samba(self, action, *words, **options):
        return tool(LAB / "samba", action, self.name, *words, **options)

    def stop(self):
        self.samba("stop")

    def share(self, name="rw"):
        """The folder behind a share."""
        return self.folder / "share" / name

    def url(self, path="rw/", user=""):
        return f"smb://{user + '@' if user else ''}{self.address}:{self.port}/{path}"

    def log(self):
        return (self.folder / "log/log.smbd").read_text(errors="replace")


class TestCase(unittest.TestCase):
    maxDiff = 2000

    def run(self, result=None):
        if getattr(result, "out_of_time", lambda: False)():
            result.startTest(self)
            result.fail_with(self, "not run: the time for these tests is over\n")
            result.stopTest(self)
            return result
        return super().run(result)

    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=_session.folder))
        self.addCleanup(shutil.rmtree, self.folder, True)

    @classmethod
    def start(cls, *args, **options):
        """A server for the tests of this class."""
        server = Server(*args, **options)
        cls.addClassCleanup(server.stop)
        return server

    def start_own(self, *args, **options):
        """A server for this test alone."""
        server = Server(*args, **options)
        self.addCleanup(server.stop)
        return server

    @classmethod
    def network(cls, links=1, rate="none"):
        """Names of the client's and the server's network namespace."""
        name = unique(f"e{os.getpid()}x")
        cls.addClassCleanup(tool, LAB / "net", "down", name)
        return tool(LAB / "net", "up", name, links, rate).split()

    def assertEnds(self, run, code):
        self.assertEqual(run.rc, code, f"exit code of {run}")

    def assertSays(self, run, *patterns):
        for pattern in patterns:
            self.assertRegex(run.err, re.compile(pattern, re.IGNORECASE), f"message of {run}")

    def assertSameFile(self, first, second):
        self.assertEqual(hash_file(first), hash_file(second), f"{first} and {second} differ")

    def assertNoTemporaries(self, *folders):
        left = [str(path) for folder in folders for path in pathlib.Path(folder).rglob("*")
                if TEMPORARY.fullmatch(path.name)]
        self.assertEqual(left, [], "half-written files were left")


class Run:
    """How a command ended: rc, out and err (text), raw (stdout's bytes), json (--json's report)."""

    def __init__(self, command, rc, out, err):
        self.command, self.rc, self.raw = command, rc, out
        self.out, self.err = out.decode(errors="replace"), err.decode(errors="replace")
        self.json = None
        if "--json" in command:
            for text in (self.out, self.err):
                for line in reversed(text.splitlines()):
                    if line.startswith("{") and self.json is None:
                        with contextlib.suppress(ValueError):
                            self.json = json.loads(line)

    def __str__(self):
        return (f"{' '.join(map(str, self.command))}\nended with {self.rc}\nstdout: "
                f"{self.out[-1500:]}\nstderr: {self.err[-3000:]}")


def environment(extra=None):
    """No credentials of the caller's, and words in English."""
    kept = {name: value for name, value in os.environ.items()
            if name not in ("USER", "PASSWD", "PASSWD_FD", "PASSWD_FILE", "KRB5_CONFIG",
                            "KRB5_KTNAME", "KRB5_CLIENT_KTNAME", "NTLM_USER_FILE")}
    kept |= {"HOME": str(_session.folder), "LC_ALL": "C.UTF-8",
             "KRB5CCNAME": f"FILE:{_session.folder}/no-ccache"}
    if SANITIZED:
        # whole stacks, or the foreign libraries cannot be told from ours
        kept["ASAN_OPTIONS"] = "fast_unwind_on_malloc=0:detect_leaks=1"
        kept["LSAN_OPTIONS"] = f"suppressions={ROOT}/tests/support/leaks_of_others.lsan:" \
                               "print_suppressions=0"
    return kept | (extra or {})


def binary(name):
    return str(pathlib.Path(os.environ["SMB3_BIN"]) / name)


def command(name, *args, netns="", wrap=()):
    enter = ["nsenter", f"--net=/run/netns/{netns}"] if netns else []
    return [*enter, *map(str, wrap), binary(name), *map(str, args)]


def run(name, *args, timeout=60, env=None, input=None, netns="", wrap=(), **options):
    """Runs smbcp or smbget to its end. wrap: a command to put in front (strace, prlimit, ...)."""
    words = command(name, *args, netns=netns, wrap=wrap)
    source = {"input": input} if input is not None else {"stdin": subprocess.DEVNULL}
    try:
        done = subprocess.run(words, timeout=timeout, env=environment(env), capture_output=True,
                              check=False, **source, **options)
    except subprocess.TimeoutExpired as error:
        raise AssertionError(f"{words} did not end within {timeout} s; stderr:\n"
                             f"{(error.stderr or b'').decode(errors='replace')}") from None
    return Run(words, done.returncode, done.stdout, done.stderr)


def smbcp(*args, logon=LOGON, **options):
    return run("smbcp", *(["-U", logon] if logon else []), "--json", *args, **options)


def smbget(*args, logon=LOGON, **options):
    return run("smbget", *(["-U", logon] if logon else []), *args, **options)


def begin(name, *args, env=None, **options):
    """Starts a tool and returns the Popen; the caller ends it."""
    return subprocess.Popen(command(name, *args), env=environment(env), stdin=subprocess.DEVNULL,
                            stdout=subprocess.PIPE, stderr=subprocess.PIPE, **options)


def smbclient(server, share, script, logon=LOGON, check=True):
    """The reference client, to see that a server does what a test supposes."""
    enter = ["nsenter", f"--net=/run/netns/{server.netns}"] if server.netns else []
    return tool(*enter, "smbclient", "-s", "/dev/null", "-U", logon, "-p", server.port,
                f"//{server.address}/{share}", "-c", script, check=check)


def hash_file(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def hash_tree(folder):
    """{relative path: sha256, or 'folder'}; names as bytes, so nothing is normalized."""
    found, top = {}, os.fsencode(folder)
    for where, folders, files in os.walk(top):
        for name in folders:
            found[os.path.relpath(os.path.join(where, name), top)] = "folder"
        for name in files:
            path = os.path.join(where, name)
            found[os.path.relpath(path, top)] = hash_file(path)
    return found


def make_file(path, size, sparse=False):
    """A file of arbitrary bytes (or a hole with marked ends)."""
    with open(path, "wb") as file:
        if sparse:
            file.write(b"begin")
            file.seek(size - 3)
            file.write(b"end")
        else:
            while size > 0:
                size -= file.write(os.urandom(min(size, 8 * MIB)))
    os.chmod(path, 0o666)
    return path


class SilentPort:
    """Accepts connections and never answers."""

    def __enter__(self):
        self.listener = socket.create_server(("127.0.0.1", 0))
        self.port = self.listener.getsockname()[1]
        self.accepted = []
        self.thread = threading.Thread(target=self._accept, daemon=True)
        self.thread.start()
        return self

    def _accept(self):
        with contextlib.suppress(OSError):
            while True:
                self.accepted.append(self.listener.accept()[0])

    def __exit__(self, *_):
        self.listener.shutdown(socket.SHUT_RDWR)
        self.listener.close()
        self.thread.join()
        for connection in self.accepted:
            connection.close()


def closed_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]
