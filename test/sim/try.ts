import { live } from "./world.ts";
const [, , from = "1", to = from, disk] = process.argv;
const t0 = Date.now();
let bad = 0;
process.on("unhandledRejection", (e) => { console.log("UNHANDLED", e); bad++; });
for (let seed = Number(from); seed <= Number(to); seed++) {
  const a = await live({ seed, disk: disk === "disk" });
  if (process.env.TWICE) { const b = await live({ seed, disk: disk === "disk" }); if (a.digest !== b.digest) { console.log(seed, "DIFFERS"); const i = a.lines.findIndex((l, n) => l !== b.lines[n]); console.log(a.lines.slice(i-2, i + 2), b.lines.slice(i-2, i + 2)); } }
  if (a.faults.length) { bad++; console.log(seed, "lives", a.lives, "msgs", a.messages, "lines", a.lines.length); for (const f of a.faults.slice(0, 6)) console.log("   ", f.slice(0, 600)); }
  if (process.env.TRACE) for (const l of a.lines) console.log(l.slice(0, 500));
}
console.log("bad", bad, "ms", Date.now() - t0);
