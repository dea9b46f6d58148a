import { Argument, Command } from "@commander-js/extra-typings";
import type { CommandFile } from "../frame/command.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;

export const completion: CommandFile = {
  examples: [
    [
      "rowmill completion bash > ~/.local/share/bash-completion/completions/rowmill",
      "for bash, from the next shell on",
    ],
    ['rowmill completion zsh > "${fpath[1]}/_rowmill"', "for zsh"],
    ["rowmill completion fish > ~/.config/fish/completions/rowmill.fish", "for fish"],
  ],
  create: (cli) =>
    new Command("completion")
      .description("Print a script that completes commands and options in a shell.")
      .addArgument(new Argument("<shell>", "which shell").choices(SHELLS))
      .action(async (shell) => {
        const { commandsForCompletion, completionScripts } = await import("../frame/completion-scripts.ts");
        const script = completionScripts[shell](await commandsForCompletion(cli));
        if (cli.output.mode === "text") cli.output.write(script);
        else cli.output.result({ shell, script }, () => script);
      }),
};
