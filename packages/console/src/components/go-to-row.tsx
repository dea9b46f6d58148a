import { useState } from "react";
import { Button } from "./button.tsx";

/** The number of a row leads to it; an empty field to the beginning. */
export function GoToRow({ from, onGo }: { from: string | undefined; onGo: (index: string | undefined) => void }) {
  const [text, setText] = useState(from ?? "");
  return (
    <form
      className="flex gap-2"
      onSubmit={(event) => {
        event.preventDefault();
        onGo(/^\d{1,9}$/.test(text) ? text : undefined);
      }}
    >
      <input
        aria-label="Go to row"
        className="input w-32!"
        inputMode="numeric"
        placeholder="Go to row"
        value={text}
        onChange={({ target }) => setText(target.value)}
      />
      <Button type="submit">Go</Button>
    </form>
  );
}
