import Foundation
import KeyturnBase
import Model
import SAML
import SignIn
import Testing

@Suite("Requests to a SAML provider by form")
struct PostBindingTests {
    private static func metadata(_ services: String) -> String {
        """
        <md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="\(TestProvider.entityID)">\
        <md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol"><md:KeyDescriptor>\
        <ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data><ds:X509Certificate>\
        \(TestProvider.key.certificate)</ds:X509Certificate></ds:X509Data></ds:KeyInfo></md:KeyDescriptor>\(services)\
        </md:IDPSSODescriptor></md:EntityDescriptor>
        """
    }

    private static func service(_ name: String, _ binding: String, _ path: String, _ more: String = "") -> String {
        """
        <md:\(name) Binding="urn:oasis:names:tc:SAML:2.0:bindings:\(binding)" Location="https://idp.example/\(path)"\
        \(more)/>
        """
    }

    @Test func `metadata that offers forms alone is taken, and redirects are preferred`() throws {
        let answers = #" ResponseLocation="https://idp.example/answers""#
        let forms = try ProviderMetadata(
            Array(
                Self.metadata(
                    Self.service("SingleLogoutService", "SOAP", "soap")
                        + Self.service("SingleLogoutService", "HTTP-POST", "out", answers)
                        + Self.service("SingleSignOnService", "HTTP-POST", "in")
                ).utf8))
        #expect(forms.signOnURL == "https://idp.example/in" && forms.signOnBinding == .post)
        #expect(forms.logoutURL == "https://idp.example/out" && forms.logoutBinding == .post)
        #expect(forms.logoutResponseURL == "https://idp.example/answers")
        let both = try ProviderMetadata(
            Array(
                Self.metadata(
                    Self.service("SingleSignOnService", "HTTP-POST", "form")
                        + Self.service("SingleSignOnService", "HTTP-Redirect", "redirect")
                ).utf8))
        #expect(both.signOnURL == "https://idp.example/redirect" && both.signOnBinding == .redirect)
        #expect(both.logoutURL == nil && both.logoutBinding == nil)
        var settings = TestProvider.settings()
        forms.fill(&settings)
        #expect(settings.signOnBinding == .post && settings.logoutResponseURL == "https://idp.example/answers")
    }

    @Test func `S-45: an answer goes to no script`() throws {
        let text = Self.metadata(
            Self.service("SingleLogoutService", "HTTP-POST", "out", #" ResponseLocation="javascript:alert(1)""#)
                + Self.service("SingleSignOnService", "HTTP-POST", "in"))
        #expect(try ProviderMetadata(Array(text.utf8)).logoutURL == nil)
    }

    @Test func `a request by form is signed inside, if requests are signed`() async throws {
        for isSigned in [true, false] {
            let settings = TestProvider.settings {
                $0.signOnBinding = .post
                $0.signsRequests = isSigned
            }
            let connection = Connection(
                id: "acme", name: "Acme", settings: .saml(settings), createdAt: TestProvider.now,
                updatedAt: TestProvider.now)
            let service = SAMLProtocol(
                issuer: "https://id.example", http: OneDocument(), key: TestProvider.key, ambient: .live)
            let departure = try await service.begin(ConnectionStart(handle: "a-handle"), at: connection)
            guard case .post(let action, let fields) = departure.way else {
                Issue.record("it is a redirect")
                continue
            }
            #expect(action == "https://idp.example/sso" && fields.map(\.name) == ["SAMLRequest", "RelayState"])
            #expect(fields[1].value == "a-handle")
            var bytes = Array(try #require(Data(base64Encoded: fields[0].value)))
            #expect(try XMLElement.read(bytes).all("Signature", XMLElement.Space.signature).count == (isSigned ? 1 : 0))
            if isSigned {
                bytes = try XMLLibrary.verify(
                    bytes, .root, certificate: try ProviderCertificate(TestProvider.key.certificate).pem)
            }
            let request = try XMLElement.read(bytes)
            #expect(request.isNamed("AuthnRequest", XMLElement.Space.protocol))
            #expect(request["Destination"] == "https://idp.example/sso")
        }
    }

    @Test func `the service for logout messages is named if there is a key to sign them`() throws {
        let connection = Connection(
            id: "acme", name: "Acme", settings: .saml(TestProvider.settings()), createdAt: TestProvider.now,
            updatedAt: TestProvider.now)
        for key in [TestProvider.key, nil] {
            let service = SAMLProtocol(
                issuer: "https://id.example", http: OneDocument(), key: key, ambient: .live)
            let root = try XMLElement.read(try #require(service.metadata(of: connection)))
            let role = try #require(root.all("SPSSODescriptor", XMLElement.Space.metadata).first)
            let found = role.all("SingleLogoutService", XMLElement.Space.metadata)
            let place = "https://id.example/saml/acme/slo"
            #expect(found.map { $0["Location"] } == (key == nil ? [] : [place, place]))
        }
    }
}
