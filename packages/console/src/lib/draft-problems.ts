/** What the service found wrong with a draft, by the path in its request: each field shows its own. */
import { createContext, useContext, useMemo } from "react";

export interface PathProblem {
  /** A JSON Pointer; empty for all of it. */
  path: string;
  message: string;
}

export const DraftProblems = createContext<readonly PathProblem[]>([]);

/** The problems at a path and below it, with what remains of their path. */
export function problemsBelow(problems: readonly PathProblem[], path: string): PathProblem[] {
  return problems
    .filter((problem) => problem.path === path || problem.path.startsWith(`${path}/`))
    .map(({ path: whole, message }) => ({ path: whole.slice(path.length), message }));
}

export function useProblems(path: string | undefined): readonly PathProblem[] {
  const problems = useContext(DraftProblems);
  return useMemo(() => (path === undefined ? [] : problemsBelow(problems, path)), [problems, path]);
}

export const useProblem = (path: string): string | undefined => useProblems(path)[0]?.message;
