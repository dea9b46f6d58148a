import { chmod, chown, cp, lstat, mkdir, mkdtemp, readdir, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { isOpenToOthers } from "../../../testing/open-to-others.ts";
import { type Binaries, copyBinaries, findBinaries, linkLibraries, programPath } from "./binaries.ts";
import { runToEnd } from "./run-as.ts";

let scratch: string;
let installed: Binaries;

beforeAll(async () => {
  scratch = await mkdtemp(join(tmpdir(), "rowmill-binaries-"));
  installed = findBinaries();
});

afterAll(async () => {
  await rm(scratch, { recursive: true, force: true });
});

test("a platform without a package, and a package that is not installed, are reported with the way out", () => {
  expect(() => findBinaries("sunos", "x64")).toThrow(/no embedded PostgreSQL for sunos-x64.*ROWMILL_DATABASE_URL/);
  const elsewhere = process.platform === "linux" ? "darwin" : "linux";
  expect(() => findBinaries(elsewhere, "arm64")).toThrow(/is not installed.*optional.*ROWMILL_DATABASE_URL/);
});

test.runIf(process.platform === "linux")(
  "libraries that an install without scripts left unlinked are linked",
  async () => {
    const package_ = { ...installed, directory: join(scratch, "unlinked") };
    await cp(join(installed.directory, "native"), join(package_.directory, "native"), {
      recursive: true,
      filter: async (source) => !(await lstat(source)).isSymbolicLink(),
    });
    const version = () => runToEnd(programPath(package_, "postgres"), ["--version"], { cwd: "/", env: {} });
    expect((await version()).output).toMatch(/cannot open shared object file/);

    expect(await linkLibraries(package_, join(scratch, "unused"))).toEqual(package_);
    expect(await version()).toMatchObject({ exitCode: 0 });
    expect(await linkLibraries(package_, join(scratch, "unused"))).toEqual(package_);
  },
);

test.runIf(process.platform === "linux")("a copy runs, is open to all, and two at once make one", async () => {
  const shared = join(scratch, "shared");
  const [copy] = await Promise.all([copyBinaries(installed, shared), copyBinaries(installed, shared)]);
  expect(await readdir(shared)).toEqual([`postgresql-${installed.packageVersion}`]);
  expect((await stat(programPath(copy, "initdb"))).mode & 0o777).toBe(0o755);
  const { output } = await runToEnd(programPath(copy, "postgres"), ["--version"], { cwd: "/", env: {} });
  expect(output).toMatch(/PostgreSQL\) \d+/);
});

test.runIf(process.getuid?.() === 0 && process.platform === "linux" && (await isOpenToOthers(import.meta.dirname)))(
  "a user who may not write to the package, in a checkout open to others, gets a linked copy",
  async () => {
    const theirs = join(scratch, "theirs");
    const readOnly = { ...installed, directory: join(scratch, "read-only") };
    await cp(join(installed.directory, "native"), join(readOnly.directory, "native"), {
      recursive: true,
      filter: async (source) => !(await lstat(source)).isSymbolicLink(),
    });
    await chmod(scratch, 0o711);
    await mkdir(theirs);
    await chown(theirs, 65_534, 65_534);
    const source = `
      import { linkLibraries } from ${JSON.stringify(new URL("./binaries.ts", import.meta.url).href)};
      console.log((await linkLibraries(${JSON.stringify(readOnly)}, ${JSON.stringify(theirs)})).directory);`;
    const asNobody = { uid: 65_534, gid: 65_534, cwd: "/", env: {} };
    const linked = await runToEnd(process.execPath, ["--input-type=module", "--eval", source], asNobody);
    expect(linked).toEqual({ exitCode: 0, output: `${join(theirs, `postgresql-${installed.packageVersion}`)}\n` });
    const postgres = programPath({ ...installed, directory: linked.output.trim() }, "postgres");
    expect(await runToEnd(postgres, ["--version"], asNobody)).toMatchObject({ exitCode: 0 });
  },
);
