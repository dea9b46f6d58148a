/** What the form of a processor gets. */
import type { Processor } from "../../lib/specs.ts";

export type Of<T extends Processor["type"]> = Extract<Processor, { type: T }>;
export interface FormProps<T extends Processor["type"]> {
  processor: Of<T>;
  onChange: (processor: Of<T>) => void;
  columns: readonly string[] | undefined;
}
