/** The command as it can be typed again. Secrets are no options, so nothing has to be left out. */
import { quoted } from "../frame/shell-words.ts";
import type { MapOptions } from "./map-options.ts";

/** Those that only concern the time at which the command was typed. */
const passing = new Set(["retry", "yes", "force", "maxCost", "verbose", "keep"]);

/** They hold unless an option with `no` in front takes them away. */
const usual = new Set(["cache", "trial", "headerRow"]);

/** As it is typed. */
export const optionOf = (name: string): string =>
  `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;

function shellCommand(file: string, options: MapOptions): string {
  const words = Object.entries(options).flatMap(([name, value]): string[] => {
    if (passing.has(name) || value === undefined) return [];
    const option = name === "output" ? "-o" : optionOf(name);
    if (value === true) return usual.has(name) ? [] : [option];
    if (value === false) return [option.replace("--", "--no-")];
    if (Array.isArray(value)) return value.flatMap((element) => [option, quoted(String(element))]);
    return [option, quoted(String(value))];
  });
  return ["rowmill map", quoted(file), ...words].join(" ");
}

export interface NextCommands {
  command: string;
  /** The same by another model; undefined where it names none. */
  correctedCommand: string | undefined;
  /** The same for every row; undefined where it is for every row. */
  wholeCommand: string | undefined;
}

/** What may be typed after `rowmill map` with these options. */
export function nextCommands(file: string, options: MapOptions): NextCommands {
  const { limit, sample, seed: _, ...others } = options;
  return {
    command: shellCommand(file, options),
    correctedCommand: options.model === undefined ? undefined : shellCommand(file, { ...options, model: "NAME" }),
    wholeCommand: limit === undefined && sample === undefined ? undefined : shellCommand(file, others),
  };
}
