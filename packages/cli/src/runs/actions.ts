/** `pause`, `resume` and `cancel`: the same for one run or several. */
import { Command } from "@commander-js/extra-typings";
import type { Rowmill, Run } from "@rowmill/client";
import type { Cli } from "../frame/command.ts";
import { findId } from "../frame/find.ts";
import { plural } from "../frame/numbers.ts";
import { explainError } from "../frame/explain-error.ts";
import { Problem } from "../frame/problem.ts";

interface Action {
  act: (rowmill: Rowmill, runId: string) => Promise<Run>;
  /** What a person types next, of the first run that was changed. */
  next: (run: Run) => string;
}

export const runsCommand = (name: string, description: string) =>
  new Command(name)
    .description(description)
    .argument("[runs...]", "ids, beginnings of them, names, or @last", ["@last"]);

/** Goes on after one that refuses, and ends with the code of the first refusal. */
export async function actOnRuns(cli: Cli, typed: readonly string[], { act, next }: Action): Promise<void> {
  const rowmill = await cli.client();
  const ids: string[] = [];
  for (const each of typed) ids.push(await findId(rowmill, "run", each));
  const changed: Run[] = [];
  const problems: Problem[] = [];
  for (const id of new Set(ids)) {
    try {
      changed.push(await act(rowmill, id));
    } catch (error) {
      const problem = explainError(error);
      if (!(problem instanceof Problem)) throw error;
      if (ids.length === 1) throw problem;
      problems.push(problem);
      cli.output.note(`${id}: ${problem.message}`);
    }
  }
  const data = changed.map(({ id, state, rows }) => ({ id, state, rows }));
  const [head] = changed;
  const lastLine = head === undefined ? [] : [`Next: ${next(head)}`];
  cli.output.result({ data }, () => [...changed.map(describeState), ...lastLine].join("\n"));
  const [first] = problems;
  if (first !== undefined) cli.exitWith(first.exit);
}

const describeState = ({ id, state, rows }: Run): string =>
  `${id} is ${state}: ${plural(rows.succeeded, "row")} succeeded, ${rows.failed} failed, ${rows.pending + rows.running} left.`;
