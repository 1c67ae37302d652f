public import KeyturnBase
public import KeyturnVerify
internal import KeyturnWire

/// A project's users, tenants, keys and roles, for backends that hold a management key.
///
/// ```swift
/// let management = Management(projectID: "P2…", managementKey: Secret(key))
/// let user = try await management.users.create("andy@example.com", UserDraft(email: "andy@example.com"))
/// ```
///
/// Never put a management key into an app: its holder can act for every user.
public struct Management: Sendable {
    let calls: ManagementCalls

    /// Makes a client. Touches no network.
    ///
    /// - Parameters:
    ///   - projectID: The project to manage.
    ///   - managementKey: A key of that project.
    ///   - baseURL: Where the service is, such as the issuer of a Keyturn server; `nil`: Descope's own, in the region
    ///     that a long project identifier names. Plain `http` only for loopback addresses.
    ///   - transport: Carries every request; `nil`: a URL session of its own.
    public init(
        projectID: String, managementKey: Secret, baseURL: String? = nil, transport: (any HTTPTransport)? = nil
    ) {
        let endpoint = MethodEndpoint(
            baseURL: baseURL ?? Service.descopeURL(of: projectID), projectID: projectID,
            transport: transport ?? URLSessionTransport(), clock: ServiceClock(.live), introducesItself: true)
        calls = ManagementCalls(endpoint: endpoint, key: managementKey)
    }

    /// The project's users.
    public var users: ManagedUsers { ManagedUsers(calls: calls) }
    /// What tests need of users made for tests: codes and links that are sent nowhere.
    public var tests: ManagedTests { ManagedTests(calls: calls) }
    /// Tokens.
    public var jwt: ManagedTokens { ManagedTokens(calls: calls) }
    /// Keys for programs.
    public var accessKeys: ManagedAccessKeys { ManagedAccessKeys(calls: calls) }
    /// Organisations that users belong to.
    public var tenants: ManagedTenants { ManagedTenants(calls: calls) }
    /// Names for sets of permissions.
    public var roles: ManagedRoles { ManagedRoles(calls: calls) }
    /// What roles permit.
    public var permissions: ManagedPermissions { ManagedPermissions(calls: calls) }
    /// The rules for passwords.
    public var passwords: ManagedPasswords { ManagedPasswords(calls: calls) }
    /// What happened.
    public var audit: ManagedAudit { ManagedAudit(calls: calls) }
}

extension Management: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// Names the project alone.
    public var description: String { "Management(\(calls.endpoint.projectID))" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}

/// One request with the management key.
struct ManagementCalls: Sendable {
    let endpoint: MethodEndpoint
    let key: Secret

    @discardableResult
    func post(_ path: String, _ members: [String: JSONValue]) async throws(AuthError) -> MethodReply {
        try await endpoint.post(path, .object(members), presenting: .key(key))
    }

    func get(_ path: String, query: FormParameters = FormParameters()) async throws(AuthError) -> MethodReply {
        try await endpoint.get(path, query: query, presenting: .key(key))
    }

    func patch(_ path: String, _ members: [String: JSONValue]) async throws(AuthError) -> MethodReply {
        try await endpoint.send("PATCH", path, body: .object(members), presenting: .key(key))
    }

    @discardableResult
    func delete(_ path: String) async throws(AuthError) -> MethodReply {
        try await endpoint.send("DELETE", path, body: nil, presenting: .key(key))
    }
}
