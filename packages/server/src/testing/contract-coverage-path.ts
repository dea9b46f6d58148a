/** Names the file in which the tests leave, at their end, what they have seen of the contract: `npm test` counts it as a check. */
export const COVERAGE_PATH_VARIABLE = "ROWMILL_CONTRACT_COVERAGE_PATH";
