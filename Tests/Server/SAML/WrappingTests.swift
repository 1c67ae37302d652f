import Model
import SAML
import Testing

/// A signed assertion beside a forged one: whoever reads another part of the message than was verified is deceived.
@Suite("Signature wrapping and other doubts about what was signed")
struct WrappingTests {
    private typealias Message = TestProvider.Message

    /// A good response, its signed assertion, and a forged assertion without a signature.
    private static func parts() throws -> (text: String, assertion: String, signature: String, evil: String) {
        let text = try TestProvider.signed()
        var forged = Message()
        forged.assertionID = "_evil"
        forged.subject = "<saml:NameID>EVIL</saml:NameID>"
        forged.attributes = forged.attributes.replacing("kim@a.example", with: "evil@a.example")
        return (
            text, try text.part("<saml:Assertion", "</saml:Assertion>"), try text.part("<Signature", "</Signature>"),
            forged.assertion
        )
    }

    @Test func `S-1: a forged response around the signed one`() throws {
        let signed = try TestProvider.sign(Message().text, .root)
        let original = try signed.part("<samlp:Response", "</samlp:Response>")
        let signature = try signed.part("<Signature", "</Signature>")
        let inside = signature.changing("</Signature>", "<Object>\(original)</Object></Signature>")
        let forged = Message().response(try Self.parts().evil)
            .changing("</saml:Issuer><samlp:Status>", "</saml:Issuer>\(inside)<samlp:Status>")
        TestProvider.refuses(forged, "wrapping")
    }

    @Test func `S-2: a forged response beside the signed one`() throws {
        let signed = try TestProvider.sign(Message().text, .root)
        let original = try signed.part("<samlp:Response", "</samlp:Response>")
        let signature = try signed.part("<Signature", "</Signature>")
        let forged = Message().response(try Self.parts().evil)
            .changing("</saml:Issuer><samlp:Status>", "</saml:Issuer>\(original)\(signature)<samlp:Status>")
        TestProvider.refuses(forged, "order", "wrapping")
    }

    @Test func `S-3, S-10: two assertions, whichever comes first`() throws {
        let parts = try Self.parts()
        TestProvider.refuses(Message().response(parts.evil + parts.assertion), "assertions")
        TestProvider.refuses(Message().response(parts.assertion + parts.evil), "assertions")
        var other = Message()
        other.assertionID = "_second"
        let second = try TestProvider.signed(other).part("<saml:Assertion", "</saml:Assertion>")
        TestProvider.refuses(Message().response(parts.assertion + second), "assertions")
    }

    @Test func `S-4: the signed assertion inside the forged one`() throws {
        let parts = try Self.parts()
        let forged = parts.evil.changing("</saml:Assertion>", parts.assertion + "</saml:Assertion>")
        TestProvider.refuses(Message().response(forged), "wrapping")
    }

    @Test func `S-5: the forged assertion takes the signature`() throws {
        let parts = try Self.parts()
        let bare = parts.assertion.changing(parts.signature, "")
        let forged = parts.evil.changing("</saml:Issuer>", "</saml:Issuer>" + parts.signature)
        TestProvider.refuses(Message().response(forged + bare), "assertions")
        TestProvider.refuses(Message().response(forged), "signature_reference")
        let sameID = forged.changing(#"ID="_evil""#, #"ID="_assertion""#)
        TestProvider.refuses(Message().response(sameID), "signature")
    }

    @Test func `S-6, S-8: the signed assertion inside the signature`() throws {
        let parts = try Self.parts()
        let bare = parts.assertion.changing(parts.signature, "")
        for inside in [bare, "<Object>\(bare)</Object>"] {
            let signature = parts.signature.changing("</Signature>", inside + "</Signature>")
            let forged = parts.evil.changing("</saml:Issuer>", "</saml:Issuer>" + signature)
            TestProvider.refuses(Message().response(forged), "wrapping")
        }
    }

    @Test func `S-7: the signed assertion among the extensions`() throws {
        let parts = try Self.parts()
        let forged = parts.text.changing(parts.assertion, parts.evil)
            .changing("<samlp:Status>", "<samlp:Extensions>\(parts.assertion)</samlp:Extensions><samlp:Status>")
        TestProvider.refuses(forged, "wrapping")
    }

    @Test(
        "S-9: two elements of one identifier",
        arguments: [
            #"ID="_assertion""#, #"Id="_assertion""#, #"xml:id="_assertion""#, #"ID="_ASSERTION""#,
            #"ID=" _assertion ""#,
        ])
    func identifiers(_ attribute: String) throws {
        let text = try TestProvider.signed()
        TestProvider.refuses(
            text.changing("<samlp:Status>", "<samlp:Extensions><x \(attribute)/></samlp:Extensions><samlp:Status>"),
            "identifier", "malformed")
    }

    @Test func `S-11, S-12: a message without a signature, or with one elsewhere`() throws {
        let parts = try Self.parts()
        TestProvider.refuses(Message().text, "not_signed")
        let moved = parts.text.changing(parts.signature, "")
            .changing("</saml:Subject>", "</saml:Subject>" + parts.signature)
        TestProvider.refuses(moved, "order", "wrapping")
    }

    @Test(
        "S-13: a signature of something else",
        arguments: [
            "", "#_response", "#xpointer(id('_assertion'))", "#xpointer(/)", "file:///etc/passwd", "http://a.example/",
        ])
    func reference(_ uri: String) throws {
        let text = try TestProvider.signed()
        TestProvider.refuses(text.changing(##"URI="#_assertion""##, "URI=\"\(uri)\""), "signature_reference")
        TestProvider.refuses(text.changing(##" URI="#_assertion""##, ""), "signature_reference")
    }

    @Test(
        "S-14, S-15: transforms that run code, or hash another text",
        arguments: [
            "http://www.w3.org/TR/1999/REC-xslt-19991116", "http://www.w3.org/TR/1999/REC-xpath-19991116",
            "http://www.w3.org/2002/06/xmldsig-filter2", "http://www.w3.org/2000/09/xmldsig#base64",
            "http://www.w3.org/TR/2001/REC-xml-c14n-20010315", "http://www.w3.org/2006/12/xml-c14n11",
            "http://www.w3.org/2001/10/xml-exc-c14n#WithComments",
        ])
    func transforms(_ algorithm: String) throws {
        let text = try TestProvider.signed()
        let enveloped = #"<Transform Algorithm="http://www.w3.org/2000/09/xmldsig#enveloped-signature"/>"#
        TestProvider.refuses(
            text.changing(enveloped, "\(enveloped)<Transform Algorithm=\"\(algorithm)\"/>"), "signature_transform")
        TestProvider.refuses(
            text.changing(
                #"<Transform Algorithm="http://www.w3.org/2001/10/xml-exc-c14n#"/>"#,
                "<Transform Algorithm=\"\(algorithm)\"/>"), "signature_transform")
    }

    @Test(
        "S-25, S-26: weak and foreign algorithms",
        arguments: [
            "http://www.w3.org/2000/09/xmldsig#rsa-sha1", "http://www.w3.org/2000/09/xmldsig#hmac-sha1",
            "http://www.w3.org/2001/04/xmldsig-more#hmac-sha256", "http://www.w3.org/2001/04/xmldsig-more#rsa-md5",
            "http://www.w3.org/2000/09/xmldsig#dsa-sha1", "http://www.w3.org/2001/04/xmldsig-more#rsa-ripemd160",
        ])
    func algorithms(_ algorithm: String) throws {
        let text = try TestProvider.signed()
        TestProvider.refuses(
            text.changing("http://www.w3.org/2001/04/xmldsig-more#rsa-sha256", algorithm), "signature_algorithm")
        TestProvider.refuses(
            text.changing("http://www.w3.org/2001/04/xmlenc#sha256", "http://www.w3.org/2000/09/xmldsig#sha1"),
            "signature_algorithm")
    }

    @Test func `S-23: the digest of nothing`() throws {
        let text = try TestProvider.signed()
        let digest = try text.part("<DigestValue>", "</DigestValue>")
        TestProvider.refuses(
            text.changing(digest, "<DigestValue>47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=</DigestValue>"),
            "signature_algorithm")
        TestProvider.refuses(
            text.changing("<saml:Subject>", #"<saml:Subject xmlns:r="relative">"#), "forbidden")
    }

    @Test func `S-27: a cut, empty or unreadable signature`() throws {
        let text = try TestProvider.signed()
        let value = try text.part("<SignatureValue>", "</SignatureValue>")
        for other in ["", "AAAA", "%%%", String(repeating: "A", count: 4_000)] {
            TestProvider.refuses(text.changing(value, "<SignatureValue>\(other)</SignatureValue>"), "signature")
        }
        TestProvider.refuses(
            text.changing(
                #"xmldsig-more#rsa-sha256"/>"#,
                #"xmldsig-more#rsa-sha256"><HMACOutputLength>0</HMACOutputLength></SignatureMethod>"#),
            "signature_algorithm")
    }

    @Test func `S-28, S-29: keys in the message and other providers' keys count for nothing`() throws {
        let text = try TestProvider.signed(by: TestProvider.otherKey)
        TestProvider.refuses(text, "signature")
        let info =
            "<KeyInfo><X509Data><X509Certificate>\(TestProvider.otherKey.certificate)</X509Certificate></X509Data></KeyInfo>"
        TestProvider.refuses(text.changing("</SignatureValue>", "</SignatureValue>" + info), "signature")
        let named = try TestProvider.signed().changing("</SignatureValue>", "</SignatureValue>" + info)
        #expect(try TestProvider.read(named).email == "kim@a.example", "the pinned key signed it")
    }
}
