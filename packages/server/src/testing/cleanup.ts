/** What a test file has started is stopped at its end, last first, whether or not the tests did so. */
import { afterAll } from "vitest";

const steps: (() => Promise<void>)[] = [];

/** The returned function does the step now; it is done once in any case. */
export function cleanUpLater(step: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  const once = () => (done ??= step());
  steps.push(once);
  return once;
}

afterAll(async () => {
  const errors: unknown[] = [];
  for (const step of steps.splice(0).reverse()) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, "not everything was cleaned up");
});
