import Foundation
import KeyturnBase
import KeyturnWire
import Testing

@testable import Keyturn

@Suite("Items of other libraries, from their bytes")
struct LegacyDecodingTests {
    private func tokens(_ result: Result<LegacyTokens, AuthError>) throws -> LegacyTokens { try result.get() }

    private func code(_ result: Result<LegacyTokens, AuthError>) -> AuthError.Code? {
        if case .failure(let error) = result { error.code } else { nil }
    }

    static let descope = #"""
        {"refreshJwt":"eyJr.eyJ9.c2ln","sessionJwt":"eyJh.eyJ9.c2ln","user":{"authentication":{"oauth":["google"],
        "passkey":true,"password":false,"scim":false,"sso":false,"totp":true},"authorization":{"roles":["admin"],
        "ssoAppIds":["a1"]},"createdAt":712345678.25,"customAttributes":"{\"level\":7,\"path\":\"a\/b\"}",
        "email":"ann@example.com","familyName":"Lee","givenName":"Ann","isUpdateRequired":false,
        "isVerifiedEmail":true,"isVerifiedPhone":false,"loginIds":["ann@example.com"],"name":"Ann Lee",
        "picture":"https:\/\/example.com\/a.png","status":"enabled","userId":"U2abc"}}
        """#

    @Test func `DescopeKit's session has both tokens and the user`() throws {
        let read = try tokens(DescopeKitItem.read(Array(Self.descope.utf8)))
        #expect(read.accessToken == "eyJh.eyJ9.c2ln" && read.refreshToken == "eyJr.eyJ9.c2ln" && read.end == .inToken)
        let user = UserDetails(try UserAnswer(MethodBody(.object(read.userClaims))))
        #expect(user.userId == "U2abc" && user.name == "Ann Lee" && user.givenName == "Ann" && user.middleName == nil)
        #expect(user.email == "ann@example.com" && user.isVerifiedEmail && user.loginIds == ["ann@example.com"])
        #expect(user.createdAt == UnixTime(rawValue: 712_345_678 + 978_307_200), "counted from 2001")
        #expect(user.status == .enabled && user.authentication.passkey && user.authentication.totp)
        #expect(!user.authentication.password && user.authentication.oauth == ["google"])
        #expect(user.authorization.roles == ["admin"] && user.authorization.ssoAppIds == ["a1"])
        #expect(user.customAttributes == ["level": 7, "path": "a/b"])
        #expect(read.userClaims["sub"] == "U2abc")
        #expect("\(read)" == "LegacyTokens")
    }

    @Test func `an encoder with its defaults writes the dates that are read`() throws {
        struct Session: Encodable {
            struct User: Encodable {
                let userId = "U1"
                let loginIds = ["a"]
                let createdAt = Date(timeIntervalSince1970: 1_700_000_000.75)
                let customAttributes = "{}"
            }
            let sessionJwt = "a.b.c"
            let refreshJwt = "d.e.f"
            let user = User()
        }
        let read = try tokens(DescopeKitItem.read(Array(try JSONEncoder().encode(Session()))))
        #expect(read.userClaims["createdTime"] == 1_700_000_000)
    }

    @Test(arguments: [
        "{}", "{", "", "[]", #"{"sessionJwt":"a.b.c"}"#, #"{"sessionJwt":"a.b.c","refreshJwt":""}"#,
        #"{"sessionJwt":"a.b.c","refreshJwt":7}"#, #"{"sessionJwt":"a b","refreshJwt":"d.e.f"}"#,
        #"{"sessionJwt":"a\r\nX: y","refreshJwt":"d.e.f"}"#, #"{"sessionJwt":"é","refreshJwt":"d.e.f"}"#,
    ])
    func `DescopeKit's item without both tokens is damaged`(_ text: String) {
        #expect(code(DescopeKitItem.read(Array(text.utf8))) == .importDamaged)
    }

    @Test(arguments: [
        "", #","user":null"#, #","user":7"#, #","user":{}"#, #","user":{"userId":""}"#,
        #","user":{"userId":7,"name":"Ann"}"#,
    ])
    func `what is said about the user may be missing`(_ user: String) throws {
        let text = #"{"sessionJwt":"a.b.c","refreshJwt":"d.e.f","unknown":[1]"# + user + "}"
        #expect(try tokens(DescopeKitItem.read(Array(text.utf8))).userClaims.isEmpty)
    }

    @Test func `members of another form count as missing, and those of earlier releases may be missing`() throws {
        let text = #"""
            {"sessionJwt":"a.b.c","refreshJwt":"d.e.f","user":{"userId":"U1","loginIds":"a","createdAt":"long ago",
            "authentication":[],"authorization":{"roles":7},"customAttributes":"{broken","isVerifiedEmail":"yes",
            "email":null}}
            """#
        let read = try tokens(DescopeKitItem.read(Array(text.utf8)))
        let user = UserDetails(try UserAnswer(MethodBody(.object(read.userClaims))))
        #expect(user.userId == "U1" && user.loginIds.isEmpty && user.createdAt.rawValue == 0 && user.email == nil)
        #expect(user.status == .enabled && !user.isVerifiedEmail && user.customAttributes.isEmpty)
        #expect(user.authorization.roles.isEmpty && !user.authentication.passkey)
    }

    @Test func `Box's item before 6 has its end, counted from 2001`() throws {
        let text = #"""
            {"accessToken":"T9cE","refreshToken":"J7rx","expiresIn":3917,"tokenType":"bearer",
            "expiresAt":721692800.123}
            """#
        let read = try tokens(BoxItem.read(Array(text.utf8)))
        #expect(read.accessToken == "T9cE" && read.refreshToken == "J7rx")
        #expect(read.end == .at(UnixTime(rawValue: 1_700_000_000)))
    }

    @Test(arguments: ["", #","expiresAt":"soon""#, #","expiresAt":1e300"#, #","expiresAt":-99999999999"#])
    func `without an end that makes sense the token counts as over`(_ end: String) throws {
        let read = try tokens(BoxItem.read(Array((#"{"accessToken":"a","refreshToken":"r""# + end + "}").utf8)))
        #expect(read.end == .over)
    }

    @Test func `the generated SDK's item says how long, but not from when on`() throws {
        let text = #"""
            {"access_token":"a","expires_in":3917,"token_type":"bearer","restricted_to":[],"refresh_token":"r"}
            """#
        let read = try tokens(BoxGeneratedItem.read(Array(text.utf8)))
        #expect(read == LegacyTokens(accessToken: "a", refreshToken: "r", end: .over))
    }

    @Test func `tokens without a refresh token are no user's session, and the rest is damaged`() {
        #expect(code(BoxItem.read(Array(#"{"accessToken":"a"}"#.utf8))) == .importNotRenewable)
        #expect(code(BoxGeneratedItem.read(Array(#"{"access_token":"a"}"#.utf8))) == .importNotRenewable)
        #expect(code(BoxItem.read(Array(#"{"access_token":"a","refresh_token":"r"}"#.utf8))) == .importDamaged)
        #expect(code(BoxGeneratedItem.read(Array(#"{"accessToken":"a","refreshToken":"r"}"#.utf8))) == .importDamaged)
        #expect(code(BoxItem.read([0xFF, 0x00])) == .importDamaged)
    }

    @Test func `an item is bounded, and so are a token and the depth`() {
        let long = String(repeating: "a", count: Limits.tokenMaxBytes)
        func item(_ token: String, _ filler: String = "") -> [UInt8] {
            Array(#"{"accessToken":"\#(token)","refreshToken":"r","x":"\#(filler)"}"#.utf8)
        }
        #expect(code(BoxItem.read(item(long))) == nil)
        #expect(code(BoxItem.read(item(long + "a"))) == .importDamaged)
        let rest = Limits.legacyItemMaxBytes - item("a").count
        #expect(code(BoxItem.read(item("a", String(repeating: "f", count: rest)))) == nil)
        #expect(code(BoxItem.read(item("a", String(repeating: "f", count: rest + 1)))) == .importDamaged)
        let deep = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        let nested = #"{"accessToken":"a","refreshToken":"r","x":"# + deep + "}"
        #expect(code(BoxItem.read(Array(nested.utf8))) == .importDamaged)
    }
}
