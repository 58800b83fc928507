// A look of doctor's at a config in a folder of its own, and platforms that answer what a test wants.
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect } from "vitest";
import type { Clock } from "../../src/core/surroundings.ts";
import { loadConfig, type Loaded } from "../../src/gateway/config-file.ts";
import { doctor } from "../../src/gateway/doctor.ts";
import { realClock, realRandom } from "../../src/gateway/real.ts";

/** A clock on which every deadline is over at once. */
export const hasty: Clock = { ...realClock, sleep: async () => undefined };

/** What a look found. `of`: the lines about one thing, such as "slack" or "slack rights". */
export type Look = {
  readonly healthy: boolean;
  readonly lines: readonly string[];
  readonly said: string;
  readonly of: (what: string) => readonly string[];
};

type How = { readonly path?: string; readonly clock?: Clock; readonly fetch?: typeof fetch };

/** A home folder that a config is in. */
export class Place implements Disposable {
  readonly folder: string = mkdtempSync(join(tmpdir(), "tg-doctor-"));

  async read(): Promise<Loaded> {
    return await loadConfig({ env: {}, cwd: this.folder, home: this.folder });
  }

  write(yaml: string): void {
    writeFileSync(join(this.folder, "tidegate.yaml"), yaml, { mode: 0o600 });
  }

  async look(yaml?: string, how: How = {}): Promise<Look> {
    if (yaml !== undefined) this.write(yaml);
    const lines: string[] = [];
    const healthy = await doctor({
      readConfig: async () => await this.read(),
      print: (line) => void lines.push(line),
      fetch: how.fetch ?? fetch,
      env: { PATH: how.path ?? "" },
      home: this.folder,
      version: "1.2.3",
      clock: how.clock ?? realClock,
      random: realRandom,
    });
    for (const line of lines.slice(0, -1)) expect(line).toMatch(/^(?:ok {4}|warn {2}|FAIL {2})\S/u);
    const of = (what: string): readonly string[] =>
      lines.filter((line) => line.slice(6).startsWith(`${what}: `)).map((line) => line.replace(`${what}: `, ""));
    return { healthy, lines, said: lines.join("\n"), of };
  }

  [Symbol.dispose](): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

type Answer = {
  /** Fields that come in place of those of the real answer. */
  readonly body?: Readonly<Record<string, unknown>>;
  /** A list that comes in place of the whole answer. */
  readonly list?: readonly unknown[];
  /** A header that is left out. */
  readonly without?: string;
  readonly status?: number;
};

/** A fetch whose answers, by the end of the address, are changed in what the loopback platform has no switch for. */
export function changed(answers: Readonly<Record<string, Answer>>): typeof fetch {
  return async (url, options) => {
    const { pathname } = new URL(url instanceof Request ? url.url : url);
    const real = await fetch(url, options);
    const [, answer] = Object.entries(answers).find(([end]) => pathname.endsWith(end)) ?? [];
    if (answer === undefined) return real;
    const before: unknown = await real.json().catch(() => ({}));
    return Response.json(answer.list ?? { ...(before as object), ...answer.body }, {
      status: answer.status ?? (answer.list === undefined ? real.status : 200),
      headers: [...real.headers].filter(([name]) => name !== answer.without),
    });
  };
}
