/** Content that did not arrive, or of which that is not known: what is sent again, what is canceled, and which error there is. */
import { createHash } from "node:crypto";
import { setImmediate } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { DatasetIntakeError, RowmillApiError, RowmillConnectionError } from "./index.ts";
import type { Content } from "./index.ts";
import { failure, json, startService } from "./testing/service.ts";
import type { Received, Respond } from "./testing/service.ts";
import { intake, pieces, upload } from "./testing/uploads.ts";

const failedIntake = { ...upload, state: "failed", errors: [{ line: 1, code: "invalid_csv", message: "no CSV" }] };
/** More of content that is read once than three of them is not kept. */
const LARGE = "x".repeat(1024 * 1024 * 1.5);

describe("content that did not arrive", () => {
  const broken: Respond = (response, _, number) => {
    if (number === 0) response.destroy();
    else json(response, 200, upload);
  };

  test.each<[string, Content]>([
    ["a string", "abc"],
    ["bytes", Buffer.from("abc")],
    ["a Blob", new Blob(["abc"])],
  ])("is sent again whole if it is %s", async (_, given) => {
    const service = await startService(broken);
    await service.client().datasetUploads.uploadContent("upl_1", given);
    expect(service.received.map(({ body }) => body)).toEqual(["abc", "abc"]);
  });

  test.each<[string, () => Content]>([
    ["an iterable", () => pieces("abc")],
    ["a stream", () => new Blob(["abc"]).stream()],
  ])("is sent again if it is %s whose beginning is kept", async (_, given) => {
    const service = await startService(broken);
    await service.client().datasetUploads.uploadContent("upl_1", given());
    expect(service.received.map(({ body }) => body)).toEqual(["abc", "abc"]);
  });

  test.each<[string, () => Content]>([
    ["an iterable", () => pieces(LARGE, LARGE, LARGE)],
    ["a stream", () => new Blob([LARGE, LARGE, LARGE]).stream()],
  ])("is not sent again if it is %s of which more was taken: nobody can read it twice", async (_, given) => {
    const service = await startService(broken);
    await expect(service.client().datasetUploads.uploadContent("upl_1", given())).rejects.toBeInstanceOf(
      RowmillConnectionError,
    );
    expect(service.received).toHaveLength(1);
  });

  test("of rows that a generator makes is sent from its beginning where the service refuses it, each row once", async () => {
    let made = 0;
    async function* rows(): AsyncGenerator<object, void, undefined> {
      for (; made < 5; made++) {
        // Others of it come after the refusal.
        await setImmediate();
        yield { id: made };
      }
    }
    const refusals = [429, 503];
    const after = intake();
    const service = await startService(async (response, received, number) => {
      const status = received.method === "PUT" ? refusals.shift() : undefined;
      if (status === undefined) await after(response, received, number);
      else failure(response, status, "rate_limited", { "retry-after": "1" });
    });
    expect(await service.client().datasets.upload({ name: "a", rows: rows() })).toMatchObject({ id: "ds_1" });
    const sent = service.received.filter(({ method }) => method === "PUT").map(({ body }) => body);
    expect(sent).toHaveLength(3);
    expect(sent[2]).toBe('{"id":0}\n{"id":1}\n{"id":2}\n{"id":3}\n{"id":4}\n');
  });

  test("of a large source is sent from its beginning where the service refuses it before much of it was taken", async () => {
    const CHUNKS = 20;
    const refused = Promise.withResolvers<void>();
    async function* chunks(): AsyncGenerator<Uint8Array, void, undefined> {
      for (let made = 0; made < CHUNKS; made++) {
        if (made === 2) await refused.promise;
        yield new Uint8Array(1024 * 1024).fill(made);
      }
    }
    const expected = createHash("sha256");
    for (let made = 0; made < CHUNKS; made++) expected.update(new Uint8Array(1024 * 1024).fill(made));
    const arrived = createHash("sha256");
    const service = await startService(
      async (response, _, number) => {
        if (number > 0) {
          for await (const chunk of response.req) arrived.update(chunk as Buffer); // no encoding is set
          return json(response, 200, upload);
        }
        failure(response, 503, "service_unavailable");
      },
      { readsBodies: false },
    );
    const rowmill = service.client({ sleep: () => Promise.resolve(refused.resolve()) });
    await rowmill.datasetUploads.uploadContent("upl_1", chunks());
    expect(service.received).toHaveLength(2);
    expect(arrived.digest("hex")).toBe(expected.digest("hex"));
  });

  test("but did after all is taken for sent", async () => {
    const service = await startService((response, { method }, number) => {
      if (number === 0) response.destroy();
      else if (method === "PUT") failure(response, 409, "invalid_state");
      else json(response, 200, { ...upload, state: "processing" });
    });
    expect(await service.client().datasetUploads.uploadContent("upl_1", "abc")).toMatchObject({ state: "processing" });
  });

  test("since the upload was canceled is an error", async () => {
    const service = await startService((response, { method }) => {
      if (method === "PUT") failure(response, 409, "invalid_state");
      else json(response, 200, { ...upload, state: "canceled" });
    });
    await expect(service.client().datasetUploads.uploadContent("upl_1", "abc")).rejects.toBeInstanceOf(RowmillApiError);
  });

  const canceledOf = (received: readonly Received[]): number =>
    received.filter(({ url }) => url.pathname.endsWith("/upl_1/cancel")).length;
  const deaf: Respond = (response, { method }) => {
    if (method !== "PUT") json(response, 201, upload);
  };

  test.each<[string, Respond, object, boolean]>([
    ["was refused", (response) => failure(response, 409, "limit_reached"), {}, true],
    [
      "was refused, by a key of the caller",
      (response) => failure(response, 409, "limit_reached"),
      { idempotencyKey: "mine" },
      false,
    ],
    ["has not arrived after an error of the service", (response) => failure(response, 500, "internal_error"), {}, true],
  ])("that %s: the upload is canceled only where nothing else needs it", async (_, refuse, options, isCanceled) => {
    const service = await startService((response, received, number) => {
      if (received.method === "PUT") void refuse(response, received, number);
      else json(response, 201, upload);
    });
    const made = service.client({ maxRetries: 0 }).datasets.upload({ name: "a", content: "x\n1\n" }, options);
    await expect(made).rejects.toBeInstanceOf(RowmillApiError);
    expect(canceledOf(service.received)).toBe(isCanceled ? 1 : 0);
  });

  test("of which the response was lost is not sent again where it is read once, and taken where it has arrived", async () => {
    const intakeAfter = intake();
    const service = await startService(async (response, received, number) => {
      if (received.method === "PUT") response.destroy();
      else if (number === 2) failure(response, 503, "service_unavailable");
      else await intakeAfter(response, received, number);
    });
    const made = await service.client().datasets.upload({ name: "a", content: pieces(LARGE, LARGE, LARGE) });
    expect(made).toMatchObject({ id: "ds_1" });
    expect(service.received.filter(({ method }) => method === "PUT")).toHaveLength(1);
    expect(canceledOf(service.received)).toBe(0);
  });

  test("and can be read once: the error has the reason, and the upload is canceled", async () => {
    const service = await startService((response, { method }) => {
      if (method === "PUT") response.destroy();
      else json(response, 201, upload);
    });
    const made = service.client().datasets.upload({ name: "a", content: pieces(LARGE, LARGE, LARGE) });
    await expect(made).rejects.toThrow(
      /^no response from .* can be read only once, and was not sent again: give a file,/,
    );
    expect(canceledOf(service.received)).toBe(1);
  });

  test.each<[string, Respond]>([
    ["is found at once", (response) => json(response, 200, failedIntake)],
    [
      "can be read only later: the refusal to cancel shows it",
      (response, _, number) =>
        number < 4 ? failure(response, 500, "internal_error") : json(response, 200, failedIntake),
    ],
  ])(
    "according to a lost response, and whose intake failed, has the error of the intake where that %s",
    async (_, look) => {
      const service = await startService(async (response, received, number) => {
        if (received.method === "PUT") response.destroy();
        else if (received.url.pathname.endsWith("/cancel")) failure(response, 409, "invalid_state");
        else if (received.method === "GET") await look(response, received, number);
        else json(response, 201, upload);
      });
      const made = service.client({ maxRetries: 0 }).datasets.upload({ name: "a", content: "x" });
      await expect(made).rejects.toBeInstanceOf(DatasetIntakeError);
    },
  );

  test("according to a repetition, and whose intake failed, has the error of the intake", async () => {
    const service = await startService((response, { method }, number) => {
      if (method === "PUT" && number === 1) response.destroy();
      else if (method === "PUT") failure(response, 409, "invalid_state");
      else json(response, method === "GET" ? 200 : 201, method === "GET" ? failedIntake : upload);
    });
    const made = service.client().datasets.upload({ name: "a", content: "x" });
    await expect(made).rejects.toBeInstanceOf(DatasetIntakeError);
    expect(canceledOf(service.received)).toBe(0);
  });

  test("since its source failed: the upload is canceled", async () => {
    async function* failing(): AsyncGenerator<Uint8Array, void, undefined> {
      yield new Uint8Array(10);
      throw new Error("the disk is gone");
    }
    const service = await startService(deaf);
    await expect(service.client().datasets.upload({ name: "a", content: failing() })).rejects.toThrow(
      "the disk is gone",
    );
    expect(canceledOf(service.received)).toBe(1);
  });

  test("since the caller has aborted it: the upload is canceled", async () => {
    const service = await startService(deaf);
    const abort = new AbortController();
    const made = service.client().datasets.upload({ name: "a", content: "x\n1\n" }, { signal: abort.signal });
    await expect.poll(() => service.received.some(({ method }) => method === "PUT")).toBe(true);
    abort.abort(new Error("no longer needed"));
    await expect(made).rejects.toThrow("no longer needed");
    expect(canceledOf(service.received)).toBe(1);
  });

  test("since its source failed is the source's error, not tried again", async () => {
    async function* failing(): AsyncGenerator<Uint8Array, void, undefined> {
      yield new Uint8Array(10);
      throw new Error("the disk is gone");
    }
    const service = await startService((response) => json(response, 200, upload), { readsBodies: false });
    await expect(service.client().datasetUploads.uploadContent("upl_1", failing())).rejects.toThrow(
      /^the disk is gone$/,
    );
    expect(service.received.length).toBeLessThanOrEqual(1);
    const strings = ["text"] as unknown as AsyncIterable<Uint8Array>; // what JavaScript lets one do
    await expect(service.client().datasetUploads.uploadContent("upl_1", strings)).rejects.toThrow(
      /^content must yield Uint8Array/,
    );
  });
});
