public import KeyturnBase
public import Model
public import SignIn

/// Provisioning of a tenant's users and groups by its own directory (RFC 7643, RFC 7644, RFC 9865), without HTTP.
public struct SCIMService: Sendable {
    let resources: any SCIMResourceStore
    let users: any SCIMUserStore
    let accounts: any UserStore
    let groups: any SCIMGroupStore
    let connections: ConnectionDirectory
    let directory: AccessDirectory
    let domains: TenantDomains
    let cursors: SCIMCursors
    let notices: SecurityNotices
    let audit: any AuditLog
    let ambient: Ambient
    /// The address of the interface.
    let base: String

    public init(
        issuer: String, stores: Stores, connections: ConnectionDirectory, directory: AccessDirectory,
        domains: TenantDomains, secrets: ServerSecrets, notices: SecurityNotices, audit: any AuditLog, ambient: Ambient
    ) {
        resources = stores.provisioned
        users = stores.provisionedUsers
        accounts = stores.users
        groups = stores.provisionedGroups
        self.connections = connections
        self.directory = directory
        self.domains = domains
        cursors = SCIMCursors(secrets, ambient: ambient)
        self.notices = notices
        self.audit = audit
        self.ambient = ambient
        base = issuer + "/scim/v2"
    }

    /// Answers a request about users and groups. Nothing of another tenant is read or changed.
    public func answer(_ request: SCIMRequest, from client: SCIMClient) async throws(StoreError) -> SCIMAnswer {
        let outcome: Result<SCIMAnswer, SCIMProblem>
        do throws(SCIMFailure) {
            outcome = .success(try await dispatch(request, client))
        } catch {
            switch error {
            case .store(let error) where error.code == .conflict: outcome = .failure(.taken)
            case .store(let error) where error.code == .missing: outcome = .failure(.notFound)
            case .store(let error): throw error
            case .problem(let problem): outcome = .failure(problem)
            }
        }
        switch outcome {
        case .success(let answer): return answer
        case .failure(let problem):
            return .refusal(problem.status, kind: problem.kind?.rawValue, problem.detail)
        }
    }

    private func dispatch(_ request: SCIMRequest, _ client: SCIMClient) async throws(SCIMFailure) -> SCIMAnswer {
        if request.path == ["Bulk"], request.method == "POST" { return try await bulk(request.body, client) }
        if request.path == [".search"], request.method == "POST" { return try await searchAll(request, client) }
        guard let kind = ["Users": SCIMRecord.Kind.user, "Groups": .group][request.path.first ?? ""] else {
            throw .problem(.notFound)
        }
        let call = SCIMCall(request: request, client: client, kind: kind)
        switch (request.method, request.path.count) {
        case ("GET", 1):
            return try await search(
                call,
                try SCIMFailure.wrap { () throws(SCIMProblem) in
                    try SCIMSearch(query: request.query)
                })
        case ("POST", 2) where request.path[1] == ".search":
            return try await search(
                call,
                try SCIMFailure.wrap { () throws(SCIMProblem) in
                    try SCIMSearch(body: request.body)
                })
        case ("POST", 1): return kind == .user ? try await createUser(call) : try await createGroup(call)
        case ("GET", 2): return try await read(call)
        case ("PUT", 2), ("PATCH", 2):
            return kind == .user ? try await changeUser(call) : try await changeGroup(call)
        case ("DELETE", 2): return try await delete(call)
        default: throw .problem(.notFound)
        }
    }

    func record(
        _ kind: AuditEvent.Kind, _ client: SCIMClient, _ record: SCIMRecord? = nil, user: UserID? = nil,
        reason: String? = nil, changes: AuditChanges? = nil
    ) {
        audit.record(
            AuditEvent(
                kind, at: ambient.now(), userID: user ?? record?.userID, address: client.address, reason: reason,
                actor: "scim:\(client.tokenID)", target: record?.kind == .group ? record?.id : client.tenantID,
                changes: changes))
    }
}

/// A request about one kind of resource.
struct SCIMCall: Sendable {
    let request: SCIMRequest
    let client: SCIMClient
    let kind: SCIMRecord.Kind

    var tenant: String { client.tenantID }
    /// The identifier in the address; empty: none.
    var id: String { request.path.count > 1 ? request.path[1] : "" }

    /// Whether the request may change, or wants to see, this version. An entity tag is weak, and matches its strong
    /// form as well.
    func allows(_ version: Int64) -> Bool {
        request.ifMatch.map { Self.names(version, in: $0) } ?? true
    }

    /// Whether the client has this version already.
    func knows(_ version: Int64) -> Bool {
        request.ifNoneMatch.map { Self.names(version, in: $0) } ?? false
    }

    private static func names(_ version: Int64, in field: String) -> Bool {
        field.split(separator: ",").prefix(16).contains { part in
            let tag = part.filter { $0 != " " }
            return tag == "*" || tag == "W/\"\(version)\"" || tag == "\"\(version)\""
        }
    }
}

/// Why a call ends without its answer.
enum SCIMFailure: Error {
    case problem(SCIMProblem)
    case store(StoreError)

    static func wrap<Value>(_ body: () throws(SCIMProblem) -> Value) throws(SCIMFailure) -> Value {
        do throws(SCIMProblem) { return try body() } catch { throw .problem(error) }
    }

    static func store<Value>(_ body: () async throws(StoreError) -> Value) async throws(SCIMFailure) -> Value {
        do throws(StoreError) { return try await body() } catch { throw .store(error) }
    }
}
