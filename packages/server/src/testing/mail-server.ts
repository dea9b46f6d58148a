/** The operator's mail server: takes mail on this machine, or refuses it as the test says. */
import { once } from "node:events";
import type { AddressInfo } from "node:net";
import { SMTPServer } from "smtp-server";
import { cleanUpLater } from "./cleanup.ts";
import { waitFor } from "./wait.ts";

export interface ReceivedMail {
  from: string;
  to: string[];
  /** By lower-case name, unfolded. */
  headers: Record<string, string>;
  /** As it came; lines end in LF. */
  text: string;
}

export interface MailServer {
  /** For `ROWMILL_SMTP_URL`. */
  url: string;
  mails: ReceivedMail[];
  /**
   * From the next mail on; 250 until then. 4xx is for a while, 5xx for good. Of several, each is for one mail, and the last for all others.
   */
  respond(...codes: number[]): void;
  /** From now on, before it has seen the mail. */
  refuseRecipient(address: string): void;
  /** From now on, nothing is said about addresses with this beginning. Returns how many were named so far, and what ends it. */
  ignoreRecipients(beginning: string): { named: () => number; end: () => void };
  waitForMails(count: number): Promise<ReceivedMail[]>;
}

export async function startMailServer(): Promise<MailServer> {
  const mails: ReceivedMail[] = [];
  let codes: number[] = [250];
  const refused = new Set<string>();
  let ignored: { beginning: string; waiting: (() => void)[] } | undefined;
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS", "AUTH"],
    logger: false,
    onRcptTo({ address }, _session, done) {
      if (ignored !== undefined && address.startsWith(ignored.beginning)) return void ignored.waiting.push(done);
      if (!refused.has(address)) return done();
      done(Object.assign(new Error("nobody of that name at mail.internal"), { responseCode: 550 }));
    },
    onData(stream, session, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        const code = (codes.length > 1 ? codes.shift() : codes[0]) ?? 250;
        if (code !== 250) return done(Object.assign(new Error("not now at mail.internal"), { responseCode: code }));
        const { mailFrom, rcptTo } = session.envelope;
        mails.push({
          from: mailFrom === false ? "" : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          ...readMessage(Buffer.concat(chunks).toString("utf8")),
        });
        done();
      });
    },
  });
  // A client that hangs up in the middle is for the tests to see, not an error here.
  server.on("error", () => {});
  const listening = server.listen(0, "127.0.0.1");
  await once(listening, "listening");
  const { port } = listening.address() as AddressInfo; // it listens on TCP
  cleanUpLater(() => new Promise<void>((closed) => server.close(closed)));
  return {
    url: `smtp://127.0.0.1:${port}`,
    mails,
    respond(...next) {
      codes = next;
    },
    refuseRecipient: (address) => void refused.add(address),
    ignoreRecipients(beginning) {
      const waiting: (() => void)[] = [];
      ignored = { beginning, waiting };
      return {
        named: () => waiting.length,
        end() {
          ignored = undefined;
          for (const done of waiting) done();
        },
      };
    },
    waitForMails: (count) =>
      waitFor(() => (mails.length >= count ? mails : undefined), { what: `${count} mails have come` }),
  };
}

function readMessage(message: string): Pick<ReceivedMail, "headers" | "text"> {
  const [head = "", ...body] = message.replaceAll("\r\n", "\n").split("\n\n");
  const lines = head.replaceAll(/\n[ \t]+/g, " ").split("\n");
  const headers = lines.map((line) => {
    const colon = line.indexOf(":");
    return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
  });
  const text = body.join("\n\n");
  const encoding = /^content-transfer-encoding: (\S+)$/im.exec(head)?.[1];
  return { headers: Object.fromEntries(headers) as Record<string, string>, text: decode(text, encoding) };
}

function decode(text: string, encoding: string | undefined): string {
  switch (encoding) {
    case "base64":
      return Buffer.from(text, "base64").toString("utf8").replaceAll("\r\n", "\n");
    case "quoted-printable": {
      const joined = text.replaceAll("=\n", "");
      const bytes = joined.replaceAll(/=([0-9A-F]{2})/g, (_all, hex: string) => String.fromCharCode(parseInt(hex, 16)));
      return Buffer.from(bytes, "latin1").toString("utf8");
    }
    default:
      return text;
  }
}
