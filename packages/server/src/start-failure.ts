/** Why the service could not start, with what to do: errors of the system and of PostgreSQL only say what happened. */

const CHECK_DATABASE = "Check ROWMILL_DATABASE_URL, and that PostgreSQL runs there and can be reached.";
const CHECK_DATA_DIRECTORY = "Check ROWMILL_DATA_DIR: it must be a directory in which the service may write.";

/** By `code`, of the operating system and of PostgreSQL. */
const adviceOf: Readonly<Record<string, string>> = {
  ECONNREFUSED: CHECK_DATABASE,
  ECONNRESET: CHECK_DATABASE,
  EHOSTUNREACH: CHECK_DATABASE,
  ENETUNREACH: CHECK_DATABASE,
  ENOTFOUND: CHECK_DATABASE,
  EAI_AGAIN: CHECK_DATABASE,
  ETIMEDOUT: CHECK_DATABASE,
  "28000": "Check the user and the password in ROWMILL_DATABASE_URL.",
  "28P01": "Check the user and the password in ROWMILL_DATABASE_URL.",
  "3D000": "Create the database, or name another one in ROWMILL_DATABASE_URL.",
  "57P03": "Wait until PostgreSQL accepts connections, and start the service again.",
  EACCES: CHECK_DATA_DIRECTORY,
  EEXIST: CHECK_DATA_DIRECTORY,
  ENOTDIR: CHECK_DATA_DIRECTORY,
  EPERM: CHECK_DATA_DIRECTORY,
  EROFS: CHECK_DATA_DIRECTORY,
  EDQUOT: "Free some space, and start the service again.",
  ENOSPC: "Free some space, and start the service again.",
};

export function describeStartFailure(error: unknown): string {
  // A name with several addresses, each of which failed; it has no message of its own.
  if (error instanceof AggregateError && error.errors.length > 0) return describeStartFailure(error.errors[0]);
  if (!(error instanceof Error)) return String(error);
  const advice = "code" in error ? adviceOf[String(error.code)] : undefined;
  if (advice === undefined || error.message.includes("ROWMILL_")) return error.message;
  return `${error.message.replace(/\.$/, "")}. ${advice}`;
}
