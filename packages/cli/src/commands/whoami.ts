import { Command } from "@commander-js/extra-typings";
import { clientOf, findTarget } from "../frame/client.ts";
import type { CommandFile } from "../frame/command.ts";
import { Problem } from "../frame/problem.ts";

export const whoami: CommandFile = {
  examples: [
    ["rowmill whoami", "the service, the organization and the key"],
    ["rowmill whoami --profile work --json", "the same of another profile, for programs"],
  ],
  create: (cli) =>
    new Command("whoami").action(async () => {
      const target = await findTarget(cli);
      if (target === undefined)
        throw new Problem("You are not signed in.", "Use `rowmill login`, or set ROWMILL_URL and ROWMILL_API_KEY.", {
          exit: "not_allowed",
          code: "not_signed_in",
        });
      const me = await (await clientOf(target)).me({ signal: cli.signal });
      cli.output.result({ url: target.url, profile: target.profile ?? null, ...me }, () =>
        [
          `service  ${target.url}`,
          ...(target.profile === undefined ? [] : [`profile  ${target.profile}`]),
          ...describe(me),
        ].join("\n"),
      );
    }),
};

function describe(me: object): string[] {
  return Object.entries(me)
    .filter(([, value]) => typeof value === "string")
    .map(([name, value]) => `${name}  ${String(value)}`);
}
