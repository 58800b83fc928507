// The contract of all engines, kept by each kind of model API against a loopback server.
import { engineContract } from "../contracts/engine.ts";
import { KINDS, contractStage } from "./api-stage.ts";

for (const kind of KINDS) engineContract(kind, async () => await contractStage(kind));
