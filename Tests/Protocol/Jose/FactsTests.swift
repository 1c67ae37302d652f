import Crypto
import Foundation
import KeyturnBase
import KeyturnJose
import Testing

@Suite("Example values of the RFCs")
struct FactsTests {
    /// RFC 7515 appendix A.3.
    static let es256Key: JSONValue = [
        "kty": "EC", "crv": "P-256", "x": "f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU",
        "y": "x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0", "d": "jpsQnnGQmL-YBIffH1136cspYG6-0iY7X1fCE9-E9LI",
    ]
    static let es256Token =
        "eyJhbGciOiJFUzI1NiJ9."
        + "eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ."
        + "DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q"

    /// RFC 8037 appendix A.
    static let ed25519Key: JSONValue = [
        "kty": "OKP", "crv": "Ed25519", "d": "nWGxne_9WmC6hEr0kuwsxERJxWl7MmkZcDusAxyuf2A",
        "x": "11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo",
    ]
    static let ed25519Token =
        "eyJhbGciOiJFZERTQSJ9.RXhhbXBsZSBvZiBFZDI1NTE5IHNpZ25pbmc."
        + "hgyY0il_MGCjP0JzlnLWG1PPOt7-09PGcvMg3AIbQR6dWbhijcNR4ki4iylGjg5BhVsPt9g7sVvpAr_MuM0KAg"

    private func published(_ key: JSONValue) throws -> JSONWebKey {
        var members = key.objectValue ?? [:]
        members["d"] = nil
        return try JSONWebKey(.object(members))
    }

    @Test func `RFC 7515 A.3: an ES256 token verifies, and its claims are read`() throws {
        let key = try VerificationKey(published(Self.es256Key), algorithm: .es256)
        let claims = try UnverifiedJWS(Self.es256Token).verify(with: key).claims()
        #expect(claims["iss"] == "joe" && claims["exp"] == 1_300_819_380)
    }

    @Test func `RFC 8037 A.4 and A.5: an EdDSA token verifies, and so does one signed by the private key`() throws {
        let key = try VerificationKey(published(Self.ed25519Key), algorithm: .edDSA)
        let payload = try UnverifiedJWS(Self.ed25519Token).verify(with: key).payload
        #expect(String(decoding: payload, as: UTF8.self) == "Example of Ed25519 signing")
        let signing = try SigningKey(privateJWK: Self.ed25519Key)
        let input = Self.ed25519Token.split(separator: ".").prefix(2).joined(separator: ".")
        let signature = Base64URL.encode(try signing.signature(for: Array(input.utf8)))
        #expect(throws: Never.self) { try UnverifiedJWS("\(input).\(signature)").verify(with: key) }
    }

    @Test func `RFC 7638 3.1 and RFC 8037 A.3: thumbprints`() throws {
        let rsa = try JSONWebKey([
            "kty": "RSA", "e": "AQAB", "alg": "RS256", "kid": "2011-04-29",
            "n": .string(
                "0vx7agoebGcQSuuPiLJXZptN9nndrQmbXEps2aiAFbWhM78LhWx4cbbfAAtVT86zwu1RK7aPFFxuhDR1L6tSoc_BJECPebWKRXjBZCiFV4n3oknjhMs"
                    + "tn64tZ_2W-5JsGY4Hc5n9yBXArwl93lqt7_RN5w6Cf0h4QyQ5v-65YGjQR0_FDW2QvzqY368QQMicAtaSqzs8KJZgnYb9c7d0zgdAZHzu6qMQvRL5"
                    + "hajrn1n91CbOpbISD08qNLyrdkt-bFTWhAI4vMQFh6WeZu0fM4lFd2NcRwr3XPksINHaQ-G_xBniIqbw0Ls1jF44-csFCur-kEgU8awapJzKnqDK"
                    + "gw"),
        ])
        #expect(rsa.thumbprint() == "NzbLsXh8uDCcd-6MNwXF4W_7noWXFZAfHkxZsRGC9Xs")
        #expect(try published(Self.ed25519Key).thumbprint() == "kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k")
    }

    @Test func `RFC 9449 4.1 and 6.1: the thumbprint that a token is bound to, and the token's hash`() throws {
        let key = try JSONWebKey([
            "kty": "EC", "crv": "P-256", "x": "l8tFrhx-34tV3hRICRDY9zCkDlpBhF42UQUfWVAWBFs",
            "y": "9VE4jf_Ok_o64zbTTlcuNJajHmt6v9TDVrU0CdvGRDA",
        ])
        #expect(key.thumbprint() == "0ZcOCORZNYy-DWpqq30jZyJGHTN0d2HglBV3uiguA4I")
        let token = "Kz~8mXK1EalYznwH-LC-1fBAo.4Ljp~zsPE_NeO.gxU"
        let hash = Base64URL.encode(Array(SHA256.hash(data: Array(token.utf8))))
        #expect(hash == "fUHyO2r2Z3DZ53EsNrWBb0xWXoaNy59IiKCAqksmQEo")
    }
}
