import Crypto
import Federation
import KeyturnBase
import KeyturnJose
import KeyturnWire
import Model
import SignIn
import Testing

@Suite("Presets of providers")
struct PresetTests {
    private static func passage(
        _ preset: String, issuer: String, secret: String? = "secret", parameters: [String: String] = [:],
        claims: [String: JSONValue]
    ) -> ProviderPassage {
        ProviderPassage(
            SigningProvider {
                $0.issuer = issuer
                $0.claims = claims
            },
            OpenIDConnectionSettings(
                preset: preset, clientID: "client", clientSecret: secret, parameters: parameters))
    }

    @Test(arguments: [
        (["email": "a@gmail.com", "email_verified": true] as [String: JSONValue], FederatedProfile.EmailTrust.trusted),
        (["email": "a@corp.example", "email_verified": true, "hd": "corp.example"], .trusted),
        (["email": "a@corp.example", "email_verified": true, "hd": "other.example"], .verified),
        (["email": "a@corp.example", "email_verified": true], .verified),
        (["email": "a@gmail.com", "email_verified": false], .denied),
        (["email": "a@gmail.com"], .unverified),
    ])
    func `Google vouches for its own mailboxes and domains`(
        _ claims: [String: JSONValue], _ trust: FederatedProfile.EmailTrust
    ) async throws {
        let google = Self.passage("google", issuer: "https://accounts.google.com", claims: claims)
        #expect(try await google.pass().emailTrust == trust)
    }

    private static let tenant = "11111111-2222-4333-8444-555555555555"

    private static func microsoft(_ claims: [String: JSONValue], _ parameters: [String: String] = [:])
        -> ProviderPassage
    {
        let issuer = "https://login.microsoftonline.com/common/v2.0"
        var all: [String: JSONValue] = [
            "tid": .string(tenant), "iss": .string("https://login.microsoftonline.com/\(tenant)/v2.0"),
        ]
        all.merge(claims) { _, new in new }
        let passage = passage("microsoft", issuer: issuer, parameters: parameters, claims: all)
        passage.provider.change {
            $0.discovery = ["issuer": "https://login.microsoftonline.com/{tenantid}/v2.0"]
        }
        return passage
    }

    @Test func `F-9: an address that a tenant of Microsoft wrote links nothing`() async throws {
        let claimed: [String: JSONValue] = ["email": "ceo@victim.example", "email_verified": true]
        let profile = try await Self.microsoft(claimed).pass()
        #expect(profile.emailTrust == .unverified)
        #expect(profile.issuer == "https://login.microsoftonline.com/\(Self.tenant)/v2.0")
    }

    @Test func `F-10: a verified domain counts for tenants that are listed`() async throws {
        let claims: [String: JSONValue] = ["email": "a@corp.example", "xms_edov": "1"]
        #expect(try await Self.microsoft(claims).pass().emailTrust == .unverified)
        #expect(try await Self.microsoft(claims, ["allowed_tenants": Self.tenant]).pass().emailTrust == .trusted)
        let other = Self.microsoft(claims, ["allowed_tenants": "99999999-2222-4333-8444-555555555555"])
        #expect(try await other.refusal { _ in } == "iss")
    }

    @Test func `a token of Microsoft names one tenant, twice`() async throws {
        let flaws: [[String: JSONValue]] = [
            ["tid": "not-a-guid"], ["tid": "99999999-2222-4333-8444-555555555555"],
            ["iss": "https://login.microsoftonline.com/{tenantid}/v2.0"],
            ["iss": .string("https://sts.windows.net/\(Self.tenant)/")],
        ]
        for claims in flaws { #expect(try await Self.microsoft(claims).refusal { _ in } == "iss") }
        let personal = "9188040d-6c67-4c5b-b112-36a304b66dad"
        let consumer = Self.microsoft(
            ["tid": .string(personal), "iss": .string("https://login.microsoftonline.com/\(personal)/v2.0")],
            ["tenant_id": "organizations"])
        consumer.provider.change { $0.issuer = "https://login.microsoftonline.com/organizations/v2.0" }
        #expect(try await consumer.refusal { _ in } == "iss")
    }

    @Test func `Apple gets a secret that was signed for this request, and its name is for display`() async throws {
        let key = P256.Signing.PrivateKey()
        let passage = Self.passage(
            "apple", issuer: "https://appleid.apple.com", secret: key.pemRepresentation,
            parameters: ["team_id": "TEAM123456", "key_id": "KEY1"],
            claims: ["email": "x@privaterelay.appleid.com", "email_verified": "true", "is_private_email": "true"])
        let (query, state) = try await passage.leave()
        #expect(query.values("response_mode") == ["form_post"] && query.values("prompt").isEmpty)
        let user = #"{"name":{"firstName":"Jane","lastName":"Doe"},"email":"victim@example.com"}"#
        let profile = try await passage.comeBack(
            state, [(name: "code", value: "c"), (name: "user", value: user)])
        #expect(profile.emailTrust == .verified && profile.email == "x@privaterelay.appleid.com")
        #expect(profile.claims["name"] == "Jane Doe")
        let secret = try #require(passage.provider.redemption?.values("client_secret").first)
        let jws = try UnverifiedJWS(secret)
        let claims = try JSONValue(parsing: jws.unverifiedPayload)
        #expect(jws.header.keyID == "KEY1" && claims["aud"] == "https://appleid.apple.com")
        #expect(claims["iss"] == "TEAM123456" && claims["sub"] == "client")
        let point = Array(key.publicKey.rawRepresentation)
        let published = try JSONWebKey([
            "kty": "EC", "crv": "P-256", "x": .string(Base64URL.encode(point[..<32])),
            "y": .string(Base64URL.encode(point[32...])),
        ])
        _ = try jws.verify(with: try VerificationKey(published, algorithm: .es256))
    }

    @Test func `GitHub's user is a number, and the address one that it verified`() async throws {
        let passage = Self.passage("github", issuer: "", claims: [:])
        passage.provider.change {
            $0.documents = [
                "https://github.com/login/oauth/access_token": ["access_token": "gho", "token_type": "bearer"],
                "https://api.github.com/user": [
                    "id": 9_007_199_254_740_993, "login": "jane", "email": "public@example.com",
                ],
                "https://api.github.com/user/emails": [
                    ["email": "other@example.com", "primary": false, "verified": true],
                    ["email": "jane@example.com", "primary": true, "verified": true],
                ],
            ]
        }
        let profile = try await passage.pass()
        #expect(profile.subject == "9007199254740993" && profile.issuer == "https://github.com")
        #expect(profile.email == "jane@example.com" && profile.emailTrust == .trusted)
        passage.provider.change {
            $0.documents["https://api.github.com/user/emails"] = [
                ["email": "jane@example.com", "primary": true, "verified": false]
            ]
        }
        let unverified = try await passage.pass()
        #expect(unverified.email == nil && unverified.emailTrust == .unverified)
        passage.provider.change {
            $0.documents["https://github.com/login/oauth/access_token"] = ["error": "bad_verification_code"]
        }
        #expect(try await passage.refusal { _ in } == "bad_verification_code")
    }

    @Test func `a list of groups that Microsoft left out is unknown, not empty`() async throws {
        let claims: [String: JSONValue] = ["_claim_names": ["groups": "src1"]]
        #expect(try await Self.microsoft(claims).pass().groups == nil)
        #expect(try await Self.microsoft(["groups": []]).pass().groups == [])
    }
}
