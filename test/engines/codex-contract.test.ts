// The contracts, kept by Codex as an engine before a pretend program. test/real keeps them before the real one.
import { engineContract } from "../contracts/engine.ts";
import { sessionContract } from "../contracts/sessions.ts";
import { KINDS, pretendStage } from "./pretend-stage.ts";

engineContract("Codex (pretend)", async () => await pretendStage(KINDS.codex));
sessionContract("Codex (pretend)", async () => await pretendStage(KINDS.codex));
