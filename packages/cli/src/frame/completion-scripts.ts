/** Scripts for shells, written from the commands themselves. They contain all words: a key press starts no process. */
import type { Command } from "commander";
import type { Cli } from "./command.ts";
import { framedCommand } from "./framed.ts";

interface Word {
  name: string;
  summary: string;
}
export interface CompletedOption extends Word {
  /** Such as `-o`. */
  short: string | undefined;
  takesValue: boolean;
  /** Where only these are allowed; empty for any. */
  values: readonly string[];
}
export interface CompletedCommand extends Word {
  /** Below it, such as `new` of `specs`. */
  below: CompletedCommand[];
  options: CompletedOption[];
  /** Of its first argument, where these are known. */
  values: readonly string[];
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

const option = (name: string, summary: string): CompletedOption => ({
  name,
  summary,
  short: undefined,
  takesValue: false,
  values: [],
});

function describe(command: Command): CompletedCommand {
  return {
    name: command.name(),
    summary: command.description(),
    below: command.commands.map(describe),
    values: command.registeredArguments[0]?.argChoices ?? [],
    options: [
      ...command.options.flatMap(({ long, short, description, argChoices, required, optional }) =>
        long === undefined || long === null
          ? []
          : [{ ...option(long, description), short, takesValue: required || optional, values: argChoices ?? [] }],
      ),
      option("--help", "show help"),
    ],
  };
}

/** Of `rowmill` itself. */
const PROGRAM_OPTIONS = [option("--help", "show help"), option("--version", "print the version")];

const namesOf = (words: readonly Word[]): string => words.map(({ name }) => name).join(" ");

/** What stands for a command's first word: those below it, or values that are known. */
const wordsOf = ({ below, values }: CompletedCommand): string => (below.length > 0 ? namesOf(below) : values.join(" "));

/** Each command, and each one below it, with the words before it. */
const flat = (list: readonly CompletedCommand[]): { path: string; command: CompletedCommand }[] =>
  list.flatMap((command) => [
    { path: command.name, command },
    ...command.below.map((below) => ({ path: `${command.name} ${below.name}`, command: below })),
  ]);

/** Options after which a value stands, with the words that name them there. */
const valued = (list: readonly CompletedCommand[]): { patterns: string; values: readonly string[] }[] =>
  flat(list).flatMap(({ path, command }) =>
    command.options
      .filter(({ takesValue }) => takesValue)
      .map(({ name, short, values }) => ({
        patterns: [name, ...(short === undefined ? [] : [short])].map((word) => `"${path} ${word}"`).join("|"),
        values,
      })),
  );

function bash(list: readonly CompletedCommand[]): string {
  const cases = flat(list).map(
    ({ path, command }) => `    "${path}") words="${wordsOf(command)}"; options="${namesOf(command.options)}" ;;`,
  );
  const known = valued(list).filter(({ values }) => values.length > 0);
  const others = valued(list).filter(({ values }) => values.length === 0);
  return `# bash completion for rowmill
_rowmill() {
  local current="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}" path="" words="" options="" word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) continue ;; esac
    case "\${path:+$path }$word" in
      ${flat(list)
        .map(({ path }) => `"${path}"`)
        .join("|")}) path="\${path:+$path }$word" ;;
    esac
  done
  case "$path" in
    "") words="${namesOf(list)}"; options="${namesOf(PROGRAM_OPTIONS)}" ;;
${cases.join("\n")}
  esac
  case "$path $before" in
${known.map(({ patterns, values }) => `    ${patterns}) words="${values.join(" ")}" ;;`).join("\n")}
    ${others.map(({ patterns }) => patterns).join("|")}) words="" ;;
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
  const here = ({ below, values }: CompletedCommand): string =>
    (below.length > 0 ? below.map(item) : values.map(quoted)).join(" ");
  const cases = flat(list).map(
    ({ path, command }) =>
      `    ${quoted(path)}) words_here=(${here(command)}); options_here=(${command.options.map(item).join(" ")}) ;;`,
  );
  const values = valued(list).map(
    ({ patterns, values: allowed }) => `    ${patterns}) words_here=(${allowed.map(quoted).join(" ")}) ;;`,
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
  here="\${here/\\// }"
  case "$here" in
    '') words_here=(${list.map(item).join(" ")}); options_here=(${PROGRAM_OPTIONS.map(item).join(" ")}) ;;
${cases.join("\n")}
  esac
  case "$here $words[CURRENT-1]" in
${values.join("\n")}
  esac
  if [[ "$PREFIX" == -* ]]; then _describe option options_here
  elif (( \${#words_here} )); then _describe word words_here || _files
  else _files
  fi
}
# The first tab runs this file where it lies in fpath; else it is sourced.
if [[ "\${funcstack[1]}" == _rowmill ]]; then _rowmill "$@"
else compdef _rowmill rowmill
fi
`;
}

function fish(list: readonly CompletedCommand[]): string {
  const at = (path: string): string => `complete -c rowmill -n ${quoted(`__rowmill_at ${path}`.trim())}`;
  const options = (path: string, words: readonly CompletedOption[]): string[] =>
    words.map(({ name, short, summary, takesValue, values }) => {
      const letter = short === undefined ? "" : ` -s ${short.slice(1)}`;
      const value = !takesValue ? "" : values.length === 0 ? " -r" : ` -x -a ${quoted(values.join(" "))}`;
      return `${at(path)} -l ${name.slice(2)}${letter}${value} -d ${quoted(summary)}`;
    });
  const words = (path: string, below: readonly Word[]): string[] =>
    below.map(({ name, summary }) => `${at(path)} -f -a ${name} -d ${quoted(summary)}`);
  const lines = [
    ...words("", list),
    ...options("", PROGRAM_OPTIONS),
    ...flat(list).flatMap(({ path, command }) => [
      ...words(path, command.below),
      ...(command.values.length > 0 ? [`${at(path)} -f -a ${quoted(command.values.join(" "))}`] : []),
      ...options(path, command.options),
    ]),
  ];
  const known = flat(list).map(({ path }) => path.replace(" ", "/"));
  return `# fish completion for rowmill
function __rowmill_at
    set -l path
    for word in (commandline -opc)
        if contains -- (string join -- / $path $word) ${known.join(" ")}
            set -a path $word
        end
    end
    test "$path" = "$argv"
end
${lines.join("\n")}
`;
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

export const completionScripts = { bash, zsh, fish };
