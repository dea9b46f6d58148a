import { useRouter } from "@tanstack/react-router";
import { RowmillApiError } from "@rowmill/client";
import { Button, ButtonLink } from "../components/button.tsx";
import { ErrorNotice, Notice } from "../components/notice.tsx";

/** A screen whose data could not be read, or whose code is that of an older build. */
export function ScreenError({ error, reset }: { error: unknown; reset?: () => void }) {
  const router = useRouter();
  const isOldBuild = error instanceof TypeError && /import|module/i.test(error.message);
  if (isOldBuild)
    return (
      <div className="mx-auto max-w-2xl p-8">
        <Notice
          tone="info"
          title="The console was updated."
          actions={
            <Button look="primary" onClick={() => location.reload()}>
              Reload
            </Button>
          }
        >
          This tab still has the version before.
        </Notice>
      </div>
    );
  const isMissing = error instanceof RowmillApiError && error.status === 404;
  return (
    <div className="mx-auto max-w-2xl p-8">
      <ErrorNotice
        error={error}
        actions={
          isMissing ? (
            <ButtonLink to="/">Home</ButtonLink>
          ) : (
            <Button
              onClick={() => {
                reset?.();
                void router.invalidate();
              }}
            >
              Try again
            </Button>
          )
        }
      />
    </div>
  );
}

export function NotFound() {
  return (
    <div className="mx-auto max-w-2xl p-8">
      <Notice tone="warn" title="There is no such page." actions={<ButtonLink to="/">Home</ButtonLink>}>
        The address may be mistyped, or of another version of the console.
      </Notice>
    </div>
  );
}
