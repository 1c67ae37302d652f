import KeyturnBase
import Model

/// The people of the exploration, each with a mailbox, a password and a network of their own.
enum Person: String, Hashable, Sendable, CaseIterable {
    /// The victim.
    case vera
    /// The attacker.
    case mallory
    /// The owner of the console.
    case olga
    /// An operator, whose session the attacker has stolen.
    case oscar
    /// A user of another tenant.
    case walter
    /// Who gets the address of the victim after she has left.
    case nina

    var address: String {
        switch self {
        case .vera, .nina: "vera@acme.example"
        case .mallory: "mallory@evil.example"
        case .olga: "olga@example.com"
        case .oscar: "oscar@example.com"
        case .walter: "walter@other.example"
        }
    }

    var password: String { "the-long-password-of-\(rawValue)" }

    /// The network from which the person acts.
    func network(isShared: Bool) -> NetworkAddress {
        guard !isShared else { return NetworkAddress("198.51.100.7") }
        let index = Self.allCases.firstIndex(of: self) ?? 0
        return NetworkAddress("203.0.113.\(index + 1)")
    }

    /// Those whose accounts no other person may get into.
    static let protected: [Person] = [.vera, .olga, .walter]

    /// Whose mailbox it is, however it is written; `nil`: none of these people's.
    static func reading(_ address: String?) -> Person? {
        guard let address, !address.isEmpty else { return nil }
        // Most are written as they are compared.
        let isPlain = address.utf8.allSatisfy { $0 < 0x80 && !(0x41...0x5A).contains($0) && $0 != 0x20 }
        let compared = isPlain ? address : Identifier(loginID: address)?.value
        return mailboxes.first { $0.address == compared }
    }

    /// Those who read one.
    private static let mailboxes = allCases.filter { $0 != .nina }
}
