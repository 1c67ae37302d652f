import KeyturnBase
import Model
import SAML
import Testing

@Suite("Responses of a SAML provider that are accepted")
struct GoodResponseTests {
    @Test func `a signed assertion says who signed in`() throws {
        let profile = try TestProvider.read(try TestProvider.signed())
        #expect(profile.issuer == TestProvider.entityID && profile.subject.hasPrefix("nameid-"))
        #expect(profile.email == "kim@a.example" && profile.emailTrust == .unverified)
        #expect(profile.session == "s1" && profile.context == "urn:oasis:names:tc:SAML:2.0:ac:classes:Password")
        #expect(profile.authenticatedAt == TestProvider.now - 30 && profile.groups == [] && profile.replay != nil)
    }

    @Test func `a signed response around an assertion is enough, unless the connection wants more`() throws {
        let text = try TestProvider.sign(TestProvider.Message().text, .root)
        #expect(try TestProvider.read(text).email == "kim@a.example")
        TestProvider.refuses(text, "not_signed", by: TestProvider.reader { $0.wantsAssertionsSigned = true })
        TestProvider.refuses(text, "not_encrypted", by: TestProvider.reader { $0.wantsAssertionsEncrypted = true })
    }

    @Test func `both may be signed`() throws {
        let text = try TestProvider.sign(try TestProvider.signed(), .root)
        #expect(try TestProvider.read(text).email == "kim@a.example")
    }

    @Test func `each of a connection's certificates counts, so that a provider can change its key`() throws {
        let reader = TestProvider.reader {
            $0.certificates = [TestProvider.otherKey.certificate, TestProvider.key.certificate]
        }
        #expect(try TestProvider.read(try TestProvider.signed(), by: reader).email == "kim@a.example")
        let next = try TestProvider.signed(by: TestProvider.otherKey)
        #expect(try TestProvider.read(next, by: reader).email == "kim@a.example")
    }

    @Test func `a tenant's provider vouches for addresses, the project's only by the operator's word`() throws {
        let text = try TestProvider.signed()
        #expect(try TestProvider.read(text, by: TestProvider.reader(tenant: "T1")).emailTrust == .trusted)
        #expect(try TestProvider.read(text, by: TestProvider.reader { $0.trustsEmail = true }).emailTrust == .trusted)
    }

    @Test func `everything that qualifies a NameID is part of the identity`() throws {
        var message = TestProvider.Message()
        let plain = try TestProvider.read(try TestProvider.signed(message)).subject
        var seen: Set<String> = [plain]
        for subject in [
            "<saml:NameID>kim</saml:NameID>",
            #"<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent" NameQualifier="q">kim</saml:NameID>"#,
            #"<saml:NameID Format="urn:oasis:names:tc:SAML:2.0:nameid-format:persistent" SPNameQualifier="q">kim</saml:NameID>"#,
        ] {
            message.subject = subject
            seen.insert(try TestProvider.read(try TestProvider.signed(message)).subject)
        }
        #expect(seen.count == 4)
    }

    @Test func `groups, names and an identifying attribute are read by the connection's mapping`() throws {
        var message = TestProvider.Message()
        message.attributes = """
            <saml:AttributeStatement><saml:Attribute Name="gruppe"><saml:AttributeValue>a</saml:AttributeValue>\
            <saml:AttributeValue>b</saml:AttributeValue></saml:Attribute><saml:Attribute Name="oid"><saml:AttributeValue>77\
            </saml:AttributeValue></saml:Attribute><saml:Attribute Name="displayName"><saml:AttributeValue>Kim K.\
            </saml:AttributeValue></saml:Attribute></saml:AttributeStatement>
            """
        let reader = TestProvider.reader {
            $0.mapping = ["groups": "gruppe"]
            $0.subjectAttribute = "oid"
        }
        let profile = try TestProvider.read(try TestProvider.signed(message), by: reader)
        #expect(profile.groups == ["a", "b"] && profile.subject == "77")
        #expect(profile.claims["name"]?.stringValue == "Kim K." && profile.email == nil)
    }

    @Test func `an empty list of groups, and none, are a list without any; Entra's mark leaves them unknown`() throws {
        func groups(_ attributes: String, _ change: (inout SAMLConnectionSettings) -> Void = { _ in }) throws
            -> [String]?
        {
            var message = TestProvider.Message()
            message.attributes = "<saml:AttributeStatement>\(attributes)</saml:AttributeStatement>"
            return try TestProvider.read(try TestProvider.signed(message), by: TestProvider.reader(change)).groups
        }
        let other = #"<saml:Attribute Name="x"><saml:AttributeValue>y</saml:AttributeValue></saml:Attribute>"#
        #expect(try groups(other) == [])
        #expect(try groups(#"<saml:Attribute Name="groups"/>"#) == [])
        #expect(try groups(#"<saml:Attribute Name="gruppe"/>"#) { $0.mapping = ["groups": "gruppe"] } == [])
        let one = #"<saml:Attribute Name="groups"><saml:AttributeValue>a</saml:AttributeValue></saml:Attribute>"#
        #expect(try groups(one) == ["a"])
        let mark =
            #"<saml:Attribute Name="http://schemas.microsoft.com/claims/groups.link"><saml:AttributeValue>"#
            + "https://graph.windows.net/x</saml:AttributeValue></saml:Attribute>"
        #expect(try groups(mark) == nil)
        #expect(try groups(mark + other) { $0.mapping = ["groups": "x"] } == ["y"], "the mark is about other groups")
    }

    @Test func `S-39: one confirmation that fits is enough`() throws {
        var message = TestProvider.Message()
        message.moreConfirmations = """
            <saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:sender-vouches"/>\
            <saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:bearer"><saml:SubjectConfirmationData \
            InResponseTo="_other" Recipient="https://id.example/saml/acme/acs" NotOnOrAfter="2027-01-15T08:05:00Z"/>\
            </saml:SubjectConfirmation>
            """
        #expect(try TestProvider.read(try TestProvider.signed(message)).email == "kim@a.example")
        message.recipient = "https://other.example/acs"
        TestProvider.refuses(try TestProvider.signed(message), "confirmation")
    }

    @Test func `S-16: a comment does not cut a name in two`() throws {
        let text = try TestProvider.signed().changing("kim@a.example<", "kim@a.example<!---->.evil.example<")
        // The signature does not cover comments; the text does not change by one.
        let commented = try TestProvider.signed().changing("kim@a.example", "kim<!-- x -->@a.example")
        #expect(try TestProvider.read(commented).email == "kim@a.example")
        TestProvider.refuses(text, "signature")
    }

    @Test func `the metadata of a connection holds its addresses and the server's certificate`() throws {
        let service = SAMLProtocol(
            issuer: "https://id.example/", http: OneDocument(), key: TestProvider.key, ambient: .live)
        let connection = Connection(
            id: "acme", name: "Acme", settings: .saml(TestProvider.settings()), createdAt: TestProvider.now,
            updatedAt: TestProvider.now)
        let root = try XMLElement.read(try #require(service.metadata(of: connection)))
        #expect(root["entityID"] == TestProvider.audience)
        let role = try #require(root.all("SPSSODescriptor", XMLElement.Space.metadata).first)
        #expect(role["AuthnRequestsSigned"] == "true")
        #expect(
            role.all("AssertionConsumerService", XMLElement.Space.metadata).first?["Location"] == TestProvider.consumer)
        #expect(role.all("KeyDescriptor", XMLElement.Space.metadata).map { $0["use"] } == ["signing", "encryption"])
        let again = try ServiceKey(pem: TestProvider.key.pem)
        #expect(again.certificate == TestProvider.key.certificate, "providers keep it")
    }
}
