/** Reads what the tests have seen of the responses that the contract declares. */
import { existsSync, readFileSync } from "node:fs";
import type { ContractCoverage } from "../../packages/server/src/testing/contract-coverage.ts";

export { COVERAGE_PATH_VARIABLE } from "../../packages/server/src/testing/contract-coverage-path.ts";

export function readContractCoverage(path: string): { summary: string; problems: string[] } {
  if (!existsSync(path)) return { summary: "the tests did not come to their end", problems: ["nothing was written"] };
  const { declared, seen, problems } = JSON.parse(readFileSync(path, "utf8")) as ContractCoverage; // as they write it
  return { summary: `${seen} of ${declared} declared responses (operation × status) were seen`, problems };
}
