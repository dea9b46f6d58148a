/** A name server (RFC 1035) on this machine that says what a test wants. */
import { createSocket } from "node:dgram";
import { undo } from "./cleanup.ts";

export const TYPE_A = 1;
export const TYPE_AAAA = 28;
const TYPE_CNAME = 5;
export const NAME_ERROR = 3;
export const SERVER_FAILURE = 2;

/** `alias`: the name is only another name, and the addresses are those of that one, as a recursive server returns it. */
export type NameResponse = { addresses: number[][]; alias?: string } | { errorCode: number } | "silence";

/** Says the same about every name until the test ends; returns its `address:port`. */
export async function nameServer(respond: (type: number) => NameResponse): Promise<string> {
  const socket = createSocket("udp4");
  undo.push(() => void socket.close());
  socket.on("message", (query, peer) => {
    const questionEnd = query.indexOf(0, 12) + 5;
    const type = query.readUInt16BE(questionEnd - 4);
    const said = respond(type);
    if (said === "silence") return;
    const records = "addresses" in said ? recordsOf(said, type, questionEnd) : [];
    const header = Buffer.from(query.subarray(0, 12));
    header.writeUInt16BE(0x8180 | ("errorCode" in said ? said.errorCode : 0), 2);
    header.writeUInt16BE(records.length, 6);
    header.writeUInt32BE(0, 8);
    socket.send(Buffer.concat([header, query.subarray(12, questionEnd), ...records]), peer.port, peer.address);
  });
  await new Promise<void>((listening) => socket.bind(0, "127.0.0.1", listening));
  return `127.0.0.1:${socket.address().port}`;
}

function recordsOf({ addresses, alias }: { addresses: number[][]; alias?: string }, type: number, questionEnd: number) {
  const asked = pointer(12);
  if (alias === undefined) return addresses.map((bytes) => record(asked, type, bytes));
  const labels = alias.split(".").flatMap((label) => [label.length, ...Buffer.from(label)]);
  const aliased = record(asked, TYPE_CNAME, [...labels, 0]);
  // The other name stands in the first record, after its own twelve bytes.
  return [aliased, ...addresses.map((bytes) => record(pointer(questionEnd + 12), type, bytes))];
}

/** To a name that stands earlier in the message. */
const pointer = (offset: number): number[] => [0xc0 | (offset >> 8), offset & 0xff];

/** Class IN, one minute to live. */
const record = (name: number[], type: number, content: number[]): Buffer =>
  Buffer.from([...name, 0, type, 0, 1, 0, 0, 0, 60, 0, content.length, ...content]);
