import CryptoExtras
import Foundation
import KeyturnBase
import Model
import SAML

/// Responses of SAML judged per second of a processor, from the form field to the profile, beside what libxml2 and
/// libxmlsec1 need for the same signature with no rule around it: parsing, and verifying with a known certificate. Both
/// are measured in turn, batch by batch; the ratio is the median of the batches' ratios.
enum ResponseRate {
    private static let batches = 41
    private static let batchSeconds = 0.05
    private static let now = UnixTime(rawValue: 1_800_000_000)
    private static let audience = "https://id.example/saml/acme/metadata"
    private static let consumer = "https://id.example/saml/acme/acs"

    static func rows() throws -> [[String: Any]] {
        let key = try ServiceKey(pem: _RSA.Signing.PrivateKey(keySize: .bits2048).pemRepresentation)
        let certificate = try ProviderCertificate(key.certificate).pem
        let message = try XMLLibrary.sign(Array(response.utf8), .assertion, privateKey: key.pem)
        let encoded = Data(message).base64EncodedString()
        let settings = SAMLConnectionSettings(
            entityID: "https://idp.example/metadata", signOnURL: "https://idp.example/sso",
            certificates: [key.certificate])
        let connection = Connection(
            id: "acme", name: "Acme", settings: .saml(settings), createdAt: now, updatedAt: now)
        let reader = ResponseReader(
            connection: connection, settings: settings, audience: audience, consumer: consumer)
        let asked = ResponseReader.Asked(id: "_request", at: now)
        var rates: [(ours: Double, limit: Double)] = []
        for _ in 0..<batches {
            rates.append(
                (
                    try rate {
                        let profile = try reader.profile(from: encoded, asked: asked, now: now)
                        guard profile.email == "kim@a.example" else { throw CocoaError(.coderInvalidValue) }
                    },
                    try rate {
                        let octets = try XMLLibrary.verify(message, .assertion, certificate: certificate)
                        guard !octets.isEmpty else { throw CocoaError(.coderInvalidValue) }
                    }
                ))
        }
        return [
            [
                "name": "saml-response", "value": median(rates.map(\.ours)), "unit": "1/s",
                "limit": median(rates.map(\.limit)), "limit_name": "bare libxmlsec1, parsing and RSA-2048 signature",
                "ratio": median(rates.map { $0.ours / $0.limit }), "goal": NSNull(),
                "note": "\(message.count) bytes, signed assertion",
            ]
        ]
    }

    /// Operations per second of this thread's processor time.
    private static func rate(_ operation: () throws -> Void) rethrows -> Double {
        let start = clock()
        var count = 0
        while Double(clock() - start) / Double(CLOCKS_PER_SEC) < batchSeconds {
            for _ in 0..<10 { try operation() }
            count += 10
        }
        return Double(count) / (Double(clock() - start) / Double(CLOCKS_PER_SEC))
    }

    private static func median(_ values: [Double]) -> Double {
        values.sorted()[values.count / 2]
    }

    private static func attribute(_ name: String, _ value: String) -> String {
        #"<saml:Attribute Name="\#(name)"><saml:AttributeValue>\#(value)</saml:AttributeValue></saml:Attribute>"#
    }

    /// As the larger providers write it by default: the assertion is signed, the response is not.
    private static let response = """
        <samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" \
        xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_response" Version="2.0" \
        IssueInstant="2027-01-15T08:00:00Z" InResponseTo="_request" Destination="\(consumer)">\
        <saml:Issuer>https://idp.example/metadata</saml:Issuer><samlp:Status>\
        <samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:Success"/></samlp:Status>\
        <saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="_assertion" Version="2.0" \
        IssueInstant="2027-01-15T08:00:00Z"><saml:Issuer>https://idp.example/metadata</saml:Issuer><saml:Subject>\
        <saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent">kim</saml:NameID>\
        <saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData \
        InResponseTo="_request" Recipient="\(consumer)" NotOnOrAfter="2027-01-15T08:05:00Z"/>\
        </saml:SubjectConfirmation></saml:Subject><saml:Conditions NotBefore="2027-01-15T07:59:00Z" \
        NotOnOrAfter="2027-01-15T08:05:00Z"><saml:AudienceRestriction><saml:Audience>\(audience)</saml:Audience>\
        </saml:AudienceRestriction></saml:Conditions><saml:AuthnStatement AuthnInstant="2027-01-15T07:59:30Z" \
        SessionIndex="s1"><saml:AuthnContext><saml:AuthnContextClassRef>\
        urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext>\
        </saml:AuthnStatement><saml:AttributeStatement>\
        \(attribute("mail", "kim@a.example"))\(attribute("displayName", "Kim Example"))\
        \(attribute("firstName", "Kim"))\(attribute("lastName", "Example"))\(attribute("groups", "staff"))\
        </saml:AttributeStatement></saml:Assertion></samlp:Response>
        """
}
