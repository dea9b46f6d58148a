/** What `rowmill doctor` says of one thing. */
import { explainError } from "../frame/explain-error.ts";
import { Problem } from "../frame/problem.ts";

export interface Finding {
  level: "ok" | "note" | "warning" | "problem";
  subject: string;
  message: string;
  /** What to do. */
  advice?: string;
}

export function problemOf(subject: string, error: unknown): Finding {
  const problem = explainError(error);
  if (!(problem instanceof Problem)) throw problem;
  return { level: "problem", subject, message: problem.message, advice: problem.advice };
}
