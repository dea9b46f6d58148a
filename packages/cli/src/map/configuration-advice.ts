/** Causes that usually are the same for every row, and what to do. */
export const configurationAdvice: Readonly<Record<string, string>> = {
  provider_auth_failed: "Check the key of the provider, or use another connection.",
  model_not_found: "Check the name of the model.",
  secret_missing: "Give the connection a key, or use another one.",
  network_error: "Check the network, and the address that is called.",
  egress_denied: "The service may not call this address: its operator can allow it.",
};
