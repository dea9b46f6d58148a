/** Vitest runs this before each test file, in the process that the file shares with others. */
import { afterAll, afterEach } from "vitest";
import { cleanUpAfterFile, cleanUpAfterTest } from "./cleanup.ts";

afterEach(cleanUpAfterTest);
afterAll(cleanUpAfterFile);
