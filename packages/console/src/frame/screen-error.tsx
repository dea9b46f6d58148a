import { useQuery, useQueryErrorResetBoundary } from "@tanstack/react-query";
import { useRouter } from "@tanstack/react-router";
import { RowmillApiError } from "@rowmill/client";
import { useEffect, useState } from "react";
import type { ReactNode } from "react";
import { Button, ButtonLink } from "../components/button.tsx";
import { ErrorNotice, Notice } from "../components/notice.tsx";
import { Page } from "../components/page.tsx";
import { isUnreachable } from "../lib/reachable.ts";
import { ScreenCodeError, isOtherBuild, readServedBuild } from "../lib/screen-code.ts";
import { isSendingFile } from "../lib/uploads.ts";

/** How often a screen that could not be shown looks whether the service is back. */
const LOOK_EVERY_MS = 2_000;

/** A screen whose data could not be read, or whose code could not be loaded. */
export function ScreenError({ error, reset }: { error: unknown; reset?: () => void }) {
  const router = useRouter();
  const boundary = useQueryErrorResetBoundary();
  const [isBusy, setBusy] = useState(false);
  const retry = async (): Promise<void> => {
    setBusy(true);
    if (error instanceof ScreenCodeError && !(await error.fetchAgain())) {
      // Browsers remember for the life of a page that a script could not be loaded. Only a new page asks for it again; the browser
      // asks before it leaves a file that is being sent.
      if (await isServiceThere()) location.reload();
      setBusy(false);
      return;
    }
    // Without it, a query that has failed throws the same error again and is not read.
    boundary.reset();
    reset?.();
    await router.invalidate();
    setBusy(false);
  };
  const isAboutCode = error instanceof ScreenCodeError;
  const served = useServedBuild(isAboutCode || isUnreachable(error));
  const isAway = served.isError;
  const [wasAway, setWasAway] = useState(false);
  if (isAway && !wasAway) setWasAway(true);
  // Code that did not arrive although the service was there has another reason; a page that is loaded again would lose a file.
  const goesOn = isAboutCode ? wasAway && !isOtherBuild(served.data) && !isSendingFile() : isUnreachable(error);
  const isBack = served.isSuccess && goesOn;
  useEffect(() => {
    if (!isBack) return;
    const timer = setTimeout(() => void retry(), wasAway ? 0 : LOOK_EVERY_MS);
    return () => clearTimeout(timer);
  }, [isBack]);

  if (isAboutCode && isOtherBuild(served.data)) return <Updated />;
  const isMissing = error instanceof RowmillApiError && error.status === 404;
  const actions = isMissing ? (
    <ButtonLink to="/">Home</ButtonLink>
  ) : (
    <Button look="primary" isBusy={isBusy} onClick={() => void retry()}>
      Try again
    </Button>
  );
  if (isAboutCode) return <NotLoaded isAway={isAway} actions={actions} />;
  return (
    <Page title={isMissing ? "Not found" : "This screen cannot be shown"} tabTitle={isMissing ? "Not found" : "Error"}>
      <ErrorNotice error={error} actions={actions} />
    </Page>
  );
}

function Updated() {
  return (
    <Page title="The console was updated" tabTitle="Updated">
      <Notice
        tone="info"
        title="This tab still has the version before."
        actions={
          <Button look="primary" onClick={() => location.reload()}>
            Reload
          </Button>
        }
      >
        Reloading brings this screen in the new version.
      </Notice>
    </Page>
  );
}

function NotLoaded({ isAway, actions }: { isAway: boolean; actions: ReactNode }) {
  return (
    <Page title="This screen could not be loaded" tabTitle="Not loaded">
      <Notice
        tone="bad"
        title={isAway ? "The service cannot be reached." : "A part of the console did not arrive."}
        actions={actions}
      >
        {isAway
          ? "The screen is loaded by itself when the service is back."
          : "The connection may have been lost for a moment."}
      </Notice>
    </Page>
  );
}

const isServiceThere = (): Promise<boolean> =>
  readServedBuild().then(
    () => true,
    () => false,
  );

/** Which build the service has, read until it can be reached. */
function useServedBuild(isEnabled: boolean) {
  return useQuery({
    queryKey: ["served-build"],
    queryFn: ({ signal }) => readServedBuild(signal),
    enabled: isEnabled,
    retry: false,
    gcTime: 0,
    refetchInterval: LOOK_EVERY_MS,
  });
}

export function NotFound() {
  return (
    <Page title="Not found" tabTitle="Not found">
      <Notice tone="warn" title="There is no such page." actions={<ButtonLink to="/">Home</ButtonLink>}>
        The address may be mistyped, or of another version of the console.
      </Notice>
    </Page>
  );
}
