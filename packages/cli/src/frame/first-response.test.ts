import { expect, test } from "vitest";
import { withNoteOnSilence } from "./first-response.ts";

test("only a first request that stays without a response is noted", async () => {
  const notes: string[] = [];
  const noted = Promise.withResolvers<undefined>();
  const isSilent = Promise.withResolvers<Response>();
  const note = (text: string): void => {
    notes.push(text);
    noted.resolve(undefined);
  };
  const send = withNoteOnSilence(() => isSilent.promise, note, 1);
  const first = send("http://service.example/v1/me", {});
  const second = send("http://service.example/v1/runs", {});
  await noted.promise;
  isSilent.resolve(new Response("{}"));
  await Promise.all([first, second]);
  expect(notes).toEqual(["No response from http://service.example yet; Ctrl-C ends the wait."]);

  const prompt = withNoteOnSilence(() => Promise.resolve(new Response("{}")), note);
  await prompt("http://service.example/v1/me", {});
  expect(notes).toHaveLength(1);
});
