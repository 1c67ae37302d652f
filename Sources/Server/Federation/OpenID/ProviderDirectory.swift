internal import KeyturnBase
internal import KeyturnJose
internal import Model
internal import OAuth

/// What a provider publishes about itself (OpenID Connect Discovery §3), as far as it is used.
struct ProviderMetadata: Hashable, Sendable {
    /// `nil` for a provider without ID tokens.
    let issuer: String?
    let authorizationEndpoint: String
    let tokenEndpoint: String
    let userinfoEndpoint: String?
    let keysURI: String?
    /// RFC 7009.
    let revocationEndpoint: String?
    /// Whether each answer names its issuer (RFC 9207 §3).
    let namesIssuer: Bool
    /// Whether the token endpoint takes the secret in the form alone.
    let secretInForm: Bool

    /// - Throws: ``ConnectionFault`` if it belongs to another issuer, or lacks what is needed.
    init(_ json: JSONValue, issuer: String) throws(ConnectionFault) {
        // Compared literally: Microsoft's shared documents have a template there.
        let told = json["issuer"]?.stringValue
        guard told == issuer || told?.contains("{tenantid}") == true && issuer.hasPrefix(Self.microsoft) else {
            throw ConnectionFault(.misconfigured, "issuer_differs")
        }
        guard let authorization = json["authorization_endpoint"]?.stringValue,
            let token = json["token_endpoint"]?.stringValue, let keys = json["jwks_uri"]?.stringValue
        else { throw ConnectionFault(.misconfigured, "metadata_incomplete") }
        self.issuer = issuer
        authorizationEndpoint = authorization
        tokenEndpoint = token
        userinfoEndpoint = json["userinfo_endpoint"]?.stringValue
        keysURI = keys
        revocationEndpoint = json["revocation_endpoint"]?.stringValue
        namesIssuer = json["authorization_response_iss_parameter_supported"] == true
        let methods = json["token_endpoint_auth_methods_supported"]?.stringArrayValue ?? ["client_secret_basic"]
        secretInForm = !methods.contains("client_secret_basic") && methods.contains("client_secret_post")
    }

    /// Of a provider without a discovery document.
    init(endpoints: [String: String], issuer: String?) throws(ConnectionFault) {
        guard let authorization = endpoints["authorization_endpoint"], let token = endpoints["token_endpoint"] else {
            throw ConnectionFault(.misconfigured, "endpoints_missing")
        }
        self.issuer = issuer
        authorizationEndpoint = authorization
        tokenEndpoint = token
        userinfoEndpoint = endpoints["userinfo_endpoint"]
        keysURI = endpoints["jwks_uri"]
        revocationEndpoint = endpoints["revocation_endpoint"]
        namesIssuer = false
        secretInForm = false
    }

    private static let microsoft = "https://login.microsoftonline.com/"
}

/// Providers' metadata and keys, fetched when they are needed and kept for a while.
actor ProviderDirectory {
    private struct Entry {
        let metadata: ProviderMetadata
        let keys: ProviderKeys?
        let readAt: UnixTime
    }

    /// The provider of a connection, as it is configured: a changed connection is another one.
    private struct Name: Hashable {
        let connection: String
        let issuer: String?
        let isPrivateAllowed: Bool
    }

    private let http: any OutgoingHTTP
    private let ambient: Ambient
    private var entries: [Name: Entry] = [:]
    private static let entriesMax = 1_000
    private static let seconds: Int64 = 3_600

    init(http: any OutgoingHTTP, ambient: Ambient) {
        self.http = http
        self.ambient = ambient
    }

    /// - Throws: ``ConnectionFault``.
    func provider(_ connection: Connection, _ settings: OpenIDConnectionSettings, _ preset: ProviderPreset)
        async throws(ConnectionFault) -> (ProviderMetadata, ProviderKeys?)
    {
        if let endpoints = preset.endpoints?(settings) ?? (settings.endpoints.isEmpty ? nil : settings.endpoints) {
            let metadata = try ProviderMetadata(endpoints: endpoints, issuer: preset.issuer(settings))
            let name = Name(
                connection: connection.id, issuer: metadata.keysURI,
                isPrivateAllowed: connection.allowsPrivateAddresses)
            return (metadata, keys(name, metadata, connection))
        }
        guard let issuer = preset.issuer(settings) else { throw ConnectionFault(.misconfigured, "issuer_missing") }
        let name = Name(
            connection: connection.id, issuer: issuer, isPrivateAllowed: connection.allowsPrivateAddresses)
        let known = entries[name]
        if let known, ambient.now() < known.readAt + Self.seconds { return (known.metadata, known.keys) }
        do throws(ConnectionFault) {
            let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
            let document = try await ProviderRequests(http: http, connection: connection).get(
                base + "/.well-known/openid-configuration")
            let metadata = try ProviderMetadata(document, issuer: issuer)
            return (metadata, keys(name, metadata, connection))
        } catch {
            // What was read before is good for a provider that does not answer now.
            guard error.kind == .unavailable, let known else { throw error }
            return (known.metadata, known.keys)
        }
    }

    private func keys(_ name: Name, _ metadata: ProviderMetadata, _ connection: Connection) -> ProviderKeys? {
        let now = ambient.now()
        if let known = entries[name], known.metadata == metadata {
            entries[name] = Entry(metadata: metadata, keys: known.keys, readAt: now)
            return known.keys
        }
        let requests = ProviderRequests(http: http, connection: connection)
        let keys = metadata.keysURI.map { ProviderKeys(uri: $0, requests: requests) }
        if entries.count >= Self.entriesMax { entries.removeAll() }
        entries[name] = Entry(metadata: metadata, keys: keys, readAt: now)
        return keys
    }
}

/// One provider's keys: fetched again for a key that is not known, and then not for a while, so that tokens with
/// invented key names cause no storm of requests.
actor ProviderKeys {
    private let uri: String
    private let requests: ProviderRequests
    private var set: JSONWebKeySet?
    private var readAt = UnixTime(rawValue: 0)
    private var triedAt: UnixTime?
    /// A reading that is under way.
    private var reading: Task<Result<JSONWebKeySet, ConnectionFault>, Never>?

    init(uri: String, requests: ProviderRequests) {
        self.uri = uri
        self.requests = requests
    }

    /// - Throws: ``ConnectionFault`` if the keys are not available now.
    func candidates(for header: JWSHeader, at now: UnixTime) async throws(ConnectionFault) -> [VerificationKey] {
        let known = set?.candidates(for: header) ?? []
        if !known.isEmpty, now < readAt + Limits.foreignKeySeconds { return known }
        if mayRead(at: now) {
            do throws(ConnectionFault) {
                try await read(at: now)
            } catch {
                // The keys that were read before are good for a provider that does not answer now. A key that is not
                // among them is not known to be wrong.
                guard !known.isEmpty, now < readAt + Limits.foreignKeyStaleSeconds else { throw error }
                return known
            }
        }
        guard let set, now < readAt + Limits.foreignKeyStaleSeconds else { throw ConnectionFault(.unavailable, "keys") }
        return set.candidates(for: header)
    }

    /// The keys once more, for a signature that none of the known ones made: the provider may have a new key under an old
    /// name. As seldom as for a name that is not known.
    ///
    /// - Returns: none, if they were read just now, or cannot be read.
    func renewed(for header: JWSHeader, at now: UnixTime) async -> [VerificationKey] {
        guard mayRead(at: now) else { return [] }
        do throws(ConnectionFault) {
            try await read(at: now)
        } catch {
            return []
        }
        return set?.candidates(for: header) ?? []
    }

    private func mayRead(at now: UnixTime) -> Bool {
        reading != nil || triedAt.map { now >= $0 + Limits.foreignKeyCooldownSeconds } ?? true
    }

    /// Users who come back at once wait for one request.
    private func read(at now: UnixTime) async throws(ConnectionFault) {
        if reading == nil {
            triedAt = now
            // A task of its own: the user who began it may go away while others wait for it.
            reading = Task { [requests, uri] in await Self.fetched(uri, requests) }
        }
        guard let task = reading else { return }
        let fresh = await task.value
        if reading == task { reading = nil }
        (set, readAt) = (try fresh.get(), now)
    }

    private static func fetched(_ uri: String, _ requests: ProviderRequests) async
        -> Result<JSONWebKeySet, ConnectionFault>
    {
        do throws(ConnectionFault) {
            let answer = try await requests.send(
                OutgoingRequest(.get, uri, allowsPrivateAddress: requests.connection.allowsPrivateAddresses))
            guard answer.status == 200, let fresh = try? JSONWebKeySet(parsing: answer.body) else {
                throw ConnectionFault(.unavailable, "keys")
            }
            return .success(fresh)
        } catch {
            return .failure(error)
        }
    }
}
