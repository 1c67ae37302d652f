import Crypto
import CryptoExtras
import Foundation
import Identity
import KeyturnBase
import KeyturnWire
import Model
import SAML
import ServerTesting
import SignIn

/// A server with one SAML connection, whose provider is the test: it writes messages as text and signs them.
struct SAMLFixture {
    static let issuer = "https://id.example"
    static let entityID = "https://idp.example/metadata"
    static let persistent = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
    static let key = makeKey()
    static let serverKey = makeKey()
    private static let spaces =
        #"xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion""#

    let server: TestServer
    let clock: VirtualClock

    private static func makeKey() -> ServiceKey {
        guard let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048),
            let service = try? ServiceKey(pem: key.pemRepresentation)
        else { preconditionFailure("a key can be made") }
        return service
    }

    /// The server and its connections `acme` and `other`, of one provider.
    static func start(
        pool: HashingPool? = nil, _ change: (inout SAMLConnectionSettings) -> Void = { _ in }
    ) async throws -> SAMLFixture {
        var settings = SAMLConnectionSettings(
            entityID: entityID, signOnURL: "https://idp.example/sso", logoutURL: "https://idp.example/slo",
            certificates: [key.certificate], allowsUnsolicited: true)
        change(&settings)
        let clock = VirtualClock()
        let connections = ["acme", "other"].map {
            Connection(
                id: $0, name: "Acme", settings: .saml(settings), createdAt: UnixTime(rawValue: 0),
                updatedAt: UnixTime(rawValue: 0))
        }
        let saml = SAMLProtocol(
            issuer: issuer, http: NoNetwork(), key: serverKey, ambient: clock.ambient, verifications: pool)
        let server = try await TestServer.start(
            issuer: issuer, clock: clock, methodSettings: MethodSettings(approvedDomains: ["app.example"]),
            connections: connections, protocols: ConnectionProtocols(saml: saml))
        return SAMLFixture(server: server, clock: clock)
    }

    private func time(_ seconds: Int64 = 0) -> String { SAMLTime.text(clock.now + seconds) }

    /// A response that answers no request, its assertion signed.
    func response(
        _ subject: String = "kim", id: String = "_a1", session: String = "s1", at connection: String = "acme",
        inResponseTo: String? = nil, confirming: String? = nil, issued: Int64 = 0, by key: ServiceKey = key
    ) throws -> String {
        let consumer = "\(Self.issuer)/saml/\(connection)/acs"
        func mark(_ request: String?) -> String { request.map { #" InResponseTo="\#($0)""# } ?? "" }
        let assertion = """
            <saml:Assertion \(Self.spaces) ID="\(id)" Version="2.0" IssueInstant="\(time(issued))">\
            <saml:Issuer>\(Self.entityID)</saml:Issuer><saml:Subject><saml:NameID Format="\(Self.persistent)">\(subject)\
            </saml:NameID><saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer">\
            <saml:SubjectConfirmationData\(mark(confirming)) Recipient="\(consumer)" NotOnOrAfter="\(time(300))"/>\
            </saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="\(time(-60))" \
            NotOnOrAfter="\(time(300))"><saml:AudienceRestriction><saml:Audience>\(Self.issuer)/saml/\(connection)/metadata\
            </saml:Audience></saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="\(time(-5))" \
            SessionIndex="\(session)"/></saml:Assertion>
            """
        let text = """
            <samlp:Response \(Self.spaces) ID="_r-\(id)" Version="2.0" IssueInstant="\(time())"\(mark(inResponseTo)) \
            Destination="\(consumer)"><saml:Issuer>\(Self.entityID)</saml:Issuer><samlp:Status><samlp:StatusCode \
            Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>\(assertion)</samlp:Response>
            """
        let signed = try XMLLibrary.sign(Array(text.utf8), .assertion, privateKey: key.pem)
        return Data(signed).base64EncodedString()
    }

    /// Posts a response, as the provider's page makes a browser do, which then follows to the end.
    func post(
        _ response: String, in browser: ScriptedBrowser, relayState: String? = nil, at connection: String = "acme"
    ) async throws -> (status: Int, screen: ScriptedBrowser.Screen?) {
        var form = FormParameters(["SAMLResponse": response])
        if let relayState { form.append("RelayState", relayState) }
        // The cookies stay behind, as SameSite asks.
        let jar = browser.cookieJar
        browser.cookieJar = [:]
        let stopped = try await server.send(
            "POST", "/saml/\(connection)/acs", headers: [("Content-Type", "application/x-www-form-urlencoded")],
            body: form.encoded)
        browser.cookieJar = jar
        guard let location = stopped.headers["location"] else { return (stopped.status, nil) }
        let screen = try await browser.open(location)
        return (screen.status, screen)
    }

    /// How many browser sessions a user has who is known by a name of the provider.
    func sessions(_ subject: String, at connection: String = "acme") async throws -> Int {
        let name = #"{"format":"\#(Self.persistent)","value":"\#(subject)"}"#
        return try await server.services.stores.identities.origins(
            named: name, at: connection, issuer: Self.entityID, at: clock.now
        ).count
    }

    // MARK: - Single logout

    /// A request of the provider that its user signed out; a test changes its text.
    func logoutRequest(
        _ subject: String = "kim", session: String? = nil, id: String = "_l1", at connection: String = "acme",
        issuer: String = entityID, issued: Int64 = 0
    ) -> String {
        """
        <samlp:LogoutRequest \(Self.spaces) ID="\(id)" Version="2.0" IssueInstant="\(time(issued))" \
        Destination="\(Self.issuer)/saml/\(connection)/slo" NotOnOrAfter="\(time(issued + 120))"><saml:Issuer>\(issuer)\
        </saml:Issuer><saml:NameID Format="\(Self.persistent)">\(subject)</saml:NameID>\
        \(session.map { "<samlp:SessionIndex>\($0)</samlp:SessionIndex>" } ?? "")</samlp:LogoutRequest>
        """
    }

    /// The provider's answer to a request of ours.
    func logoutResponse(to request: String, status: String = "Success", id: String = "_lr1") -> String {
        """
        <samlp:LogoutResponse \(Self.spaces) ID="\(id)" Version="2.0" IssueInstant="\(time())" \
        Destination="\(Self.issuer)/saml/acme/slo" InResponseTo="\(request)"><saml:Issuer>\(Self.entityID)</saml:Issuer>\
        <samlp:Status><samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:\(status)"/></samlp:Status>\
        </samlp:LogoutResponse>
        """
    }

    /// The query of a message by HTTP-Redirect.
    static func query(
        _ text: String, _ field: String = "SAMLRequest", relayState: String? = nil, by key: ServiceKey = key,
        inLowerCase: Bool = false
    ) throws -> String {
        func encoded(_ bytes: [UInt8]) -> String {
            let text = Data(bytes).base64EncodedString().percentEncoded
            return inLowerCase ? text.replacing(#/%../#) { $0.output.lowercased() } : text
        }
        var query = "\(field)=\(encoded(try XMLLibrary.deflate(Array(text.utf8))))"
        if let relayState { query += "&RelayState=\(relayState.percentEncoded)" }
        query += "&SigAlg=" + "http://www.w3.org/2001/04/xmldsig-more#rsa-sha256".percentEncoded
        let signer = try _RSA.Signing.PrivateKey(pemRepresentation: key.pem)
        let signature = try signer.signature(for: SHA256.hash(data: Array(query.utf8)), padding: .insecurePKCS1v1_5)
        return query + "&Signature=" + encoded(Array(signature.rawRepresentation))
    }

    /// The message in an address of ours, and its RelayState.
    static func message(in address: String) throws -> (root: XMLElement, query: FormParameters) {
        let query = try FormParameters(parsing: String(address.split(separator: "?", maxSplits: 1).last ?? ""))
        let text = query.values("SAMLRequest").first ?? query.values("SAMLResponse").first ?? ""
        guard let data = Data(base64Encoded: text) else { throw TestFailure("no message in \(address)") }
        return (try XMLElement.read(try XMLLibrary.inflate(Array(data))), query)
    }
}

extension String {
    /// As the HTTP-Redirect binding writes values.
    var percentEncoded: String {
        addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? self
    }
}

struct NoNetwork: OutgoingHTTP {
    func send(_ request: OutgoingRequest) async throws(OutgoingProblem) -> OutgoingAnswer { throw .unreachable }
}

/// Base64 with padding, as the HTTP-POST binding has it.
enum Base64 {
    static func text(_ bytes: [UInt8]) -> String { Data(bytes).base64EncodedString() }
    static func bytes(_ text: String) -> [UInt8]? { Data(base64Encoded: text).map(Array.init) }
}
