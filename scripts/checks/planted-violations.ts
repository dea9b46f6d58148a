/** Files that break the rules of the architecture: each rule is tried on them, so that one that finds nothing is noticed. */
const SERVER_SOURCES = "packages/server/src";
/** A file for each rule, which breaks it. */
export const PLANTED: readonly { rule: string; path: string; content: string }[] = [
  { rule: "no-circular", path: `${SERVER_SOURCES}/a.ts`, content: 'export { b } from "./b.ts";' },
  { rule: "no-circular", path: `${SERVER_SOURCES}/b.ts`, content: 'import { a } from "./a.ts"; export const b = a;' },
  { rule: "unresolvable", path: `${SERVER_SOURCES}/c.ts`, content: 'import "./missing.ts";' },
  {
    rule: "datasets-imports-downward-only",
    path: `${SERVER_SOURCES}/resources/datasets/datasets.ts`,
    content: 'import type { Run } from "../runs/runs.ts"; export type Rows = Run[];',
  },
  {
    rule: "runs-imports-downward-only",
    path: `${SERVER_SOURCES}/resources/runs/runs.ts`,
    content: 'import { toCsv } from "../exports/exports.ts"; export type Run = typeof toCsv;',
  },
  {
    rule: "exports-imports-downward-only",
    path: `${SERVER_SOURCES}/resources/exports/exports.ts`,
    content: 'export { send as toCsv } from "../alert-rules/alert-rules.ts";',
  },
  {
    rule: "platform-imports-no-resource",
    path: `${SERVER_SOURCES}/platform/pool.ts`,
    content: 'import { send } from "../resources/alert-rules/alert-rules.ts"; send();',
  },
  {
    rule: "resources-import-no-room-or-role",
    path: `${SERVER_SOURCES}/resources/alert-rules/alert-rules.ts`,
    content: 'import { start } from "../../worker.ts"; export const send = start;',
  },
  {
    rule: "rooms-import-no-other-room",
    path: `${SERVER_SOURCES}/engine/rows/rows.ts`,
    content: 'export { deliver } from "../../delivery/deliver.ts";',
  },
  {
    rule: "rooms-import-no-role",
    path: `${SERVER_SOURCES}/delivery/deliver.ts`,
    content: 'import { start } from "../worker.ts"; export const deliver = start;',
  },
  {
    rule: "engine-rows-imports-downward-only",
    path: `${SERVER_SOURCES}/engine/rows/row.ts`,
    content: 'export { lane } from "../lanes/lane.ts";',
  },
  {
    rule: "a-processor-is-known-by-its-traits",
    path: `${SERVER_SOURCES}/engine/rows/calls.ts`,
    content: 'export { ask } from "../../processors/llm/llm.ts";',
  },
  {
    rule: "unresolvable",
    path: `${SERVER_SOURCES}/processors/llm/llm.ts`,
    content: 'export { ask } from "./none.ts";',
  },
  {
    rule: "services-know-no-user",
    path: `${SERVER_SOURCES}/services.ts`,
    content: 'export * from "./engine/lanes/lane.ts";',
  },
  {
    rule: "unresolvable",
    path: `${SERVER_SOURCES}/engine/lanes/lane.ts`,
    content: 'export { lane } from "./missing.ts";',
  },
  {
    rule: "server-uses-no-client",
    path: `${SERVER_SOURCES}/worker.ts`,
    content: 'export * from "../../client/src/index.ts";',
  },
  {
    rule: "not-into-server",
    path: "packages/client/src/index.ts",
    content: 'export const load = () => import("../../server/src/c.ts");',
  },
  {
    rule: "contract-is-leaf",
    path: "packages/contract/src/runs.ts",
    content: 'import type { load } from "../../client/src/index.ts"; export type Load = typeof load;',
  },
];
/** Of two folders that import each other, without a circle of files. */
export const PAIR = [
  { path: `${SERVER_SOURCES}/platform/auth/keys.ts`, content: 'export { refuse } from "../http/errors.ts";' },
  { path: `${SERVER_SOURCES}/platform/http/errors.ts`, content: "export const refuse = 1;" },
  { path: `${SERVER_SOURCES}/platform/http/serve.ts`, content: 'export { caller } from "../auth/caller.ts";' },
  { path: `${SERVER_SOURCES}/platform/auth/caller.ts`, content: "export const caller = 1;" },
];
