/// The form that a response must have, so that there is one assertion and no doubt which (wire sheet §3.2, checks 4 to
/// 6).
enum ResponseShape {
    private typealias Space = XMLElement.Space

    /// What a response holds.
    struct Parts {
        let signature: XMLElement?
        let assertion: XMLElement
        let isEncrypted: Bool
    }

    /// Elements that decide something may stand in their own place alone.
    private static let decisive: Set<String> = ["Assertion", "EncryptedAssertion", "Response", "Signature", "Object"]

    static func check(_ root: XMLElement) throws(SAMLFault) -> Parts {
        guard root.isNamed("Response", Space.protocol) else { throw SAMLFault("root") }
        try version(root)
        try order(root)
        try status(root)
        let plain = root.all("Assertion")
        let encrypted = root.all("EncryptedAssertion")
        guard let assertion = (plain + encrypted).first, plain.count + encrypted.count == 1 else {
            throw SAMLFault(plain.isEmpty && encrypted.isEmpty ? "no_assertion" : "assertions")
        }
        let signature = try root.one("Signature", Space.signature)
        // 1 for the response, 1 for the assertion, and the signatures of both.
        var expected = 2 + (signature == nil ? 0 : 1)
        if encrypted.isEmpty { expected += try check(assertion: assertion) == nil ? 0 : 1 }
        guard try decisiveElements(in: root) == expected else { throw SAMLFault("wrapping") }
        try identifiers(root)
        return Parts(signature: signature, assertion: assertion, isEncrypted: plain.isEmpty)
    }

    /// Whatever a response holds beside another status than success counts for nothing.
    private static func status(_ root: XMLElement) throws(SAMLFault) {
        let prefix = "urn:oasis:names:tc:SAML:2.0:status:"
        guard let code = try root.one("Status", Space.protocol)?.one("StatusCode", Space.protocol) else {
            throw SAMLFault("status")
        }
        guard code["Value"] != prefix + "Success" else { return }
        switch try code.one("StatusCode", Space.protocol)?["Value"] {
        case prefix + "AuthnFailed", prefix + "RequestDenied", prefix + "NoPassive":
            throw SAMLFault("status_denied", .denied)
        default: throw SAMLFault("status_failed", .denied)
        }
    }

    /// - Returns: the assertion's signature.
    static func check(assertion: XMLElement) throws(SAMLFault) -> XMLElement? {
        guard assertion.isNamed("Assertion", Space.assertion) else { throw SAMLFault("assertion") }
        try version(assertion)
        let signature = try assertion.one("Signature", Space.signature)
        // Issuer, then the signature: so says the schema.
        guard assertion.children.first?.isNamed("Issuer", Space.assertion) == true,
            signature == nil || assertion.children[1].isNamed("Signature", Space.signature)
        else { throw SAMLFault("order") }
        return signature
    }

    /// The assertion of a ciphertext, which stands alone.
    static func check(decrypted root: XMLElement) throws(SAMLFault) -> XMLElement? {
        let signature = try check(assertion: root)
        guard try decisiveElements(in: root) == (signature == nil ? 1 : 2) else { throw SAMLFault("wrapping") }
        try root.visit { element throws(SAMLFault) in
            guard element.space != Space.encryption else { throw SAMLFault("encrypted_twice") }
        }
        try identifiers(root)
        return signature
    }

    private static func version(_ element: XMLElement) throws(SAMLFault) {
        guard element["Version"] == "2.0", let id = element["ID"], !id.isEmpty else { throw SAMLFault("version") }
    }

    private static func order(_ root: XMLElement) throws(SAMLFault) {
        let order = [
            ("Issuer", Space.assertion), ("Signature", Space.signature), ("Extensions", Space.protocol),
            ("Status", Space.protocol), ("Assertion", Space.assertion), ("EncryptedAssertion", Space.assertion),
        ]
        var last = 0
        for child in root.children {
            guard let place = order.firstIndex(where: { child.isNamed($0.0, $0.1) }), place >= last else {
                throw SAMLFault("order")
            }
            last = place
        }
    }

    /// By local name, whatever their namespace.
    private static func decisiveElements(in root: XMLElement) throws(SAMLFault) -> Int {
        var count = 0
        try root.visit { element throws(SAMLFault) in
            if decisive.contains(element.name) { count += 1 }
        }
        return count
    }

    /// Every identifier names one element, however its attribute is spelled.
    private static func identifiers(_ root: XMLElement) throws(SAMLFault) {
        var seen: Set<String> = []
        try root.visit { element throws(SAMLFault) in
            for attribute in element.attributes where attribute.name.lowercased() == "id" {
                let plain = attribute.value.filter { !$0.isWhitespace }.lowercased()
                guard seen.insert(plain).inserted else { throw SAMLFault("identifier") }
            }
        }
    }
}
