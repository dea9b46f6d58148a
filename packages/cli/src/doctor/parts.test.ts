import { expect, test } from "vitest";
import { partFindings } from "./parts.ts";
import type { Readiness } from "./parts.ts";

const well = { store: "available", disk: "sufficient", encryptionKey: "available", egress: "available" };

test("each part that is well is named", () => {
  expect(partFindings(well).map(({ level, subject }) => `${level} ${subject}`)).toEqual([
    "ok database",
    "ok store",
    "ok disk of the service",
    "ok encryption key",
    "ok egress",
  ]);
});

test.each<[Readiness, string, string]>([
  [{ store: "unavailable" }, "problem", "store"],
  [{ disk: "low" }, "problem", "disk of the service"],
  [{ disk: "unknown" }, "problem", "disk of the service"],
  [{ encryptionKey: "unavailable" }, "problem", "encryption key"],
  [{ egress: "unavailable" }, "warning", "egress"],
  [{ egress: "unknown" }, "warning", "egress"],
])("%o is a %s with what to do", (changed, level, subject) => {
  const wrong = partFindings({ ...well, ...changed }).filter((finding) => finding.level !== "ok");
  expect(wrong).toEqual([expect.objectContaining({ level, subject, advice: expect.any(String) as string })]);
});

test("a service of an earlier version reports fewer parts", () => {
  expect(partFindings({}).map(({ subject }) => subject)).toEqual(["database"]);
});
