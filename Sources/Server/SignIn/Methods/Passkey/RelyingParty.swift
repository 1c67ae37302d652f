public import KeyturnBase
public import KeyturnWebAuthn
internal import Model

/// A domain that passkeys are made for, and the clients that may ask for them (WebAuthn Level 3 §4, relying party).
public struct RelyingParty: Sendable {
    /// An Android app that may use the domain's passkeys (Digital Asset Links).
    public struct AndroidApp: Hashable, Sendable {
        public let packageName: String
        /// SHA-256 of each certificate that the app may be signed with: pairs of hexadecimal digits between colons.
        public let fingerprints: [String]

        public init(packageName: String, fingerprints: [String]) {
            self.packageName = packageName
            self.fingerprints = fingerprints
        }
    }

    public internal(set) var policy: WebAuthnPolicy
    /// Identifies the relying party in requests of its pages and apps; not secret.
    public let publishableKey: String?
    /// The digests of the secret keys of its backends, in the order of the configuration.
    let secretDigests: [SecretDigest]
    /// Apple's apps that may use the domain's passkeys: `TEAMID.bundle.identifier`.
    public let appleApps: [String]
    public let androidApps: [AndroidApp]
    /// The trust anchors of authenticators; `nil`: none.
    let trust: (any AttestationTrust)?

    /// - Parameter secretKeys: each opens the calls of backends; two while one replaces the other. Empty: no backend may
    ///   call.
    public init(
        policy: WebAuthnPolicy, publishableKey: String? = nil, secretKeys: [Secret] = [], appleApps: [String] = [],
        androidApps: [AndroidApp] = [], trust: (any AttestationTrust)? = nil
    ) {
        self.policy = policy
        self.publishableKey = publishableKey
        secretDigests = secretKeys.map(SecretDigest.init(of:))
        self.appleApps = appleApps
        self.androidApps = androidApps
        self.trust = trust
    }

    /// The domain.
    public var id: String { policy.rpID }

    /// Whether a secret key is the one that another one replaces.
    public func isOutdated(secretKey key: Secret) -> Bool {
        guard secretDigests.count > 1 else { return false }
        return ConstantTime.equal(secretDigests[0].bytes, SecretDigest(of: key).bytes)
    }

    /// Whether a page of this origin may ask.
    public func admits(origin: String) -> Bool {
        policy.origins.contains(origin) || policy.relatedOrigins.contains(origin)
    }
}

/// Every relying party of a server.
public struct RelyingParties: Sendable {
    public let all: [RelyingParty]
    /// The relying party of this server's own pages; `nil` if their address cannot have passkeys, for example an IP
    /// address.
    public let own: RelyingParty?
    /// The origin of this server's pages.
    let pageOrigin: String

    /// - Parameters:
    ///   - configured: no two of the same domain.
    ///   - issuer: where this server's pages are. If a configured relying party covers them, it admits their origin.
    ///   - name: the name of the issuer's own relying party, if none is configured.
    public init(_ configured: [RelyingParty], issuer: String, name: String) {
        var all = configured
        let origin = Self.origin(of: issuer)
        if let index = all.firstIndex(where: { $0.admits(origin: origin) }) {
            own = all[index]
        } else if let index = all.firstIndex(where: { $0.policy.adding(origin: origin) != nil }),
            let policy = all[index].policy.adding(origin: origin)
        {
            all[index].policy = policy
            own = all[index]
        } else if let host = URIParts(issuer)?.host,
            let policy = try? WebAuthnPolicy(rpID: host.text, rpName: name, origins: [origin])
        {
            all.append(RelyingParty(policy: policy))
            own = all.last
        } else {
            own = nil
        }
        self.all = all
        pageOrigin = origin
    }

    /// The relying party whose pages and apps use this key.
    public func party(publishableKey key: String) -> RelyingParty? {
        all.first { $0.publishableKey == key }
    }

    /// The relying party whose backends use this key. Takes the same time for every wrong one.
    public func party(secretKey key: Secret) -> RelyingParty? {
        let digest = SecretDigest(of: key)
        var found: RelyingParty?
        for party in all {
            for known in party.secretDigests where ConstantTime.equal(known.bytes, digest.bytes) { found = party }
        }
        return found
    }

    /// The relying party whose pages have that origin.
    public func party(origin: String) -> RelyingParty? {
        all.first { $0.admits(origin: origin) }
    }

    /// The relying party of that domain.
    public func party(id: String) -> RelyingParty? {
        all.first { $0.id == id }
    }

    /// Scheme, host and port (RFC 6454 §6.2).
    static func origin(of issuer: String) -> String {
        URIParts.origin(of: issuer) ?? issuer
    }
}

extension WebAuthnPolicy {
    /// The same policy with one more origin; `nil` if that belongs to another domain.
    func adding(origin: String) -> WebAuthnPolicy? {
        try? WebAuthnPolicy(
            rpID: rpID, rpName: rpName, origins: origins.union([origin]), relatedOrigins: relatedOrigins,
            topOrigins: topOrigins, allowsCrossOrigin: allowsCrossOrigin, userVerification: userVerification,
            residentKey: residentKey, algorithms: algorithms, backup: backup, signatureCounter: signatureCounter,
            attestation: attestation, timeoutMilliseconds: timeoutMilliseconds)
    }
}
