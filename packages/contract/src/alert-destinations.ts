/** Where an alert rule sends its alerts. */
import { Type } from "typebox";
import type { Static } from "typebox";
import { Closed, EMAIL_HINT, OneOf, component } from "./schemas.ts";

/** More people than this are a mailing list, which has one address. */
const MAX_RECIPIENTS = 20;

/** The parts of an address that every mail server takes: no quotes, comments or line breaks. */
const EMAIL_ADDRESS =
  "^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@([A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?\\.)+[A-Za-z]{2,63}$";

/** Any value: the URL rules decide, with an error of their own (422 `webhook_url_not_allowed`). */
const url = Type.String({
  description:
    "Public HTTPS URL on the default port, without credentials or fragment. It is stored encrypted; responses show its origin and last four characters (`https://hooks.example.com/…/9f3k`), which cannot be sent back.",
  examples: ["https://hooks.example.com/alerts"],
});

export const AlertDestinationSchema = component(
  "AlertDestination",
  OneOf("type", [
    Closed({ type: Type.Literal("webhook"), url }, { description: "A signed POST, as webhook deliveries are." }),
    Closed(
      { type: Type.Literal("slack"), url },
      { description: "An incoming webhook of Slack, or one that takes the same." },
    ),
    Closed(
      {
        type: Type.Literal("email"),
        to: Type.Array(
          Type.String({
            pattern: EMAIL_ADDRESS,
            maxLength: 254,
            examples: ["on-call@example.com"],
            "x-hint": EMAIL_HINT,
          }),
          {
            minItems: 1,
            maxItems: MAX_RECIPIENTS,
            uniqueItems: true,
          },
        ),
      },
      {
        description:
          "Mail; the service needs an SMTP server for it. An alert that the server takes for one recipient at least has succeeded; its attempt names the others.",
      },
    ),
  ]),
);
export type AlertDestination = Static<typeof AlertDestinationSchema>;
