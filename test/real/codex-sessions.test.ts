// The contract of engines with sessions and tools of their own, kept by the real Codex.
import { sessionContract } from "../contracts/sessions.ts";
import { sessionStage } from "./codex-stage.ts";

sessionContract("the real Codex", sessionStage);
