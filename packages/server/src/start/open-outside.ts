/** The ways to the outside: receivers of events, connections of job specs, mail. */
import { readFileSync } from "node:fs";
import type { Config, SettingName } from "../config.ts";
import { parseAllowedOrigins } from "../platform/egress/allowed-origins.ts";
import { parseConnectOverrides } from "../platform/egress/connect-overrides.ts";
import { createConnectionEgress } from "../platform/egress/connection-egress.ts";
import { createEgress } from "../platform/egress/egress.ts";
import { checkWayOut } from "../platform/egress/way-out.ts";
import type { GuardOptions } from "../platform/egress/guarded-connect.ts";
import { loopbackOrigins, OriginsWithLoopback } from "../platform/egress/loopback.ts";
import { parseEgressProxy } from "../platform/egress/proxy.ts";
import { createResolve, parseNameServers } from "../platform/egress/resolver.ts";
import type { Resolve } from "../platform/egress/resolver.ts";
import type { Log } from "../platform/log.ts";
import type { Mailer } from "../platform/mail/mailer.ts";
import { createSelfCheck } from "../platform/self-check.ts";
import type { Services } from "../services.ts";
import type { Stops } from "./stops.ts";

type Outside = Pick<
  Services,
  "egress" | "egressCheck" | "connectionEgress" | "allowedOrigins" | "receiverOrigins" | "mailer"
>;

export async function openOutside(config: Config, log: Log, stops: Stops): Promise<Outside> {
  const guard = readGuard(config);
  const isDevelopment = config.ROWMILL_MODE === "development";
  const receiverOrigins = isDevelopment ? loopbackOrigins() : new Set<string>();
  const egress = createEgress({
    ...guard,
    connectOverrides: ofSetting("ROWMILL_EGRESS_CONNECT_OVERRIDES", () =>
      parseConnectOverrides(config.ROWMILL_EGRESS_CONNECT_OVERRIDES.join(",")),
    ),
    ...(isDevelopment ? { allowedOrigins: receiverOrigins } : {}),
  });
  stops.add(() => egress.close());
  const listedOrigins = ofSetting("ROWMILL_CONNECTION_ALLOWED_ORIGINS", () =>
    parseAllowedOrigins(config.ROWMILL_CONNECTION_ALLOWED_ORIGINS),
  );
  const allowedOrigins = isDevelopment ? new OriginsWithLoopback(listedOrigins) : listedOrigins;
  const connectionEgress = createConnectionEgress({ ...guard, allowedOrigins });
  stops.add(() => connectionEgress.close());
  const egressCheck = createSelfCheck(() => checkWayOut(guard), log, {
    failed: "calls to other machines fail: look at the name servers, the proxy and the network",
    worksAgain: "calls to other machines are possible again",
    isOfNetwork: true,
  });
  const mailer = await openMailer(config);
  stops.add(async () => mailer?.close());
  return { egress, egressCheck, connectionEgress, allowedOrigins, receiverOrigins, mailer };
}

/** Its modules take 60 ms to load: only where they are of use. */
async function openMailer(config: Config): Promise<Mailer | undefined> {
  if (config.ROWMILL_SMTP_URL === undefined) return undefined;
  const { createMailer } = await import("../platform/mail/mailer.ts");
  return createMailer({ url: config.ROWMILL_SMTP_URL, from: config.ROWMILL_MAIL_FROM });
}

/** What all connections to the outside share: name servers, certificate authority, proxy. */
function readGuard(config: Config): Omit<GuardOptions, "connectOverrides" | "resolve"> & { resolve: Resolve } {
  const extraCa = config.ROWMILL_EGRESS_EXTRA_CA;
  const nameServers = ofSetting("ROWMILL_EGRESS_NAME_SERVERS", () =>
    parseNameServers(config.ROWMILL_EGRESS_NAME_SERVERS),
  );
  return {
    resolve: createResolve(nameServers.length === 0 ? {} : { servers: nameServers }),
    ...(extraCa === undefined
      ? {}
      : { extraCa: ofSetting("ROWMILL_EGRESS_EXTRA_CA", () => readFileSync(extraCa, "utf8")) }),
    ...(config.ROWMILL_EGRESS_PROXY === undefined ? {} : { proxy: parseEgressProxy(config.ROWMILL_EGRESS_PROXY) }),
  };
}

/** What reads the value of a setting: its errors know the value, but not which setting it is of. */
function ofSetting<T>(name: SettingName, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new Error(`${name}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  }
}
