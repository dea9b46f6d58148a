import { expect, test } from "vitest";
import { describeStartFailure } from "./start-failure.ts";

const coded = (message: string, code: string): Error => Object.assign(new Error(message), { code });
const refused = coded("connect ECONNREFUSED 127.0.0.1:1", "ECONNREFUSED");

test.each([
  ["a database that is away", refused, /^connect ECONNREFUSED 127\.0\.0\.1:1\. Check ROWMILL_DATABASE_URL/],
  ["each address of its name", new AggregateError([refused, refused], ""), /^connect ECONNREFUSED .+DATABASE_URL/],
  ["a wrong password", coded('password authentication failed for user "u"', "28P01"), /Check the user/],
  ["a data directory that is a file", coded("EEXIST: file already exists, mkdir 'f'", "EEXIST"), /ROWMILL_DATA_DIR/],
  ["a full disk", coded("ENOSPC: no space left on device, write", "ENOSPC"), /Free some space/],
  ["what says by itself what to do", coded("Port 1 is in use: change ROWMILL_PORT", "EACCES"), /change ROWMILL_PORT$/],
  ["anything else", new Error("A defect."), /^A defect\.$/],
])("%s", (_, error, message) => {
  expect(describeStartFailure(error)).toMatch(message);
});
