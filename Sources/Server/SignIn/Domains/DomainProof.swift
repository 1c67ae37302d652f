public import KeyturnBase
public import Model

/// Reads the TXT records of a name in the DNS.
public protocol TextRecords: Sendable {
    /// The texts; none if there is no such name.
    ///
    /// - Throws: ``TextRecordsUnavailable`` if no name server answers.
    func texts(at name: String) async throws(TextRecordsUnavailable) -> [String]
}

/// No name server answered: nothing is known about the name.
public struct TextRecordsUnavailable: Error {
    public init() {}
}

/// How a tenant proves a domain: by a TXT record with the token of its claim.
public struct DomainProof: Sendable {
    private let records: any TextRecords

    public init(records: any TextRecords) {
        self.records = records
    }

    /// Where the record stands.
    public static func recordName(_ domain: EmailDomain) -> String { "_keyturn-challenge.\(domain.name)" }

    /// What the record holds.
    public static func recordText(_ token: String) -> String { "keyturn-domain-verification=\(token)" }

    /// A new claim.
    public static func claim(_ domain: EmailDomain, of tenant: String, _ ambient: Ambient) -> TenantDomain {
        TenantDomain(
            tenantID: tenant, domain: domain, state: .pending, token: ambient.randomToken(byteCount: 24),
            claimedAt: ambient.now())
    }

    /// Why a text cannot be claimed as a domain.
    public enum Flaw: Hashable, Sendable {
        /// No host name of two labels or more, in ASCII (`xn--` for others), without a dot at the end.
        case malformed
        /// Anyone can have an address there.
        case publicMail
    }

    /// The domain of a text: exactly this one, never those below it.
    public static func read(_ text: String) -> Result<EmailDomain, FlawError> {
        guard text.utf8.allSatisfy({ $0 < 0x80 }), let domain = EmailDomain(text) else {
            return .failure(FlawError(.malformed))
        }
        return PublicMailDomains.contains(domain) ? .failure(FlawError(.publicMail)) : .success(domain)
    }

    /// A ``Flaw`` as an error.
    public struct FlawError: Error, Hashable {
        public let flaw: Flaw

        init(_ flaw: Flaw) {
            self.flaw = flaw
        }
    }

    /// Whether the record of a claim is there.
    public func isThere(_ claim: TenantDomain) async throws(TextRecordsUnavailable) -> Bool {
        try await records.texts(at: Self.recordName(claim.domain)).contains(Self.recordText(claim.token))
    }
}
