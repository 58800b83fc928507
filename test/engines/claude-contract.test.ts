// The contracts, kept by Claude Code as an engine before a pretend program. test/real keeps them before the real one.
import { engineContract } from "../contracts/engine.ts";
import { sessionContract } from "../contracts/sessions.ts";
import { KINDS, pretendStage } from "./pretend-stage.ts";

engineContract("Claude Code (pretend)", async () => await pretendStage(KINDS.claude));
sessionContract("Claude Code (pretend)", async () => await pretendStage(KINDS.claude));
