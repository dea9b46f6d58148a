import { DatasetIntakeError, RowmillApiError } from "@rowmill/client";
import type { DatasetUpload } from "@rowmill/client";
import { expect, test } from "vitest";
import { explainError } from "./explain-error.ts";
import { serviceFailed } from "../local/service-failed.ts";
import { Problem } from "./problem.ts";

const INITDB =
  "The embedded database could not be created in /d/data:\ncreating subdirectories ... ok\nFATAL:  could not write to file";
const local = { root: "/d", log: "/d/service.log" };
const systemError = (code: string, path?: string): Error => Object.assign(new Error("raw text"), { code, path });
const refusedFile = (code: "empty_file" | "internal_error", message: string): Error => {
  const errors = [{ line: null, code, message }];
  return new DatasetIntakeError({ state: "failed", errors } as DatasetUpload); // all that is read of it
};
const apiError = (status: number, code: "insufficient_storage" | "nothing_to_retry" | "insufficient_scope"): Error =>
  new RowmillApiError(status, new Headers(), { code, message: "What is wrong." });

const noSuchPath = new RowmillApiError(404, new Headers(), {
  code: "not_found",
  message: "There is no such path. GET /v1/openapi.json has all paths.",
});

test.each([
  [
    "a service that lacks what the command asks for",
    noSuchPath,
    noSuchPath.message,
    /ends before \/v1\..*another version.*doctor/,
    1,
  ],
  ["a full disk", systemError("ENOSPC"), "The disk is full.", /^Free some space.*where it was\.$/, 1],
  ["a used up quota", systemError("EDQUOT"), "Your disk quota is used up.", /^Free some space/, 1],
  ["a file that may not be opened", systemError("EACCES", "/a"), "/a may not be opened.", /permissions/, 1],
  ["a service whose disk is full", apiError(507, "insufficient_storage"), "What is wrong.", /^Free some space/, 1],
  ["nothing to retry", apiError(422, "nothing_to_retry"), "What is wrong.", /rowmill failures/, 1],
  ["a missing scope", apiError(403, "insufficient_scope"), "What is wrong.", /Use a key/, 4],
  [
    "a service of the command that finds no space",
    serviceFailed(`${INITDB}: No space left on device`, local),
    "The disk is full: the local service cannot write to /d.",
    /^Free some space/,
    1,
  ],
  [
    "a service of the command whose database was written in part",
    serviceFailed(`${INITDB}: wrote only 4096 of 8192 bytes\nHINT:  Check free disk space.`, local),
    "The disk is full: the local service cannot write to /d.",
    /^Free some space/,
    1,
  ],
  [
    "a service of the command that does not start",
    serviceFailed(INITDB, local),
    "The embedded database could not be created in /d/data.",
    /\/d\/service\.log/,
    1,
  ],
  [
    "a service of the command that has lost its encryption key",
    serviceFailed("this database was written with another encryption key: set ROWMILL_ENCRYPTION_KEY to …", local),
    "The local service has another encryption key than the one that its database was written with.",
    /^Put \S+encryption-key back from a copy, or remove \/d,/,
    1,
  ],
  [
    "a service of the command on a machine that is too busy",
    serviceFailed("timeout exceeded when trying to connect", local),
    "The database of the local service did not respond in time.",
    /^Repeat the command .*\/d\/service\.log\.$/,
    1,
  ],
  [
    "a service of the command that ends by an error of a library",
    serviceFailed("something is wrong", local),
    "Something is wrong.",
    /\/d\/service\.log/,
    1,
  ],
  [
    "a file without rows",
    refusedFile("empty_file", "No rows."),
    "The file has no rows.",
    /^Name a file with rows\.$/,
    2,
  ],
  [
    "a file that the service fails on",
    refusedFile("internal_error", "A defect."),
    "The file cannot be read: A defect (internal_error).",
    /^Repeat/,
    1,
  ],
  ["anything else", new Error("lower case"), "Lower case.", /ROWMILL_DEBUG/, 1],
])("%s: one sentence what, one what to do, and an exit code", (_, error, message, advice, exitCode) => {
  const problem = explainError(error);
  expect(problem).toBeInstanceOf(Problem);
  expect(problem).toMatchObject({
    message,
    advice: expect.stringMatching(advice) as string,
    exitCode,
  });
});

test("a body that the service refuses is an error of usage where a file or a text of it was typed, and names each error once", () => {
  const error = new RowmillApiError(400, new Headers(), {
    code: "invalid_request",
    message: "`name` is required. Further errors: 1, see `details`.",
    details: [{ path: "/processor", code: "missing", message: "`processor` is required." }],
  });
  expect(explainError(error, new Map([["<file>", "spec.json"]]))).toMatchObject({
    message: "`name` is required. /processor: `processor` is required.",
    exitCode: 2,
  });
  expect(explainError(error, new Map([["<run>", "@last"]]))).toMatchObject({ exitCode: 1 });
});

test("JSON Lines that are called CSV are read with an option of the command, and not with a member of the API", () => {
  const message =
    "The first line is a JSON object, and no header. If the file is JSON Lines, call it .jsonl, or give its format as `jsonl`.";
  const errors = [{ line: 1, code: "invalid_csv", message }];
  const said = explainError(new DatasetIntakeError({ state: "failed", errors } as DatasetUpload)); // all that is read of it
  expect(said).toMatchObject({
    message: "The file cannot be read: line 1: The first line is a JSON object, and no header (invalid_csv).",
    advice: "If the file is JSON Lines, repeat the command with --format jsonl, or call it .jsonl.",
  });
});

test("a table in another encoding is read with an option of the command, and not with a member of the API", () => {
  const message = 'The text is not UTF-8. If the file is Windows-1252 or Latin-1, create it with `"csv": {}`.';
  const errors = [{ line: 2, code: "encoding_error", message }];
  const said = explainError(new DatasetIntakeError({ state: "failed", errors } as DatasetUpload)); // all that is read of it
  expect(said).toMatchObject({
    message: "The file cannot be read: line 2: The text is not UTF-8 (encoding_error).",
    advice: expect.stringContaining("--encoding windows-1252") as string,
  });
});

test.each([
  [
    "clean.ts",
    "SyntaxError: expecting ')' (line 1)",
    "A transform is JavaScript, without types: compile the file, and name the result.",
  ],
  [
    "clean.mts",
    "Error: top (line 1)",
    "Correct the prompt, the code, the request or the job spec and repeat the command.",
  ],
  [
    "clean.js",
    "SyntaxError: expecting ')' (line 1)",
    "Correct the prompt, the code, the request or the job spec and repeat the command.",
  ],
])("code in %s that is refused with %j", (file, message, advice) => {
  const error = new RowmillApiError(400, new Headers(), { code: "job_spec_invalid", message });
  expect(explainError(error, new Map([["--transform", file]]))).toMatchObject({ exitCode: 2, advice });
});

test("a member of the API that an option sets is named by that option, with the nearest values, and is an error of usage", () => {
  const values = Array.from({ length: 40 }, (_, at) => `some_code_${at}`).concat("provider_timeout", "network_error");
  const error = new RowmillApiError(400, new Headers(), {
    code: "invalid_request",
    message: `\`selection.codes.1\` must be one of: ${values.join(", ")}. Did you mean \`provider_timeout\`? Further errors: 1, see \`details\`.`,
    param: "selection.codes.1",
    details: [{ path: "/budget", code: "missing", message: "`budget` is required." }],
  });
  const said = explainError(error, new Map([["--code", ["network_error", "provider_time"]]])) as Problem;
  expect(said.message).toMatch(
    /^--code does not take "provider_time"\. The nearest of its 42 values: provider_timeout, \S+, \S+\. `budget` is required\.$/,
  );
  expect(said.exit).toBe("usage");
  // Nobody typed it: the message is left as it is.
  expect(explainError(error)).toMatchObject({
    exit: "error",
    message: expect.stringContaining("selection.codes.1") as string,
  });
});
