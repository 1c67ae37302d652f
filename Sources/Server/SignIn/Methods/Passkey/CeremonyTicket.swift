internal import Crypto
internal import KeyturnBase
internal import KeyturnWebAuthn
internal import Model

/// What a challenge says to us, and to nobody else: it is sealed, and nothing is stored until it is answered.
struct CeremonyTicket: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        case registration = 1
        case authentication = 2
    }

    let kind: Kind
    /// The client was asked to be quiet about it (`mediation: conditional`).
    let isConditional: Bool
    let expiresAt: UnixTime
    /// The domain.
    let relyingParty: String
    let binding: CeremonyBinding
    /// Of a registration: whose credential it becomes. Empty otherwise.
    let userHandle: [UInt8]
}

/// What an answer must come with, beside the challenge: a browser, a user's name, a transaction. 32 bytes.
struct CeremonyBinding: Hashable, Sendable {
    let bytes: [UInt8]

    /// - Parameters:
    ///   - use: keeps different uses apart.
    ///   - parts: what it is bound to, each as it will be shown again.
    init(_ use: Use, _ parts: [String] = []) {
        var hash = SHA256()
        hash.update(data: Array(use.rawValue.utf8))
        for part in parts {
            // Lengths go in, so that no two lists of parts are one text.
            hash.update(data: [0] + Array(String(part.utf8.count).utf8) + [0] + Array(part.utf8))
        }
        bytes = Array(hash.finalize())
    }

    fileprivate init(storedBytes: [UInt8]) {
        bytes = storedBytes
    }

    enum Use: String {
        /// A site's own user, who is named when the answer has been judged.
        case siteRegistration = "site-registration"
        /// A user of a site's, named by it.
        case siteAuthentication = "site-authentication"
        /// A transaction of the methods' wire.
        case transaction
        /// A page of ours, in one browser.
        case page
        /// Somebody's own settings, in one browser session.
        case settings
    }
}

/// Seals tickets into challenges.
struct CeremonyTicketSeal: Sendable {
    private let seal: Seal
    private static let context = Array("challenge".utf8)
    private static let headBytes = 1 + 1 + 8 + 32 + 32

    init(_ secrets: ServerSecrets, ambient: Ambient) {
        seal = Seal(secrets, purpose: .passkey, ambient: ambient)
    }

    /// A challenge: no two are the same, and only this server makes one.
    func challenge(_ ticket: CeremonyTicket) -> [UInt8] {
        var plain: [UInt8] = [ticket.kind.rawValue, ticket.isConditional ? 1 : 0]
        plain += withBigEndianBytes(of: ticket.expiresAt.rawValue)
        plain += SHA256.hash(data: Array(ticket.relyingParty.utf8))
        plain += ticket.binding.bytes
        plain += ticket.userHandle
        return seal.seal(plain, context: Self.context)
    }

    /// What a challenge says; `nil` if this server never made it, or made it for another relying party.
    func open(_ challenge: [UInt8], at party: String) -> CeremonyTicket? {
        guard let plain = seal.open(challenge, context: Self.context), plain.count >= Self.headBytes,
            plain.count <= Self.headBytes + WebAuthnLimits.userHandleBytes,
            let kind = CeremonyTicket.Kind(rawValue: plain[0]),
            Array(plain[10..<42]) == Array(SHA256.hash(data: Array(party.utf8)))
        else { return nil }
        let expiry = plain[2..<10].reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return CeremonyTicket(
            kind: kind, isConditional: plain[1] == 1, expiresAt: UnixTime(rawValue: expiry), relyingParty: party,
            binding: CeremonyBinding(storedBytes: Array(plain[42..<74])), userHandle: Array(plain[74...]))
    }

    private func withBigEndianBytes(of number: Int64) -> [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
