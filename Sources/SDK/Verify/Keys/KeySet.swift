public import KeyturnBase
public import KeyturnJose
internal import KeyturnWire

/// An issuer's keys, fetched when they are needed and kept for as long as the issuer allows.
///
/// Make one for each issuer and share it. Verifying with keys at hand makes no request. A key name that is not among
/// them causes one new fetch, so that a rotated key is found at once, and then none for
/// ``VerifyLimits/keyCooldownSeconds``, so that invented names cause no storm. The same holds for a token that none of
/// the keys has signed, where token or keys have no names. However many tasks wait, one request is under way.
///
/// When keys cannot be fetched, those at hand serve for another ``VerifyLimits/staleKeySeconds``. A token that they
/// cannot decide about causes the next attempt after ``VerifyLimits/keyFailurePauseSeconds``; a sign-in causes it at
/// once (``open(_:at:askingAtOnce:)``).
public struct KeySet: KeySource, SharedKeySource {
    private let keeper: KeyKeeper

    /// The keys at a known address.
    ///
    /// - Parameters:
    ///   - jwksURI: The key set document (RFC 7517 §5). Plain `http` only for loopback addresses.
    ///   - transport: Carries the requests; `nil`: a ``URLSessionTransport``.
    public init(jwksURI: String, transport: (any HTTPTransport)? = nil) {
        keeper = KeyKeeper(.address(jwksURI), transport: transport ?? URLSessionTransport())
    }

    /// The keys that `issuer` publishes, found through its metadata (OpenID Connect Discovery §4).
    ///
    /// - Parameters:
    ///   - issuer: The issuer, exactly as it spells itself.
    ///   - transport: Carries the requests; `nil`: a ``URLSessionTransport``.
    public init(issuer: String, transport: (any HTTPTransport)? = nil) {
        keeper = KeyKeeper(.issuer(issuer), transport: transport ?? URLSessionTransport())
    }

    public func open(_ jws: UnverifiedJWS, at now: UnixTime) async throws(AuthError) -> VerifiedJWS {
        try await open(jws, at: now, askingAtOnce: false)
    }

    public func open(
        _ jws: UnverifiedJWS, at now: UnixTime, askingAtOnce: Bool
    ) async throws(AuthError) -> VerifiedJWS {
        try await opened(jws, at: now, askingAtOnce: askingAtOnce, for: nil)
    }

    package func open(
        _ jws: UnverifiedJWS, at now: UnixTime, askingAtOnce: Bool, issuer: String
    ) async throws(AuthError) -> VerifiedJWS {
        try await opened(jws, at: now, askingAtOnce: askingAtOnce, for: issuer)
    }

    private func opened(
        _ jws: UnverifiedJWS, at now: UnixTime, askingAtOnce: Bool, for issuer: String?
    ) async throws(AuthError) -> VerifiedJWS {
        // Signatures are checked out here, in parallel, and not inside the actor.
        let known = try await keeper.candidates(for: jws, at: now, atOnce: askingAtOnce)
        do throws(AuthError) {
            return try jws.open(withAnyOf: known, for: issuer)
        } catch {
            // A key of the right name decides, except for a sign-in: some issuers give a new key an old name.
            guard askingAtOnce || !known.areNamed else { throw error }
            let others = try await keeper.others(for: jws, refusal: error, at: now, atOnce: askingAtOnce)
            return try jws.open(withAnyOf: others, for: issuer)
        }
    }

    /// Fetches the keys now unless current ones are at hand, so that the first token does not wait for it.
    ///
    /// - Throws: `transport.unavailable` or `protocol.violation` if there is none to use.
    public func warmUp(at now: UnixTime) async throws(AuthError) {
        try await keeper.warmUp(at: now)
    }
}

/// Fetches keys, at most once at a time, and remembers them. The rules of when are in ``KeyCache``.
actor KeyKeeper {
    enum Origin: Sendable {
        case address(String)
        case issuer(String)
    }

    private let origin: Origin
    private let transport: any HTTPTransport
    private var cache = KeyCache()
    /// Where the issuer's metadata said the keys are. Forgotten when fetching from there fails.
    private var address: String?
    private var fetching: Task<Void, Never>?

    init(_ origin: Origin, transport: any HTTPTransport) {
        self.origin = origin
        self.transport = transport
    }

    /// The keys that may have signed `jws`; at least one.
    func candidates(for jws: UnverifiedJWS, at now: UnixTime, atOnce: Bool) async throws(AuthError) -> KeyCandidates {
        var mayFetch = true
        while true {
            switch cache.look(for: jws, at: now, mayFetch: mayFetch, atOnce: atOnce) {
            case .found(let keys): return keys
            case .refused(let error): throw error
            case .fetch: await fetch(at: now)
            }
            mayFetch = false
        }
    }

    /// The keys to try when none of those at hand has signed `jws`: what the issuer publishes now.
    ///
    /// - Throws: `refusal` if it is too early to ask again; why the keys could not be fetched.
    func others(
        for jws: UnverifiedJWS, refusal: AuthError, at now: UnixTime, atOnce: Bool
    ) async throws(AuthError) -> KeyCandidates {
        guard cache.mayAskForOthers(at: now, atOnce: atOnce) else { throw cache.failure ?? refusal }
        await fetch(at: now)
        if let failure = cache.failure { throw failure }
        guard case .found(let keys) = cache.look(for: jws, at: now, mayFetch: false, atOnce: atOnce) else {
            throw refusal
        }
        return keys
    }

    func warmUp(at now: UnixTime) async throws(AuthError) {
        if cache.isDue(at: now) { await fetch(at: now) }
        try cache.checkUsable(at: now)
    }

    private func fetch(at now: UnixTime) async {
        // Unstructured on purpose: one caller's cancellation must not cancel what others wait for.
        let task = fetching ?? Task { await fetchOnce(at: now) }
        fetching = task
        await task.value
    }

    private func fetchOnce(at now: UnixTime) async {
        defer { fetching = nil }
        do throws(AuthError) {
            let response = try await document()
            let table = try KeyTable(parsing: response.body)
            cache.put(table, lifetimeSeconds: response.lifetimeSeconds, at: now)
        } catch {
            address = nil
            cache.note(error, at: now)
        }
    }

    private func document() async throws(AuthError) -> HTTPResponse {
        let request = HTTPRequest(
            url: try await location(),
            headers: [("Accept", "application/jwk-set+json, application/json")],
            timeoutSeconds: VerifyLimits.keyFetchSeconds)
        return try await transport.document(request, kind: "key set")
    }

    private func location() async throws(AuthError) -> String {
        switch origin {
        case .address(let address): return address
        case .issuer(let issuer):
            if let address { return address }
            let metadata = try await Discovery(transport: transport)
                .metadata(of: issuer, timeoutSeconds: VerifyLimits.keyFetchSeconds)
            let found = try metadata.endpoint(.jwksURI)
            address = found
            return found
        }
    }
}

extension HTTPResponse {
    /// How long the answer is current, in seconds, by its `Cache-Control` (RFC 9111 §5.2.2), within our own bounds.
    var lifetimeSeconds: Int64 {
        let directives = (header("cache-control") ?? "").lowercased().split(separator: ",")
            .map { $0.drop(while: { $0 == " " || $0 == "\t" }) }
        let age = directives.lazy.filter { $0.hasPrefix("max-age=") }
            .compactMap { Int64($0.dropFirst("max-age=".count).prefix(while: \.isNumber)) }.first
        let stated = directives.contains { $0.hasPrefix("no-store") || $0.hasPrefix("no-cache") } ? 0 : age
        return min(
            max(stated ?? VerifyLimits.keySecondsDefault, VerifyLimits.keySecondsMin), VerifyLimits.keySecondsMax)
    }
}
