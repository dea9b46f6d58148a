/** Vitest runs this before each test file, in the process that the file shares with others. */
import { afterAll, afterEach } from "vitest";
import { cleanUpAfterFile, cleanUpAfterTest } from "./cleanup.ts";
import { takeFileSlot } from "./take-file-slot.ts";

const freeSlot = await takeFileSlot();

afterEach(cleanUpAfterTest);
// The last that is registered is the first to run.
afterAll(freeSlot);
afterAll(cleanUpAfterFile);
