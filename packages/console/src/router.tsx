/** Every address of the console. A screen is loaded when it is visited; its view lives in the search parameters. */
import { createRootRoute, createRoute, createRouter, redirect } from "@tanstack/react-router";
import { Frame } from "./frame/frame.tsx";
import { Loading } from "./components/loading.tsx";
import { NotFound, ScreenError } from "./frame/screen-error.tsx";
import { ANY, DAY, NUMBER, searchOf } from "./lib/address.ts";
import { ACTORS, auditTypes } from "./lib/audit.ts";
import { isSignedOut, queries } from "./lib/client.ts";
import { lazyScreen } from "./lib/screen-code.ts";
import { sessionQuery } from "./lib/session.ts";
import { GROUPINGS, RANGES } from "./lib/usage.ts";
import { RUNS_SEARCH } from "./screens/runs/search.ts";
import { SignIn } from "./screens/sign-in.tsx";

const root = createRootRoute();
const KEY = /^key_[0-9a-z]{26}$/;
const ROW_STATES = ["succeeded", "failed", "running", "pending", "canceled", "skipped"];

export interface SignInSearch {
  /** The address to go on to. */
  to?: string;
}
const signIn = createRoute({
  getParentRoute: () => root,
  path: "/sign-in",
  component: SignIn,
  validateSearch: (search: Record<string, unknown>): SignInSearch => searchOf({ to: ANY })(search),
});

const acceptInvitation = createRoute({
  getParentRoute: () => root,
  path: "/accept-invitation",
  component: lazyScreen(() => import("./screens/accept-invitation.tsx"), "AcceptInvitation"),
});

const frame = createRoute({
  getParentRoute: () => root,
  id: "frame",
  component: Frame,
  beforeLoad: async ({ location }) => {
    try {
      const session = await queries.query({ ...sessionQuery, staleTime: "static" });
      const isOfOperator = /^\/(organizations|health|settings)(\/|$)/.test(location.pathname);
      if (session.kind === "admin" && !isOfOperator) redirect({ to: "/organizations", throw: true });
    } catch (error) {
      if (!isSignedOut(error)) throw error;
      redirect({ to: "/sign-in", search: location.href === "/" ? {} : { to: location.href }, throw: true });
    }
  },
});

const home = createRoute({
  getParentRoute: () => frame,
  path: "/",
  component: lazyScreen(() => import("./screens/home.tsx"), "Home"),
});
const runs = createRoute({
  getParentRoute: () => frame,
  path: "/runs",
  validateSearch: searchOf(RUNS_SEARCH),
  component: lazyScreen(() => import("./screens/runs.tsx"), "Runs"),
});
const run = createRoute({
  getParentRoute: () => frame,
  path: "/runs/$runId",
  component: lazyScreen(() => import("./screens/run/run.tsx"), "RunScreen"),
});
const runRows = createRoute({
  getParentRoute: () => run,
  path: "/",
  validateSearch: searchOf({ state: ROW_STATES, code: ANY, from: NUMBER, row: NUMBER }),
  component: lazyScreen(() => import("./screens/run/rows.tsx"), "RunRows"),
});

const runFailures = createRoute({
  getParentRoute: () => run,
  path: "/failures",
  validateSearch: searchOf({ code: ANY }),
  component: lazyScreen(() => import("./screens/run/failures.tsx"), "RunFailures"),
});
const runResolved = createRoute({
  getParentRoute: () => run,
  path: "/resolved",
  validateSearch: searchOf({ state: ROW_STATES, row: NUMBER }),
  component: lazyScreen(() => import("./screens/run/resolved.tsx"), "RunResolved"),
});
const runExports = createRoute({
  getParentRoute: () => run,
  path: "/exports",
  component: lazyScreen(() => import("./screens/run/exports.tsx"), "RunExports"),
});
const runEvents = createRoute({
  getParentRoute: () => run,
  path: "/events",
  component: lazyScreen(() => import("./screens/run/events.tsx"), "RunEvents"),
});
const runLineage = createRoute({
  getParentRoute: () => run,
  path: "/lineage",
  component: lazyScreen(() => import("./screens/run/lineage.tsx"), "RunLineage"),
});
const runSpec = createRoute({
  getParentRoute: () => run,
  path: "/spec",
  component: lazyScreen(() => import("./screens/run/spec.tsx"), "RunSpec"),
});
const datasets = createRoute({
  getParentRoute: () => frame,
  path: "/datasets",
  validateSearch: searchOf({ name: ANY }),
  component: lazyScreen(() => import("./screens/datasets/datasets.tsx"), "Datasets"),
});
const dataset = createRoute({
  getParentRoute: () => frame,
  path: "/datasets/$datasetId",
  validateSearch: searchOf({ from: NUMBER, row: NUMBER }),
  component: lazyScreen(() => import("./screens/datasets/dataset.tsx"), "DatasetScreen"),
});
const upload = createRoute({
  getParentRoute: () => frame,
  path: "/dataset-uploads/$datasetUploadId",
  component: lazyScreen(() => import("./screens/datasets/upload.tsx"), "UploadScreen"),
});
const jobSpecs = createRoute({
  getParentRoute: () => frame,
  path: "/job-specs",
  validateSearch: searchOf({ name: ANY }),
  component: lazyScreen(() => import("./screens/job-specs/job-specs.tsx"), "JobSpecs"),
});
const jobSpecNew = createRoute({
  getParentRoute: () => frame,
  path: "/job-specs/new",
  validateSearch: searchOf({ datasetId: ANY, jobSpecId: ANY }),
  component: lazyScreen(() => import("./screens/job-specs/new-job-spec.tsx"), "NewJobSpec"),
});
const jobSpec = createRoute({
  getParentRoute: () => frame,
  path: "/job-specs/$jobSpecId",
  validateSearch: searchOf({ datasetId: ANY, version: NUMBER, row: NUMBER }),
  component: lazyScreen(() => import("./screens/job-specs/job-spec.tsx"), "JobSpecScreen"),
});
const launch = createRoute({
  getParentRoute: () => frame,
  path: "/runs/new",
  validateSearch: searchOf({ datasetId: ANY, jobSpecId: ANY }),
  component: lazyScreen(() => import("./screens/launch/launch.tsx"), "Launch"),
});
const connections = createRoute({
  getParentRoute: () => frame,
  path: "/connections",
  component: lazyScreen(() => import("./screens/connections/connections.tsx"), "Connections"),
});
const webhooks = createRoute({
  getParentRoute: () => frame,
  path: "/webhooks",
  component: lazyScreen(() => import("./screens/webhooks/webhooks.tsx"), "Webhooks"),
});
const webhook = createRoute({
  getParentRoute: () => frame,
  path: "/webhooks/$webhookEndpointId",
  validateSearch: searchOf({ status: ["succeeded", "failed", "pending", "canceled"], eventType: ANY, delivery: ANY }),
  component: lazyScreen(() => import("./screens/webhooks/endpoint.tsx"), "EndpointScreen"),
});
const alerts = createRoute({
  getParentRoute: () => frame,
  path: "/alerts",
  component: lazyScreen(() => import("./screens/alerts/alerts.tsx"), "Alerts"),
});
const alert = createRoute({
  getParentRoute: () => frame,
  path: "/alerts/$alertRuleId",
  validateSearch: searchOf({ status: ["succeeded", "failed", "pending", "suppressed"] }),
  component: lazyScreen(() => import("./screens/alerts/alert.tsx"), "AlertScreen"),
});
const usage = createRoute({
  getParentRoute: () => frame,
  path: "/usage",
  validateSearch: searchOf({ range: Object.keys(RANGES), by: Object.keys(GROUPINGS), jobSpecId: ANY, apiKeyId: ANY }),
  component: lazyScreen(() => import("./screens/usage/usage.tsx"), "Usage"),
});
const members = createRoute({
  getParentRoute: () => frame,
  path: "/members",
  validateSearch: searchOf({ tab: ["people", "keys"], show: ["all"] }),
  component: lazyScreen(() => import("./screens/members/members.tsx"), "Members"),
});
const audit = createRoute({
  getParentRoute: () => frame,
  path: "/audit",
  validateSearch: searchOf({ type: auditTypes, actor: Object.keys(ACTORS), key: KEY, from: DAY, to: DAY, event: ANY }),
  component: lazyScreen(() => import("./screens/audit.tsx"), "Audit"),
});
const settings = createRoute({
  getParentRoute: () => frame,
  path: "/settings",
  component: lazyScreen(() => import("./screens/settings.tsx"), "Settings"),
});
const health = createRoute({
  getParentRoute: () => frame,
  path: "/health",
  component: lazyScreen(() => import("./screens/health.tsx"), "Health"),
});
const organizations = createRoute({
  getParentRoute: () => frame,
  path: "/organizations",
  component: lazyScreen(() => import("./screens/organizations.tsx"), "Organizations"),
});
/** Any other address: with the navigation beside it, there is a way on. */
const unknown = createRoute({ getParentRoute: () => frame, path: "$", component: NotFound });

const runTabs = [runRows, runFailures, runResolved, runExports, runEvents, runLineage, runSpec];
const tree = root.addChildren([
  signIn,
  acceptInvitation,
  frame.addChildren([
    home,
    runs,
    launch,
    run.addChildren(runTabs),
    datasets,
    dataset,
    upload,
    jobSpecs,
    jobSpecNew,
    jobSpec,
    connections,
    webhooks,
    webhook,
    alerts,
    alert,
    usage,
    members,
    audit,
    settings,
    organizations,
    health,
    unknown,
  ]),
]);

/** Until then the screen before stays, while the code of the next one is fetched. */
const PENDING_MS = 200;

export const router = createRouter({
  routeTree: tree,
  basepath: new URL(document.baseURI).pathname,
  defaultErrorComponent: ScreenError,
  defaultPendingComponent: Loading,
  // What has arrived is shown at once.
  defaultPendingMinMs: 0,
  defaultPendingMs: PENDING_MS,
  defaultPreload: "intent",
  // A search parameter is the text that stands there: `?from=12` is no JSON.
  parseSearch: (text) => Object.fromEntries(new URLSearchParams(text)),
  stringifySearch: (search) => {
    const entries = Object.entries(search).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string" && entry[1] !== "",
    );
    return entries.length === 0 ? "" : `?${new URLSearchParams(entries).toString()}`;
  },
});

// What waits is waited for in the frame, whose navigation stays: React holds back what a boundary within another one reveals, and a run has three.
for (const route of Object.values(router.routesById)) route.update({ wrapInSuspense: false });

declare module "@tanstack/react-router" {
  interface Register {
    router: typeof router;
  }
}
