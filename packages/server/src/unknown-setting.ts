/** The sentence about a variable that is no setting, with the setting that was probably meant. */
import { isOneMistakeFrom, nearestName } from "./platform/nearest-name.ts";

const PREFIX = "ROWMILL";

/** What other products call ours, folded (without underscores, in lower case), or the part of its name that one remembers. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  address: ["HOST"],
  bind: ["HOST"],
  bucket: ["STORAGE_URL"],
  concurrency: ["WORKER_CONCURRENCY"],
  data: ["DATA_DIR"],
  database: ["DATABASE_URL"],
  db: ["DATABASE_URL"],
  dburl: ["DATABASE_URL"],
  domain: ["PUBLIC_URL"],
  externalurl: ["PUBLIC_URL"],
  httpport: ["PORT"],
  listen: ["HOST"],
  log: ["LOG_LEVEL"],
  loglevel: ["LOG_LEVEL"],
  masterkey: ["ENCRYPTION_KEY"],
  masterkeys: ["ENCRYPTION_KEYS"],
  postgresurl: ["DATABASE_URL"],
  s3bucket: ["STORAGE_URL"],
  s3endpoint: ["STORAGE_URL"],
  s3url: ["STORAGE_URL"],
  secretkey: ["ENCRYPTION_KEY"],
  smtphost: ["SMTP_URL"],
  store: ["STORAGE_URL"],
  workers: ["WORKER_CONCURRENCY"],
};

/**
 * Undefined where the variable is that of another program. Only the part after the prefix is compared: all names have the
 * prefix in common, and with it names that mean something else look alike.
 */
export function unknownSetting(name: string, settings: readonly string[]): string | undefined {
  const [first = "", ...words] = name.split("_");
  const rest = words.join("_");
  const isOurs = first === PREFIX && name.startsWith(`${PREFIX}_`);
  // A slip in the prefix is one only before the name of a setting: other programs may be called alike.
  if (!isOurs && !(isOneMistakeFrom(first, PREFIX) && settings.includes(`${PREFIX}_${rest}`))) return undefined;
  const meant = nearestName(
    rest,
    settings.filter((setting) => setting.startsWith(`${PREFIX}_`)).map((setting) => setting.slice(PREFIX.length + 1)),
    aliases,
  );
  return `${name} is not a setting of Rowmill.${meant === undefined ? "" : ` Did you mean ${PREFIX}_${meant}?`}`;
}
