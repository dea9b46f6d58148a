/** Causes that usually are the same for every row, and what to do. */
/** The spec itself is wrong: the same rows by the same spec fail again. */
export const isOfSpec = (code: string): boolean => code === "model_not_found";

export const configurationAdvice: Readonly<Record<string, string>> = {
  provider_auth_failed: "Check the key of the provider, or use another connection.",
  model_not_found: "Check the name of the model.",
  secret_missing: "Give the connection a key, or use another one.",
  network_error: "Check the network, and the address that is called.",
  egress_denied: "The service may not call this address: its operator can allow it.",
};
