/** Strict validation of bodies and query parameters: nothing stripped, nothing coerced, no defaults written. */
import { Ajv2020 } from "ajv/dist/2020.js";
import type { ErrorObject, ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { components } from "@rowmill/contract/schemas";
import type { TSchema } from "typebox";
import { ApiError } from "./errors.ts";
import type { ErrorDetail } from "./errors.ts";

/** A name may be as long as the body; it is not sent back whole. */
const SHOWN_NAME_LENGTH = 60;

export function createAjv(): Ajv2020 {
  const ajv = new Ajv2020({
    strict: false,
    allErrors: false,
    discriminator: true,
    coerceTypes: false,
    removeAdditional: false,
    useDefaults: false,
  });
  addFormats.default(ajv, ["date-time"]);
  for (const [name, schema] of components) ajv.addSchema(schema, name);
  return ajv;
}

const ajv = createAjv();

export type BodyCheck = (body: unknown) => void;

/** A function that throws the decided error for a body that does not fit. */
export function compileBody(schema: TSchema): BodyCheck {
  const validate: ValidateFunction = ajv.compile(schema);
  return (body) => {
    if (validate(body)) return;
    const error = mostTelling(validate.errors ?? []);
    if (error === undefined) throw new ApiError("invalid_request", "The body has the wrong shape.");
    const detail = describe(error);
    const param = detail.path.slice(1).replaceAll("/", ".");
    throw new ApiError(detail.code === "unknown_field" ? "unknown_field" : "invalid_request", detail.message, {
      ...(param === "" ? {} : { param }),
      details: [detail],
    });
  };
}

/**
 * Where a value may have one of several shapes, each tells why it does not fit. The one that was meant is the one in which the
 * fault lies deepest, or the one whose type it has.
 */
function mostTelling(errors: readonly ErrorObject[]): ErrorObject | undefined {
  const unknown = errors.find((error) => error.keyword === "additionalProperties");
  if (unknown !== undefined || !errors.some((error) => error.keyword === "anyOf")) return unknown ?? errors[0];
  const depthOf = (error: ErrorObject): number =>
    2 * error.instancePath.split("/").length + (error.keyword === "type" ? 0 : 1);
  const told = errors.filter((error) => error.keyword !== "anyOf");
  const deepest = told.toSorted((a, b) => depthOf(b) - depthOf(a))[0];
  if (deepest?.keyword !== "type") return deepest;
  const types = told.filter((error) => error.keyword === "type" && error.instancePath === deepest.instancePath);
  const names = types.map((error) => String((error.params as Record<string, unknown>)["type"])); // as ajv names them
  return { ...deepest, params: { type: [...new Set(names)].join(" or ") } };
}

function describe(error: ErrorObject): ErrorDetail {
  const at = error.instancePath;
  if (error.propertyName !== undefined)
    return {
      path: at,
      code: error.keyword,
      message: `The name \`${error.propertyName.slice(0, SHOWN_NAME_LENGTH)}\` in \`${at.slice(1).replaceAll("/", ".")}\` ${error.message ?? "is not valid"}.`,
    };
  const name = at === "" ? "The body" : `\`${at.slice(1).replaceAll("/", ".")}\``;
  const params = error.params as Record<string, unknown>; // ajv's, by keyword
  switch (error.keyword) {
    case "additionalProperties": {
      const path = pointerTo(at, String(params["additionalProperty"]));
      return {
        path,
        code: "unknown_field",
        message: `There is no member \`${path.slice(1).replaceAll("/", ".")}\` here.`,
      };
    }
    case "required": {
      const path = `${at}/${String(params["missingProperty"])}`;
      return { path, code: "missing", message: `\`${path.slice(1).replaceAll("/", ".")}\` is required.` };
    }
    case "type":
      return { path: at, code: "wrong_type", message: `${name} must be of type ${String(params["type"])}.` };
    case "enum":
      return {
        path: at,
        code: "unknown_value",
        message: `${name} must be one of: ${(params["allowedValues"] as string[]).join(", ")}.`,
      };
    case "const":
      return { path: at, code: "unknown_value", message: `${name} must be ${JSON.stringify(params["allowedValue"])}.` };
    case "discriminator":
      return {
        path: `${at}/${String(params["tag"])}`,
        code: "unknown_value",
        message: `\`${`${at}/${String(params["tag"])}`.slice(1).replaceAll("/", ".")}\` is missing or has an unknown value.`,
      };
    default:
      return { path: at, code: error.keyword, message: `${name} ${error.message ?? "is not valid"}.` };
  }
}

/** A JSON pointer (RFC 6901), in which ajv has escaped its own part. */
const pointerTo = (at: string, name: string): string =>
  `${at}/${name.slice(0, SHOWN_NAME_LENGTH).replaceAll("~", "~0").replaceAll("/", "~1")}`;
