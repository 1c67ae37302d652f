internal import Crypto
internal import Foundation
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// How the names of a site's users are compared: without regard to case or compatibility forms. User names are stored
/// as digests, since they are only compared.
struct SiteNames: Sendable {
    private let keys: [ServerSecrets.Key]

    init(_ secrets: ServerSecrets) {
        keys = secrets.keys(for: .siteUsername)
    }

    /// - Returns: `nil` for a text that is too long to be a name.
    func selector(_ user: PasskeyUser, at party: RelyingParty) -> SiteUserSelector? {
        guard let folded = Self.fold(user.value) else { return nil }
        switch user {
        case .id: return .id(folded: folded)
        case .username: return .username(digests(of: folded, at: party))
        }
    }

    /// A site's user as a backend names it.
    func user(id: String, username: String?, at party: RelyingParty) -> SiteUser? {
        guard let foldedID = Self.fold(id) else { return nil }
        var digests: [[UInt8]] = []
        if let username {
            guard let folded = Self.fold(username) else { return nil }
            digests = self.digests(of: folded, at: party)
        }
        return SiteUser(id: id, foldedID: foldedID, usernameDigests: digests)
    }

    /// The digests under each secret that may have made them, the first secret's first. Each begins with the four bytes
    /// that identify its secret.
    private func digests(of folded: String, at party: RelyingParty) -> [[UInt8]] {
        let message = Array("\(party.id)\u{0}\(folded)".utf8)
        return keys.map { $0.id + Array(HMAC<SHA256>.authenticationCode(for: message, using: $0.key)) }
    }

    /// By way of capitals, so that ß and SS are equal; the dotless ı has the capital of another letter and stays. The
    /// length is checked before normalisation, whose time grows with the square of a run of combining marks.
    static func fold(_ text: String) -> String? {
        guard text.utf8.count <= Limits.siteUserBytesMax else { return nil }
        let parts = text.precomposedStringWithCompatibilityMapping.split(
            separator: "\u{131}", omittingEmptySubsequences: false)
        let folded = parts.map { $0.uppercased().lowercased() }.joined(separator: "\u{131}")
            .precomposedStringWithCompatibilityMapping
        return folded.isEmpty || folded.utf8.count > Limits.siteUserBytesMax ? nil : folded
    }
}

extension OwnedPasskey {
    /// Whether the passkey belongs to the named user of the site.
    func belongs(to selector: SiteUserSelector) -> Bool {
        guard let siteUser else { return false }
        return switch selector {
        case .id(let folded): siteUser.foldedID == folded
        case .exactID(let id): owner == .siteUser(id)
        case .username(let digests): siteUser.usernameDigest.map(digests.contains) ?? false
        }
    }
}
