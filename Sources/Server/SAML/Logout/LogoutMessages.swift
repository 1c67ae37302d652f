internal import KeyturnBase

/// The head that requests and responses of single logout share (Core §3.2).
struct LogoutHead {
    let id: String
    let issuedAt: UnixTime
    let destination: String
    let issuer: String

    func attributes(_ more: [(String, String?)]) -> [(String, String?)] {
        [
            ("xmlns:samlp", XMLElement.Space.protocol), ("xmlns:saml", XMLElement.Space.assertion), ("ID", id),
            ("Version", "2.0"), ("IssueInstant", SAMLTime.text(issuedAt)), ("Destination", destination),
        ] + more
    }
}

/// Tells the provider that its user signed out here (Core §3.7.1).
struct LogoutRequestMessage {
    let head: LogoutHead
    let name: NameIdentifier
    let sessionIndex: String?
    let expiresAt: UnixTime

    var bytes: [UInt8] {
        var writer = XMLWriter()
        writer.element(
            "samlp:LogoutRequest", head.attributes([("NotOnOrAfter", SAMLTime.text(expiresAt))])
        ) { request in
            request.element("saml:Issuer", text: head.issuer)
            request.element(
                "saml:NameID",
                [
                    ("Format", name.format), ("NameQualifier", name.nameQualifier),
                    ("SPNameQualifier", name.spNameQualifier),
                ], text: name.value)
            if let sessionIndex { request.element("samlp:SessionIndex", text: sessionIndex) }
        }
        return writer.bytes
    }
}

/// Answers the provider's request: its user's sessions here are over (Core §3.7.2).
struct LogoutResponseMessage {
    let head: LogoutHead
    let inResponseTo: String

    var bytes: [UInt8] {
        var writer = XMLWriter()
        writer.element("samlp:LogoutResponse", head.attributes([("InResponseTo", inResponseTo)])) { response in
            response.element("saml:Issuer", text: head.issuer)
            response.element("samlp:Status") { status in
                status.element("samlp:StatusCode", [("Value", "urn:oasis:names:tc:SAML:2.0:status:Success")])
            }
        }
        return writer.bytes
    }
}
