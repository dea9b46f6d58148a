import { expect, test } from "vitest";
import { nearLimits } from "./with-key.ts";

const used = { runsInProgress: 0, webhookEndpoints: 0, apiKeys: 9, datasets: 3, storageBytes: 50 };
const usage = { ...used, thisMonth: { requests: 0, inputTokens: 0, outputTokens: 0, costUsd: null } };

test.each([
  ["no limit at all", { apiKeys: null, storageBytes: null }, []],
  ["limits that are far", { apiKeys: 100, storageBytes: 1000 }, []],
  ["a limit that is near", { apiKeys: 10 }, [["warning", "9 of 10 keys exist"]]],
  ["a limit that is reached", { storageBytes: 50 }, [["problem", "50 of 50 bytes are stored"]]],
  ["a limit of what nobody uses", { webhookEndpoints: 0 }, []],
])("%s", (_, limits, expected) => {
  expect(nearLimits({ limits, usage }).map(({ level, message }) => [level, message])).toEqual(expected);
});
