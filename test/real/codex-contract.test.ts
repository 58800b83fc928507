// The contract of all engines, kept by the real Codex: with a model that takes plain functions, and one that calls from code.
import { engineContract } from "../contracts/engine.ts";
import { CODE_MODE, PLAIN, contractStage } from "./codex-stage.ts";

for (const model of [PLAIN, CODE_MODE]) engineContract(`Codex with ${model}`, async () => await contractStage(model));
