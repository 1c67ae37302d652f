internal import KeyturnBase

/// The request with which a user leaves (Core §3.4.1).
struct AuthnRequest {
    /// Begins with a letter or an underscore, and holds 128 random bits.
    let id: String
    let issuedAt: UnixTime
    let destination: String
    let consumer: String
    let issuer: String
    let nameIDFormat: String?
    let isForced: Bool

    var bytes: [UInt8] {
        var writer = XMLWriter()
        let attributes: [(String, String?)] = [
            ("xmlns:samlp", XMLElement.Space.protocol), ("xmlns:saml", XMLElement.Space.assertion), ("ID", id),
            ("Version", "2.0"), ("IssueInstant", SAMLTime.text(issuedAt)), ("Destination", destination),
            ("AssertionConsumerServiceURL", consumer),
            ("ProtocolBinding", "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"),
            ("ForceAuthn", isForced ? "true" : nil),
        ]
        writer.element("samlp:AuthnRequest", attributes) { request in
            request.element("saml:Issuer", text: issuer)
            if let nameIDFormat {
                request.element("samlp:NameIDPolicy", [("Format", nameIDFormat), ("AllowCreate", "true")])
            }
        }
        return writer.bytes
    }
}
