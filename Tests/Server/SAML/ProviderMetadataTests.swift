import KeyturnBase
import Model
import SAML
import SignIn
import Testing

@Suite("A SAML provider's metadata and keys")
struct ProviderMetadataTests {
    private static func metadata(
        _ entity: String = TestProvider.entityID, location: String = "https://idp.example/sso", use: String = "signing",
        roles: Int = 1
    ) -> String {
        let role = """
            <md:IDPSSODescriptor protocolSupportEnumeration="urn:oasis:names:tc:SAML:2.0:protocol">\
            <md:KeyDescriptor use="\(use)"><ds:KeyInfo xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><ds:X509Data>\
            <ds:X509Certificate>\(TestProvider.key.certificate)</ds:X509Certificate></ds:X509Data></ds:KeyInfo>\
            </md:KeyDescriptor><md:SingleSignOnService Binding="urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect" \
            Location="\(location)"/></md:IDPSSODescriptor>
            """
        return """
            <md:EntityDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata" entityID="\(entity)">\
            \(String(repeating: role, count: roles))</md:EntityDescriptor>
            """
    }

    private static func code(_ text: String, _ entity: String? = nil) -> String? {
        do throws(SAMLFault) {
            _ = try ProviderMetadata(Array(text.utf8), entityID: entity)
            return nil
        } catch {
            return error.code
        }
    }

    @Test func `S-45: one provider, one role, an address to trust, a key for signatures`() throws {
        let good = try ProviderMetadata(Array(Self.metadata().utf8))
        #expect(good.entityID == TestProvider.entityID && good.signOnURL == "https://idp.example/sso")
        #expect(good.certificates.count == 1 && good.logoutURL == nil)
        let aggregate =
            #"<md:EntitiesDescriptor xmlns:md="urn:oasis:names:tc:SAML:2.0:metadata">"#
            + Self.metadata() + Self.metadata("urn:other") + "</md:EntitiesDescriptor>"
        #expect(Self.code(aggregate) == "metadata_entity")
        #expect(Self.code(aggregate, "urn:other") == nil)
        #expect(Self.code(Self.metadata(), "urn:other") == "metadata_entity")
        #expect(Self.code(Self.metadata(roles: 2)) == "metadata_role")
        #expect(Self.code(Self.metadata(use: "encryption")) == "metadata_keys")
        for location in ["http://idp.example/sso", "javascript:alert(1)", "//idp.example"] {
            #expect(Self.code(Self.metadata(location: location)) == "metadata_role")
        }
        #expect(Self.code("<r/>") == "metadata_entity")
    }

    @Test func `a connection reads its provider's metadata when it is saved`() async throws {
        var settings = TestProvider.settings {
            $0.metadataURL = "https://idp.example/metadata"
            $0.entityID = ""
            $0.signOnURL = ""
            $0.certificates = []
        }
        func connection() -> Connection {
            Connection(
                id: "acme", name: "Acme", settings: .saml(settings), createdAt: TestProvider.now,
                updatedAt: TestProvider.now)
        }
        func service(_ document: String?) -> SAMLProtocol {
            SAMLProtocol(
                issuer: "https://id.example", http: OneDocument(document: document), key: nil, ambient: .live)
        }
        let completed = try await service(Self.metadata()).completed(connection())
        guard case .saml(let read) = completed.settings else { return #expect(Bool(false)) }
        #expect(read.entityID == TestProvider.entityID && read.signOnURL == "https://idp.example/sso")
        #expect(read.certificates.count == 1 && service(nil).mistakes(in: completed).isEmpty)
        await #expect(throws: ConnectionProblem(.unavailable, code: "unreachable")) {
            try await service(nil).completed(connection())
        }
        settings.entityID = "urn:other"
        await #expect(throws: ConnectionProblem(.misconfigured, code: "metadata_entity")) {
            try await service(Self.metadata()).completed(connection())
        }
    }

    @Test func `our key is not printed`() {
        for text in ["\(TestProvider.key)", String(reflecting: TestProvider.key)] { #expect(text == "«key»") }
        var dumped = ""
        dump(TestProvider.key, to: &dumped)
        #expect(!dumped.contains("PRIVATE"))
    }

    @Test func `a certificate is read with and without its armor, and a broken one is refused`() throws {
        let plain = try ProviderCertificate(TestProvider.key.certificate)
        #expect(try ProviderCertificate(plain.pem).fingerprint == plain.fingerprint)
        #expect(throws: SAMLFault("certificate", .misconfigured)) { try ProviderCertificate("AAAA") }
    }
}
