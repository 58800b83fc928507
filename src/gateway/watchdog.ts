// A small program beside the gateway that outlives it by a moment: it ends what the gateway started, when the gateway is gone. Its input
// ends with the gateway, however that ends, and so it needs neither to look nor to be told.
import { spawn, type ChildProcessByStdio } from "node:child_process";
import { homedir, tmpdir } from "node:os";
import { isAbsolute, resolve, sep } from "node:path";
import type { Writable } from "node:stream";
import { GatewayError } from "../core/error.ts";
import type { Clock, Random, Watchdog } from "../core/surroundings.ts";
import { realClock } from "./real.ts";

const MARK = "TIDEGATE_CHILD";
const KEY_BYTES = 12;
/** It needs 2 s at most by itself. */
const GIVE_UP_AFTER_MS = 3_000;
/** That often in a row, without a new order between, it is started again by itself. */
const MAX_DEATHS = 3;
const PATH = "/usr/bin:/bin:/usr/sbin:/sbin";

/**
 * For any POSIX shell, since a second Node would take 40 MB for waiting. It is told `+entry` and `-entry`, where an entry is `g` with the
 * number of a process group, or `f` with a folder's path. A line that was cut off is not heeded: `read` fails on it. At the end of its input
 * it ends the groups and whatever has the mark in its environment (Linux shows those), by TERM, and after 0.5 s by KILL; then it removes the
 * folders. A group that is gone is forgotten at once: its number may be another's soon. It heeds no signal that is meant for the gateway.
 */
const SCRIPT = `
trap '' HUP INT QUIT TERM
mark=$1
nl='
'
watched=$nl
while IFS= read -r line; do
  entry=\${line#?}
  case $line in
  +*) watched=$watched$entry$nl ;;
  -*)
    case $watched in
    *"$nl$entry$nl"*) watched=\${watched%%"$nl$entry$nl"*}$nl\${watched#*"$nl$entry$nl"} ;;
    esac ;;
  esac
done
IFS=$nl
send() {
  left=
  kept=
  set -f
  for entry in $watched; do
    case $entry in
    g1 | g*[!0-9]*) ;;
    g[1-9]*)
      if kill -s "$1" -- "-\${entry#g}" 2>/dev/null; then
        left=1
        kept=$kept$entry$nl
      fi ;;
    *) kept=$kept$entry$nl ;;
    esac
  done
  watched=$kept
  set +f
  # Looking for the mark takes a while: not as long as a group is left that is only waited for.
  case $1$left$mark in
  01*) ;;
  *${MARK}=????????????????)
    for file in $(grep -lsF -- "$mark" /proc/[0-9]*/environ); do
      pid=\${file#/proc/}
      kill -s "$1" "\${pid%/environ}" 2>/dev/null && left=1
    done ;;
  esac
}
remove() {
  set -f
  for entry in $watched; do
    case $entry/ in
    *//* | */./* | */../*) ;;
    f/?*/?*/) rm -rf -- "\${entry#f}" ;;
    esac
  done
  set +f
}
for signal in TERM 0 0 0 0 KILL KILL KILL KILL KILL; do
  send "$signal"
  [ -n "$left" ] || break
  [ "$signal" != KILL ] || remove
  sleep 0.1
done
remove
`;

type Dog = ChildProcessByStdio<Writable, null, null>;

/** Starts nothing until it is told of something. Disposed of, it ends what is still running. A shell that isn't there watches nothing. */
export function openWatchdog(random: Random, clock: Clock = realClock): Watchdog & AsyncDisposable {
  const key = random.key(KEY_BYTES);
  const watched = new Set<{ readonly entry: string }>();
  let dog: Dog | undefined;
  let deaths = 0;

  const start = (): void => {
    const started = startDog(`${MARK}=${key}`);
    dog = started;
    // What is written to one that is gone is lost; the next one is told all.
    started.stdin.on("error", () => undefined);
    const died = (): void => {
      if (dog !== started) return;
      dog = undefined;
      deaths += 1;
      if (watched.size > 0 && deaths <= MAX_DEATHS) start();
    };
    started.once("error", died);
    started.once("exit", died);
    for (const { entry } of watched) started.stdin.write(`+${entry}\n`);
  };

  const watch = (entry: string): (() => void) => {
    const held = { entry };
    watched.add(held);
    deaths = 0;
    if (dog === undefined) start();
    else dog.stdin.write(`+${entry}\n`);
    return () => {
      if (watched.delete(held)) dog?.stdin.write(`-${entry}\n`);
    };
  };

  return {
    mark: { [MARK]: key },
    group: (pid) => (Number.isSafeInteger(pid) && pid > 1 ? watch(`g${pid}`) : () => undefined),
    folder(path) {
      if (!isOwn(path))
        throw new GatewayError("internal", "A folder is to be removed at the end that isn't a private one.");
      return watch(`f${path}`);
    },
    async [Symbol.asyncDispose]() {
      const last = dog;
      dog = undefined;
      watched.clear();
      if (last === undefined) return;
      const gone = new AbortController();
      last.once("exit", () => gone.abort());
      last.once("error", () => gone.abort());
      last.ref();
      last.stdin.end();
      await clock.sleep(GIVE_UP_AFTER_MS, gone.signal).catch(() => undefined);
    },
  };
}

/** In a session of its own: what ends the gateway's process group, or comes from its terminal, does not reach it. */
function startDog(mark: string): Dog {
  const started = spawn("/bin/sh", ["-c", SCRIPT, "tidegate-watchdog", mark], {
    cwd: "/",
    env: { PATH: process.env["PATH"] === undefined ? PATH : `${PATH}:${process.env["PATH"]}`, LC_ALL: "C" },
    stdio: ["pipe", "ignore", "ignore"],
    detached: true,
  });
  // The gateway may end without it.
  started.unref();
  return started;
}

/** Whether a folder may be removed: named in full, in one line, and none that holds what everybody's folders are in. */
function isOwn(path: string): boolean {
  if (!isAbsolute(path) || resolve(path) !== path || /[\0\r\n]/u.test(path) || !path.isWellFormed()) return false;
  if (path.split(sep).length < 3) return false;
  return ![homedir(), tmpdir()].some((kept) => `${resolve(kept)}${sep}`.startsWith(`${path}${sep}`));
}
