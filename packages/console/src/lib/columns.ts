/** The order of a dataset's columns. JavaScript moves members such as `2026` to the front of an object, wherever the file has them. */
import { useQuery } from "@tanstack/react-query";
import { rowmill } from "./client.ts";
import { prettyJson } from "./format.ts";
import { useMay } from "./session.ts";

/** Undefined until they are read, or where the key may not read them. */
export function useColumnNames(datasetId: string): readonly string[] | undefined {
  const { data } = useQuery({
    queryKey: ["datasets", datasetId],
    queryFn: () => rowmill.datasets.get(datasetId),
    enabled: useMay("datasets:read"),
    // The columns of a dataset never change.
    staleTime: Infinity,
    select: ({ columns }) => columns.map(({ name }) => name),
  });
  return data;
}

/** Members in that order, then those that are not in it; at most so many. */
export function membersOf(value: object, order: readonly string[] = [], most = Infinity): [string, unknown][] {
  const rest = new Map(Object.entries(value));
  const members: [string, unknown][] = [];
  for (const name of order) {
    if (members.length >= most) return members;
    if (!rest.has(name)) continue;
    members.push([name, rest.get(name)]);
    rest.delete(name);
  }
  return [...members, ...rest].slice(0, most);
}

export function jsonInOrder(value: object, order: readonly string[]): string {
  const lines = membersOf(value, order).map(
    ([name, member]) => `  ${JSON.stringify(name)}: ${JSON.stringify(member, null, 2).replaceAll("\n", "\n  ")}`,
  );
  return lines.length === 0 ? prettyJson(value) : `{\n${lines.join(",\n")}\n}`;
}
