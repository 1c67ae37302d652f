"""Each filter of the searches for users and audit events changes the answer; `total` counts every match."""

from __future__ import annotations

import datetime
import time

import pytest
from descope import AssociatedTenant
from descope.management.common import Sort

from support.methods import new_email, new_phone, refused


class People:
    """Two users who differ in everything that a filter can ask for."""

    def __init__(self, project):
        self.project, self.mgmt = project, project.mgmt
        run = f"{time.time_ns():x}"
        self.mark = f"filter{run}"
        self.tenant = self.mgmt.tenant.create("Filtered", f"tenant-{run}")["id"]
        for role in (f"reader-{run}", f"writer-{run}"):
            self.mgmt.role.create(role)
        self.reader, self.writer = f"reader-{run}", f"writer-{run}"
        self.anna_login, self.ben_login = new_email("anna"), new_email("ben")
        self.ben_phone = new_phone()
        self.anna = self.mgmt.user.create(
            self.anna_login,
            email=self.anna_login,
            display_name=f"Anna {self.mark}",
            verified_email=True,
            user_tenants=[AssociatedTenant(self.tenant, role_names=[self.reader])],
        )["user"]
        # Times are in whole seconds.
        time.sleep(1.1)
        self.between = int(time.time() * 1000)
        time.sleep(1.1)
        self.ben = self.mgmt.user.create(
            self.ben_login,
            email=self.ben_login,
            phone=self.ben_phone,
            additional_login_ids=[self.ben_phone],
            display_name=f"Ben {self.mark}",
            verified_email=True,
            user_tenants=[AssociatedTenant(self.tenant, role_names=[self.reader, self.writer])],
        )["user"]

    def found(self, **filters) -> list[str]:
        """The first names of those whom a search finds, in its order."""
        answer = self.mgmt.user.search_all(text=filters.pop("text", self.mark), **filters)
        return [user["name"].split()[0] for user in answer["users"]]

    def raw(self, **members) -> dict:
        """A search with a body of our own."""
        key = f"{self.project.id}:{self.project.management_key}"
        answer = self.project.wire.post("/v2/mgmt/user/search", {"text": self.mark, **members}, bearer=key)
        assert answer.status_code == 200, answer.text
        return answer.json()


@pytest.fixture(scope="module")
def people(project):
    return People(project)


def roles_of(tenant: str, *values: str, both: bool) -> dict:
    return {tenant: {"values": list(values), "and": both}}


def test_user_identifiers(people):
    assert people.found() == ["Anna", "Ben"]
    assert people.found(user_ids=[people.ben["userId"]]) == ["Ben"]
    assert people.found(user_ids=["nobody"]) == []
    assert people.found(login_ids=[people.anna_login]) == ["Anna"]
    assert people.found(emails=[people.ben_login]) == ["Ben"]
    # Conditions of two kinds must both hold.
    assert people.found(emails=[people.anna_login], phones=[people.ben_phone]) == []
    assert people.found(emails=[people.ben_login], phones=[people.ben_phone]) == ["Ben"]


def test_users_by_roles_in_a_tenant(people):
    names = {"tenant_role_names": roles_of(people.tenant, people.reader, people.writer, both=False)}
    assert people.found(**names) == ["Anna", "Ben"]
    assert people.found(tenant_role_names=roles_of(people.tenant, people.writer, both=False)) == ["Ben"]
    assert people.found(tenant_role_names=roles_of(people.tenant, people.reader, people.writer, both=True)) == ["Ben"]
    assert people.found(tenant_role_names=roles_of(people.tenant, "no such role", both=False)) == []
    assert people.found(tenant_role_names=roles_of(people.tenant, people.reader, "no such role", both=True)) == []
    assert people.found(tenant_role_names=roles_of("no-such-tenant", people.reader, both=False)) == []
    ids = {role["name"]: role["id"] for role in people.mgmt.role.load_all()["roles"]}
    assert people.found(tenant_role_ids=roles_of(people.tenant, ids[people.writer], both=False)) == ["Ben"]
    both = roles_of(people.tenant, ids[people.reader], ids[people.writer], both=True)
    assert people.found(tenant_role_ids=both) == ["Ben"]


def test_users_by_time(people):
    assert people.found(from_created_time=people.between) == ["Ben"]
    assert people.found(to_created_time=people.between) == ["Anna"]
    assert people.found(from_modified_time=people.between) == ["Ben"]
    assert people.found(to_modified_time=people.between) == ["Anna"]


def test_users_in_order(people):
    assert people.found(sort=[Sort("name", desc=True)]) == ["Ben", "Anna"]
    assert people.found(sort=[Sort("name")]) == ["Anna", "Ben"]
    assert people.found(sort=[Sort("createdTime", desc=True)]) == ["Ben", "Anna"]
    assert people.found(sort=[Sort("status"), Sort("email", desc=True)]) == ["Ben", "Anna"]
    assert people.found(sort=[Sort("name", desc=True)], limit=1, page=1) == ["Anna"]
    refused(lambda: people.found(sort=[Sort("shoe size")]), status=400)


def test_what_no_user_has(people):
    """Nothing here is an SSO application or a family: such a filter finds no one."""
    assert people.found(sso_app_ids=["app"]) == []
    assert people.found(family_ids=["family"]) == []
    assert people.found(dependent=True) == [] and people.found(dependent=False) == ["Anna", "Ben"]
    assert people.found(lock_reasons=["password"]) == []
    refused(lambda: people.found(temp_lock_reasons=["password"]), status=400)
    key = f"{people.project.id}:{people.project.management_key}"
    unknown = people.project.wire.post("/v2/mgmt/user/search", {"shoeSizes": [42]}, bearer=key)
    assert unknown.status_code == 400 and "shoeSizes" in unknown.text


def test_total_of_users(people):
    assert people.raw(limit=1)["total"] == 2
    assert people.raw(limit=1, page=5) == {"users": [], "total": 2}
    assert people.raw(userIds=[people.anna["userId"]])["total"] == 1


class Trail:
    """What the audit log says of two users, one of them signed in from another network."""

    def __init__(self, people):
        self.people, self.project, self.mgmt = people, people.project, people.project.mgmt
        self.begun = datetime.datetime.now() - datetime.timedelta(seconds=30)
        self.mgmt.user.set_active_password(people.anna_login, "Nine-blue-herons-1!")
        self.mgmt.user.set_active_password(people.ben_login, "Nine-blue-herons-2!")
        for login, password, network in (
            (people.anna_login, "Nine-blue-herons-1!", "203.0.113.7"),
            (people.ben_login, "Nine-blue-herons-2!", "203.0.113.8"),
        ):
            body = {"loginId": login, "password": password}
            answer = self.project.wire.post("/v1/auth/password/signin", body, network=network)
            assert answer.status_code == 200, answer.text
        self.stranger = self.mgmt.user.create(new_email("carl"), display_name="Carl")["user"]["userId"]
        self.users = [people.anna["userId"], people.ben["userId"], self.stranger]

    def found(self, **filters) -> list[dict]:
        filters.setdefault("user_ids", self.users)
        return self.mgmt.audit.search(**filters)["audits"]

    def whose(self, **filters) -> set[str]:
        """The users of the events that a search finds."""
        names = {self.users[0]: "anna", self.users[1]: "ben", self.users[2]: "carl"}
        return {names.get(audit["userId"], "others") for audit in self.found(**filters)}

    def actions(self, **filters) -> set[str]:
        return {audit["action"] for audit in self.found(**filters)}


@pytest.fixture(scope="module")
def trail(people):
    return Trail(people)


def test_audit_actions(trail):
    everything = trail.actions()
    assert {"user.created", "sign_in.succeeded"} <= everything
    assert trail.actions(actions=["user.created"]) == {"user.created"}
    assert trail.actions(excluded_actions=["user.created"]) == everything - {"user.created"}
    assert trail.found(actions=["user.created"], excluded_actions=["user.created"]) == []


def test_audit_of_login_ids(trail):
    assert trail.whose(user_ids=None, login_ids=[trail.people.anna_login]) == {"anna"}
    assert trail.found(user_ids=None, login_ids=["nobody@nowhere.example"]) == []
    (event, *_) = trail.found(user_ids=None, login_ids=[trail.people.anna_login])
    assert event["loginIds"] == [trail.people.anna_login]


def test_audit_of_tenants(trail):
    assert trail.whose(tenants=[trail.people.tenant]) == {"anna", "ben"}
    assert trail.whose(tenants=[trail.people.tenant], no_tenants=True) == {"anna", "ben", "carl"}
    assert trail.whose(tenants=["no-such-tenant"]) == set()
    assert {tuple(audit["tenants"]) for audit in trail.found(tenants=[trail.people.tenant])} == {(trail.people.tenant,)}


def test_audit_of_addresses(trail):
    assert trail.whose(remote_addresses=["203.0.113.8"]) == {"ben"}
    assert trail.whose(remote_addresses=["203.0.113.7", "203.0.113.8"]) == {"anna", "ben"}
    assert trail.found(remote_addresses=["192.0.2.1"]) == []


def test_audit_of_methods(trail):
    assert trail.actions(methods=["password"]) == {"sign_in.succeeded"}
    assert trail.found(methods=["totp"]) == []


def test_audit_of_what_is_not_known(trail):
    """No event knows a country; of devices, none but that they are unknown."""
    assert trail.found(geos=["DK"]) == []
    assert trail.found(devices=["Mobile"]) == []
    assert trail.whose(devices=["Unknown"]) == {"anna", "ben", "carl"}


def test_audit_of_text_and_time(trail):
    assert trail.whose(text="203.0.113.8") == {"ben"}
    assert trail.whose(text=trail.users[0]) == {"anna"}
    assert trail.found(to_ts=trail.begun - datetime.timedelta(days=1)) == []
    assert trail.found(from_ts=datetime.datetime.now() + datetime.timedelta(days=1)) == []


def test_total_of_audit(trail):
    key = f"{trail.project.id}:{trail.project.management_key}"
    body = {"userIds": [trail.users[2]]}
    count = len(trail.project.wire.post("/v1/mgmt/audit/search", body, bearer=key).json()["audits"])
    answer = trail.project.wire.post("/v1/mgmt/audit/search", {**body, "limit": 1, "page": 7}, bearer=key).json()
    assert answer == {"audits": [], "total": count} and count >= 1
    unknown = trail.project.wire.post("/v1/mgmt/audit/search", {"shoeSizes": [42]}, bearer=key)
    assert unknown.status_code == 400 and "shoeSizes" in unknown.text
