/** Addresses of this machine, as NO_PROXY writes them. */
const THIS_MACHINE = "127.0.0.1,localhost,[::1]";

/**
 * Where the environment lets Node use a proxy, requests to the service on this machine would go to it, too, unless NO_PROXY names this
 * machine. Node reads NO_PROXY for each request, and the variable in small letters first.
 */
export function reachThisMachineWithoutProxy(environment: NodeJS.ProcessEnv): void {
  const usesProxy =
    Boolean(environment["NODE_USE_ENV_PROXY"]) || environment["NODE_OPTIONS"]?.includes("--use-env-proxy");
  if (usesProxy !== true) return;
  const name = environment["no_proxy"] === undefined ? "NO_PROXY" : "no_proxy";
  const given = environment[name] ?? "";
  // No address has a proxy then.
  if (given.trim() === "*") return;
  environment[name] = given === "" ? THIS_MACHINE : `${given},${THIS_MACHINE}`;
}
