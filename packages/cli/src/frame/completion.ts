/** Scripts for shells, written from the commands themselves. They contain all words: a key press starts no process. */
import type { Command } from "commander";
import type { Cli } from "./command.ts";
import { framedCommand } from "./framed.ts";

interface Word {
  name: string;
  summary: string;
}
export interface CompletedCommand extends Word {
  /** Below it, such as `new` of `specs`. */
  below: CompletedCommand[];
  options: Word[];
}

export async function commandsForCompletion(cli: Cli): Promise<CompletedCommand[]> {
  return Promise.all(
    cli.commands.map(async (entry) => ({
      ...describe(framedCommand(entry, await entry.load(), cli)),
      name: entry.name,
      summary: entry.summary,
    })),
  );
}

function describe(command: Command): CompletedCommand {
  return {
    name: command.name(),
    summary: command.description(),
    below: command.commands.map(describe),
    options: [
      ...command.options.flatMap(({ long, description }) =>
        long === undefined || long === null ? [] : [{ name: long, summary: description }],
      ),
      { name: "--help", summary: "show help" },
    ],
  };
}

const namesOf = (words: readonly Word[]): string => words.map(({ name }) => name).join(" ");

/** Each command, and each one below it, with the words before it. */
const flat = (list: readonly CompletedCommand[]): { path: string; command: CompletedCommand }[] =>
  list.flatMap((command) => [
    { path: command.name, command },
    ...command.below.map((below) => ({ path: `${command.name} ${below.name}`, command: below })),
  ]);

function bash(list: readonly CompletedCommand[]): string {
  const cases = flat(list).map(
    ({ path, command }) => `    "${path}") words="${namesOf(command.below)}"; options="${namesOf(command.options)}" ;;`,
  );
  return `# bash completion for rowmill
_rowmill() {
  local current="\${COMP_WORDS[COMP_CWORD]}" path="" words="" options="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) continue ;; esac
    case "\${path:+$path }$word" in
      ${flat(list)
        .map(({ path }) => `"${path}"`)
        .join("|")}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
    "") words="${namesOf(list)}"; options="--help --version" ;;
${cases.join("\n")}
  esac
  case "$current" in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *) COMPREPLY=($(compgen -W "$words" -- "$current")) ;;
  esac
}
complete -o default -F _rowmill rowmill
`;
}

function zsh(list: readonly CompletedCommand[]): string {
  const item = ({ name, summary }: Word): string => quoted(`${name.replaceAll(":", "\\:")}:${summary}`);
  const cases = flat(list).map(
    ({ path, command }) =>
      `    ${quoted(path)}) words_here=(${command.below.map(item).join(" ")}); options_here=(${command.options.map(item).join(" ")}) ;;`,
  );
  return `#compdef rowmill
_rowmill() {
  local known="${flat(list)
    .map(({ path }) => path.replace(" ", "/"))
    .join(" ")}" here="" word
  local -a words_here options_here
  for word in "\${(@)words[2,CURRENT-1]}"; do
    [[ "$word" == -* ]] && continue
    [[ " $known " == *" \${here:+$here/}$word "* ]] && here="\${here:+$here/}$word"
  done
  case "\${here/\\// }" in
    '') words_here=(${list.map(item).join(" ")}); options_here=('--help:show help' '--version:print the version') ;;
${cases.join("\n")}
  esac
  if [[ "$PREFIX" == -* ]]; then _describe option options_here
  elif (( \${#words_here} )); then _describe command words_here || _files
  else _files
  fi
}
compdef _rowmill rowmill
`;
}

function fish(list: readonly CompletedCommand[]): string {
  const lines = list.flatMap(({ name, summary, options, below }) => [
    `complete -c rowmill -n __fish_use_subcommand -f -a ${name} -d ${quoted(summary)}`,
    ...below.map(
      (each) =>
        `complete -c rowmill -n '__fish_seen_subcommand_from ${name}' -a ${each.name} -d ${quoted(each.summary)}`,
    ),
    ...[...options, ...below.flatMap((each) => each.options)]
      .filter((option, at, all) => all.findIndex((other) => other.name === option.name) === at)
      .map(
        (option) =>
          `complete -c rowmill -n '__fish_seen_subcommand_from ${name}' -l ${option.name.slice(2)} -d ${quoted(option.summary)}`,
      ),
  ]);
  return `# fish completion for rowmill\n${lines.join("\n")}\n`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export const completionScripts = { bash, zsh, fish };
