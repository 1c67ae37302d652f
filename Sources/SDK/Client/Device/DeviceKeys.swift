public import KeyturnBase

/// Where a device keeps the keys that never leave it.
///
/// Sessions are bound to such a key (RFC 9449): a copy of a refresh token is worthless without it.
public protocol DeviceKeys: Sendable {
    /// The key called `name`. ``DeviceKeyReading/absent`` only where there certainly is none.
    func key(_ name: String) async -> DeviceKeyReading

    /// Makes a key, durably. If there is one of that name already, and it is not gone for good, that one is returned.
    ///
    /// - Throws: `store.unavailable`; `service.unsupported` where the device has no place for keys.
    func makeKey(_ name: String) async throws(AuthError) -> any DeviceKey

    /// Removes a key. Removing nothing is no error.
    ///
    /// - Throws: `store.unavailable`; the key may then still be there.
    func removeKey(_ name: String) async throws(AuthError)
}

/// A key pair on P-256 whose private half stays where it is.
public protocol DeviceKey: Sendable {
    /// The public half: the point's coordinates, x then y, 32 bytes each.
    var publicKey: [UInt8] { get }

    /// Signs with ES256.
    ///
    /// - Returns: r then s, 32 bytes each (RFC 7518 §3.4).
    /// - Throws: `store.unavailable` if the key cannot be used now.
    func signature(of message: [UInt8]) async throws(AuthError) -> [UInt8]
}

/// What looking for a key showed.
public enum DeviceKeyReading: Sendable {
    /// The key, ready to sign.
    case found(any DeviceKey)
    /// There is none: it was never made, or it is gone for good.
    case absent
    /// It cannot be known now.
    case unavailable(AuthError)
}
