import { Argument, Command } from "@commander-js/extra-typings";
import { configFile, readProfiles } from "@rowmill/client/profiles";
import type { Cli, CommandFile } from "../frame/command.ts";
import { usageProblem } from "../frame/problem.ts";
import { formatTable } from "../frame/table.ts";
import { changeProfiles, shownKey } from "../profiles/save-profile.ts";

export const profiles: CommandFile = {
  examples: [
    ["rowmill profiles", "all profiles; * marks the one that commands use"],
    ["rowmill profiles use work", "commands use the profile `work` from now on"],
    ["rowmill profiles remove work", "forget a profile with its key; the key itself stays valid"],
  ],
  create: (cli) =>
    new Command("profiles")
      .description("List, choose and remove profiles: addresses of services with their keys.")
      .addArgument(
        new Argument("[action]", "what to do").choices(["list", "use", "remove"] as const).default("list" as const),
      )
      .argument("[profile]", "its name")
      .action((action, name) => {
        if (action === "list") return listProfiles(cli);
        if (name === undefined)
          throw usageProblem("No profile is named.", `Write \`rowmill profiles ${action} NAME\`.`);
        return action === "use" ? useProfile(cli, name) : removeProfile(cli, name);
      }),
};

function listProfiles(cli: Cli): void {
  const file = configFile(cli.terminal.environment);
  const { defaultName, profiles: all } = readProfiles(file);
  const listed = Object.entries(all).map(([name, { url = null, apiKey }]) => ({
    name,
    url,
    key: shownKey(apiKey),
    isDefault: name === defaultName,
  }));
  cli.output.result({ file, data: listed }, () =>
    listed.length === 0
      ? `There are no profiles in ${file}. Make one with \`rowmill login\` or \`rowmill dev\`.`
      : formatTable(
          ["", "profile", "service", "key"],
          listed.map(({ name, url, key, isDefault }) => [isDefault ? "*" : "", name, url ?? "", key]),
          cli.terminal.columns,
        ),
  );
}

function useProfile(cli: Cli, name: string): void {
  checkKnown(cli, name);
  const { file } = changeProfiles(cli.terminal.environment, (before) => ({ ...before, defaultName: name }), name);
  cli.output.result({ file, profile: name }, () => `Commands use the profile "${name}" from now on.`);
}

function removeProfile(cli: Cli, name: string): void {
  checkKnown(cli, name);
  let advice = "";
  const { file } = changeProfiles(
    cli.terminal.environment,
    ({ defaultName, profiles: all }) => {
      const [other] = Object.keys(all).filter((known) => known !== name);
      if (defaultName === name && other !== undefined)
        advice = ` Commands use none now; \`rowmill profiles use ${other}\` chooses another.`;
      return {
        defaultName: defaultName === name ? undefined : defaultName,
        profiles: Object.fromEntries(Object.entries(all).filter(([known]) => known !== name)),
      };
    },
    undefined,
  );
  cli.output.result({ file, profile: name, removed: true }, () => `The profile "${name}" is removed.${advice}`);
}

function checkKnown(cli: Cli, name: string): void {
  const known = Object.keys(readProfiles(configFile(cli.terminal.environment)).profiles);
  if (!known.includes(name))
    throw usageProblem(
      `There is no profile "${name}".`,
      known.length === 0 ? "Make one with `rowmill login`." : `There are ${known.join(", ")}.`,
    );
}
