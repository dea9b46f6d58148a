/** E-mail over the operator's own SMTP server. Where none is configured there is no mailer, and its users do without. */
import { createTransport } from "nodemailer";

/** Connecting, the greeting, and each silence within a conversation. A server that is slower counts as down. */
const CONNECT_TIMEOUT_MS = 10_000;
const SILENCE_TIMEOUT_MS = 30_000;

export interface Mail {
  /** One address each, taken as it is: no names, no lists. */
  to: readonly string[];
  subject: string;
  /** Plain text, lines ending in LF. */
  text: string;
  /** The same for every attempt of one message, so that a receiver recognizes a repetition: `id@host` without brackets. */
  messageId?: string;
}

export interface RefusedRecipient {
  address: string;
  /** What the server said; it may name machines of the operator's network. */
  reason: string;
}

export type MailOutcome =
  /** Accepted for one recipient at least; those who do not get it are `refused`. */
  | { outcome: "sent"; refused: RefusedRecipient[] }
  /** `isPermanent`: the server refused this message or address for good; the same again would be refused again. */
  | { outcome: "failed"; isPermanent: boolean; reason: string };

export interface Mailer {
  /** Never throws: what goes wrong is the outcome. */
  send(mail: Mail): Promise<MailOutcome>;
  close(): void;
}

/** `url` is `smtp://user:password@host:port` (STARTTLS where offered) or `smtps://…`; `from` an address, with or without a name. */
export function createMailer(options: { url: string; from: string }): Mailer {
  const transport = createTransport(
    {
      url: options.url,
      connectionTimeout: CONNECT_TIMEOUT_MS,
      greetingTimeout: CONNECT_TIMEOUT_MS,
      socketTimeout: SILENCE_TIMEOUT_MS,
      // A message is what its caller says, never what a path or an address in it points to.
      disableFileAccess: true,
      disableUrlAccess: true,
    },
    { from: options.from },
  );
  return {
    async send({ to, subject, text, messageId }) {
      try {
        const { rejected, rejectedErrors } = await transport.sendMail({
          to: to.map((address) => ({ name: "", address })),
          subject,
          text,
          ...(messageId === undefined ? {} : { messageId: `<${messageId}>` }),
        });
        return {
          outcome: "sent",
          refused: rejected.map((address, i) => ({
            address,
            reason: rejectedErrors?.[i]?.message ?? "refused",
          })),
        };
      } catch (error) {
        return describeFailure(error);
      }
    },
    close: () => transport.close(),
  };
}

function describeFailure(error: unknown): MailOutcome {
  const reason = error instanceof Error ? error.message : String(error);
  const isPermanent = error instanceof Error && "permanent" in error && error.permanent === true;
  return { outcome: "failed", isPermanent, reason };
}
