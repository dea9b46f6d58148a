/** The kinds of settings: how a value of the environment is read, checked, and described to a person. */
import { parseTrustedProxies } from "./platform/http/client-address.ts";
import { checkCorsOrigins } from "./platform/http/cors.ts";
import { parseStorageUrl } from "./platform/storage/storage-url.ts";
import type { StorageLocation } from "./platform/storage/storage-url.ts";

export interface Setting<T> {
  meaning: string;
  /** How the default reads to a person. */
  defaultText: string;
  /** Undefined input means that the variable is unset. Throws an Error with a sentence for a bad value. */
  parse: (text: string | undefined) => T;
  /** Never printed. */
  secret?: true;
}

export function text(meaning: string, fallback: string): Setting<string> {
  return { meaning, defaultText: fallback, parse: (value) => value ?? fallback };
}

export function optional(meaning: string, defaultText: string, secret?: true): Setting<string | undefined> {
  return { meaning, defaultText, parse: (value) => value, ...(secret ? { secret } : {}) };
}

/** `rule` is what a value must be; it is not repeated in the sentence, for it may be a secret. */
export function matching(
  meaning: string,
  defaultText: string,
  pattern: RegExp,
  rule: string,
  secret?: true,
): Setting<string | undefined> {
  return {
    meaning,
    defaultText,
    parse: (value) => {
      if (value !== undefined && !pattern.test(value)) throw new Error(`must be ${rule}`);
      return value;
    },
    ...(secret ? { secret } : {}),
  };
}

/** A text whose form `check` knows, which throws an Error that says what it must be. */
export function checked(
  meaning: string,
  defaultText: string,
  check: (value: string) => unknown,
): Setting<string | undefined> {
  return {
    meaning,
    defaultText,
    parse: (value) => {
      if (value !== undefined) check(value);
      return value;
    },
  };
}

/**
 * User and password, servers, database, options. In a password, `/`, `?` and `#` end the part that names the server: what is
 * behind them would be taken for another server, or the password for a port.
 */
const DATABASE_URL =
  /^postgres(?:ql)?:\/\/(?:[^/?#\s]*@)?[^/?#@:,\s]*(?::\d+)?(?:,[^/?#@:,\s]*(?::\d+)?)*(?:\/[^@?#\s]*)?(?:\?[^#\s]*)?$/;
const DATABASE_URL_IPV6 = /\[[0-9a-f:.]+\]/gi;

export function databaseUrl(meaning: string, defaultText: string, example: string): Setting<string | undefined> {
  return {
    meaning,
    defaultText,
    parse: (value) => {
      if (value !== undefined && !DATABASE_URL.test(value.replace(DATABASE_URL_IPV6, "ipv6")))
        throw new Error(`must be a URL such as ${example}; in a password write / as %2F, ? as %3F, # as %23, % as %25`);
      return value;
    },
    secret: true,
  };
}

export function integer(meaning: string, fallback: number, min: number, max: number): Setting<number> {
  return {
    meaning,
    defaultText: String(fallback),
    parse: (value) => {
      if (value === undefined) return fallback;
      const number = Number(value);
      if (!/^\d+$/.test(value) || number < min || number > max)
        throw new Error(`must be an integer from ${min} to ${max}, not "${value}"`);
      return number;
    },
  };
}

export function fraction(meaning: string, fallback: number): Setting<number> {
  return {
    meaning,
    defaultText: String(fallback),
    parse: (value) => {
      if (value === undefined) return fallback;
      if (!/^\d*\.?\d+$/.test(value) || Number(value) > 1) throw new Error(`must be from 0 to 1, not "${value}"`);
      return Number(value);
    },
  };
}

export function portOrOff(meaning: string, fallback: number): Setting<number | undefined> {
  const { parse } = integer(meaning, fallback, 0, 65_535);
  return { meaning, defaultText: String(fallback), parse: (value) => (value === "off" ? undefined : parse(value)) };
}

export function choice<const T extends readonly string[]>(
  meaning: string,
  values: T,
  fallback: T[number],
): Setting<T[number]> {
  return {
    meaning: `${meaning} One of: ${values.join(", ")}.`,
    defaultText: fallback,
    parse: (value) => {
      if (value === undefined) return fallback;
      if (!values.includes(value)) throw new Error(`must be one of ${values.join(", ")}, not "${value}"`);
      return value;
    },
  };
}

export function list(meaning: string, secret?: true): Setting<string[]> {
  return {
    ...(secret ? { secret } : {}),
    meaning,
    defaultText: "none",
    parse: (value) =>
      (value ?? "")
        .split(",")
        .map((part) => part.trim())
        .filter((part) => part !== ""),
  };
}

export function ranges(meaning: string): Setting<string[]> {
  const { parse, ...setting } = list(meaning);
  return {
    ...setting,
    parse: (value) => {
      const entries = parse(value);
      parseTrustedProxies(entries);
      return entries;
    },
  };
}

export function origins(meaning: string): Setting<string[]> {
  const { parse, ...setting } = list(meaning);
  return {
    ...setting,
    parse: (value) => {
      const entries = parse(value);
      checkCorsOrigins(entries);
      return entries;
    },
  };
}

export function storage(meaning: string, defaultText: string): Setting<StorageLocation | undefined> {
  return { meaning, defaultText, parse: (value) => (value === undefined ? undefined : parseStorageUrl(value)) };
}
