// The contracts, kept by the real Claude Code before a loopback model.
import { engineContract } from "../contracts/engine.ts";
import { sessionContract } from "../contracts/sessions.ts";
import { claudeStage } from "./claude-stage.ts";

engineContract("Claude Code", async () => await claudeStage());
sessionContract("Claude Code", async () => await claudeStage());
