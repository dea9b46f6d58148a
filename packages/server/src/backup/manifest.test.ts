import { expect, test } from "vitest";
import { FORMAT, parseManifest } from "./manifest.ts";
import type { Manifest } from "./manifest.ts";

const manifest: Manifest = {
  format: FORMAT,
  version: "1.2.3",
  postgresVersion: "18.1",
  snapshotAt: "2026-11-20T00:00:00.000Z",
  migrations: [{ version: 1, name: "0001-first.sql", sha256: "0" }],
  tables: [{ schema: "service", name: "runs", columns: ["id"], rows: 3 }],
  sequences: [{ name: "of_events", value: "7", isCalled: true }],
  store: "folder",
  missingObjects: [],
  keyFingerprints: ["a"],
  hasEncryptionKey: true,
  entries: [{ path: "database/0", sizeBytes: 10, sha256: "0" }],
};

test("a manifest is read as it was written, and members that this version does not know are no fault", () => {
  expect(parseManifest(JSON.stringify(manifest))).toEqual(manifest);
  expect(parseManifest(JSON.stringify({ ...manifest, later: true }))).toMatchObject(manifest);
});

test.each([
  ["a missing member", { tables: undefined }],
  ["a member of a table", { tables: [{ schema: "elsewhere", name: "runs", columns: ["id"], rows: 3 }] }],
  ["a fraction of a row", { tables: [{ schema: "queue", name: "jobs", columns: ["id"], rows: 0.5 }] }],
  ["a number that is a text", { entries: [{ path: "database/0", sizeBytes: "10", sha256: "0" }] }],
])("%s: what no backup wrote is refused", (_, change) => {
  expect(() => parseManifest(JSON.stringify({ ...manifest, ...change }))).toThrow("The manifest of the backup lacks");
});
