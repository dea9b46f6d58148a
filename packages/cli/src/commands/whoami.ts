import { Command } from "@commander-js/extra-typings";
import { findTarget } from "../frame/client.ts";
import type { CommandFile } from "../frame/command.ts";
import { describeThing } from "../frame/lists.ts";

export const whoami: CommandFile = {
  examples: [
    ["rowmill whoami", "the service, the organization and the key"],
    ["rowmill whoami --profile work --json", "the same of another profile, for programs"],
  ],
  create: (cli) =>
    new Command("whoami").action(async () => {
      const { url, rowmill, isLocal, endsWithCommands } = await cli.service();
      const target = await findTarget(cli);
      const me = await rowmill.me({ signal: cli.signal });
      const profile = target?.profile ?? null;
      const service = isLocal
        ? `${url} (this machine's own${endsWithCommands ? ", while a command uses it" : ""})`
        : url;
      cli.output.result({ url, isLocal, profile, ...me }, () =>
        describeThing(cli, { service, profile, ...textMembers(me) }),
      );
    }),
};

const textMembers = (me: object): object =>
  Object.fromEntries(Object.entries(me).filter(([, value]) => typeof value === "string"));
