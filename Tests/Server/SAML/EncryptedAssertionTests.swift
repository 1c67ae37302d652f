import Crypto
import CryptoExtras
import Foundation
import Model
import SAML
import Testing

@Suite("Encrypted assertions")
struct EncryptedAssertionTests {
    private static let ours = TestProvider.otherKey
    private static let reader = TestProvider.reader(keys: [ours.pem])

    /// What a provider makes of a text for our key: AES-256-GCM under RSA-OAEP.
    private static func encrypted(_ text: String, for key: ServiceKey = ours) throws -> String {
        let content = SymmetricKey(size: .bits256)
        let sealed = try #require(try AES.GCM.seal(Data(text.utf8), using: content).combined)
        let secret = unsafe content.withUnsafeBytes { unsafe Data($0) }
        let transport = try _RSA.Encryption.PrivateKey(pemRepresentation: key.pem).publicKey
            .encrypt(secret, padding: .PKCS1_OAEP)
        return """
            <saml:EncryptedAssertion><xenc:EncryptedData xmlns:xenc="http://www.w3.org/2001/04/xmlenc#" \
            Type="http://www.w3.org/2001/04/xmlenc#Element"><xenc:EncryptionMethod \
            Algorithm="http://www.w3.org/2009/xmlenc11#aes256-gcm"/><ds:KeyInfo \
            xmlns:ds="http://www.w3.org/2000/09/xmldsig#"><xenc:EncryptedKey><xenc:EncryptionMethod \
            Algorithm="http://www.w3.org/2001/04/xmlenc#rsa-oaep-mgf1p"/><xenc:CipherData><xenc:CipherValue>\
            \(transport.base64EncodedString())</xenc:CipherValue></xenc:CipherData></xenc:EncryptedKey></ds:KeyInfo>\
            <xenc:CipherData><xenc:CipherValue>\(sealed.base64EncodedString())</xenc:CipherValue></xenc:CipherData>\
            </xenc:EncryptedData></saml:EncryptedAssertion>
            """
    }

    private static func signedAssertion() throws -> String {
        try TestProvider.signed().part("<saml:Assertion", "</saml:Assertion>")
    }

    private static func response(_ inside: String) throws -> String {
        TestProvider.Message().response(try encrypted(inside))
    }

    @Test func `a signed assertion is opened and read`() throws {
        let text = try Self.response(try Self.signedAssertion())
        #expect(try TestProvider.read(text, by: Self.reader).email == "kim@a.example")
        let demanding = TestProvider.reader(keys: [Self.ours.pem]) { $0.wantsAssertionsEncrypted = true }
        #expect(try TestProvider.read(text, by: demanding).email == "kim@a.example")
    }

    @Test func `a signature of the response covers the ciphertext`() throws {
        let text = try TestProvider.sign(try Self.response(TestProvider.Message().assertion), .root)
        #expect(try TestProvider.read(text, by: Self.reader).email == "kim@a.example")
    }

    @Test func `S-43: anyone can encrypt for us, so that a signature is needed all the same`() throws {
        TestProvider.refuses(try Self.response(TestProvider.Message().assertion), "not_signed", by: Self.reader)
        let signed = try TestProvider.sign(try Self.response(TestProvider.Message().assertion), .root)
        var forged = TestProvider.Message()
        forged.attributes = forged.attributes.replacing("kim@a.example", with: "ceo@a.example")
        let swapped = signed.changing(
            try signed.part("<saml:EncryptedAssertion>", "</saml:EncryptedAssertion>"),
            try Self.encrypted(forged.assertion))
        TestProvider.refuses(swapped, "signature", by: Self.reader)
    }

    @Test func `S-41: another key, ciphers without authentication and old key transport have one answer`() throws {
        let text = try Self.response(try Self.signedAssertion())
        TestProvider.refuses(text, "decryption")
        TestProvider.refuses(text, "decryption", by: TestProvider.reader(keys: [TestProvider.key.pem]))
        for cipher in ["http://www.w3.org/2001/04/xmlenc#aes256-cbc", "http://www.w3.org/2001/04/xmlenc#tripledes-cbc"]
        {
            TestProvider.refuses(
                text.changing("http://www.w3.org/2009/xmlenc11#aes256-gcm", cipher), "decryption", by: Self.reader)
        }
        TestProvider.refuses(
            text.changing("rsa-oaep-mgf1p", "rsa-1_5"), "decryption", by: Self.reader)
        let value = try text.part("<xenc:CipherValue>", "</xenc:CipherValue>")
        TestProvider.refuses(
            text.changing(
                value, #"<xenc:CipherReference URI="http://127.0.0.1:1/key"/>"#), "decryption", by: Self.reader)
    }

    @Test func `S-42: what is inside is one assertion, and nothing else`() throws {
        let good = try Self.signedAssertion()
        for inside in [TestProvider.Message().text, "text", good + good, "<x>\(good)</x>", ""] {
            TestProvider.refuses(try Self.response(inside), "decryption", by: Self.reader)
        }
        let twice = TestProvider.Message().assertion.changing(
            "</saml:Assertion>", try Self.encrypted(good) + "</saml:Assertion>")
        TestProvider.refuses(try Self.response(twice), "decryption", by: Self.reader)
    }
}
