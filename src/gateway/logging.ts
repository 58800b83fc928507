// Notes for the operator: pino, with secrets taken out and message text never put in.
import { pino } from "pino";
import type { Logger } from "../core/surroundings.ts";

/** Where notes go: a file, standard error as JSON lines, or standard error for a person to read. */
type LogTarget = { readonly file: string } | "stderr" | "pretty";

/** An open log. `close` writes out what is left. */
export type OpenLog = { readonly log: Logger; readonly close: () => void };

/** Fields that never reach the log, whoever puts them there. */
const NEVER = ["text", "words", "prompt", "parts", "token", "apiKey", "headers", "raw", "message.text"];

/** Opens the log. Every line, errors and their causes included, passes `scrub` last. */
export async function openLog(
  target: LogTarget,
  scrub: (text: string) => string,
  level: "info" | "warn" = "info",
): Promise<OpenLog> {
  const sink =
    target === "pretty"
      ? (await import("pino-pretty")).build({ destination: 2, sync: true, ignore: "pid,hostname" })
      : pino.destination(
          target === "stderr" ? { dest: 2, sync: true } : { dest: target.file, sync: true, mkdir: true, mode: 0o600 },
        );
  const log = pino(
    {
      level,
      base: null,
      redact: { paths: NEVER, censor: "[left out]" },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: describeError },
    },
    { write: (line: string) => void sink.write(scrub(line)) },
  );
  return {
    log: {
      debug: (fields, note) => log.debug(fields, note),
      info: (fields, note) => log.info(fields, note),
      warn: (fields, note) => log.warn(fields, note),
      error: (fields, note) => log.error(fields, note),
    },
    close: () => {
      if ("flushSync" in sink) sink.flushSync();
    },
  };
}

/** An error as name, code, where it came from, and its causes; messages of outside errors may hold text, so only ours are kept. */
function describeError(thrown: unknown, depth = 0): unknown {
  if (!(thrown instanceof Error)) return typeof thrown;
  const code: unknown = "code" in thrown ? thrown.code : undefined;
  return {
    name: thrown.name,
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
    ...(thrown.name === "GatewayError" || thrown instanceof TypeError || thrown instanceof RangeError
      ? { message: thrown.message }
      : {}),
    at: thrown.stack
      ?.split("\n")
      .filter((line) => line.trimStart().startsWith("at "))
      .slice(0, 6)
      .map((line) => line.trim()),
    ...(thrown.cause === undefined || depth > 3 ? {} : { cause: describeError(thrown.cause, depth + 1) }),
  };
}
