import type { WebhookEndpoint, WebhookEndpointWithSecret } from "@rowmill/client";
import { useState } from "react";
import { ActionDialog } from "../../components/dialog.tsx";
import { Field } from "../../components/field.tsx";
import { queries, rowmill } from "../../lib/client.ts";
import { useOnce } from "../../lib/once.ts";
import { EventTypesField } from "./event-types-field.tsx";

const MOST_PEOPLE_WANT = ["run.finished", "export.ready"];

interface EndpointDialogProps {
  endpoint?: WebhookEndpoint;
  onClose: () => void;
  onSaved: (endpoint: WebhookEndpoint | WebhookEndpointWithSecret) => void;
}

/** Makes an endpoint, or changes one: its URL is written and never read. */
export function EndpointDialog({ endpoint, onClose, onSaved }: EndpointDialogProps) {
  const [url, setUrl] = useState("");
  const [description, setDescription] = useState(endpoint?.description ?? "");
  const [eventTypes, setEventTypes] = useState<readonly string[]>(endpoint?.eventTypes ?? MOST_PEOPLE_WANT);
  const once = useOnce();
  function save(): Promise<WebhookEndpoint | WebhookEndpointWithSecret> {
    const types = [...eventTypes];
    if (endpoint === undefined) {
      const body = { url: url.trim(), eventTypes: types, ...(description === "" ? {} : { description }) };
      return once(body, (options) => rowmill.webhookEndpoints.create(body, options));
    }
    return rowmill.webhookEndpoints.update(endpoint.id, {
      ...(url.trim() === "" ? {} : { url: url.trim() }),
      eventTypes: types,
      description: description === "" ? null : description,
    });
  }
  async function saveAndClose(): Promise<void> {
    const saved = await save();
    await queries.invalidateQueries({ queryKey: ["webhook-endpoints"] });
    onClose();
    onSaved(saved);
  }
  return (
    <ActionDialog
      title={endpoint === undefined ? "New webhook endpoint" : "Change the endpoint"}
      action={endpoint === undefined ? "Create" : "Save"}
      isReady={eventTypes.length > 0 && (endpoint !== undefined || url.trim() !== "")}
      onAct={saveAndClose}
      onClose={onClose}
    >
      <UrlField endpoint={endpoint} url={url} onChange={setUrl} />
      <Field label="Description">
        <input
          className="input"
          maxLength={2000}
          placeholder="What receives them"
          value={description}
          onChange={({ target }) => setDescription(target.value)}
        />
      </Field>
      <EventTypesField value={eventTypes} onChange={setEventTypes} />
    </ActionDialog>
  );
}

function UrlField({
  endpoint,
  url,
  onChange,
}: {
  endpoint: WebhookEndpoint | undefined;
  url: string;
  onChange: (url: string) => void;
}) {
  return (
    <Field
      label="URL"
      hint={
        endpoint === undefined
          ? "Public, https, on the default port. Its path may be a secret: only its end is shown later."
          : `Now ${endpoint.url}. Empty leaves it as it is.`
      }
    >
      <input
        className="input font-mono"
        type="url"
        autoFocus
        spellCheck={false}
        placeholder="https://hooks.example.com/rowmill"
        value={url}
        onChange={({ target }) => onChange(target.value)}
      />
    </Field>
  );
}
