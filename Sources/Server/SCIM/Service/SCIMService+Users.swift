internal import Authority
internal import KeyturnBase
internal import Model
internal import SignIn

/// Users.
extension SCIMService {
    func createUser(_ call: SCIMCall) async throws(SCIMFailure) -> SCIMAnswer {
        let proven = try await provenDomains(of: call.tenant)
        let new = try SCIMFailure.wrap { () throws(SCIMProblem) in
            var attributes = try SCIMResourceReader.read(call.request.body ?? .null, .user)
            attributes["active"] = attributes["active"] ?? true
            var new = NewSCIMUser(
                id: UserID.make(ambient).rawValue, userID: .make(ambient),
                content: try SCIMContent(attributes, .user, isActive: true),
                profile: SCIMProfile(attributes) { proven.contains($0.name) })
            new.connections = connections.connections(of: call.tenant).map(\.id)
            return new
        }
        let record = try await SCIMFailure.store { () async throws(StoreError) in
            try await users.createUser(new, by: try permission(call), at: ambient.now())
        }
        self.record(
            .provisionedUserCreated, call.client, record, reason: record.userID == new.userID ? "new" : "joined",
            changes: .between(nil, record, ambient))
        return try await shown(record, call, status: 201)
    }

    /// PUT and PATCH.
    func changeUser(_ call: SCIMCall) async throws(SCIMFailure) -> SCIMAnswer {
        let proven = try await provenDomains(of: call.tenant)
        let edit = try SCIMFailure.wrap { () throws(SCIMProblem) in
            try SCIMEdit(call.request.method == "PATCH", call.request.body ?? .null, .user)
        }
        // What the directory says of a user must reach the person, whoever that turned out to be since.
        try await rejoin(call.id, call, proven)
        let before = try await SCIMFailure.store { () async throws(StoreError) in
            try await resources.resource(call.id, .user, in: call.tenant)
        }
        let former = try await account(of: before)
        let own = connections.connections(of: call.tenant).map(\.id)
        let outcome = try await SCIMFailure.store { () async throws(StoreError) in
            try await users.changeUser(
                call.id, by: try permission(call), connections: own, provenDomains: proven, at: ambient.now()
            ) { record in
                guard call.allows(record.version) else { return .failure(.changed) }
                do throws(SCIMProblem) {
                    var attributes = try edit.attributes(of: record)
                    // A PUT without it is no word about it.
                    if !edit.isPatch { attributes["active"] = attributes["active"] ?? .bool(record.isActive) }
                    let content = try SCIMContent(attributes, .user, isActive: record.isActive)
                    guard content.attributes != record.attributes else { return .success(nil) }
                    let profile = SCIMProfile(attributes) { proven.contains($0.name) }
                    return .success(SCIMUserChange(content: content, profile: profile))
                } catch {
                    return .failure(error)
                }
            }
        }
        let record = try SCIMFailure.wrap { () throws(SCIMProblem) in try outcome.get() }
        if let before, before.version != record.version {
            tell(of: before, record, call.client)
            // Who signs in with an address hears that it is gone.
            if let former, let present = try await account(of: record), former.user.id == present.user.id {
                await notices.addresses(of: former, changedTo: present, at: ambient.now())
            }
        }
        try await rejoin(call.id, call, proven)
        return try await shown(record, call, status: 200)
    }

    private func account(of record: SCIMRecord?) async throws(SCIMFailure) -> Account? {
        guard let user = record?.userID else { return nil }
        return try await SCIMFailure.store { () async throws(StoreError) in try await accounts.account(user) }
    }

    private func tell(of before: SCIMRecord, _ after: SCIMRecord, _ client: SCIMClient) {
        let changes = AuditChanges.between(before, after, ambient)
        if before.isActive != after.isActive {
            record(
                after.isActive ? .provisionedUserActivated : .provisionedUserDeactivated, client, after,
                changes: changes)
            if !after.isActive { warn(of: after.userID, client) }
        } else {
            let isRenamed = before.attributes["externalId"] != after.attributes["externalId"]
            record(.provisionedUserChanged, client, after, reason: isRenamed ? "external_id" : nil, changes: changes)
        }
    }

    /// A user who may sign in without the tenant's own connection can no longer: the operator may need another one for
    /// the day on which the connection fails.
    private func warn(of user: UserID?, _ client: SCIMClient) {
        guard let user, let tenant = directory.tenant(client.tenantID),
            tenant.singleSignOnExclusions.contains(user.rawValue)
        else { return }
        record(.singleSignOnExclusionLost, client, user: user)
    }

    /// Removes a user or a group.
    func delete(_ call: SCIMCall) async throws(SCIMFailure) -> SCIMAnswer {
        var version: Int64?
        if call.request.ifMatch != nil {
            let present = try await SCIMFailure.store { () async throws(StoreError) in
                try await resources.resource(call.id, call.kind, in: call.tenant)
            }
            guard let present else { throw .problem(.notFound) }
            guard call.allows(present.version) else { throw .problem(.changed) }
            version = present.version
        }
        let proven = try await provenDomains(of: call.tenant)
        if call.kind == .user { try await rejoin(call.id, call, proven) }
        let expected = version
        let own = connections.connections(of: call.tenant).map(\.id)
        let deletion = try await SCIMFailure.store { () async throws(StoreError) in
            switch call.kind {
            case .user:
                try await users.deleteUser(
                    call.id, by: try permission(call), version: expected, connections: own, provenDomains: proven,
                    at: ambient.now())
            case .group:
                try await groups.deleteGroup(
                    call.id, by: try permission(call), version: expected, at: ambient.now())
            }
        }
        switch deletion {
        case .missing: throw .problem(.notFound)
        case .changed: throw .problem(.changed)
        case .deleted(let account, let isAccountRemoved):
            record(
                call.kind == .user ? .provisionedUserRemoved : .provisionedGroupRemoved, call.client, user: account,
                reason: account == nil ? nil : isAccountRemoved ? "account_removed" : "account_kept")
            warn(of: account, call.client)
            return SCIMAnswer(204)
        }
    }

    /// Looks again at who a user is (``SCIMUserStore/rejoin(_:by:_:connections:at:)``).
    private func rejoin(_ id: String, _ call: SCIMCall, _ proven: Set<String>) async throws(SCIMFailure) {
        let people = ProvisionedPeople(
            resources: resources, users: users, tenantID: call.tenant, caller: .directory(tenant: call.tenant),
            provenDomains: proven, connections: connections.connections(of: call.tenant).map(\.id))
        let joined = try await SCIMFailure.store { () async throws(StoreError) in
            try await people.rejoin(id, at: ambient.now())
        }
        guard let joined else { return }
        record(.provisionedUserChanged, call.client, user: joined, reason: "joined")
    }

    /// What a tenant's own directory has. It does not depend on settings.
    func permission(_ call: SCIMCall) throws(StoreError) -> Allowed<Acts.Provision> {
        try ProvisionedPeople.permission(.directory(tenant: call.tenant), for: call.tenant)
    }

    private func provenDomains(of tenant: String) async throws(SCIMFailure) -> Set<String> {
        try await SCIMFailure.store { () async throws(StoreError) in try await domains.names(of: tenant) }
    }
}

/// What a PUT or a PATCH makes of a resource.
struct SCIMEdit: Sendable {
    let isPatch: Bool
    private let patch: SCIMPatch?
    private let whole: [String: JSONValue]

    init(_ isPatch: Bool, _ body: JSONValue, _ kind: SCIMRecord.Kind) throws(SCIMProblem) {
        self.isPatch = isPatch
        patch = isPatch ? try SCIMPatch(body, kind) : nil
        whole = isPatch ? [:] : try SCIMResourceReader.read(body, kind)
    }

    func attributes(of record: SCIMRecord) throws(SCIMProblem) -> [String: JSONValue] {
        guard let patch else { return whole }
        return try patch.applied(to: record.attributes)
    }

    /// What a PATCH does to members.
    func members() throws(SCIMProblem) -> [SCIMGroupChange.Members] { try patch?.members() ?? [] }
}
