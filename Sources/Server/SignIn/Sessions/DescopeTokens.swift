internal import Foundation
public import KeyturnBase
internal import KeyturnJose
public import KeyturnWire
public import Model
internal import OAuth

/// Writes and reads the two tokens of a session of the methods. Both are signed by the project's key; `drn` tells them
/// apart, and neither is accepted as the other.
public struct DescopeTokens: Sendable {
    /// The `drn` claim.
    enum Kind: String, Sendable {
        case session = "DS"
        case refresh = "DSR"
    }

    let project: Project
    private let keys: KeyRing
    private let codec: RefreshTokenCodec
    private let directory: AccessDirectory
    private let ambient: Ambient
    private let algorithm: SignatureAlgorithm

    public init(
        project: Project, keys: KeyRing, secrets: ServerSecrets, directory: AccessDirectory, ambient: Ambient
    ) {
        self.project = project
        self.keys = keys
        codec = RefreshTokenCodec(secrets)
        self.directory = directory
        self.ambient = ambient
        algorithm = SignatureAlgorithm(rawValue: project.signingAlgorithms[0]) ?? .es256
    }

    /// The issuer of these tokens: its last part is the project, as clients of this API expect.
    var issuer: String { "\(project.issuer)/\(project.id)" }

    /// The session token of a grant, which backends check.
    ///
    /// - Parameter isSteppedUp: adds `su` to this token only; a renewed one does not have it.
    func session(_ grant: Grant, of account: Account, isSteppedUp: Bool, at now: UnixTime) throws(MethodProblem)
        -> Secret
    {
        let end = min(grant.idleExpiresAt, grant.absoluteExpiresAt)
        let facts = grant.authentication
        // A session without any method is the operator's own doing.
        let counted =
            facts.methods.isEmpty
            ? account.memberships
            : directory.memberships(account.memberships, of: account.user.id, vouchedBy: facts.tenantID)
        let payload = JSONWriter.object(capacity: 1_024) { json in
            for (name, value) in grant.sessionClaims.management.sorted(by: { $0.key < $1.key }) {
                json.member(named: name, value)
            }
            writeHead(
                .session, subject: account.user.id.rawValue, end: min(now + project.accessTokenSeconds, end), &json,
                at: now)
            json.member("amr", grant.authentication.inClaims.methods)
            json.member("rexp", Self.text(end))
            json.member("gid", grant.id.text)
            if isSteppedUp { json.member("su", true) }
            if let actor = grant.sessionClaims.actor { json.member("act", .object(["sub": .string(actor)])) }
            writeRights(counted, of: account.user, selected: grant.tenantID, &json)
            if !grant.sessionClaims.client.isEmpty { json.member("nsec", .object(grant.sessionClaims.client)) }
        }
        return try sign(payload, at: now)
    }

    /// The current refresh token of a grant.
    func refresh(_ grant: Grant, at now: UnixTime) throws(MethodProblem) -> Secret {
        let payload = JSONWriter.object { json in
            let end = min(grant.idleExpiresAt, grant.absoluteExpiresAt)
            writeHead(.refresh, subject: grant.userID.rawValue, end: end, &json, at: now)
            json.member("amr", grant.authentication.inClaims.methods)
            if let actor = grant.sessionClaims.actor { json.member("act", .object(["sub": .string(actor)])) }
            json.member("rt", codec.encode(RefreshToken(grantID: grant.id, counter: grant.counter)))
        }
        return try sign(payload, at: now)
    }

    /// The session token that an access key is exchanged for. It cannot be renewed.
    ///
    /// - Parameters:
    ///   - user: the user that the key acts for: the `dsub` claim; `nil`: the key's memberships are its own.
    ///   - claims: the key's claims at the top, and the client's additional ones in `nsec`.
    func session(
        ofKey keyID: String, for user: User?, _ memberships: Memberships, tenant: String?, claims: SessionClaims,
        until end: UnixTime, at now: UnixTime
    ) throws(MethodProblem) -> Secret {
        let payload = JSONWriter.object(capacity: 1_024) { json in
            for (name, value) in claims.management.sorted(by: { $0.key < $1.key }) { json.member(named: name, value) }
            writeHead(.session, subject: keyID, end: end, &json, at: now)
            json.member("dsub", user?.id.rawValue)
            json.member("amr", [])
            writeRights(memberships, of: user, selected: tenant, &json)
            if !claims.client.isEmpty { json.member("nsec", .object(claims.client)) }
        }
        return try sign(payload, at: now)
    }

    /// The claims of a genuine token of this project that is of this kind and has not expired; `nil` otherwise.
    func read(_ token: Secret, as kind: Kind, at now: UnixTime) -> JSONValue? {
        let text = token.exposed()
        guard text.utf8.count <= Limits.tokenBytesMax, let jws = try? UnverifiedJWS(text), jws.header.type == "JWT",
            let keyID = jws.header.keyID, let key = keys.verificationKey(keyID, at: now),
            let claims = try? jws.verify(with: key).claims(), claims["drn"]?.stringValue == kind.rawValue,
            claims["iss"]?.stringValue == issuer, claims["aud"]?.stringValue == project.id,
            let expiry = claims["exp"]?.integerValue, now.rawValue < expiry
        else { return nil }
        return claims
    }

    /// The refresh token inside a genuine refresh JWT.
    func refreshToken(in token: Secret, at now: UnixTime) -> RefreshToken? {
        read(token, as: .refresh, at: now)?["rt"]?.stringValue.flatMap { codec.decode(Secret($0)) }
    }

    /// A session token with more claims: the same session, signed anew. Only for management.
    func adding(_ claims: [String: JSONValue], to token: JSONValue, at now: UnixTime) throws(MethodProblem) -> Secret {
        var members = token.objectValue ?? [:]
        for (name, value) in claims where !SessionClaims.reserved.contains(name) { members[name] = value }
        return try sign(JSONValue.object(members).serialized, at: now)
    }

    /// Waits until there is a signing key: called before a token is used up, not after.
    func requireKey() async throws(MethodProblem) {
        guard keys.signer(algorithm, at: ambient.now()) == nil else { return }
        await keys.waitUntilReady([algorithm], at: ambient.now())
        guard keys.signer(algorithm, at: ambient.now()) != nil else { throw .unavailable }
    }

    private func writeHead(_ kind: Kind, subject: String, end: UnixTime, _ json: inout JSONWriter, at now: UnixTime) {
        json.member("iss", issuer)
        json.member("aud", project.id)
        json.member("sub", subject)
        json.member("iat", now.rawValue)
        json.member("exp", end.rawValue)
        json.member("drn", kind.rawValue)
    }

    /// The user's rights, everywhere and in each tenant, as programs are told them. If the user has one tenant, it is
    /// selected.
    private func writeRights(
        _ memberships: Memberships, of user: User?, selected: String?, _ json: inout JSONWriter
    ) {
        let given = directory.entitlements(of: memberships)
        let rights = user.map { given.told(of: $0) } ?? given
        json.member("permissions", rights.everywhere.permissions)
        json.member("roles", rights.everywhere.roles)
        guard !rights.tenants.isEmpty else { return }
        let tenants = rights.tenants.mapValues { rights in
            JSONValue.object([
                "permissions": .array(rights.permissions.map(JSONValue.string)),
                "roles": .array(rights.roles.map(JSONValue.string)),
            ])
        }
        json.member("tenants", .object(tenants))
        let current = selected.flatMap { rights.tenants[$0] == nil ? nil : $0 }
        json.member("dct", current ?? (rights.tenants.count == 1 ? rights.tenants.keys.first : nil))
    }

    private func sign(_ payload: [UInt8], at now: UnixTime) throws(MethodProblem) -> Secret {
        guard let signer = keys.signer(algorithm, at: now), let token = try? signer.idToken.sign(payload) else {
            throw .unavailable
        }
        guard token.utf8.count <= Limits.tokenBytesMax else {
            throw .invalidRequest.saying("the user's tenants, roles and claims do not fit into one token")
        }
        return Secret(token)
    }

    /// RFC 3339.
    private static func text(_ time: UnixTime) -> String {
        Date(timeIntervalSince1970: TimeInterval(time.rawValue)).formatted(.iso8601)
    }
}

extension MethodProblem {
    /// A temporary failure of the server: the same request may succeed later.
    public static let unavailable = MethodProblem(
        code: "E011010", description: "The server is not ready", message: "Try again in a moment", status: 503,
        retryAfterSeconds: 1)
    /// The user must sign in at a connection of their tenant.
    static let singleSignOn = MethodProblem(
        code: "E011003", description: "The request is invalid",
        message: "The user's organisation wants a sign-in at its own provider", status: 403)
    /// The user may not sign in.
    static let userDisabled = MethodProblem(
        code: "E011003", description: "The request is invalid", message: "The user is not enabled", status: 403)
}
