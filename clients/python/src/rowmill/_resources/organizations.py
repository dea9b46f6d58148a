"""Organizations, their keys, invitations and members."""

from __future__ import annotations

from typing import Any, Optional

from .. import types as t
from .._lists import List
from .._transport import Transport


class ApiKeys:
    """Keys of an organization."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, organization_id: str, body: t.CreateApiKeyBody, **request: Any) -> t.CreatedApiKey:
        """The key is shown once."""
        return self._transport.call("createApiKey", request, path={"organizationId": organization_id}, body=body)

    def list(self, organization_id: str, query: Optional[t.ListApiKeysQuery] = None, **request: Any) -> List[t.ApiKey]:
        return List(self._transport, "listApiKeys", request, path={"organizationId": organization_id}, query=query)

    def get(self, organization_id: str, api_key_id: str, **request: Any) -> t.ApiKey:
        return self._transport.call("getApiKey", request, path={"organizationId": organization_id, "apiKeyId": api_key_id})

    def revoke(self, organization_id: str, api_key_id: str, query: Optional[t.RevokeApiKeyQuery] = None, **request: Any) -> None:
        """With `{"cascade": True}` the keys that were made with it, too."""
        path = {"organizationId": organization_id, "apiKeyId": api_key_id}
        self._transport.call("revokeApiKey", request, path=path, query=query)


class Invitations:
    """Invitations of people."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def create(self, organization_id: str, body: t.CreateInvitationBody, **request: Any) -> t.CreatedInvitation:
        return self._transport.call("createInvitation", request, path={"organizationId": organization_id}, body=body)

    def list(self, organization_id: str, query: Optional[t.ListInvitationsQuery] = None, **request: Any) -> List[t.Invitation]:
        return List(self._transport, "listInvitations", request, path={"organizationId": organization_id}, query=query)

    def get(self, organization_id: str, invitation_id: str, **request: Any) -> t.Invitation:
        return self._transport.call("getInvitation", request, path={"organizationId": organization_id, "invitationId": invitation_id})

    def revoke(self, organization_id: str, invitation_id: str, **request: Any) -> None:
        self._transport.call("revokeInvitation", request, path={"organizationId": organization_id, "invitationId": invitation_id})

    def accept(self, body: t.AcceptInvitationBody, **request: Any) -> t.AcceptedInvitation:
        return self._transport.call("acceptInvitation", request, body=body)


class Members:
    """People of an organization."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport

    def list(self, organization_id: str, query: Optional[t.ListMembersQuery] = None, **request: Any) -> List[t.Member]:
        return List(self._transport, "listMembers", request, path={"organizationId": organization_id}, query=query)

    def get(self, organization_id: str, member_id: str, **request: Any) -> t.Member:
        return self._transport.call("getMember", request, path={"organizationId": organization_id, "memberId": member_id})

    def update(self, organization_id: str, member_id: str, body: t.UpdateMemberBody, **request: Any) -> t.Member:
        return self._transport.call("updateMember", request, path={"organizationId": organization_id, "memberId": member_id}, body=body)

    def remove(self, organization_id: str, member_id: str, **request: Any) -> None:
        self._transport.call("removeMember", request, path={"organizationId": organization_id, "memberId": member_id})


class Organizations:
    """Most of it needs the admin key."""

    def __init__(self, transport: Transport) -> None:
        self._transport = transport
        self.api_keys = ApiKeys(transport)
        self.invitations = Invitations(transport)
        self.members = Members(transport)

    def create(self, body: t.CreateOrganizationBody, **request: Any) -> t.Organization:
        return self._transport.call("createOrganization", request, body=body)

    def list(self, query: Optional[t.ListOrganizationsQuery] = None, **request: Any) -> List[t.Organization]:
        return List(self._transport, "listOrganizations", request, query=query)

    def get(self, organization_id: str, **request: Any) -> t.Organization:
        return self._transport.call("getOrganization", request, path={"organizationId": organization_id})

    def update(self, organization_id: str, body: t.UpdateOrganizationBody, **request: Any) -> t.Organization:
        return self._transport.call("updateOrganization", request, path={"organizationId": organization_id}, body=body)

    def audit_events(self, organization_id: str, query: Optional[t.ListAuditEventsQuery] = None, **request: Any) -> List[t.AuditEvent]:
        return List(self._transport, "listAuditEvents", request, path={"organizationId": organization_id}, query=query)
