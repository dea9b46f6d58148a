/**
 * Few combinations of parameters' values in which each value of a parameter meets each value of every other parameter: most
 * faults of combinations are faults of two, and all combinations are too many.
 */
export function pairwise<Value>(parameters: readonly (readonly Value[])[]): Value[][] {
  const missing = new Set<string>();
  for (const [i, values] of parameters.entries())
    for (const [j, others] of parameters.entries())
      if (i < j) for (const a of values.keys()) for (const b of others.keys()) missing.add(pair(i, a, j, b));
  const rows: number[][] = parameters.length === 1 ? (parameters[0] ?? []).map((_value, a) => [a]) : [];
  for (const first of missing) {
    // Each begins with a pair that no other has, and takes what adds the most pairs for the rest.
    const [i = 0, a = 0, j = 0, b = 0] = first.split(" ").map(Number);
    const row: (number | undefined)[] = parameters.map((_values, at) => (at === i ? a : at === j ? b : undefined));
    for (const [at, values] of parameters.entries())
      row[at] ??= best(
        [...values.keys()],
        (value) => newPairs(row, at, value).filter((one) => missing.has(one)).length,
      );
    const whole = row.map((value) => value ?? 0);
    for (const [at, value] of whole.entries()) for (const one of newPairs(whole, at, value)) missing.delete(one);
    rows.push(whole);
  }
  return rows.map((row) => row.flatMap((value, at) => parameters[at]?.slice(value, value + 1) ?? []));
}

const pair = (i: number, a: number, j: number, b: number): string => `${i} ${a} ${j} ${b}`;

const newPairs = (row: readonly (number | undefined)[], at: number, value: number): string[] =>
  row.flatMap((other, j) =>
    other === undefined || j === at ? [] : [j < at ? pair(j, other, at, value) : pair(at, value, j, other)],
  );

const best = (values: readonly number[], scoreOf: (value: number) => number): number | undefined =>
  values.map((value) => ({ value, score: scoreOf(value) })).toSorted((a, b) => b.score - a.score)[0]?.value;
