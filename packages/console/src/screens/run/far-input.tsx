import { useQuery } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import { Preview } from "../../components/value.tsx";
import { rowQuery } from "../../lib/row-query.ts";
import { useMay } from "../../lib/session.ts";

/** Who scrolls past a row does not look at it. */
const REST_MS = 200;

interface RowOfDataset {
  datasetId: string;
  index: number;
  /** Of the columns. */
  order: readonly string[] | undefined;
}

/** The input of a row that lies too far from its neighbors to come with their page: read by itself while it is in sight. */
export function FarInput(row: RowOfDataset) {
  const mayRead = useMay("datasets:read");
  const isResting = useIsResting();
  return mayRead && isResting ? <Read {...row} /> : <Blank>{mayRead ? "…" : "hidden"}</Blank>;
}

function Read({ datasetId, index, order }: RowOfDataset) {
  const { data } = useQuery(rowQuery(datasetId, index));
  return data === undefined || data === null ? (
    <Blank>{data === null ? "–" : "…"}</Blank>
  ) : (
    <Preview value={data.data} order={order} />
  );
}

const Blank = ({ children }: { children: ReactNode }) => <span className="text-soft">{children}</span>;

function useIsResting(): boolean {
  const [isResting, setResting] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setResting(true), REST_MS);
    return () => clearTimeout(timer);
  }, []);
  return isResting;
}
