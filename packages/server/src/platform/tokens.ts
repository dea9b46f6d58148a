/**
 * Every kind of secret that this service makes and gives out, by what it begins with. Makers take the prefix from here, so that
 * the log knows them all: a token that is not in this list cannot be made.
 */
export const tokenPrefixes = {
  apiKey: "rmk_",
  adminKey: "rma_",
  invitation: "rmi_",
  loginLink: "rml_",
  session: "rms_",
  signingSecret: "whsec_",
} as const;

const OURS = new RegExp(`(${Object.values(tokenPrefixes).join("|")})[A-Za-z0-9+/=_-]{8,}`, "g");

/** Of others: incoming webhooks of Slack, signatures of presigned URLs, credentials in URLs and headers. */
const OF_OTHERS: readonly RegExp[] = [
  /(https:\/\/hooks\.slack(?:-gov)?\.com\/)[^\s"'\\]+/g,
  /([?&](?:X-(?:Amz|Goog)-(?:Signature|Credential|Security-Token)|Signature|AWSAccessKeyId|sig|token|access_token)=)[^&\s"'\\]+/gi,
  /(\b[a-z][a-z0-9+.-]*:\/\/[^\s:/@"']*:)[^\s/@"']+(?=@)/gi,
  /(\b(?:Bearer|Basic) )[A-Za-z0-9+/=_.~-]{8,}/g,
];

/** The text with the secret part of each token taken out. */
export const hideTokens = (text: string): string =>
  [OURS, ...OF_OTHERS].reduce((hidden, pattern) => hidden.replace(pattern, "$1[secret]"), text);
