internal import Keyturn
internal import KeyturnBase
internal import KeyturnWire

/// A client that signed in as itself, with its secret (RFC 6749 §4.4): what `keyturn login --client-credentials`
/// keeps.
struct StoredClient: Sendable {
    let issuer: String
    let clientID: String
    let secret: Secret
    /// What its tokens are for; `nil`: what the server gives.
    let scope: String?
    /// Where they are used (RFC 8707 §2).
    let resource: [String]
    /// How the server takes the secret; `nil`: that is to be found out.
    var method: ClientAuthenticationMethod?
    /// The last token; `nil`: none was got yet.
    var token: Token?

    struct Token: Sendable {
        let text: Secret
        /// By this machine's clock; `nil`: the server did not say.
        let expiresAt: UnixTime?
        /// What was granted; `nil`: what was asked for.
        let scope: String?

        /// `nil`: unknown.
        func secondsLeft(at now: UnixTime) -> Int64? {
            expiresAt.map { $0.seconds(since: now) }
        }
    }
}

extension StoredClient {
    private static let version: Int64 = 1

    /// The form for a store. Secret.
    var serialized: [UInt8] {
        var members: [String: JSONValue] = [
            "version": .integer(Self.version), "issuer": .string(issuer), "client_id": .string(clientID),
            "client_secret": .string(secret.exposed()), "resource": .array(resource.map { .string($0) }),
        ]
        members["scope"] = scope.map { .string($0) }
        members["method"] = method.map { .string($0.rawValue) }
        members["access_token"] = token.map { .string($0.text.exposed()) }
        members["expires_at"] = token?.expiresAt.map { .integer($0.rawValue) }
        members["granted_scope"] = token?.scope.map { .string($0) }
        return JSONValue.object(members).serialized
    }

    /// Reads what ``serialized`` wrote; `nil` for anything else.
    init?(serialized bytes: [UInt8]) {
        guard let json = try? JSONValue(parsing: bytes), json["version"]?.integerValue == Self.version,
            let issuer = json["issuer"]?.stringValue, let clientID = json["client_id"]?.stringValue,
            let secret = json["client_secret"]?.stringValue
        else { return nil }
        self.init(
            issuer: issuer, clientID: clientID, secret: Secret(secret), scope: json["scope"]?.stringValue,
            resource: json["resource"]?.stringArrayValue ?? [])
        method = json["method"]?.stringValue.flatMap(ClientAuthenticationMethod.init(rawValue:))
        token = json["access_token"]?.stringValue.map { text in
            Token(
                text: Secret(text),
                expiresAt: json["expires_at"]?.integerValue.map { UnixTime(rawValue: $0) },
                scope: json["granted_scope"]?.stringValue)
        }
    }
}

/// Where clients are kept that signed in as themselves: sealed where sessions are, each beside the session of its name.
struct StoredClients: Sendable {
    private let store: any SessionStore
    private let ambient: Ambient

    /// A client as it is stored, and which record that is.
    struct Found: Sendable {
        let client: StoredClient
        fileprivate let generation: Generation

        /// Whether both come of one sign-in, and differ in the token at most.
        func isSameSignIn(as other: Found) -> Bool { generation.signIn == other.generation.signIn }
    }

    init(_ store: (any SessionStore)? = nil, ambient: Ambient = .live) {
        self.store = store ?? SessionStorage.automatic.makeStore(ambient: ambient)
        self.ambient = ambient
    }

    /// Under which name of the store it lies.
    static func place(_ name: String) -> String { name + suffix }

    /// Whether a name is the place of another one's client.
    static func isPlace(_ name: String) -> Bool { name.hasSuffix(suffix) }

    private static let suffix = "/client-credentials"

    /// The client of `name`; `nil`: there is none.
    ///
    /// - Throws: `store.unavailable`; `store.key_lost`.
    func find(_ name: String) async throws(AuthError) -> Found? {
        switch await store.read(Self.place(name)) {
        case .absent: return nil
        case .unavailable(let error): throw error
        case .found(let record):
            guard let client = StoredClient(serialized: record.contents) else {
                throw AuthError(.storeKeyLost, "what is stored of the client was not written by this program")
            }
            return Found(client: client, generation: record.generation)
        }
    }

    /// Keeps a client that has signed in, in the place of what was there.
    ///
    /// - Throws: `store.unavailable`.
    func begin(_ client: StoredClient, as name: String) async throws(AuthError) {
        let generation = Generation(signIn: ambient.randomToken(byteCount: 16), number: 1)
        _ = try await store.write(
            StoredRecord(generation: generation, contents: client.serialized), for: Self.place(name), when: .always)
    }

    /// Keeps a new token. If it cannot be kept, or the client has signed out meanwhile, the next command gets another.
    func renew(_ found: Found, with client: StoredClient, as name: String) async {
        let next = Generation(signIn: found.generation.signIn, number: found.generation.number + 1)
        _ = try? await store.write(
            StoredRecord(generation: next, contents: client.serialized), for: Self.place(name),
            when: .generation(found.generation))
    }

    /// Forgets the client as it was found.
    ///
    /// - Returns: `false` if what is stored is another by now: it stays.
    /// - Throws: `store.unavailable`.
    func remove(_ found: Found, as name: String) async throws(AuthError) -> Bool {
        try await store.remove(Self.place(name), when: .generation(found.generation)) == .done
    }

    /// Forgets the client, readable or not.
    ///
    /// - Throws: `store.unavailable`.
    func remove(_ name: String) async throws(AuthError) {
        _ = try await store.remove(Self.place(name), when: .always)
    }
}
