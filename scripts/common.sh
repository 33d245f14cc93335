# shellcheck shell=bash
# What the scripts share: stages, root, and the count of passed, failed and skipped tests.

# SMB3_COUNTS names a file to which every stage adds one line, "STAGE PASSED FAILED SKIPPED". A
# script that was started by another one finds it set, adds to it, and leaves the last word to it.
counts_begin() {
  counts_nested=${SMB3_COUNTS:+yes}
  if [ -z "${SMB3_COUNTS:-}" ]; then
    SMB3_COUNTS=$(mktemp)
    export SMB3_COUNTS
  fi
}

count() { # STAGE PASSED FAILED [SKIPPED]
  echo "${1// /-} $2 $3 ${4:-0}" >>"$SMB3_COUNTS"
}

# Prints the sum as the last line and ends: 0 only if something ran and nothing failed.
counts_end() {
  local line
  line=$(awk '{ passed += $2; failed += $3; skipped += $4 }
    END { printf "%d passed, %d failed", passed, failed
          if (skipped) printf ", %d skipped", skipped
          print "" }' "$SMB3_COUNTS")
  if [ -n "$counts_nested" ]; then
    echo "-- so far: $line"
  else
    rm -f "$SMB3_COUNTS"
    echo "$line"
  fi
  case $line in
    "0 passed"*) exit 1 ;;
    *" 0 failed"*) exit 0 ;;
    *) exit 1 ;;
  esac
}

# Runs a command as a stage of its own: a heading and its time. A command that fails without having
# counted its tests is itself the failure.
stage() { # NAME COMMAND...
  local name=$1 began=$SECONDS lines
  lines=$(wc -l <"$SMB3_COUNTS")
  shift
  echo "== $name"
  if "$@" </dev/null; then
    echo "-- $name: done in $((SECONDS - began)) s"
  else
    echo "-- $name: FAILED after $((SECONDS - began)) s"
    [ "$(wc -l <"$SMB3_COUNTS")" != "$lines" ] || count "$name" 0 1
    return 1
  fi
}

build_preset() { # NAME: a preset of CMakePresets.json
  cmake --preset "$1" >/dev/null &&
    timeout --kill-after=10 1500 cmake --build --preset "$1" -j "$(build_jobs)"
}

# Runs a build folder's unit tests two at a time; prints what failed, and counts.
unit_tests() { # STAGE BUILD-FOLDER
  local status=0
  rm -f "$2/unit-tests.xml"
  ctest --test-dir "$2" -j 2 --output-on-failure --output-junit "$PWD/$2/unit-tests.xml" \
    >"$2/unit-tests.log" 2>&1 || status=$?
  [ $status = 0 ] ||
    grep -vE '^ *[0-9]+/[0-9]+ Test .* Passed |^ *Start +[0-9]+: ' "$2/unit-tests.log" || true
  python3 - "$2/unit-tests.xml" "$1" "$SMB3_COUNTS" <<'END' || return 1
import sys, xml.etree.ElementTree as tree
cases = tree.parse(sys.argv[1]).getroot().findall("testcase")
skipped = [c for c in cases if c.get("status") == "notrun" and c.find("skipped") is not None
           and "SKIP" in (c.find("skipped").get("message") or "").upper()]
passed = [c for c in cases if c.get("status") == "run"]
failed = len(cases) - len(passed) - len(skipped) or int(not cases)
for case in skipped:
    output = case.findtext("system-out") or ""
    reason = output.partition(": Skipped\n")[2].partition("\n[")[0].strip()
    print(f"SKIPPED {case.get('name')}: {reason or 'no reason given'}")
print(f"   {len(passed)} passed, {failed} failed, {len(skipped)} skipped")
with open(sys.argv[3], "a") as counts:
    print(sys.argv[2].replace(" ", "-"), len(passed), failed, len(skipped), file=counts)
END
  return $status
}

# The comment at the head of a script is its help.
usage() { # EXIT-CODE
  sed -n '2,/^set /{/^set /d;s/^# \{0,1\}//;p}' "$0"
  exit "$1"
}

as_root() {
  if [ "$(id -u)" = 0 ]; then
    "$@"
  elif command -v sudo >/dev/null; then
    sudo "$@"
  else
    echo "${0##*/}: needs root (or sudo) for: $*" >&2
    return 1
  fi
}

# Compilers that want about 1 GB each: no more jobs than the memory takes.
build_jobs() {
  local cores memory_gb
  cores=$(nproc)
  memory_gb=$(awk '/MemAvailable/ { print int($2 / 1048576) + 1 }' /proc/meminfo)
  echo $((cores < memory_gb ? cores : memory_gb))
}
