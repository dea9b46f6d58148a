import { Command } from "@commander-js/extra-typings";
import type { CommandFile } from "../frame/command.ts";
import { usageProblem } from "../frame/problem.ts";
import { quoted } from "../frame/shell-words.ts";
import { shownOption } from "../runs/run-options.ts";

/** As many as a person reads. */
const SHOWN_SECTIONS = 5;

export const docs: CommandFile = {
  examples: [
    ["rowmill docs retry failed rows", "the sections of the documentation that have these words"],
    ["rowmill docs output_schema_invalid", "what an error code means"],
    ["rowmill docs webhook signature -n 1", "the first section, whole"],
  ],
  create: (cli) =>
    new Command("docs")
      .description("Search the documentation of this version. It comes with the command; nothing is sent.")
      .argument("<words...>", "words that a section has")
      .addOption(shownOption())
      .action(async (words, { limit = SHOWN_SECTIONS }) => {
        const { describeSection, searchDocs } = await import("../docs/search.ts");
        const found = searchDocs(words).slice(0, limit);
        if (found.length === 0)
          throw usageProblem(`The documentation has no section with ${words.join(", ")}.`, "Use fewer or other words.");
        cli.output.result({ data: found }, () =>
          found.map((section) => describeSection(cli, section, limit === 1)).join("\n\n"),
        );
        if (found.length > 1 && cli.output.mode === "text")
          cli.output.note(`\nThe first one, whole: rowmill docs ${words.map(quoted).join(" ")} -n 1`);
      }),
};
