import { Link, useSearch } from "@tanstack/react-router";
import type { ApiKey } from "@rowmill/client";
import { useState } from "react";
import { Button } from "../../components/button.tsx";
import { More, Table } from "../../components/table.tsx";
import { ListStatus } from "../../components/loading.tsx";
import { Empty } from "../../components/page.tsx";
import { State } from "../../components/state.tsx";
import type { Column } from "../../components/table.tsx";
import { Time } from "../../components/time.tsx";
import { plural, visible } from "../../lib/format.ts";
import { describeScopes, stateOfKey } from "../../lib/keys.ts";
import type { Listed } from "../../lib/lists.ts";
import { shortId } from "../../lib/names.ts";
import { usePeople } from "../../lib/people.ts";
import { useMay, useSession } from "../../lib/session.ts";
import { RevokeDialog } from "./revoke-dialog.tsx";

export function Keys({ list, onCreate }: { list: Listed<ApiKey>; onCreate: (() => void) | undefined }) {
  const search = useSearch({ from: "/frame/members" });
  const { apiKeyId } = useSession();
  const [revoked, setRevoked] = useState<ApiKey | null>(null);
  const isAll = search.show === "all";
  const ended = list.items.filter((key) => stateOfKey(key) !== "active").length;
  const shown = isAll ? list.items : list.items.filter((key) => stateOfKey(key) === "active");
  const columns = useColumns(isAll, setRevoked);
  return (
    <>
      <ListStatus list={list} />
      {shown.length > 0 && <Table label="API keys" items={shown} keyOf={({ id }) => id} columns={columns} />}
      {shown.length === 0 && !list.isLoading && list.error === null && <NoKeys onCreate={onCreate} />}
      <More list={list} />
      {(ended > 0 || isAll) && (
        <Link
          to="/members"
          search={{ tab: "keys", ...(isAll ? {} : { show: "all" }) }}
          className="link self-start"
          replace
        >
          {isAll ? "Only active keys" : `Show ${plural(ended, "revoked or expired key")}, too`}
        </Link>
      )}
      {revoked !== null && (
        <RevokeDialog
          apiKey={revoked}
          keys={list.items}
          isOwn={revoked.id === apiKeyId}
          onClose={() => setRevoked(null)}
        />
      )}
    </>
  );
}

function NoKeys({ onCreate }: { onCreate: (() => void) | undefined }) {
  return (
    <Empty
      title="No active keys."
      actions={
        onCreate !== undefined && (
          <Button look="primary" onClick={onCreate}>
            New key
          </Button>
        )
      }
    >
      A key lets a program use the API: an import at night, a service that starts runs, a dashboard that reads.
    </Empty>
  );
}

function useColumns(hasState: boolean, revoke: (key: ApiKey) => void): Column<ApiKey>[] {
  const mayWrite = useMay("api_keys:write");
  const { apiKeyId } = useSession();
  const nameOf = usePeople();
  return [
    {
      id: "name",
      head: "Key",
      className: "max-w-sm",
      cell: (key) => <Name apiKey={key} isOwn={key.id === apiKeyId} />,
    },
    {
      id: "scopes",
      head: "May",
      wide: true,
      cell: (key) => <span title={key.scopes.join("\n")}>{describeScopes(key.scopes)}</span>,
    },
    {
      id: "by",
      head: "Made by",
      wide: true,
      className: "max-w-44",
      cell: (key) => <Maker name={makerOf(key, nameOf)} />,
    },
    { id: "used", head: "Last used", align: "right", wide: true, cell: ({ lastUsedAt }) => <Time at={lastUsedAt} /> },
    {
      id: "expires",
      head: "Expires",
      align: "right",
      wide: true,
      cell: ({ expiresAt }) =>
        expiresAt === null ? <span className="text-soft">never</span> : <Time at={expiresAt} />,
    },
    ...(hasState
      ? [
          {
            id: "state",
            head: "State",
            wide: true,
            cell: (key: ApiKey) => <State state={stateOfKey(key)} />,
          } satisfies Column<ApiKey>,
        ]
      : []),
    ...(mayWrite
      ? [
          {
            id: "revoke",
            head: <span className="sr-only">Revoke</span>,
            align: "right",
            cell: (key: ApiKey) =>
              key.revokedAt === null && (
                <Button look="quiet" onClick={() => revoke(key)}>
                  Revoke
                </Button>
              ),
          } satisfies Column<ApiKey>,
        ]
      : []),
  ];
}

const Maker = ({ name }: { name: string }) => (
  <p className="truncate text-soft" title={name}>
    {name}
  </p>
);

/** On a phone with what other columns say elsewhere. */
function Name({ apiKey: key, isOwn }: { apiKey: ApiKey; isOwn: boolean }) {
  return (
    <>
      <p className="font-medium [overflow-wrap:anywhere]">
        {visible(key.name)}
        {isOwn && <span className="ml-2 font-normal text-soft">this session</span>}
      </p>
      <p className="font-mono text-xs text-soft">{key.redactedKey}</p>
      <p className="flex flex-wrap gap-x-3 text-xs text-soft md:hidden">
        {key.lastUsedAt === null ? (
          "never used"
        ) : (
          <span>
            used <Time at={key.lastUsedAt} />
          </span>
        )}
        {stateOfKey(key) !== "active" && <State state={stateOfKey(key)} />}
      </p>
    </>
  );
}

const makerOf = ({ createdByKeyId, memberId }: ApiKey, nameOf: (id: string) => string | undefined): string =>
  memberId !== null
    ? visible(nameOf(memberId) ?? "a member")
    : createdByKeyId === null
      ? "the operator"
      : visible(nameOf(createdByKeyId) ?? shortId(createdByKeyId));
