internal import Foundation
package import KeyturnBase
package import Model

/// Reads the response of an identity provider: every check of the wire sheet's §3.2 in its order. Nothing is believed
/// that was not signed: the profile is read from the octets that the signature covers, parsed again.
package struct ResponseReader: Sendable {
    private static let encodedBytesMax = 262_144
    private typealias Space = XMLElement.Space

    package let connection: Connection
    package let settings: SAMLConnectionSettings
    /// Our entityID.
    package let audience: String
    /// Our address for responses of this connection.
    package let consumer: String
    /// The private keys that open assertions (PKCS #8, PEM).
    package let decryptionKeys: [String]

    package init(
        connection: Connection, settings: SAMLConnectionSettings, audience: String, consumer: String,
        decryptionKeys: [String] = []
    ) {
        self.connection = connection
        self.settings = settings
        self.audience = audience
        self.consumer = consumer
        self.decryptionKeys = decryptionKeys
    }

    private var keys: ProviderSignature { ProviderSignature(certificates: settings.certificates) }

    /// The request that a response must answer.
    package struct Asked: Sendable {
        package let id: String
        package let at: UnixTime
        package let isForced: Bool

        package init(id: String, at: UnixTime, isForced: Bool = false) {
            self.id = id
            self.at = at
            self.isForced = isForced
        }
    }

    /// - Parameters:
    ///   - encoded: the form field `SAMLResponse`.
    ///   - asked: our request; `nil`: the provider began the sign-in, and nothing in the response may name a request.
    ///   - now: by this server's clock.
    /// - Throws: ``SAMLFault``.
    package func profile(from encoded: String, asked: Asked?, now: UnixTime) throws(SAMLFault) -> FederatedProfile {
        let message = try Self.decode(encoded)
        let root = try XMLElement.read(message)
        let parts = try ResponseShape.check(root)
        let rules = AssertionRules(
            settings: settings, audience: audience, consumer: consumer, requestID: asked?.id,
            requestedAt: asked?.at ?? now, isForced: asked?.isForced ?? false, now: now)
        try envelope(root, isSigned: parts.signature != nil, rules)
        let assertion = try verified(message, root, parts)
        let accepted = try rules.check(assertion)
        var profile = try AssertionProfile(settings: settings, isOfTenant: connection.tenantID != nil)
            .read(assertion, accepted)
        profile.sessionName = try accepted.subject.one("NameID").map { name throws(SAMLFault) in
            try NameIdentifier(name, provider: settings.entityID, audience: audience).text
        }
        guard let id = assertion["ID"] else { throw SAMLFault("version") }
        profile.replay = ReplayMark(
            jti: id, of: connection.id, kind: "saml-assertion",
            expiresAt: accepted.expiresAt + 2 * max(settings.skewSeconds, 60))
        return profile
    }

    /// Line breaks may stand in base64, and nothing else may.
    static func decode(_ encoded: String) throws(SAMLFault) -> [UInt8] {
        guard (1...encodedBytesMax).contains(encoded.utf8.count) else { throw SAMLFault("too_large") }
        let compact = String(decoding: encoded.utf8.filter { $0 != 0x0A && $0 != 0x0D }, as: UTF8.self)
        guard let data = Data(base64Encoded: compact), data.count <= XMLLibrary.messageBytesMax else {
            throw SAMLFault("base64")
        }
        return Array(data)
    }

    /// Checks 7 to 9, on the response around the assertion.
    private func envelope(_ root: XMLElement, isSigned: Bool, _ rules: AssertionRules) throws(SAMLFault) {
        guard root["InResponseTo"] == rules.requestID else { throw SAMLFault("in_response_to") }
        guard let destination = root["Destination"] else {
            guard !isSigned else { throw SAMLFault("destination") }
            return try envelopeIssuer(root, rules)
        }
        guard destination == consumer else { throw SAMLFault("destination") }
        try envelopeIssuer(root, rules)
    }

    private func envelopeIssuer(_ root: XMLElement, _ rules: AssertionRules) throws(SAMLFault) {
        if let issuer = try root.one("Issuer") { try rules.check(issuer: issuer) }
    }

    /// The assertion as it was signed (checks 11 to 15).
    private func verified(_ message: [UInt8], _ root: XMLElement, _ parts: ResponseShape.Parts)
        throws(SAMLFault) -> XMLElement
    {
        var believed: XMLElement?
        if let signature = parts.signature {
            try SignatureShape.check(signature, of: root)
            let signed = try XMLElement.read(try keys.octets(of: message, .root))
            guard signed.isNamed("Response", Space.protocol), signed["ID"] == root["ID"] else {
                throw SAMLFault("signed_octets")
            }
            let plain = try signed.one("Assertion")
            let encrypted = try signed.one("EncryptedAssertion")
            believed = plain ?? encrypted
        }
        if parts.isEncrypted { return try decrypted(message, isCovered: believed != nil) }
        guard !settings.wantsAssertionsEncrypted else { throw SAMLFault("not_encrypted") }
        if let signature = try parts.assertion.one("Signature", Space.signature) {
            try SignatureShape.check(signature, of: parts.assertion)
            return try assertion(in: try keys.octets(of: message, .assertion), like: parts.assertion)
        }
        guard !settings.wantsAssertionsSigned, let believed else { throw SAMLFault("not_signed") }
        return believed
    }

    private func decrypted(_ message: [UInt8], isCovered: Bool) throws(SAMLFault) -> XMLElement {
        var plaintext: [UInt8]?
        for key in decryptionKeys where plaintext == nil {
            plaintext = try? XMLLibrary.decrypt(message, privateKey: key)
        }
        guard let plaintext, plaintext.count <= XMLLibrary.messageBytesMax else { throw SAMLFault("decryption") }
        let root: XMLElement
        let signature: XMLElement?
        do throws(SAMLFault) {
            root = try XMLElement.read(plaintext)
            signature = try ResponseShape.check(decrypted: root)
        } catch {
            throw SAMLFault("decryption")
        }
        guard let signature else {
            guard isCovered, !settings.wantsAssertionsSigned else { throw SAMLFault("not_signed") }
            return root
        }
        try SignatureShape.check(signature, of: root)
        return try assertion(in: try keys.octets(of: plaintext, .root), like: root)
    }

    private func assertion(in octets: [UInt8], like original: XMLElement) throws(SAMLFault) -> XMLElement {
        let signed = try XMLElement.read(octets)
        guard signed.isNamed("Assertion", Space.assertion), signed["ID"] == original["ID"] else {
            throw SAMLFault("signed_octets")
        }
        return signed
    }
}
