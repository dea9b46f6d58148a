/** The machine itself. */
import { isIPv4 } from "node:net";

/** A host as the WHATWG parser writes it, or as a setting does: 127.0.0.0/8, ::1, localhost. */
export function isLoopbackHost(host: string): boolean {
  const name = host.replace(/^\[|\]$/g, "");
  return name === "localhost" || name === "::1" || (isIPv4(name) && name.startsWith("127."));
}

/** In development, plain HTTP to this machine. */
export const loopbackOrigins = (): ReadonlySet<string> => new OriginsWithLoopback();

/** The listed origins and, in development, every plain-HTTP origin of this machine, whatever its port. */
export class OriginsWithLoopback extends Set<string> {
  override has(origin: string): boolean {
    return super.has(origin) || isLoopbackOrigin(origin);
  }
}

function isLoopbackOrigin(origin: string): boolean {
  if (!URL.canParse(origin)) return false;
  const { protocol, hostname } = new URL(origin);
  return protocol === "http:" && isLoopbackHost(hostname);
}
