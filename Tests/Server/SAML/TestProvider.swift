import CryptoExtras
import Foundation
import KeyturnBase
import Model
import SAML
import Testing

/// An identity provider of the tests: it writes responses as text, so that every mutation can be written, and signs them
/// with the library that others verify with.
struct TestProvider {
    static let entityID = "https://idp.example/metadata"
    static let audience = "https://id.example/saml/acme/metadata"
    static let consumer = "https://id.example/saml/acme/acs"
    static let request = "_request"
    static let now = UnixTime(rawValue: 1_800_000_000)

    /// RSA of 2,048 bits, made once; its certificate is the one that `ServiceKey` makes.
    static let key = makeKey()
    static let otherKey = makeKey()

    private static func makeKey() -> ServiceKey {
        guard let key = try? _RSA.Signing.PrivateKey(keySize: .bits2048),
            let service = try? ServiceKey(pem: key.pemRepresentation)
        else { preconditionFailure("a key can be made") }
        return service
    }

    static func settings(_ change: (inout SAMLConnectionSettings) -> Void = { _ in }) -> SAMLConnectionSettings {
        var settings = SAMLConnectionSettings(
            entityID: entityID, signOnURL: "https://idp.example/sso", certificates: [key.certificate])
        change(&settings)
        return settings
    }

    static func reader(
        tenant: String? = nil, keys: [String] = [], _ change: (inout SAMLConnectionSettings) -> Void = { _ in }
    ) -> ResponseReader {
        let settings = settings(change)
        let connection = Connection(
            id: "acme", tenantID: tenant, name: "Acme", settings: .saml(settings), createdAt: now, updatedAt: now)
        return ResponseReader(
            connection: connection, settings: settings, audience: audience, consumer: consumer, decryptionKeys: keys)
    }

    /// The parts of a good response; a test changes one.
    struct Message {
        var id = "_response"
        var assertionID = "_assertion"
        var responseAttributes = #" InResponseTo="_request" Destination="https://id.example/saml/acme/acs""#
        var status = "urn:oasis:names:tc:SAML:2.0:status:Success"
        var issuer = TestProvider.entityID
        var issued = "2027-01-15T08:00:00Z"
        var subject = #"<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">kim</saml:NameID>"#
        var recipient = TestProvider.consumer
        var inResponseTo = #" InResponseTo="_request""#
        var confirmedUntil = #" NotOnOrAfter="2027-01-15T08:05:00Z""#
        var moreConfirmations = ""
        var conditions = #" NotBefore="2027-01-15T07:59:00Z" NotOnOrAfter="2027-01-15T08:05:00Z""#
        var audiences =
            "<saml:AudienceRestriction><saml:Audience>\(TestProvider.audience)</saml:Audience></saml:AudienceRestriction>"
        var statement =
            #"<saml:AuthnStatement AuthnInstant="2027-01-15T07:59:30Z" SessionIndex="s1"><saml:AuthnContext>"#
            + "<saml:AuthnContextClassRef>urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef>"
            + "</saml:AuthnContext></saml:AuthnStatement>"
        var attributes =
            #"<saml:AttributeStatement><saml:Attribute Name="mail"><saml:AttributeValue>kim@a.example"#
            + "</saml:AttributeValue></saml:Attribute></saml:AttributeStatement>"

        static let spaces =
            #"xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion""#

        var assertion: String {
            """
            <saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="\(assertionID)" Version="2.0" \
            IssueInstant="\(issued)"><saml:Issuer>\(issuer)</saml:Issuer><saml:Subject>\(subject)\
            <saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData\
            \(inResponseTo) Recipient="\(recipient)"\(confirmedUntil)/></saml:SubjectConfirmation>\(moreConfirmations)\
            </saml:Subject><saml:Conditions\(conditions)>\(audiences)</saml:Conditions>\(statement)\(attributes)\
            </saml:Assertion>
            """
        }

        /// The response around any text.
        func response(_ inside: String) -> String {
            """
            <samlp:Response \(Self.spaces) ID="\(id)" Version="2.0" IssueInstant="\(issued)"\(responseAttributes)>\
            <saml:Issuer>\(issuer)</saml:Issuer><samlp:Status><samlp:StatusCode Value="\(status)"/></samlp:Status>\
            \(inside)</samlp:Response>
            """
        }

        var text: String { response(assertion) }
    }

    /// A response whose assertion is signed.
    static func signed(_ message: Message = Message(), by key: ServiceKey = key) throws -> String {
        try sign(message.text, .assertion, by: key)
    }

    static func sign(_ text: String, _ target: XMLLibrary.Target, by key: ServiceKey = key) throws -> String {
        String(decoding: try XMLLibrary.sign(Array(text.utf8), target, privateKey: key.pem), as: UTF8.self)
    }

    /// What the service provider makes of a message.
    static func read(
        _ text: String, by reader: ResponseReader = reader(), isForced: Bool = false, now: UnixTime = now,
        requestedAt: UnixTime = now
    ) throws(SAMLFault) -> FederatedProfile {
        try reader.profile(
            from: Data(text.utf8).base64EncodedString(),
            asked: ResponseReader.Asked(id: request, at: requestedAt, isForced: isForced), now: now)
    }

    /// Expects a refusal by one of these words.
    static func refuses(
        _ text: String, _ codes: String..., by reader: ResponseReader = reader(), isForced: Bool = false,
        location: SourceLocation = #_sourceLocation
    ) {
        do throws(SAMLFault) {
            let profile = try read(text, by: reader, isForced: isForced)
            Issue.record("accepted as \(profile.email ?? profile.subject)", sourceLocation: location)
        } catch {
            #expect(codes.contains(error.code), "\(error.code)", sourceLocation: location)
        }
    }
}

extension String {
    /// With one text replaced, which must be there.
    func changing(_ old: String, _ new: String, location: SourceLocation = #_sourceLocation) -> String {
        #expect(contains(old), "\(old) is not in the message", sourceLocation: location)
        return replacing(old, with: new, maxReplacements: 1)
    }

    /// What stands between two texts, with them.
    func part(_ start: String, _ end: String) throws -> String {
        let first = try #require(range(of: start))
        let last = try #require(range(of: end, range: first.upperBound..<endIndex))
        return String(self[first.lowerBound..<last.upperBound])
    }
}

/// A network that answers with one document, or not at all.
struct OneDocument: OutgoingHTTP {
    var document: String?

    func send(_ request: OutgoingRequest) async throws(OutgoingProblem) -> OutgoingAnswer {
        guard let document else { throw .unreachable }
        return OutgoingAnswer(status: 200, contentType: "text/xml", body: Array(document.utf8))
    }
}
