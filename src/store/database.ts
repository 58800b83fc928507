// One SQLite connection with its statements kept prepared. The only file that knows how node:sqlite is spoken to.
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

/** A connection. SQL texts are literals of this folder, so the kept statements are few. All calls throw what SQLite throws. */
export type Database = {
  /** The first row, if any: columns by name, as SQLite gives them. */
  get(sql: string, ...values: readonly SQLInputValue[]): unknown;
  all(sql: string, ...values: readonly SQLInputValue[]): readonly unknown[];
  run(sql: string, ...values: readonly SQLInputValue[]): { readonly changes: number; readonly lastId: number };
  /** Several statements at once, without values; not kept. */
  exec(sql: string): void;
  inTransaction(): boolean;
  /** The connection itself, for SQLite's backup. */
  readonly connection: DatabaseSync;
  [Symbol.dispose](): void;
};

/** Opens `path` (or ":memory:") as it is: nothing is read or set up yet. Throws what SQLite throws. The caller disposes it. */
export function openDatabase(
  path: string,
  how: { readonly readOnly?: boolean; readonly waitMs?: number } = {},
): Database {
  const connection = new DatabaseSync(path, { readOnly: how.readOnly ?? false, timeout: how.waitMs ?? 2_000 });
  const kept = new Map<string, StatementSync>();
  const prepared = (sql: string): StatementSync => {
    const known = kept.get(sql);
    if (known !== undefined) return known;
    const statement = connection.prepare(sql);
    kept.set(sql, statement);
    return statement;
  };
  return {
    get: (sql, ...values) => prepared(sql).get(...values),
    all: (sql, ...values) => prepared(sql).all(...values),
    run(sql, ...values) {
      const { changes, lastInsertRowid } = prepared(sql).run(...values);
      return { changes: Number(changes), lastId: Number(lastInsertRowid) };
    },
    exec: (sql) => connection.exec(sql),
    inTransaction: () => connection.isTransaction,
    connection,
    [Symbol.dispose]() {
      kept.clear();
      connection.close();
    },
  };
}

/** BUSY, NOMEM, READONLY, IOERR, CORRUPT, FULL, CANTOPEN, PROTOCOL, NOTADB: the machine's or the file's doing, not the statement's. */
const DISK_FAILURES: ReadonlySet<number> = new Set([5, 7, 8, 10, 11, 13, 14, 15, 26]);

/** True when the disk or the file failed, so that nothing of the transaction can be trusted to have been done. */
export function isDiskFailure(thrown: unknown): boolean {
  const code = sqliteCode(thrown);
  return code !== undefined && DISK_FAILURES.has(code);
}

/** True when SQLite found no room on the disk. */
export function isDiskFull(thrown: unknown): boolean {
  return sqliteCode(thrown) === 13;
}

/** True when another connection holds the lock. */
export function isBusy(thrown: unknown): boolean {
  return sqliteCode(thrown) === 5;
}

/** SQLite's primary result code; undefined for anything that SQLite didn't throw. */
function sqliteCode(thrown: unknown): number | undefined {
  return thrown instanceof Error && "errcode" in thrown && typeof thrown.errcode === "number"
    ? thrown.errcode & 0xff
    : undefined;
}
