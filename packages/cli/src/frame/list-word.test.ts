import { expect, test } from "vitest";
import { commands } from "../commands.ts";
import { newPlace } from "../testing/command-process.ts";
import { typeCommand } from "../testing/in-process.ts";

const lists = commands.filter(({ isList }) => isList === true).map(({ name }) => name);

test("what lists things is marked as such", () => {
  expect(lists).toEqual(["runs", "datasets", "specs", "webhooks", "alerts", "profiles", "keys"]);
});

const typing = () => {
  const { environment, folder } = newPlace();
  return (...args: string[]) => typeCommand({ environment, directory: folder }, ...args);
};

test.each(lists)("%s list is the same as without the word", async (name) => {
  const type = typing();
  const said = await type(name, "--json");
  expect(await type(name, "list", "--json")).toEqual(said);
  expect(await type(name, "--json", "ls")).toEqual(said);
  expect(await type("--json", name, "list")).toEqual(said);
});

// `profiles` has no such option, and its words are an argument with choices.
const withCommandsBelow = lists.filter((name) => name !== "profiles");

test.each(withCommandsBelow)("%s list is the same after an option of its own, too", async (name) => {
  const type = typing();
  const limited = await type(name, "--limit", "1", "--json");
  expect(await type(name, "--limit", "1", "list", "--json")).toEqual(limited);
});

test.each(withCommandsBelow)("%s: what is no command below it", async (name) => {
  const type = typing();
  expect(await type(name, "lst")).toMatchObject({
    code: 2,
    stderr: `rowmill: There is no command "${name} lst".\n  Did you mean \`rowmill ${name} list\`?\n`,
  });
  expect(await type(name, "xylophone")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining(`There are \`rowmill ${name} list\`, \`rowmill ${name} `) as string,
  });
});
