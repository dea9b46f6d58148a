/** The command as it can be typed again. Secrets are no options, so nothing has to be left out. */
import { quoted } from "../frame/shell-words.ts";
import type { MapOptions } from "./map-options.ts";

/** Those that only concern the time at which the command was typed. */
const passing = new Set(["retry", "yes", "force", "maxCost", "verbose", "keep"]);

export function shellCommand(file: string, options: MapOptions): string {
  const words = Object.entries(options).flatMap(([name, value]): string[] => {
    if (passing.has(name) || value === undefined) return [];
    const option = name === "output" ? "-o" : `--${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`;
    if (value === true) return name === "cache" || name === "trial" ? [] : [option];
    if (value === false) return [`--no-${name}`];
    if (Array.isArray(value)) return value.flatMap((element) => [option, quoted(String(element))]);
    return [option, quoted(String(value))];
  });
  return ["rowmill map", quoted(file), ...words].join(" ");
}
