/** Reads the setting that sends chosen calls to receivers inside the operator's network. */
import type { ConnectOverrides, HostAndPort } from "./guarded-connect.ts";

/**
 * `hooks.example.com:443=127.0.0.1:9443,…` as a map. Left of `=` stands the host and port of a URL, right of it where
 * the connection goes: a name or an address, IPv6 in brackets. Throws an Error that names the entry it cannot read.
 */
export function parseConnectOverrides(text: string): ConnectOverrides {
  const overrides = new Map<string, HostAndPort>();
  for (const entry of text.split(",").map((part) => part.trim())) {
    if (entry === "") continue;
    const [from, to, ...rest] = entry.split("=");
    const source = parseHostAndPort(from);
    const target = parseHostAndPort(to);
    if (source === undefined || target === undefined || rest.length > 0) {
      throw new Error(
        `The connect override ${JSON.stringify(entry)} must look like hooks.example.com:443=127.0.0.1:9443.`,
      );
    }
    const key = `${source.host.toLowerCase()}:${source.port}`;
    if (overrides.has(key)) throw new Error(`There are two connect overrides for ${key}.`);
    overrides.set(key, { host: target.host.replace(/^\[|\]$/g, ""), port: target.port });
  }
  return overrides;
}

function parseHostAndPort(text: string | undefined): HostAndPort | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[^\s:[\]]+):([0-9]{1,5})$/i.exec(text?.trim() ?? "");
  const port = Number(match?.[2]);
  return match?.[1] !== undefined && port >= 1 && port <= 65_535 ? { host: match[1], port } : undefined;
}
