// A program that starts programs, as the gateway does, and ends in the way its argument names once it is told a line. It says which
// processes there are: "pids 1 2 3".
import { createInterface } from "node:readline";
import { startProgram } from "../../src/engines/process.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";
import { openWatchdog } from "../../src/gateway/watchdog.ts";
import { family, STUBBORN } from "../engines/processes.ts";

const [how = "", folder = ""] = process.argv.slice(2);
const watchdog = openWatchdog(realRandom, realClock);
watchdog.folder(folder);
const env = { PATH: process.env["PATH"] ?? "" };
const order = { command: "sh", args: ["-c", STUBBORN], cwd: "/", env, called: "It" };
const programs = await Promise.all([1, 2].map(async () => await startProgram(order, realClock, watchdog)));
const pids = await Promise.all(programs.map(async ({ child }) => await family(child.stdout)));
process.stdout.write(`pids ${pids.flat().join(" ")}\n`);
for await (const _ of createInterface({ input: process.stdin })) {
  if (how === "exit") process.exit(3);
  if (how === "crash") setImmediate(() => JSON.parse("{"));
  if (how === "dispose") {
    // What was started is not disposed of: the watchdog's own end sees to it.
    await watchdog[Symbol.asyncDispose]();
    process.stdout.write("over\n");
    process.exit(0);
  }
}
