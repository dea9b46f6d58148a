import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { buffer, text } from "node:stream/consumers";
import { setImmediate as nextRound } from "node:timers/promises";
import { AbortMultipartUploadCommand, DeleteBucketCommand, ListMultipartUploadsCommand } from "@aws-sdk/client-s3";
import { afterEach, describe, expect, test, vi } from "vitest";
import { describeStore } from "../conformance-testing.ts";
import { LEFTOVER_AGE_MS, ObjectNotFoundError } from "../storage.ts";
import {
  locationIn,
  newBucket,
  openStore,
  openUploads,
  putForeignObject,
  s3,
  slowDown,
  startFaultyNetwork,
} from "../../../testing/s3.ts";

const MIB = 1 << 20;
const bucket = await newBucket();
let prefixes = 0;
const newLocation = () => locationIn(bucket, `p${++prefixes}/`);

describeStore("S3", async () => openStore(newLocation()), { unit: MIB, many: 1_005 });

afterEach(() => {
  vi.useRealTimers();
});

async function* pieces(count: number, failsAfter = count): AsyncGenerator<Buffer> {
  for (let n = 0; n < count; n++) {
    if (n === failsAfter) throw new Error("the sender went away");
    await nextRound();
    yield Buffer.alloc(MIB, n);
  }
}

test("a transfer that fails leaves no multipart upload", async () => {
  const location = newLocation();
  const store = openStore(location);
  const failing = store.put("exports/org_1/x", Readable.from(pieces(30, 20)));
  await expect(failing).rejects.toThrow("the sender went away");
  expect((await openUploads(bucket)).filter((key) => key.startsWith(location.prefix))).toEqual([]);
});

test("installations below prefixes of one bucket see nothing of each other, also where one name begins with another", async () => {
  const root = openStore(locationIn(await newBucket()));
  const { bucket: shared } = locationIn(await newBucket());
  const [prod, prod2, nested] = ["prod/", "prod2/", "prod/eu/"].map((prefix) => openStore(locationIn(shared, prefix)));
  for (const store of [prod, prod2, nested]) await store?.put("exports/a", Readable.from(["x"]));
  await prod?.deleteAll("exports/");
  expect(await prod2?.head("exports/a")).toEqual({ sizeBytes: 1 });
  expect(await nested?.head("exports/a")).toEqual({ sizeBytes: 1 });
  expect(await root.head("exports/a")).toBeUndefined();
});

describe("what the network does", () => {
  test("503 SlowDown and cut connections are waited out, for whole objects, parts and reads", async () => {
    const network = await startFaultyNetwork();
    const store = openStore({ ...newLocation(), endpoint: network.endpoint });
    const whole = randomBytes(20 * MIB);
    network.fault = (request, response) => {
      if (network.requests % 3 === 1) return slowDown(response);
      if (network.requests % 3 === 2) request.destroy();
      return network.requests % 3 === 2;
    };
    await store.put("big", Readable.from([whole]));
    await store.put("small", Readable.from(["x"]));
    expect((await buffer(await store.get("big"))).equals(whole)).toBe(true);
    await store.deleteAll("");
    expect(await store.head("big")).toBeUndefined();
  });

  test("a server that only says SlowDown ends the transfer with its error", async () => {
    const network = await startFaultyNetwork();
    const store = openStore({ ...newLocation(), endpoint: network.endpoint }, { attempts: 2 });
    network.fault = (_request, response) => slowDown(response);
    await expect(store.put("x", Readable.from(["x"]))).rejects.toMatchObject({
      name: "StoreUnavailableError",
      cause: { name: "SlowDown" },
    });
    await expect(store.prove()).rejects.toThrow(/overloaded/);
  });

  test("a response that breaks in the middle is continued from there, and never taken for the whole", async () => {
    const network = await startFaultyNetwork();
    const store = openStore({ ...newLocation(), endpoint: network.endpoint });
    const whole = randomBytes(6 * MIB);
    await store.put("big", Readable.from([whole]));
    let breaks = 0;
    network.fault = (_request, response) => {
      if (breaks++ < 2) {
        let sent = 0;
        const write = response.write.bind(response) as (chunk: Buffer) => boolean;
        response.write = (chunk: Buffer) => {
          sent += chunk.length;
          if (sent > 2 * MIB) response.destroy();
          return write(chunk);
        };
      }
      return false;
    };
    expect((await buffer(await store.get("big"))).equals(whole)).toBe(true);
    expect(breaks).toBeGreaterThan(2);

    const reading = await store.get("big");
    network.fault = (_request, response) => {
      response.destroy();
      return true;
    };
    // What is on its way still comes: it ends with an error all the same.
    const endless = async (): Promise<void> => {
      for (;;) await buffer(await store.get("big"));
    };
    reading.destroy();
    await expect(endless()).rejects.toThrow(/socket|reset|aborted/i);
  });

  test("a server that takes a request and is silent is abandoned", async () => {
    const network = await startFaultyNetwork();
    const store = openStore({ ...newLocation(), endpoint: network.endpoint }, { socketTimeoutMs: 100, attempts: 2 });
    network.fault = () => true;
    await expect(store.head("x")).rejects.toThrow(/timed out|timeout|socket/i);
    expect(network.requests).toBeGreaterThan(1);
  });

  test("a completion whose response is lost is known to have succeeded", async () => {
    const network = await startFaultyNetwork();
    const store = openStore({ ...newLocation(), endpoint: network.endpoint });
    let lost = 0;
    network.fault = (request, response) => {
      const isCompletion = request.method === "POST" && (request.url ?? "").includes("uploadId=");
      if (isCompletion && lost++ === 0) response.writeHead = () => response.destroy();
      return false;
    };
    await store.put("big", Readable.from(pieces(20)));
    expect(lost).toBe(2);
    expect(await store.head("big")).toEqual({ sizeBytes: 20 * MIB });
  });
});

describe("an object", () => {
  test("that is deleted while it is read ends the reading with an error, or is read whole", async () => {
    const network = await startFaultyNetwork();
    const store = openStore({ ...newLocation(), endpoint: network.endpoint });
    await store.put("big", Readable.from([randomBytes(9 * MIB)]));
    let responses = 0;
    network.fault = (_request, response) => {
      if (responses++ === 0) {
        const write = response.write.bind(response) as (chunk: Buffer) => boolean;
        response.write = (chunk: Buffer) => {
          response.destroy();
          return write(chunk);
        };
      }
      return false;
    };
    const reading = await store.get("big");
    await store.delete("big");
    await expect(buffer(reading)).rejects.toThrow(ObjectNotFoundError);
  });

  test("that is replaced while it is read is never mixed with the old one", async () => {
    const network = await startFaultyNetwork();
    const store = openStore({ ...newLocation(), endpoint: network.endpoint });
    await store.put("big", Readable.from([Buffer.alloc(9 * MIB, 1)]));
    let responses = 0;
    network.fault = (_request, response) => {
      if (responses++ === 0) {
        const write = response.write.bind(response) as (chunk: Buffer) => boolean;
        response.write = (chunk: Buffer) => {
          response.destroy();
          return write(chunk);
        };
      }
      return false;
    };
    const reading = await store.get("big");
    await store.put("big", Readable.from([Buffer.alloc(9 * MIB, 2)]));
    await expect(buffer(reading)).rejects.toMatchObject({ name: "PreconditionFailed" });
  });
});

describe("partials", () => {
  const target = { folder: "dataset-uploads/org_1/upl_1/", maxBytes: 100 * MIB };

  test("of a writer that lost its turn and wakes up take no harm from it", async () => {
    const location = newLocation();
    const [late, now] = [openStore(location).partials, openStore(location).partials];
    const whole = randomBytes(26 * MIB);
    await now.append("p", 0, Readable.from([whole.subarray(0, 5 * MIB)]), target);
    const [asleep, wakeUp] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const sleeping = async function* () {
      yield whole.subarray(5 * MIB, 7 * MIB);
      asleep.resolve();
      await wakeUp.promise;
      yield whole.subarray(7 * MIB, 12 * MIB);
    };
    const lateEnd = late.append("p", 5 * MIB, sleeping(), target);
    await asleep.promise;
    let offset = 5 * MIB;
    for (const end of [9 * MIB, 17 * MIB + 3])
      offset = await now.append("p", offset, Readable.from([whole.subarray(offset, end)]), target);
    wakeUp.resolve();
    await lateEnd;
    expect(await now.sizeOf("p")).toBe(offset);
    await now.append("p", offset, Readable.from([whole.subarray(offset)]), target);
    const store = openStore(location);
    const { key } = await store.partials.complete("p", target);
    expect((await buffer(await store.get(key))).equals(whole)).toBe(true);
  });

  test("of a writer that wakes up after they began again take nothing of its bytes", async () => {
    const location = newLocation();
    const [late, now] = [openStore(location).partials, openStore(location).partials];
    const [asleep, wakeUp] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const sleeping = async function* () {
      yield Buffer.alloc(4 * MIB, 1);
      asleep.resolve();
      await wakeUp.promise;
      yield Buffer.alloc(8 * MIB, 1);
    };
    await now.append("p", 0, Readable.from([Buffer.from("old")]), target);
    const lateEnd = late.append("p", 3, sleeping(), target);
    await asleep.promise;
    await now.delete("p");
    await now.append("p", 0, Readable.from([Buffer.from("new")]), target);
    wakeUp.resolve();
    await expect(lateEnd).rejects.toMatchObject({ name: "NoSuchUpload" });
    const store = openStore(location);
    const { key } = await store.partials.complete("p", target);
    expect(await text(await store.get(key))).toBe("new");
  });

  test("whose upload a rule of the bucket has aborted begin again", async () => {
    const location = newLocation();
    const store = openStore(location);
    await store.partials.append("p", 0, Readable.from([Buffer.alloc(9 * MIB)]), target);
    const { Uploads = [] } = await s3.send(
      new ListMultipartUploadsCommand({ Bucket: bucket, Prefix: location.prefix }),
    );
    for (const { Key, UploadId } of Uploads)
      await s3.send(new AbortMultipartUploadCommand({ Bucket: bucket, Key, UploadId }));
    expect(Uploads).toHaveLength(1);
    expect(await store.partials.sizeOf("p")).toBe(0);
    expect(await store.partials.append("p", 0, Readable.from([Buffer.from("again")]), target)).toBe(5);
  });
});

test("the sweep aborts uploads that nobody has continued for a day, and no others", async () => {
  const location = newLocation();
  const store = openStore(location);
  const target = { folder: "dataset-uploads/org_1/upl_1/", maxBytes: 100 * MIB };
  await store.partials.append("upl_1", 0, Readable.from([Buffer.alloc(9 * MIB)]), target);
  const never = Promise.withResolvers<void>();
  const stuck = async function* () {
    for (let n = 0; n < 20; n++) yield Buffer.alloc(MIB);
    await never.promise;
    throw new Error("the process died");
  };
  const dying = store.put("exports/org_1/exp_1/1", Readable.from(stuck()));
  dying.catch(() => undefined);
  const foreign = openStore({ ...location, prefix: `${location.prefix}other/` });
  const foreignPut = foreign.put("exports/org_1/exp_1/1", Readable.from(stuck()));
  foreignPut.catch(() => undefined);
  const ours = async (): Promise<string[]> =>
    (await openUploads(bucket)).filter((key) => key.startsWith(location.prefix)).toSorted();
  await vi.waitFor(async () => expect(await ours()).toHaveLength(3), { timeout: 60_000 });

  await store.sweepLeftovers();
  expect(await ours()).toHaveLength(3);
  vi.useFakeTimers({ now: Date.now() + LEFTOVER_AGE_MS + 3_600_000, toFake: ["Date"] });
  // By the clock of the server they are young.
  await store.sweepLeftovers();
  vi.useRealTimers();
  expect(await ours()).toHaveLength(3);
  // Times of the server are in whole seconds.
  await openStore(location, { leftoverAgeMs: -10_000 }).sweepLeftovers();
  expect(await ours()).toEqual([
    expect.stringContaining(`${location.prefix}dataset-uploads/org_1/upl_1/`),
    `${location.prefix}other/exports/org_1/exp_1/1`,
  ]);
  never.resolve();
  await Promise.allSettled([dying, foreignPut]);
});

describe("what the operator reads where it cannot be used", () => {
  test("the bucket is not there", async () => {
    const gone = await newBucket();
    await s3.send(new DeleteBucketCommand({ Bucket: gone }));
    await expect(openStore(locationIn(gone)).prove()).rejects.toThrow(/bucket does not exist.*NoSuchBucket/);
  });

  test("the keys are wrong", async () => {
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "wrong");
    await expect(openStore(newLocation()).prove()).rejects.toThrow(/does not accept the keys.*SignatureDoesNotMatch/);
    vi.stubEnv("AWS_ACCESS_KEY_ID", "WRONG");
    await expect(openStore(newLocation()).prove()).rejects.toThrow(/does not accept the keys.*InvalidAccessKeyId/);
    vi.unstubAllEnvs();
  });

  test("nobody listens there", async () => {
    await expect(openStore({ ...newLocation(), endpoint: "http://127.0.0.1:9" }).prove()).rejects.toThrow(
      /cannot be reached.*ECONNREFUSED/,
    );
  });
});

test("a clock that is a day off is corrected, and one that is set while the process runs", async () => {
  const jumping = openStore(newLocation());
  await jumping.put("exports/x", Readable.from(["x"]));
  for (const hours of [25, -25]) {
    vi.useFakeTimers({ now: Date.now() + hours * 3_600_000, toFake: ["Date"] });
    await jumping.put("exports/x", Readable.from(["x"]));
    for await (const { ageMs } of jumping.list("exports/")) expect(Math.abs(ageMs)).toBeLessThan(300_000);
    vi.useRealTimers();
    await jumping.put("exports/x", Readable.from(["x"]));
  }
  for (const systemClockOffset of [3_600_000, -3_600_000]) {
    const store = openStore(newLocation(), { systemClockOffset });
    await store.put("exports/x", Readable.from(["x"]));
    for await (const { ageMs } of store.list("exports/")) expect(Math.abs(ageMs)).toBeLessThan(300_000);
  }
});

test("a presigned URL downloads the object, under a name that may be hostile", async () => {
  const store = openStore(newLocation());
  await store.put("exports/x", Readable.from(["content"]));
  const contentDisposition = `attachment; filename="a.csv"; filename*=UTF-8''%22%0d%0aX-Evil%3A%201%3B.csv`;
  const url = (await store.presign?.("exports/x", { seconds: 60, contentType: "text/csv", contentDisposition })) ?? "";
  const response = await fetch(url);
  expect(await response.text()).toBe("content");
  expect(response.headers.get("content-disposition")).toBe(contentDisposition);
  expect(response.headers.get("x-evil")).toBeNull();
  const forged = url.replace(/Signature=(.)/, (_whole, first) => `Signature=${first === "0" ? "1" : "0"}`);
  expect((await fetch(forged)).status).toBe(403);
});

test("objects of others below the prefix are listed, and are no reason to fail", async () => {
  const location = newLocation();
  await putForeignObject(bucket, `${location.prefix}exports/somebody's notes (1).txt`, "x");
  const keys: string[] = [];
  for await (const { key } of openStore(location).list("exports/")) keys.push(key);
  expect(keys).toEqual(["exports/somebody's notes (1).txt"]);
});
