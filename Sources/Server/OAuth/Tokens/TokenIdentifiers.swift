internal import KeyturnBase
internal import Synchronization

/// The `jti` of tokens (RFC 7519 §4.1.7): 16 unpredictable bytes each, which the system is asked for in large pieces.
///
/// An identifier is no secret: an attacker who reads the supply gains no access.
final class TokenIdentifiers: Sendable {
    private let ambient: Ambient
    private let supply = Mutex<ArraySlice<UInt8>>([])

    init(_ ambient: Ambient) {
        self.ambient = ambient
    }

    /// 22 characters.
    func next() -> String {
        supply.withLock { supply in
            if supply.isEmpty { supply = ambient.randomBytes(Self.supplyBytes)[...] }
            defer { supply = supply.dropFirst(Self.identifierBytes) }
            return Base64URL.encode(supply.prefix(Self.identifierBytes))
        }
    }

    private static let identifierBytes = 16
    private static let supplyBytes = 4096
}
