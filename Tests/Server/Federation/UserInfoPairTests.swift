import Federation
import KeyturnBase
import Model
import SignIn
import Testing

@Suite("Claims that say something about another claim")
struct UserInfoPairTests {
    private static let userinfo = "https://provider.example/userinfo"

    private static func profile(
        _ token: [String: JSONValue], _ told: [String: JSONValue],
        _ change: (inout OpenIDConnectionSettings) -> Void = { _ in }
    ) async throws -> (profile: FederatedProfile, asked: Int) {
        var settings = OpenIDConnectionSettings(
            issuer: "https://provider.example", clientID: "client", clientSecret: "secret", trustsEmail: true)
        change(&settings)
        let provider = SigningProvider {
            $0.discovery = ["userinfo_endpoint": .string(userinfo)]
            $0.claims = token
            $0.documents = [userinfo: .object(told.merging(["sub": "248289761001"]) { own, _ in own })]
        }
        return (try await ProviderPassage(provider, settings).pass(), provider.count("/userinfo"))
    }

    @Test func `email_verified of the token is not about the address of UserInfo`() async throws {
        let documents: [[String: JSONValue]] = [
            ["email": "victim@b.example", "email_verified": false], ["email": "victim@b.example"],
        ]
        for told in documents {
            let (profile, _) = try await Self.profile(["email_verified": true], told)
            #expect(profile.email == "victim@b.example")
            #expect([.denied, .verified].contains(profile.emailTrust), "\(told)")
        }
        let silent = try await Self.profile(["email_verified": true], ["email": "v@b.example"]) {
            $0.trustsEmail = false
        }
        #expect(silent.profile.emailTrust == .unverified)
        let empty = try await Self.profile(
            ["email": "", "email_verified": true], ["email": "v@b.example", "email_verified": false])
        #expect(empty.profile.email == "v@b.example" && empty.profile.emailTrust == .denied)
    }

    @Test func `both of one document count`() async throws {
        let (profile, asked) = try await Self.profile([:], ["email": "a@b.example", "email_verified": true])
        #expect(profile.email == "a@b.example" && profile.emailTrust == .trusted && asked == 1)
        let (own, none) = try await Self.profile(
            ["email": "a@b.example"], ["email": "c@b.example", "email_verified": true]
        ) { $0.trustsEmail = false }
        #expect(own.email == "a@b.example" && own.emailTrust == .unverified && none == 0)
    }

    @Test func `who authenticated, how and when is the token's word alone`() async throws {
        let (profile, _) = try await Self.profile(
            [:],
            [
                "email": "a@b.example", "amr": ["mfa"], "acr": "urn:mfa", "auth_time": .integer(1), "sid": "s",
                "name": "Jane", "groups": ["staff"],
            ])
        #expect(profile.methods == [] && profile.context == nil && profile.authenticatedAt == nil)
        #expect(profile.session == nil && profile.claims["name"] == "Jane" && profile.groups == ["staff"])
    }

    @Test func `a mapped address is looked for in UserInfo if the token lacks it`() async throws {
        let (profile, asked) = try await Self.profile(["email": "a@b.example"], ["mail": "b@b.example"]) {
            $0.mapping = ["email": "mail"]
        }
        #expect(profile.email == "b@b.example" && asked == 1)
    }
}
