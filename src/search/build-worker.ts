// The thread that makes the index anew; see building.ts.
import { parentPort, workerData } from "node:worker_threads";
import { openReadOnly } from "../store/open.ts";
import { build, type BuildOrder } from "./building.ts";
import { secretsIn } from "../taint/shapes.ts";

const order = workerData as BuildOrder;
await using store = await openReadOnly(order.folder);
await build(order, {
  log: store.log,
  secretsIn: secretsIn(order.secrets),
  told: (share) => parentPort?.postMessage(share, []),
  isStopped: () => Atomics.load(order.stop, 0) !== 0,
});
