/** What takes long and is no run: a line on stderr that is drawn again where somebody watches, else one every few seconds. */
import type { Cli } from "./command.ts";
import { harmlessText } from "./harmless-text.ts";

/** What is done sooner needs no line: it would only flicker. */
const FIRST_DRAW_MS = 1_000;
const DRAW_INTERVAL_MS = 100;
const LINE_INTERVAL_MS = 5_000;
/** To the start of the line, and clear it. */
const CLEAR_LINE = "\r\u001b[2K";

export interface StatusLine {
  /** Shows `text`, and an event for `--stream-json`, unless that was done a moment ago. */
  update(text: () => string, event: readonly [type: string, value: object]): void;
  stop(): void;
}

export function statusLine(cli: Pick<Cli, "terminal" | "output" | "common">): StatusLine {
  const isShown = cli.common.quiet !== true && cli.output.mode === "text";
  const isDrawn = isShown && cli.terminal.isWatched;
  const intervalMs = isDrawn ? DRAW_INTERVAL_MS : LINE_INTERVAL_MS;
  let nextAt = Date.now() + (isDrawn ? FIRST_DRAW_MS : LINE_INTERVAL_MS);
  let hasDrawn = false;
  return {
    update(text, [type, value]) {
      if (Date.now() < nextAt) return;
      nextAt = Date.now() + intervalMs;
      cli.output.event(type, value);
      if (!isShown) return;
      // A line that is longer than the screen would not be cleared whole.
      if (isDrawn) cli.terminal.stderr.write(CLEAR_LINE + harmlessText(text()).slice(0, cli.terminal.columns - 1));
      else cli.output.note(text());
      hasDrawn = isDrawn;
    },
    stop() {
      if (hasDrawn) cli.terminal.stderr.write(CLEAR_LINE);
    },
  };
}
