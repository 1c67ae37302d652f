internal import Crypto
internal import Foundation
public import KeyturnBase
public import Model

/// A code that replaces a lost authenticator once: `K7QM-2XTB-9FHW`.
///
/// Twelve characters of an alphabet of 32 are 60 bits. The alphabet has neither `0` nor `O`, neither `1` nor `I`, and
/// is shown in capitals, where an `L` cannot be mistaken. Stored as a digest under a key of the server, bound to its
/// user, so that a copy of the database does not help an attacker.
public struct RecoveryCode: Sendable {
    /// Without hyphens, in capitals.
    private let characters: [UInt8]

    /// Reads what the user entered: either case, with spaces, hyphens or nothing between groups.
    ///
    /// - Returns: `nil` if it cannot be a recovery code.
    public init?(typed: Secret) {
        let bytes = typed.exposed().utf8.prefix(Limits.recoveryCodeTypedBytesMax + 1)
        guard bytes.count <= Limits.recoveryCodeTypedBytesMax else { return nil }
        let kept = bytes.filter { !Self.separators.contains($0) }
        let capitals = kept.map { (UInt8(ascii: "a")...UInt8(ascii: "z")).contains($0) ? $0 - 32 : $0 }
        guard capitals.count == Self.length, capitals.allSatisfy(Self.alphabet.contains) else { return nil }
        characters = capitals
    }

    private init(random: [UInt8]) {
        // 256 is a multiple of 32: every character is equally likely.
        characters = random.map { Self.alphabet[Int($0 & 0x1F)] }
    }

    /// A new set for one user; all are different.
    public static func makeSet(_ ambient: Ambient) -> [RecoveryCode] {
        var codes: [RecoveryCode] = []
        while codes.count < Limits.recoveryCodesPerUser {
            let code = RecoveryCode(random: ambient.randomBytes(length))
            if !codes.contains(where: { $0.characters == code.characters }) { codes.append(code) }
        }
        return codes
    }

    /// As it is shown, once.
    public var text: Secret {
        let groups = stride(from: 0, to: Self.length, by: Self.groupLength).map {
            String(decoding: characters[$0..<$0 + Self.groupLength], as: UTF8.self)
        }
        return Secret(groups.joined(separator: "-"))
    }

    /// What is stored: 32 bytes, under the server's first secret.
    public func digest(of user: UserID, under secrets: ServerSecrets) -> [UInt8] {
        digest(of: user, under: secrets.first(for: .recoveryCode).key)
    }

    /// The digests that may be stored: one for each of the server's secrets.
    public func digests(of user: UserID, under secrets: ServerSecrets) -> [[UInt8]] {
        secrets.keys(for: .recoveryCode).map { digest(of: user, under: $0.key) }
    }

    private func digest(of user: UserID, under key: SymmetricKey) -> [UInt8] {
        // The code has a fixed length, so the boundary between code and user is unambiguous.
        Array(HMAC<SHA256>.authenticationCode(for: characters + Array(user.rawValue.utf8), using: key))
    }

    private static let length = 12
    private static let groupLength = 4
    private static let alphabet = Array("23456789ABCDEFGHJKLMNPQRSTUVWXYZ".utf8)
    private static let separators = Array(" -_.\t\r\n".utf8)
}

extension RecoveryCode: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    public var description: String { "«secret»" }
    public var debugDescription: String { description }
    public var customMirror: Mirror { Mirror(self, children: []) }
}
