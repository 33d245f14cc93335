"""The scripted server (smb3-testserver --help-json has its grammar) for tests of the tools: it does
what no real server does on demand, and logs what the client sent."""
import json
import pathlib
import re
import signal
import subprocess
import tempfile

import lab

USERS = [{"name": lab.USER, "password": lab.PASSWORD}]  # in every domain


class Server:
    """A running smb3-testserver. shares: names (in memory), or the grammar's objects; settings and
    faults: as in the grammar; nodes: several servers with the same files."""

    def __init__(self, shares=("rw",), faults=(), nodes=None, netns="", env=None, **settings):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="scripted-", dir=lab.folder()))
        self.log_path = self.folder / "log"
        config = {"log": str(self.log_path), "users": USERS, "faults": list(faults)} | settings
        config["shares"] = [self._share(share) for share in shares]
        if nodes:
            config["nodes"] = nodes
        self.config = config
        (self.folder / "config.json").write_text(json.dumps(config))
        enter = ["nsenter", f"--net=/run/netns/{netns}"] if netns else []
        self.process = subprocess.Popen(
            [*enter, lab.binary("smb3-testserver"), "--config", self.folder / "config.json"],
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env=lab.environment(env))
        self.addresses = []
        for _ in nodes or [None]:
            line = self.process.stdout.readline()
            match = re.fullmatch(r"listening on (\S+):(\d+)\n", line)
            if not match:
                self.process.kill()
                raise AssertionError(f"the scripted server says {line!r} and "
                                     f"{self.process.communicate()[1]}")
            self.addresses.append((match[1], int(match[2])))
        self.address, self.port = self.addresses[0]

    def _share(self, share):
        return {"name": share} if isinstance(share, str) else share

    def url(self, path="rw/", node=0):
        address, port = self.addresses[node]
        return f"smb://{address}:{port}/{path}"

    def log(self, command=None):
        """What the client sent; of one command, if named."""
        return [line for line in self._lines()
                if "command" in line and command in (None, line["command"])]

    def events(self, name):
        return [line for line in self._lines() if line.get("event") == name]

    def _lines(self):
        with open(self.log_path, encoding="utf-8") as file:
            return [json.loads(line) for line in file if line.endswith("\n")]

    def stop(self):
        """Ends it; a crash or a leak that a sanitizer found is the test's failure."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            _, err = self.process.communicate(timeout=30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            _, err = self.process.communicate()
            err += "\nit did not end within 30 s of SIGTERM"
        if self.process.returncode != 0:
            raise AssertionError(f"the scripted server ended with {self.process.returncode}: {err}")


class TestCase(lab.TestCase):
    """Each test starts the servers that it needs: they cost a few milliseconds."""

    def serve(self, shares=("rw",), faults=(), **settings):
        server = Server(shares, faults, **settings)
        self.addCleanup(server.stop)
        return server

    def serve_folder(self, faults=(), share=None, **settings):
        """One share "rw" whose files lie in self.shared."""
        self.shared = self.folder / "shared"
        self.shared.mkdir(exist_ok=True)
        rw = {"name": "rw", "store": "folder", "folder": str(self.shared)} | (share or {})
        return self.serve([rw], faults, **settings)

    def source(self, size=3 * lab.MIB + 17, name="source"):
        return lab.make_file(self.folder / name, size)

    def assertEndsWell(self, run, source, target):
        self.assertEnds(run, 0)
        self.assertSameFile(source, target)

    def assertFails(self, run, code, kind, *patterns):
        """Failed as promised, and told why."""
        self.assertEnds(run, code)
        kinds = [error["kind"] for error in run.json["errors"]] if run.json else None
        self.assertEqual(kinds, [kind], f"errors of {run}")
        self.assertSays(run, *patterns)


def fault(kind, command="", **keys):
    """One fault of the grammar, for ever unless `times` is given."""
    rule = {"fault": kind, "times": 0} | keys
    return rule | ({"command": command} if command else {})
