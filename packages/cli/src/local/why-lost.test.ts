import { RowmillConnectionError } from "@rowmill/client";
import { expect, test } from "vitest";
import { Problem } from "../frame/problem.ts";
import { whyLost } from "./why-lost.ts";

const refused = new RowmillConnectionError("No response from http://127.0.0.1:1: connect ECONNREFUSED");
const ended = new Problem("The disk is full: the local service cannot write.", "Free some space.");

test("a refused connection to a service that has ended is reported as its end; other errors stay what they are", async () => {
  const gone = Promise.reject(ended);
  gone.catch(() => undefined);
  expect(await whyLost(refused, gone)).toBe(ended);
  const usage = new Problem("There is no column.", "");
  expect(await whyLost(usage, gone)).toBe(usage);
});
