/** Row-level lists as one stream, in the order of their index: a request for each page would take most of the time. */
import { RowmillConnectionError } from "@rowmill/client";

/** Where the connection breaks off, the stream continues after the last row that came, unless none has come since it was opened. */
export async function* streamRows<T extends { index: number }>(
  open: (fromIndex: number) => { stream(): AsyncIterable<T> },
  fromIndex = 0,
): AsyncGenerator<T, void, undefined> {
  let next = fromIndex;
  for (;;) {
    const openedAt = next;
    try {
      for await (const row of open(openedAt).stream()) {
        next = row.index + 1;
        yield row;
      }
      return;
    } catch (error) {
      if (!(error instanceof RowmillConnectionError) || next === openedAt) throw error;
    }
  }
}
