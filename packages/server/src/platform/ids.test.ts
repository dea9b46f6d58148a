import { randomBytes, randomInt, randomUUID } from "node:crypto";
import { fromUUID } from "typeid-js";
import { describe, expect, test } from "vitest";
import { idPrefixes } from "@rowmill/contract/schemas";
import type { IdKind } from "@rowmill/contract/schemas";
import {
  formatId,
  formatIdOrNull,
  formatRowId,
  makeRowId,
  createRequestIds,
  newId,
  newUuid,
  parseId,
  parseRowId,
  rowIdPrefix,
  timeOfUuid,
  uuidBefore,
} from "./ids.ts";

const kinds = (Object.keys(idPrefixes) as IdKind[]).filter((kind) => kind !== "row");
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyzilouABC_-. \u0000é😀";

test.each([
  ["00000000-0000-0000-0000-000000000000", "00000000-0000-0000-0000-000000000000"],
  ["00000000-0000-0000-0000-000000000001", "00000000-0000-0000-0000-000000000000"],
  ["019b76da-0000-7000-8000-000000000000", "019b76da-0000-7000-7fff-ffffffffffff"],
  ["ffffffff-ffff-ffff-ffff-ffffffffffff", "ffffffff-ffff-ffff-ffff-fffffffffffe"],
])("before the UUID %s comes %s", (uuid, expected) => {
  expect(uuidBefore(uuid)).toBe(expected);
});

test("a new UUID is one of version 7, and later ones sort behind earlier ones", () => {
  const uuids = Array.from({ length: 1000 }, newUuid);
  for (const uuid of uuids)
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  expect(new Set(uuids).size).toBe(uuids.length);
  expect(uuids[0]!.slice(0, 12) <= uuids.at(-1)!.slice(0, 12)).toBe(true);
});

// Of the specification of TypeIDs (https://github.com/jetify-com/typeid/blob/main/spec/valid.yml).
test.each([
  ["00000000-0000-0000-0000-000000000000", "00000000000000000000000000"],
  ["00000000-0000-0000-0000-000000000001", "00000000000000000000000001"],
  ["00000000-0000-0000-0000-000000000020", "00000000000000000000000010"],
  ["ffffffff-ffff-ffff-ffff-ffffffffffff", "7zzzzzzzzzzzzzzzzzzzzzzzzz"],
  ["0110c853-1d09-52d8-d73e-1194e95b5f19", "0123456789abcdefghjkmnpqrs"],
  ["01890a5d-ac96-774b-bcce-b302099a8057", "01h455vb4pex5vsknk084sn02q"],
])("the UUID %s is written as %s", (uuid, suffix) => {
  expect(formatId("run", uuid)).toBe(`run_${suffix}`);
});

test("ids are written as by typeid-js, and read back", () => {
  for (let i = 0; i < 1_000; i++) {
    const uuid = i % 2 === 0 ? randomUUID() : newUuid();
    expect(formatId("run", uuid)).toBe(fromUUID(uuid, "run"));
    expect(parseId("run", formatId("run", uuid))).toBe(uuid);
  }
});

test("what is not a UUID is not written as an id, and an id of another version is not read", () => {
  expect(() => formatId("run", "01890a5d-ac96-774b-bcce")).toThrow("is not a UUID");
  for (const uuid of ["0110c853-1d09-02d8-973e-1194e95b5f19", "0110c853-1d09-52d8-d73e-1194e95b5f19"])
    expect(parseId("run", formatId("run", uuid))).toBeUndefined();
});

test.each([
  ["something that is not stored", () => newId("request")],
  ["a request", createRequestIds()],
])("an id of %s has the time and is another one each time", (_what, make) => {
  const before = Date.now();
  const ids = Array.from({ length: 1000 }, make);
  for (const id of ids) {
    const uuid = parseId("request", id)!;
    expect(uuid[14]).toBe("7");
    expect(timeOfUuid(uuid).getTime()).toBeGreaterThanOrEqual(before);
    expect(timeOfUuid(uuid).getTime()).toBeLessThanOrEqual(Date.now());
  }
  expect(new Set(ids).size).toBe(ids.length);
});

describe.each(kinds)("an id of kind %s", (kind) => {
  test("gives its UUID back", () => {
    for (const uuid of [newUuid(), "00000000-0000-0000-0000-000000000000", "ffffffff-ffff-ffff-ffff-ffffffffffff"]) {
      expect(formatId(kind, uuid)).toMatch(new RegExp(`^${idPrefixes[kind]}_[0-7][0-9a-hjkmnp-tv-z]{25}$`));
      expect(parseId(kind, formatId(kind, uuid))).toBe(uuid);
    }
  });

  test("is none of another kind", () => {
    const id = formatId(kind, newUuid());
    for (const other of kinds.filter((other) => other !== kind)) expect(parseId(other, id)).toBeUndefined();
  });

  test("is not read when anything about it is different", () => {
    const id = formatId(kind, newUuid());
    const token = id.slice(idPrefixes[kind].length + 1);
    const variants = [
      "",
      token,
      `_${token}`,
      `${idPrefixes[kind]}_`,
      `${id} `,
      ` ${id}`,
      `${id}\n`,
      `${id}0`,
      id.slice(0, -1),
      id.toUpperCase(),
      id.replace("_", "__"),
      id.replace("_", "-"),
      `${idPrefixes[kind]}_${id}`,
      `${idPrefixes[kind]}_8${token.slice(1)}`,
      `${idPrefixes[kind]}_${token.slice(0, -1)}u`,
    ];
    for (const variant of variants) expect([variant, parseId(kind, variant)]).toEqual([variant, undefined]);
  });
});

test("of null comes null", () => {
  expect(formatIdOrNull("run", null)).toBeNull();
});

describe("a row's id", () => {
  test.each([0, 1, 41, 0xffff, 99_999_999, 1_000_000_000, 0xffff_ffff])("gives dataset and index %i back", (index) => {
    const datasetId = newUuid();
    const id = formatRowId(datasetId, index);
    expect(id).toMatch(/^row_[0-9a-z]{34}$/);
    expect(makeRowId(rowIdPrefix(datasetId), index)).toBe(id);
    expect(parseRowId(id)).toEqual({ datasetId, index });
  });

  test("is not read when anything about it is different", () => {
    const id = formatRowId(newUuid(), 42);
    for (const variant of [
      id.slice(0, -1),
      `${id}0`,
      id.toUpperCase(),
      ` ${id}`,
      `${id}\n`,
      id.replace("row_", "ds_"),
      id.replace(/.{8}$/, "0000002g"),
      id.replace(/^row_./, "row_8"),
    ])
      expect([variant, parseRowId(variant)]).toEqual([variant, undefined]);
  });
});

test("nothing that somebody may send throws, and nothing is read that is not written the same", () => {
  const misread: string[] = [];
  for (let i = 0; i < 20_000; i++) {
    const length = randomInt(40);
    const text = Array.from({ length }, () => ALPHABET[randomInt(ALPHABET.length)]).join("");
    const kind = kinds[randomInt(kinds.length)]!;
    for (const id of [text, `${idPrefixes[kind]}_${text}`, `row_${text}`, randomBytes(20).toString("latin1")]) {
      const uuid = parseId(kind, id);
      const row = parseRowId(id);
      const isSame = uuid === undefined || formatId(kind, uuid) === id;
      const isSameRow = row === undefined || formatRowId(row.datasetId, row.index) === id;
      if (!isSame || !isSameRow) misread.push(id);
    }
  }
  expect(misread).toEqual([]);
});
