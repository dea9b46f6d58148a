import { useState } from "react";
import { Button } from "./button.tsx";

/** As the screen writes `1,000,000`, and as other languages do. */
const SEPARATORS = /[\s,.'’]/g;

/** More than a dataset has: a number with more digits leads to the end, as a large one does, and stays exact. */
const MAX_ROW_NUMBER = 999_999_999;

/** The number of a row leads to it, of which the first is 1; an empty field to the beginning. `from` and what `onGo` gets count from 0. */
export function GoToRow({ from, onGo }: { from: string | undefined; onGo: (index: string | undefined) => void }) {
  const [text, setText] = useState(from === undefined ? "" : String(Number(from) + 1));
  return (
    <form
      className="flex gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        const number = text.replaceAll(SEPARATORS, "");
        onGo(/^0*[1-9]\d*$/.test(number) ? String(Math.min(Number(number), MAX_ROW_NUMBER) - 1) : undefined);
      }}
    >
      <input
        aria-label="Go to row"
        className="input w-32!"
        inputMode="numeric"
        placeholder="Go to row"
        pattern="[\s,.'’]*|[0\s,.'’]*[1-9][\d\s,.'’]*"
        title="The number of a row: the first one is 1."
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Button type="submit">Go</Button>
    </form>
  );
}
