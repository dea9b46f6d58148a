import { pino } from "pino";
import { expect, test, vi } from "vitest";
import { withLazyChildren } from "./request-log.ts";

const LEVELS = ["fatal", "error", "warn", "info", "debug", "trace"] as const;

test("a child is made with its first line, and its lines have what it was made with", () => {
  const lines: unknown[] = [];
  const log = pino({ level: "trace", base: null }, { write: (line) => void lines.push(JSON.parse(line)) });
  const make = vi.spyOn(log, "child");
  const child = withLazyChildren(log).child({ reqId: "req_1" }, { level: "trace" });
  expect(make).not.toHaveBeenCalled();
  for (const level of LEVELS) child[level]({ more: level }, "said");
  expect(make).toHaveBeenCalledOnce();
  child.silent("nothing");
  child.child({ inner: true }).info("inner");
  expect(lines).toMatchObject([
    ...LEVELS.map((more) => ({ reqId: "req_1", more, msg: "said" })),
    { reqId: "req_1", inner: true, msg: "inner" },
  ]);
});

test("what is written to the log itself is written as before, and its level is that of the log", () => {
  const lines: string[] = [];
  const lazy = withLazyChildren(pino({ level: "warn", base: null }, { write: (line) => void lines.push(line) }));
  lazy.warn("said");
  lazy.info("not said");
  lazy.child({}).info("not said");
  expect(lines).toHaveLength(1);
  expect([lazy.level, lazy.child({}).level]).toEqual(["warn", "warn"]);
});
