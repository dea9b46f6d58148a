/** Whether the rest may be paid for: asked in a terminal, else said by --yes or --max-cost beforehand. */
import { existsSync } from "node:fs";
import type { Cli } from "../frame/command.ts";
import { Problem } from "../frame/problem.ts";
import { askYesNo } from "../frame/questions.ts";
import { shownPath } from "../frame/shown-path.ts";
import type { MapOptions } from "./map-options.ts";
import { PRICE_OF_CONNECTION, describePrice } from "./price.ts";
import type { Price } from "./price.ts";

export async function agreeToPrice(
  cli: Cli,
  options: Pick<MapOptions, "yes" | "maxCost">,
  price: Price,
  isMore: boolean,
  howToPrice = PRICE_OF_CONNECTION,
): Promise<void> {
  const said = describePrice(price, isMore, howToPrice, options.maxCost);
  if (price.rows === 0 || isFree(price)) return;
  if (options.yes === true || (options.maxCost !== undefined && !cli.terminal.isInteractive)) {
    cli.output.note(said);
    return;
  }
  const response = await askYesNo(cli, `${said}. Continue?`, true);
  if (response === true) return;
  if (response === false)
    throw new Problem("Stopped: the price was not agreed to.", "Nothing more was spent. The same command asks again.", {
      exit: "no_consent",
      code: "price_not_agreed",
    });
  throw new Problem(
    `Nobody is there to agree to the price: ${said}.`,
    // Without a price the service could not keep a budget, and refuses one.
    price.costUsd === undefined
      ? "Give the price, or add --yes to agree to any."
      : "Add --max-cost 5 to spend at most $5, or --yes.",
    { exit: "no_consent", code: "price_not_agreed" },
  );
}

/** The other rows would probably fail, too, and be paid for. */
export async function agreeToFailures(cli: Cli): Promise<void> {
  if ((await askYesNo(cli, "All of the first rows failed. Continue with the others?", false)) !== false) return;
  throw new Problem("Stopped: all of the first rows failed.", "Correct the cause and repeat the command.", {
    exit: "no_consent",
    code: "first_rows_failed",
  });
}

/** A file that is there already. `changed` says what is not as it was when we wrote it. */
export async function agreeToReplace(
  cli: Cli,
  options: Pick<MapOptions, "force">,
  path: string,
  changed = "",
): Promise<void> {
  if (options.force === true || !existsSync(path)) return;
  const what = `${shownPath(path, cli.terminal.directory)} exists.${changed}`;
  const response = await askYesNo(cli, `${what} Replace it?`, false);
  if (response === true) return;
  throw new Problem(
    what,
    response === false ? "Nothing was changed." : "Add --force to replace it, or choose another path with -o.",
    { exit: response === false ? "no_consent" : "usage", code: "output_exists" },
  );
}

const isFree = ({ costUsd }: Price): boolean => costUsd !== undefined && costUsd.high === 0;
