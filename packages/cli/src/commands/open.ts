import { spawn } from "node:child_process";
import { Command } from "@commander-js/extra-typings";
import type { Cli, CommandFile } from "../frame/command.ts";
import { findId } from "../frame/find.ts";
import { usageProblem } from "../frame/problem.ts";

const PAGES = ["console", "guide", "docs", "runs", "datasets", "specs", "connections"] as const;
const paths: Record<(typeof PAGES)[number], string> = {
  console: "/",
  guide: "/guide/",
  docs: "/docs",
  runs: "/runs",
  datasets: "/datasets",
  specs: "/job-specs",
  connections: "/connections",
};

export const open: CommandFile = {
  examples: [
    ["rowmill open", "the service's first page in the browser"],
    ["rowmill open @last", "the last run"],
    ["rowmill open guide --print", "print the address instead"],
  ],
  create: (cli) =>
    new Command("open")
      .description("Open a page of the service in the browser. Without a terminal its address is printed.")
      .argument("[what]", `${PAGES.join(", ")}, or a run's id, beginning of it, name, or @last`, "console")
      .option("--print", "print the address only")
      .action((what, options) => openPage(cli, what, options.print === true)),
};

async function openPage(cli: Cli, what: string, isPrinted: boolean): Promise<void> {
  const { url, isLocal, endsWithCommands } = await cli.service();
  if (endsWithCommands)
    throw usageProblem(
      "The command's own service ends with its commands, so that no page can be read.",
      "`rowmill map … --keep` leaves it running, and `rowmill dev` starts one that stays.",
    );
  const page = PAGES.find((name) => name === what);
  const path = page === undefined ? `/runs/${await findId(await cli.client(), "run", what)}` : paths[page];
  const address = `${url.replace(/\/+$/, "")}${path}`;
  cli.output.result({ url: address }, () => address);
  if (isLocal && page !== "guide" && page !== "docs") {
    const { localDirectory } = await import("../local/directories.ts");
    cli.output.note(`Sign in with the key in ${localDirectory(cli.terminal.environment).key}.`);
  }
  if (!isPrinted && cli.terminal.isInteractive && cli.output.mode === "text") startBrowser(cli, address);
}

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

function startBrowser(cli: Cli, address: string): void {
  const [program = "", ...args] = openers[process.platform] ?? ["xdg-open"];
  const child = spawn(program, [...args, address], { stdio: "ignore", detached: true });
  child.on("error", () => cli.output.note("There is no browser here: open the address by yourself."));
  child.unref();
}
