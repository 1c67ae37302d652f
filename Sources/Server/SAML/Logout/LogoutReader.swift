internal import KeyturnBase
internal import Model
internal import SignIn

/// Reads what a provider sends by single logout: signed by a key of the connection, sent to this connection's address, and
/// fresh. By form, only the octets that the signature covers are read.
struct LogoutReader {
    let settings: SAMLConnectionSettings
    /// Our entityID, and our address for these messages.
    let audience: String
    let service: String
    let now: UnixTime

    private typealias Space = XMLElement.Space
    private static let ageSecondsMax: Int64 = 300
    private static let sessionsMax = 100
    private static let indexBytesMax = 512
    private var skew: Int64 { min(max(settings.skewSeconds, 0), 180) }
    private var keys: ProviderSignature { ProviderSignature(certificates: settings.certificates) }

    func read(_ message: LogoutMessage) throws(SAMLFault) -> LogoutArrival {
        switch message {
        case .query(let query): try read(RedirectQuery(query))
        case .form(let fields): try read(fields)
        }
    }

    private func read(_ query: RedirectQuery) throws(SAMLFault) -> LogoutArrival {
        try keys.check(query.signature, of: query.signed, query.algorithm)
        let root = try XMLElement.read(try XMLLibrary.inflate(query.message))
        // The binding has no other signature (Bindings §3.4.4.1).
        guard root.all("Signature", Space.signature).isEmpty else { throw SAMLFault("signature_shape") }
        return try arrival(root, in: query.name, query.relayState)
    }

    private func read(_ fields: [(name: String, value: String)]) throws(SAMLFault) -> LogoutArrival {
        let messages = fields.filter { ["SAMLRequest", "SAMLResponse"].contains($0.name) }
        let states = fields.filter { $0.name == "RelayState" }
        guard messages.count == 1, states.count <= 1,
            states.allSatisfy({ $0.value.utf8.count <= RedirectQuery.relayStateBytesMax })
        else { throw SAMLFault("form") }
        let bytes = try ResponseReader.decode(messages[0].value)
        let root = try XMLElement.read(bytes)
        guard let signature = try root.one("Signature", Space.signature) else { throw SAMLFault("not_signed") }
        var signatures = 0
        try root.visit { element throws(SAMLFault) in
            if ["Signature", "Object"].contains(element.name) { signatures += 1 }
        }
        guard signatures == 1 else { throw SAMLFault("wrapping") }
        try SignatureShape.check(signature, of: root)
        let signed = try XMLElement.read(try keys.octets(of: bytes, .root))
        guard signed["ID"] == root["ID"] else { throw SAMLFault("signed_octets") }
        return try arrival(signed, in: messages[0].name, states.first?.value)
    }

    private func arrival(_ root: XMLElement, in field: String, _ relayState: String?) throws(SAMLFault) -> LogoutArrival
    {
        let kind = field == "SAMLRequest" ? "LogoutRequest" : "LogoutResponse"
        guard root.isNamed(kind, Space.protocol) else { throw SAMLFault("root") }
        guard root["Version"] == "2.0", let id = root["ID"], (1...256).contains(id.utf8.count) else {
            throw SAMLFault("version")
        }
        guard root["Destination"] == service else { throw SAMLFault("destination") }
        guard let issuer = try root.one("Issuer") else { throw SAMLFault("issuer") }
        try AssertionRules.check(issuer: issuer, is: settings.entityID)
        guard let text = root["IssueInstant"] else { throw SAMLFault("issue_instant") }
        let issuedAt = try SAMLTime.read(text)
        guard issuedAt <= now + skew, now <= issuedAt + Self.ageSecondsMax + skew else { throw SAMLFault("age") }
        guard kind == "LogoutRequest" else { return try response(root, relayState) }
        return try request(
            root, id, relayState, until: issuedAt + Self.ageSecondsMax + 2 * max(settings.skewSeconds, 60))
    }

    private func request(_ root: XMLElement, _ id: String, _ relayState: String?, until expiresAt: UnixTime)
        throws(SAMLFault) -> LogoutArrival
    {
        if let text = root["NotOnOrAfter"] {
            guard now < (try SAMLTime.read(text)) + skew else { throw SAMLFault("expired") }
        }
        guard root.all("BaseID").isEmpty, root.all("EncryptedID").isEmpty, let element = try root.one("NameID") else {
            throw SAMLFault("name_id")
        }
        let name = try NameIdentifier(element, provider: settings.entityID, audience: audience)
        var sessions: [String] = []
        for index in root.all("SessionIndex", Space.protocol) {
            let text = try index.plainText()
            guard (1...Self.indexBytesMax).contains(text.utf8.count), sessions.count < Self.sessionsMax else {
                throw SAMLFault("session_index")
            }
            sessions.append(text)
        }
        return .request(
            LogoutArrival.Request(
                issuer: settings.entityID, name: name.text, sessions: sessions, id: id, relayState: relayState,
                expiresAt: expiresAt))
    }

    private func response(_ root: XMLElement, _ relayState: String?) throws(SAMLFault) -> LogoutArrival {
        guard let request = root["InResponseTo"] else { throw SAMLFault("in_response_to") }
        guard let code = try root.one("Status", Space.protocol)?.one("StatusCode", Space.protocol)?["Value"] else {
            throw SAMLFault("status")
        }
        return .response(
            LogoutArrival.Response(
                inResponseTo: request, relayState: relayState,
                isSuccess: code == "urn:oasis:names:tc:SAML:2.0:status:Success"))
    }
}
