import Foundation

// Names and signatures as in Apple's public documentation of the Security framework (SDKs of Xcode 26). Not declared
// Sendable, which asks more of the adapters than the framework may.

public final class SecKey {
    let secret: P256.Scalar?
    let point: [UInt8]

    init(secret: P256.Scalar?, point: [UInt8]) {
        self.secret = secret
        self.point = point
    }
}

public final class SecAccessControl {
    let protection: String

    init(protection: String) {
        self.protection = protection
    }
}

public struct SecAccessControlCreateFlags: OptionSet, Sendable {
    public let rawValue: CFOptionFlags

    public init(rawValue: CFOptionFlags) { self.rawValue = rawValue }

    public static let privateKeyUsage = Self(rawValue: 1 << 30)
}

public struct SecKeyAlgorithm: Hashable, Sendable {
    public static let ecdsaSignatureMessageX962SHA256 = Self()
}

public func SecKeyGetTypeID() -> CFTypeID { 7 }

public func SecAccessControlCreateWithFlags(
    _ allocator: CFAllocator?, _ protection: CFTypeRef, _ flags: SecAccessControlCreateFlags,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> SecAccessControl? {
    guard flags == .privateKeyUsage, let protection = protection as? NSString as String? else {
        return fail(error, -50)
    }
    return SecAccessControl(protection: protection)
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
    guard StandInKeychain.shared.hasEnclave else { return fail(error, -4) }
    let (secret, point) = P256.makeKey()
    let key = SecKey(secret: secret, point: point)
    var item: [String: Any] = [
        "class": "keys", "type": "73", "tkid": "com.apple.setoken", "atag": tag, "pdmn": access.protection, "ref": key,
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
    if let forged = StandInKeychain.shared.forgedSignature { return Data(forged) as NSData }
    return Data(P256.derSignature(of: Array(dataToSign as Data), by: secret)) as NSData
}

private func fail<Value>(_ error: UnsafeMutablePointer<Unmanaged<CFError>?>?, _ status: Int) -> Value? {
    error?.pointee = Unmanaged.passRetained(NSError(domain: "NSOSStatusErrorDomain", code: status))
    return nil
}
