import { errorCauses } from "@rowmill/contract/error-causes";
import { failureActions } from "@rowmill/contract/failure-actions";
import { failureCauses } from "@rowmill/contract/failure-causes";
import { failureCodeNames, failureCodes } from "@rowmill/contract/failures";
import { intakeActions, intakeCauses } from "@rowmill/contract/intake-causes";
import { intakeErrorCodes, intakeErrors } from "@rowmill/contract/intake-errors";
import { runErrors, stateReasons } from "@rowmill/contract/run-reasons";
import { errorCodeNames, errorCodes, isRetryable } from "@rowmill/contract/errors";

/** Every code that the service returns anywhere. */
export const allCodes = () => ({
  data: errorCodeNames.map((code) => {
    const { status, meaning, action } = errorCodes[code];
    return { code, status, meaning, cause: errorCauses[code], action, retryable: isRetryable(code) };
  }),
  rowFailures: failureCodeNames.map((code) => ({
    code,
    class: failureCodes[code].class,
    meaning: failureCodes[code].meaning,
    cause: failureCauses[code],
    action: failureActions[code],
    retryable: failureCodes[code].retryable,
  })),
  uploadErrors: intakeErrorCodes.map((code) => ({
    code,
    meaning: intakeErrors[code],
    cause: intakeCauses[code],
    action: intakeActions[code],
  })),
  runReasons: Object.entries({ ...stateReasons, ...runErrors }).map(([code, entry]) => ({ code, ...entry })),
});
