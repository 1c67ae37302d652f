internal import Crypto
internal import KeyturnBase
internal import KeyturnWebAuthn
internal import Model

/// The sealed content of a challenge. Only this server can read it; nothing is stored until it is answered.
struct CeremonyTicket: Hashable, Sendable {
    enum Kind: UInt8, Sendable {
        case registration = 1
        case authentication = 2
    }

    let kind: Kind
    /// The client was asked for a conditional ceremony (`mediation: conditional`).
    let isConditional: Bool
    let expiresAt: UnixTime
    /// The domain.
    let relyingParty: String
    let binding: CeremonyBinding
    /// In a registration, the user handle of the new credential. Otherwise empty.
    let userHandle: [UInt8]
    /// When and for whom a sign-in began; `nil`: it is a registration.
    let beginning: CeremonyBeginning?
}

/// What an answer is bound to beside the challenge: a browser, a user's name, a transaction. 32 bytes.
struct CeremonyBinding: Hashable, Sendable {
    let bytes: [UInt8]

    /// - Parameters:
    ///   - use: keeps different uses apart.
    ///   - parts: what it is bound to. The answer must come with the same parts.
    init(_ use: Use, _ parts: [String] = []) {
        var hash = SHA256()
        hash.update(data: Array(use.rawValue.utf8))
        for part in parts {
            // Lengths are hashed too, so that two different lists cannot give the same text.
            hash.update(data: [0] + Array(String(part.utf8.count).utf8) + [0] + Array(part.utf8))
        }
        bytes = Array(hash.finalize())
    }

    fileprivate init(storedBytes: [UInt8]) {
        bytes = storedBytes
    }

    enum Use: String {
        /// A registration for a site's own user, who is named after the answer was checked.
        case siteRegistration = "site-registration"
        /// A sign-in of a site's own user, named by the site.
        case siteAuthentication = "site-authentication"
        /// A transaction of the methods' API.
        case transaction
        /// A page of this server, in one browser.
        case page
        /// A user's own settings, in one browser session.
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

    /// A new challenge. Each is different, and only this server can make it.
    func challenge(_ ticket: CeremonyTicket) -> [UInt8] {
        var plain: [UInt8] = [ticket.kind.rawValue, ticket.isConditional ? 1 : 0]
        plain += withBigEndianBytes(of: ticket.expiresAt.rawValue)
        plain += SHA256.hash(data: Array(ticket.relyingParty.utf8))
        plain += ticket.binding.bytes
        if let beginning = ticket.beginning {
            plain += withBigEndianBytes(of: beginning.time.rawValue)
            plain += withBigEndianBytes(of: beginning.epoch ?? CeremonyBeginning.unnamed)
        } else {
            plain += ticket.userHandle
        }
        return seal.seal(plain, context: Self.context)
    }

    /// The content of a challenge; `nil` if this server did not make it, or made it for another relying party.
    func open(_ challenge: [UInt8], at party: String) -> CeremonyTicket? {
        guard let plain = seal.open(challenge, context: Self.context), plain.count >= Self.headBytes,
            plain.count <= Self.headBytes + WebAuthnLimits.userHandleBytes,
            let kind = CeremonyTicket.Kind(rawValue: plain[0]),
            Array(plain[10..<42]) == Array(SHA256.hash(data: Array(party.utf8)))
        else { return nil }
        let expiresAt = UnixTime(rawValue: number(plain[2..<10]))
        let isSignIn = kind == .authentication
        return CeremonyTicket(
            kind: kind, isConditional: plain[1] == 1, expiresAt: expiresAt, relyingParty: party,
            binding: CeremonyBinding(storedBytes: Array(plain[42..<74])),
            userHandle: isSignIn ? [] : Array(plain[74...]),
            beginning: isSignIn ? beginning(plain[74...], expiresAt) : nil)
    }

    /// Of a challenge that an earlier release made, as early as it can have been.
    private func beginning(_ bytes: ArraySlice<UInt8>, _ expiresAt: UnixTime) -> CeremonyBeginning {
        guard bytes.count == 16 else {
            return CeremonyBeginning(time: expiresAt - Limits.quietCeremonySeconds, epoch: nil)
        }
        let epoch = number(bytes.suffix(8))
        return CeremonyBeginning(
            time: UnixTime(rawValue: number(bytes.prefix(8))), epoch: epoch == CeremonyBeginning.unnamed ? nil : epoch)
    }

    private func number(_ bytes: ArraySlice<UInt8>) -> Int64 {
        bytes.reduce(Int64(0)) { $0 << 8 | Int64($1) }
    }

    private func withBigEndianBytes(of number: Int64) -> [UInt8] {
        (0..<8).reversed().map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
}
