internal import XMLSecurity

/// What libxml2 and libxmlsec1 do for messages: bytes in, bytes out.
package enum XMLLibrary {
    /// Which element is signed.
    package enum Target: Sendable {
        case root, assertion
    }

    /// Of a decoded message.
    package static let messageBytesMax = 196_608
    private static let started = xml_start()

    static func start() throws(SAMLFault) {
        guard started == 0 else { throw SAMLFault("library", .misconfigured) }
    }

    static func check(_ code: Int32) throws(SAMLFault) {
        switch Int(code) {
        case XML_OK: return
        case XML_MALFORMED: throw SAMLFault("malformed")
        case XML_FORBIDDEN: throw SAMLFault("forbidden")
        case XML_TOO_LARGE: throw SAMLFault("too_large")
        case XML_STRUCTURE: throw SAMLFault("structure")
        case XML_KEY: throw SAMLFault("key", .misconfigured)
        case XML_INVALID: throw SAMLFault("signature")
        default: throw SAMLFault("library", .unavailable)
        }
    }

    private static func octets(_ body: (UnsafeMutablePointer<xml_octets>) -> Int32) throws(SAMLFault) -> [UInt8] {
        try start()
        var octets = unsafe xml_octets(bytes: nil, count: 0)
        defer { unsafe xml_octets_free(&octets) }
        try check(unsafe body(&octets))
        return unsafe Array(UnsafeBufferPointer(start: octets.bytes, count: octets.count))
    }

    /// Verifies a signature with the public key of a certificate.
    ///
    /// - Returns: the octets that were signed. Nothing else of the message may be believed.
    /// - Throws: ``SAMLFault``.
    package static func verify(
        _ message: [UInt8], _ target: Target, certificate: String
    ) throws(SAMLFault) -> [UInt8] {
        try unsafe octets {
            unsafe xml_verify(message, message.count, target == .assertion ? 1 : 0, certificate, 0, $0)
        }
    }

    /// Signs a message, or the assertion in it.
    ///
    /// - Parameter privateKey: PKCS #8, PEM.
    /// - Throws: ``SAMLFault``.
    package static func sign(_ message: [UInt8], _ target: Target, privateKey: String) throws(SAMLFault) -> [UInt8] {
        try unsafe octets { unsafe xml_sign(message, message.count, target == .assertion ? 1 : 0, privateKey, $0) }
    }

    /// Decrypts the only encrypted assertion of a response: AES-GCM under RSA-OAEP alone (wire sheet §3.6).
    ///
    /// - Throws: ``SAMLFault``, the same for every reason.
    package static func decrypt(_ message: [UInt8], privateKey: String) throws(SAMLFault) -> [UInt8] {
        do {
            return try unsafe octets { unsafe xml_decrypt(message, message.count, privateKey, $0) }
        } catch {
            throw SAMLFault("decryption")
        }
    }

    /// Compresses for the HTTP-Redirect binding (RFC 1951).
    package static func deflate(_ bytes: [UInt8]) throws(SAMLFault) -> [UInt8] {
        try unsafe octets { unsafe xml_deflate(bytes, bytes.count, $0) }
    }

    /// Reverses ``deflate(_:)``, to at most 192 KiB.
    package static func inflate(_ bytes: [UInt8]) throws(SAMLFault) -> [UInt8] {
        try unsafe octets { unsafe xml_inflate(bytes, bytes.count, messageBytesMax, $0) }
    }
}
