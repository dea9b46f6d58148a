import { verifyWebhook } from "@rowmill/client/webhooks";

/** `body`: the bytes as they came, before anything has parsed them. Throws if the delivery is not genuine. */
export async function readEvent(headers: Headers, body: string, secret: string) {
  return verifyWebhook({ payload: body, headers, secret });
}
