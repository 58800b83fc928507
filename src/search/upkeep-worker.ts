// The thread that looks after the index's file; see upkeep.ts.
import { workerData } from "node:worker_threads";
import { keepUp, type UpkeepOrder } from "./upkeep.ts";

await keepUp(workerData as UpkeepOrder);
