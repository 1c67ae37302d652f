internal import Crypto
internal import KeyturnBase
internal import KeyturnWebAuthn
internal import Model

/// Fake credentials for unknown names. The same name always gets the same ones, so that the list does not show whether
/// there is such a user (WebAuthn Level 3 §14.6.2).
struct DecoyCredentials: Sendable {
    private let key: SymmetricKey

    /// The lengths and transports of real ones. Apple's apps report no transports.
    private static let models: [(byteCount: Int, transports: [String])] = [
        (20, ["hybrid", "internal"]), (20, []), (16, ["hybrid", "internal"]), (16, []), (32, ["internal"]),
        (32, ["hybrid", "internal"]), (48, ["usb"]), (64, ["nfc", "usb"]),
    ]

    init(_ secrets: ServerSecrets) {
        // The oldest secret: a new one in front of it does not change the list, as real lists do not change.
        key = (secrets.keys(for: .passkeyDecoy).last ?? secrets.first(for: .passkeyDecoy)).key
    }

    /// - Parameter name: the entered name, in the form in which it is compared.
    func descriptors(for name: [UInt8], at party: RelyingParty) -> [CredentialDescriptor] {
        let seed = bytes(name, party, "seed", count: 2)
        // One in four has two.
        return (0..<(seed[0] % 4 == 0 ? 2 : 1)).map { index in
            let model = Self.models[(Int(seed[1]) + index) % Self.models.count]
            return CredentialDescriptor(
                id: bytes(name, party, "id-\(index)", count: model.byteCount), transports: model.transports)
        }
    }

    private func bytes(_ name: [UInt8], _ party: RelyingParty, _ use: String, count: Int) -> [UInt8] {
        var hmac = HMAC<SHA512>(key: key)
        hmac.update(data: Array("\(party.id)\u{0}\(use)\u{0}".utf8) + name)
        return Array(Array(hmac.finalize()).prefix(count))
    }
}
