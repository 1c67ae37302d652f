import Foundation

// Names and signatures as in Apple's public documentation of the Security framework (SDKs of Xcode 26). Not declared
// Sendable, which asks more of the adapters than the framework may.

public final class SecKey {
    let secret: P256.Scalar?
    let point: [UInt8]
    /// Who must be recognised for it to sign.
    let flags: SecAccessControlCreateFlags
    /// What shows that they were.
    let authentication: (any StandInAuthentication)?

    init(
        secret: P256.Scalar?, point: [UInt8], flags: SecAccessControlCreateFlags = [],
        authentication: (any StandInAuthentication)? = nil
    ) {
        self.secret = secret
        self.point = point
        self.flags = flags
        self.authentication = authentication
    }

    func opened(by authentication: (any StandInAuthentication)?) -> SecKey {
        SecKey(secret: secret, point: point, flags: flags, authentication: authentication)
    }
}

public final class SecAccessControl {
    let protection: String
    let flags: SecAccessControlCreateFlags

    init(protection: String, flags: SecAccessControlCreateFlags) {
        self.protection = protection
        self.flags = flags
    }
}

public struct SecAccessControlCreateFlags: OptionSet, Sendable {
    public let rawValue: CFOptionFlags

    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

    public static let userPresence = Self(rawValue: 1 << 0)
    public static let biometryAny = Self(rawValue: 1 << 1)
    public static let biometryCurrentSet = Self(rawValue: 1 << 3)
    public static let privateKeyUsage = Self(rawValue: 1 << 30)

    /// Whether somebody has to be recognised.
    var asks: Bool { !isDisjoint(with: [.userPresence, .biometryAny, .biometryCurrentSet]) }
}

public struct SecKeyAlgorithm: Hashable, Sendable {
    public static let ecdsaSignatureMessageX962SHA256 = Self()
}

/// What shows that a person was recognised: a context of LocalAuthentication.
public protocol StandInAuthentication: AnyObject {
    var isEvaluated: Bool { get }
}

public func SecKeyGetTypeID() -> CFTypeID { 7 }

public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
    guard flags.contains(.privateKeyUsage) || flags.asks, let protection = protection as? NSString as String? else {
        return fail(error, -50)
    }
    return SecAccessControl(protection: protection, flags: flags)
}

public func SecKeyCreateRandomKey(
    _ parameters: CFDictionary, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecKey? {
    let parameters = parameters.entries
    guard let attributes = parameters["private"] as? [String: Any] else { return fail(error, -50) }
    guard parameters["type"] as? String == "73", parameters["bsiz"] as? Int == 256,
        parameters["tkid"] as? String == "com.apple.setoken", parameters["nleg"] as? Bool == true,
        attributes["perm"] as? Bool == true, let tag = attributes["atag"] as? Data,
        let access = attributes["accc"] as? SecAccessControl, access.protection.hasSuffix("u")
    else { return fail(error, -50) }
    if let missing = StandInKeychain.shared.enclaveFailure { return fail(error, missing) }
    let (secret, point) = P256.makeKey()
    let key = SecKey(secret: secret, point: point, flags: access.flags)
    var item: [String: Any] = [
        "class": "keys", "type": "73", "tkid": "com.apple.setoken", "atag": tag, "pdmn": access.protection, "ref": key,
        "flags": access.flags,
    ]
    item["agrp"] = parameters["agrp"]
    let status = StandInKeychain.shared.addKey(item)
    return status == 0 ? key : fail(error, Int(status))
}

public func SecKeyCopyPublicKey(_ key: SecKey) -> SecKey? { SecKey(secret: nil, point: key.point) }

public func SecKeyCopyExternalRepresentation(
    _ key: SecKey, _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    // What is in the Enclave stays there.
    key.secret == nil ? Data(key.point) as NSData : fail(error, -4)
}

public func SecKeyCreateSignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ dataToSign: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> CFData? {
    guard let secret = key.secret, algorithm == .ecdsaSignatureMessageX962SHA256 else { return fail(error, -50) }
    guard StandInKeychain.shared.wasUnlocked else { return fail(error, -25_308) }
    if let failure = StandInKeychain.shared.signingFailure { return fail(error, failure) }
    // The real one would ask by itself; an adapter that relies on that has nobody to give a reason to.
    guard !key.flags.asks || key.authentication?.isEvaluated == true else { return fail(error, -25_293) }
    if let forged = StandInKeychain.shared.forgedSignature { return Data(forged) as NSData }
    return Data(P256.derSignature(of: Array(dataToSign as Data), by: secret)) as NSData
}

private func fail<Value>(_ error: UnsafeMutablePointer<Unmanaged<CFError>?>?, _ status: Int) -> Value? {
    fail(error, NSError(domain: "NSOSStatusErrorDomain", code: status))
}

private func fail<Value>(_ error: UnsafeMutablePointer<Unmanaged<CFError>?>?, _ failure: NSError) -> Value? {
    error?.pointee = Unmanaged.passRetained(failure)
    return nil
}
