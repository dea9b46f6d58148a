/**
 * What tests have started is stopped, last first, whether or not they did so themselves: at the end of the test (`undo`) or
 * of the file (`cleanUpLater`). Vitest's hooks are in `setup-file.ts`: files share a process and its loaded modules, and a
 * hook at the top of a module would exist for the first file alone.
 */
export type CleanUpStep = () => void | Promise<void>;

/** Done after the test that added them. */
export const undo: CleanUpStep[] = [];

const steps: CleanUpStep[] = [];

/** Done at the end of the file. The returned function does the step now; it is done once in any case. */
export function cleanUpLater(step: () => Promise<void>): () => Promise<void> {
  let done: Promise<void> | undefined;
  const once = () => (done ??= step());
  steps.push(once);
  return once;
}

export const cleanUpAfterTest = (): Promise<void> => runBackwards(undo);

export const cleanUpAfterFile = (): Promise<void> => runBackwards(steps);

async function runBackwards(list: CleanUpStep[]): Promise<void> {
  const errors: unknown[] = [];
  for (const step of list.splice(0).reverse()) {
    try {
      await step();
    } catch (error) {
      errors.push(error);
    }
  }
  if (errors.length > 0) throw new AggregateError(errors, "not everything was cleaned up");
}
