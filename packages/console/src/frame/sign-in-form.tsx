import { useState } from "react";
import { Button } from "../components/button.tsx";
import { Field } from "../components/field.tsx";
import { ErrorNotice } from "../components/notice.tsx";

/** An API key, to be exchanged for a session: on the page of the sign-in, and over a screen whose session has ended. */
export function SignInForm({
  onSubmit,
  isBusy,
  error,
}: {
  onSubmit: (apiKey: string) => void;
  isBusy: boolean;
  error: unknown;
}) {
  const [key, setKey] = useState("");
  return (
    <form
      className="card flex flex-col gap-4 p-5"
      onSubmit={(event) => {
        event.preventDefault();
        onSubmit(key.trim());
      }}
    >
      <Field
        label="API key"
        hint="Of your organization, or the operator's admin key. It is exchanged for a session and not kept in the browser."
      >
        <input
          className="input font-mono"
          type="password"
          autoComplete="current-password"
          required
          autoFocus
          spellCheck={false}
          placeholder="rmk_…"
          value={key}
          onChange={({ target }) => setKey(target.value)}
        />
      </Field>
      {error !== null && <ErrorNotice error={error} />}
      <Button look="primary" type="submit" isBusy={isBusy}>
        Sign in
      </Button>
    </form>
  );
}
