/** Any error as a problem: those of the service, of the network, of the disk, and our own mistakes. */
import {
  DatasetIntakeError,
  RowmillApiError,
  RowmillConnectionError,
  RowmillIntegrityError,
  RowmillTimeoutError,
} from "@rowmill/client";
import type { NamedBy } from "./client.ts";
import { Interrupted, Problem } from "./problem.ts";
import type { ExitName } from "./exit-codes.ts";
import { inOptions } from "./option-names.ts";
import type { TypedOptions } from "./option-names.ts";

const exitOfStatus: Record<number, ExitName> = { 401: "not_allowed", 402: "no_consent", 403: "not_allowed" };

/** Advice by the API's error code; the message says what is wrong, and the link says the rest. */
const adviceOf: Record<string, string> = {
  authentication_required: "Sign in with `rowmill login`, or set ROWMILL_API_KEY.",
  invalid_api_key: "Sign in again with `rowmill login`, or set ROWMILL_API_KEY to a valid key.",
  api_key_expired: "Sign in with a new key: `rowmill login`.",
  api_key_revoked: "Sign in with a new key: `rowmill login`.",
  insufficient_scope: "Use a key that has the scope.",
  organization_key_required: "Use a key of an organization; the admin key cannot read its data.",
  rate_limited: "Wait a minute and repeat the command.",
  service_unavailable: "Repeat the command in a moment; `rowmill doctor` says what is wrong.",
  insufficient_storage: "Free some space on the service's disk and repeat the command: it goes on where it was.",
  budget_exceeded: "Raise it: `rowmill resume RUN --max-cost AMOUNT`.",
  nothing_to_retry: "All rows have succeeded, or none failed for that cause: `rowmill failures` shows the causes.",
  connection_url_not_allowed:
    "Use an https:// address, or set the variable where the service starts (`rowmill stop` ends the command's own service).",
  invalid_request: "Correct what the message names and repeat the command.",
  job_spec_invalid: "Correct the prompt, the code, the request or the job spec and repeat the command.",
  schema_invalid: "Correct the JSON Schema and repeat the command.",
  internal_error: "The service's log says why, under the request id.",
  unexpected_answer: "Check that --url names a Rowmill service.",
};

const NOTHING_TYPED: TypedOptions = new Map();

/** The commands ask for paths that a service of their own version has. A person may have named one, too (`rowmill api`). */
const NO_SUCH_PATH = "There is no such path.";
const ADVICE_ON_VERSIONS =
  "The address of a service ends before /v1. Or the service is of another version than this command: `rowmill doctor` compares the two.";

/** `typed`: options of the command, which the service may refuse. `named`: where the address of the service comes from. */
export function explainError(
  error: unknown,
  typed: TypedOptions = NOTHING_TYPED,
  named?: NamedBy,
): Problem | Interrupted {
  if (error instanceof Problem || error instanceof Interrupted) return error;
  if (error instanceof RowmillApiError) return explainApiError(error, typed);
  if (error instanceof DatasetIntakeError) return explainIntake(error);
  if (error instanceof RowmillConnectionError || error instanceof RowmillTimeoutError)
    return new Problem(sentence(error.message), adviceForSilence(named), {
      code: "no_connection",
      cause: error,
    });
  if (error instanceof RowmillIntegrityError)
    return new Problem(sentence(error.message), "Repeat the command; nothing is lost.", { cause: error });
  if (error instanceof Error && "code" in error) {
    const system = explainSystemError(error, String(error.code));
    if (system !== undefined) return system;
  }
  const message = error instanceof Error ? error.message : String(error);
  return new Problem(sentence(message), "Repeat the command with ROWMILL_DEBUG=1 to see where it happened.", {
    cause: error,
  });
}

function adviceForSilence(named: NamedBy | undefined): string {
  if (named?.profile === undefined)
    return `Check that the service runs and that ${named?.setting ?? "--url"} names it.`;
  return `The profile "${named.profile}" names this address: start the service there, or add --local to use this machine's own.`;
}

/** The further errors follow. */
const FURTHER = / Further errors: \d+, see `details`\./;

/** Arguments and options that are the body of a request or a part of it, or the file that has it. */
const BODIES = ["<file>", "--data", "--query", "--spec", "--prompt", "--system", "--transform", "--http", "--out"];
/** A column that a template names and the dataset does not have is one of them, also where both are named and no file is. */
const REFUSED_BODIES = new Set(["job_spec_invalid", "schema_invalid"]);

/** What the service refuses of a file or a text that was typed is a mistake in what was typed. */
const isOfTypedBody = ({ status, code }: RowmillApiError, typed: TypedOptions): boolean =>
  REFUSED_BODIES.has(code) || (status === 400 && BODIES.some((name) => typed.has(name)));

/** 404: of something that the body names, such as a version. */
const REFUSES_VALUES = new Set([400, 404, 422]);

function explainApiError(error: RowmillApiError, typed: TypedOptions): Problem {
  const ofOptions = REFUSES_VALUES.has(error.status) ? inOptions(error, typed) : undefined;
  const details = error.details
    .slice(0, 3)
    // One of them is often the message itself.
    .filter(({ message }) => !error.message.includes(message))
    .map(({ path, message }) => `${path === "" ? "" : `${path}: `}${message}`);
  const message = details.length === 0 ? error.message : error.message.replace(FURTHER, "");
  const what = ofOptions ?? [message, ...details].map(sentence).join(" ");
  // The page of the service is no help where the command's own service ends with it.
  const ofOption = ofOptions === undefined ? undefined : ADVICE_ON_OPTIONS.find(([option]) => typed.has(option));
  const advice =
    ofOption?.[1] ??
    adviceOnTypes(error, typed) ??
    (error.message.startsWith(NO_SUCH_PATH) ? ADVICE_ON_VERSIONS : undefined) ??
    adviceOf[error.code] ??
    (error.docUrl === null ? "" : `\`rowmill docs ${error.code}\` says what to do.`);
  return new Problem(what, advice, {
    exit: ofOptions !== undefined || isOfTypedBody(error, typed) ? "usage" : (exitOfStatus[error.status] ?? "error"),
    code: error.code,
    docUrl: error.docUrl,
    requestId: error.requestId,
    cause: error,
  });
}

const TYPESCRIPT = /\.[cm]?tsx?$/;

/** The parser of the sandbox stops at the first type, and reports the character that it expected there. */
function adviceOnTypes({ code, message }: RowmillApiError, typed: TypedOptions): string | undefined {
  const file = typed.get("--transform");
  if (code !== "job_spec_invalid" || typeof file !== "string" || !TYPESCRIPT.test(file)) return undefined;
  return message.startsWith("SyntaxError")
    ? "A transform is JavaScript, without types: compile the file, and name the result."
    : undefined;
}

const ADVICE_ON_OPTIONS: readonly (readonly [option: string, advice: string])[] = [
  ["--code", "`rowmill failures` shows the causes of a run."],
  ["--version", "`rowmill specs` shows the newest version of each job spec."],
];

/** A path that leads to no file, or to one that is there already, is a mistake in the arguments. */
const WRONG_PATH = new Set(["ENOENT", "EEXIST", "EISDIR", "ENOTDIR"]);

function explainSystemError(error: Error, code: string): Problem | undefined {
  const path = "path" in error && typeof error.path === "string" ? error.path : undefined;
  const file = path ?? "the file";
  const said: Record<string, [what: string, advice: string]> = {
    ENOENT: [`There is no file ${file}.`, "Check the path."],
    EACCES: [`${file} may not be opened.`, "Check its permissions."],
    EPERM: [`${file} may not be changed.`, "Check its permissions."],
    EEXIST: [`${file} exists.`, "Choose another path."],
    EISDIR: [`${file} is a directory.`, "Name a file."],
    ENOTDIR: [`A part of the path ${file} is not a directory.`, "Check the path."],
    EROFS: [`${file} is on a read-only file system.`, "Choose another path."],
    ENOSPC: ["The disk is full.", "Free some space and repeat the command: it goes on where it was."],
    EDQUOT: ["Your disk quota is used up.", "Free some space and repeat the command: it goes on where it was."],
    EFBIG: [
      "A file may not grow further.",
      "Raise the limit (`ulimit -f`) or choose another disk, and repeat the command.",
    ],
    EMFILE: ["Too many files are open.", "Raise the limit (`ulimit -n`) and repeat the command."],
  };
  const entry = said[code];
  if (entry === undefined) return undefined;
  const exit = WRONG_PATH.has(code) ? "usage" : "error";
  return new Problem(entry[0], entry[1], { exit, code: code.toLowerCase(), cause: error });
}

/** Codes of intake that are no fault of the file: the same file may be read at another time. */
const adviceOfIntake: Record<string, string> = {
  internal_error: "Repeat the command; if it fails again, the service's log says why.",
  storage_limit_reached: "Delete datasets, runs or exports that are not needed, and repeat the command.",
  checksum_mismatch: "Repeat the command: a transfer has damaged the content, or the file has changed meanwhile.",
  download_failed: "Check that the address can be reached from the service, and repeat the command.",
};

/** What the service says of it names members of the API, where the command has options. */
const optionsOfMembers: readonly { ofApi: RegExp; advice: string }[] = [
  {
    ofApi: / If the file is Windows-1252 .*"csv".*$/,
    advice: "If a spreadsheet wrote it, repeat the command with --encoding windows-1252; or save the file as UTF-8.",
  },
  {
    ofApi: / If the file is JSON Lines, .*`jsonl`.*$/,
    advice: "If the file is JSON Lines, repeat the command with --format jsonl, or call it .jsonl.",
  },
];
type IntakeErrorOfFile = DatasetIntakeError["errors"][number];
const adviceOnOption = (error: IntakeErrorOfFile | undefined): string | undefined =>
  optionsOfMembers.find(({ ofApi }) => error !== undefined && ofApi.test(error.message))?.advice;
const withoutMembers = (message: string): string =>
  optionsOfMembers.reduce((text, { ofApi }) => text.replace(ofApi, ""), message);

function explainIntake(error: DatasetIntakeError): Problem {
  const [first] = error.errors;
  const advice = first === undefined ? "Repeat the command." : adviceOfIntake[first.code];
  const correction =
    first?.code === "empty_file" ? "Name a file with rows." : (adviceOnOption(first) ?? adviceOnRows(error));
  return new Problem(describeIntake(error), advice ?? correction, {
    exit: advice === undefined ? "usage" : "error",
    code: first?.code ?? "dataset_failed",
    cause: error,
  });
}

function adviceOnRows({ errors, upload }: DatasetIntakeError): string {
  if (upload.skippable) return "Correct these rows and repeat the command, or leave them out with --skip-invalid.";
  return errors.some(({ line, message }) => line === 1 && message.includes("in the header"))
    ? "Correct the header and repeat the command; if the first line is a row, add --no-header-row."
    : "Correct the file and repeat the command.";
}

/** The first lines that cannot be read, and not the upload, which a person never sees. */
function describeIntake({ errors, upload }: DatasetIntakeError): string {
  if (errors[0]?.code === "empty_file") return "The file has no rows.";
  if (errors.length === 0) return `The file could not be read: its upload is ${upload.state}.`;
  return `The file cannot be read: ${describeIntakeErrors(errors)}.`;
}

export function describeIntakeErrors(errors: DatasetIntakeError["errors"]): string {
  const lines = errors
    .slice(0, 3)
    .map(
      ({ line, code, message }) =>
        `${line === null ? "" : `line ${line}: `}${withoutMembers(message).replace(/\.$/, "")} (${code})`,
    );
  const more = errors.length > lines.length ? `; and ${errors.length - lines.length} more` : "";
  return `${lines.join("; ")}${more}`;
}

/** Messages of libraries begin in lower case and end without a period. */
function sentence(text: string): string {
  const trimmed = text.trim();
  const begun = `${trimmed.charAt(0).toUpperCase()}${trimmed.slice(1)}`;
  return /[.!?:]$/.test(begun) ? begun : `${begun}.`;
}
