import Crypto
import Federation
import KeyturnBase
import KeyturnWire
import Model
import SignIn
import Testing

@Suite("Presets of social networks and workplaces")
struct SocialPresetTests {
    private static func passage(
        _ preset: String, parameters: [String: String] = [:], trustsEmail: Bool = false,
        _ script: (inout SigningProvider.Script) -> Void
    ) -> ProviderPassage {
        ProviderPassage(
            SigningProvider { script(&$0) },
            OpenIDConnectionSettings(
                preset: preset, clientID: "client", clientSecret: "secret", parameters: parameters,
                trustsEmail: trustsEmail))
    }

    private static func authorization(_ passage: ProviderPassage, _ proof: ConnectionStart) async throws -> String {
        guard case .redirect(let address) = try await passage.speaker.begin(proof, at: passage.connection).way else {
            return ""
        }
        return address
    }

    /// Where the user is sent, and which of PKCE and nonce go along.
    @Test(
        arguments: [
            ("github-enterprise", "https://git.corp.example/login/oauth/authorize?", true, false),
            ("facebook", "https://www.facebook.com/v23.0/dialog/oauth?", false, false),
            ("linkedin", "https://www.linkedin.com/oauth/authorize?", false, false),
            ("discord", "https://discord.com/oauth2/authorize?", true, false),
            ("slack", "https://slack.com/authorize?", true, true),
            ("x", "https://x.com/i/oauth2/authorize?", true, false),
        ])
    func `users are sent with what the provider understands`(
        _ preset: String, _ address: String, _ hasChallenge: Bool, _ hasNonce: Bool
    ) async throws {
        let issuers = ["linkedin": "https://www.linkedin.com/oauth", "slack": "https://slack.com"]
        let passage = Self.passage(preset, parameters: ["host": "git.corp.example"]) {
            $0.issuer = issuers[preset] ?? ""
        }
        let start = ConnectionStart(handle: "h", loginHint: "jane@example.com", isForced: true)
        let text = try await Self.authorization(passage, start)
        #expect(text.hasPrefix(address), "\(text)")
        #expect(text.contains("code_challenge=") == hasChallenge && text.contains("nonce=") == hasNonce)
        #expect(!text.contains("prompt=") && !text.contains("login_hint="))
        #expect(text.contains("redirect_uri=https%3A%2F%2Fid.example%2Ffederation%2Fc1%2Fcallback"))
    }

    @Test func `an own GitHub's users are its own, and the operator vouches for its addresses`() async throws {
        func script(_ script: inout SigningProvider.Script) {
            script.documents = [
                "https://git.corp.example/login/oauth/access_token": ["access_token": "gho"],
                "https://git.corp.example/api/v3/user": ["id": 7, "login": "jane"],
                "https://git.corp.example/api/v3/user/emails": [
                    ["email": "jane@corp.example", "primary": true, "verified": true]
                ],
            ]
        }
        let parameters = ["host": "GIT.corp.example"]
        let profile = try await Self.passage("github-enterprise", parameters: parameters, script).pass()
        #expect(profile.subject == "7" && profile.issuer == "https://git.corp.example")
        #expect(profile.email == "jane@corp.example" && profile.emailTrust == .verified)
        let vouched = Self.passage("github-enterprise", parameters: parameters, trustsEmail: true, script)
        #expect(try await vouched.pass().emailTrust == .trusted)
        for host in ["", "git.corp.example/evil", "a@b.example", "git.corp.example?x"] {
            let wrong = Self.passage("github-enterprise", parameters: ["host": host], script)
            let problem = await #expect(throws: ConnectionProblem.self) { _ = try await wrong.leave() }
            #expect(problem?.kind == .misconfigured, "\(host)")
        }
    }

    @Test func `Facebook's calls carry the proof of the app, and its addresses link nothing`() async throws {
        let proof = HMAC<SHA256>.authenticationCode(
            for: Array("fb-token".utf8), using: SymmetricKey(data: Array("secret".utf8)))
        let digits = Array("0123456789abcdef")
        let hex = String(proof.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] })
        let user =
            "https://graph.facebook.com/v23.0/me?fields=id,name,first_name,last_name,email,picture&appsecret_proof=\(hex)"
        let passage = Self.passage("facebook", trustsEmail: true) {
            $0.documents = [
                "https://graph.facebook.com/v23.0/oauth/access_token": ["access_token": "fb-token"],
                user: [
                    "id": "10158", "name": "Jane Doe", "first_name": "Jane", "email": "jane@example.com",
                    "picture": ["data": ["url": "https://cdn.example/p.jpg"]],
                ],
            ]
        }
        let profile = try await passage.pass()
        #expect(profile.subject == "10158" && profile.issuer == "https://www.facebook.com")
        #expect(profile.email == "jane@example.com" && profile.emailTrust == .unverified)
        #expect(profile.claims["picture"] == "https://cdn.example/p.jpg" && profile.claims["given_name"] == "Jane")
        // The user declined, and an error of the Graph API, which is an object.
        passage.provider.change { $0.documents[user] = ["error": ["message": "Bad signature", "code": 190]] }
        #expect(try await passage.refusal { _ in } == "error")
        let state = try await passage.leave().1
        let problem = await #expect(throws: ConnectionProblem.self) {
            try await passage.comeBack(
                state, [(name: "error", value: "access_denied"), (name: "error_reason", value: "user_denied")])
        }
        #expect(problem?.kind == .cancelled)
    }

    @Test(
        arguments: [
            ("true", FederatedProfile.EmailTrust.verified), (true, .verified), ("false", .denied),
            (.null, .unverified),
        ] as [(JSONValue, FederatedProfile.EmailTrust)])
    func `LinkedIn writes its word about an address as text, and no nonce is asked for`(
        _ told: JSONValue, _ trust: FederatedProfile.EmailTrust
    ) async throws {
        let passage = Self.passage("linkedin") {
            $0.issuer = "https://www.linkedin.com/oauth"
            $0.claims = ["email": "jane@example.com", "email_verified": told, "nonce": .null]
        }
        let profile = try await passage.pass()
        #expect(profile.emailTrust == trust && profile.subject == "248289761001")
        #expect(passage.provider.redemption?.values("code_verifier") == [])
        #expect(passage.provider.redemption?.values("client_secret") == ["secret"])
    }

    @Test func `Discord's user is a number in text, and an address may be missing or unverified`() async throws {
        let passage = Self.passage("discord", trustsEmail: true) {
            $0.documents = [
                "https://discord.com/api/oauth2/token": ["access_token": "d"],
                "https://discord.com/api/users/@me": [
                    "id": "80351110224678912", "username": "nelly", "global_name": "Nelly", "verified": true,
                    "email": "nelly@example.com", "avatar": "8342729096ea3675442027381ff50dfe",
                ],
            ]
        }
        let profile = try await passage.pass()
        #expect(profile.subject == "80351110224678912" && profile.claims["name"] == "Nelly")
        #expect(profile.emailTrust == .trusted && profile.claims["preferred_username"] == "nelly")
        let unverified: [JSONValue] = [
            ["id": "1", "email": .null, "verified": true],
            ["id": "1", "email": "nelly@example.com", "verified": false],
        ]
        for user in unverified {
            passage.provider.change { $0.documents["https://discord.com/api/users/@me"] = user }
            #expect(try await passage.pass().emailTrust == .unverified)
        }
        for user in [["id": "not a number"], ["id": 80_351_110_224_678_912], [:]] as [JSONValue] {
            passage.provider.change { $0.documents["https://discord.com/api/users/@me"] = user }
            #expect(try await passage.refusal { _ in } == "no_subject")
        }
    }

    @Test func `a user of Slack is one of a workspace, and its owner's word is no proof of an address`() async throws {
        func slack(_ parameters: [String: String] = [:], trusts: Bool = false, claims: [String: JSONValue] = [:])
            -> ProviderPassage
        {
            Self.passage("slack", parameters: parameters, trustsEmail: trusts) {
                $0.issuer = "https://slack.com"
                $0.claims = [
                    "sub": "U0R7JM", "https://slack.com/team_id": "T0R7GR", "https://slack.com/user_id": "U0R7JM",
                    "email": "jane@acme.example", "email_verified": true,
                ].merging(claims) { _, new in new }
            }
        }
        let profile = try await slack(trusts: true).pass()
        #expect(profile.subject == "T0R7GR/U0R7JM" && profile.emailTrust == .verified)
        #expect(
            try await slack(trusts: true, claims: ["https://slack.com/team_id": "T2"]).pass().subject == "T2/U0R7JM")
        #expect(try await slack(["team_id": "T0R7GR"], trusts: true).pass().emailTrust == .trusted)
        #expect(try await slack(["team_id": "T2"]).refusal { _ in } == "iss")
        #expect(try await slack(claims: ["https://slack.com/team_id": .null]).refusal { _ in } == "iss")
        #expect(try await slack(claims: ["https://slack.com/user_id": "U2"]).refusal { _ in } == "sub")
        // Errors come with status 200.
        #expect(
            try await slack().refusal { $0.tokenAnswer = ["ok": false, "error": "invalid_code"] } == "invalid_code")
    }

    @Test func `X wraps its answers, and tells confirmed addresses alone`() async throws {
        let user =
            "https://api.x.com/2/users/me?user.fields=id,name,username,profile_image_url,confirmed_email"
        let passage = Self.passage("x") {
            $0.documents = [
                user: ["data": ["id": "2244994945", "name": "Jane", "username": "jane"]]
            ]
            $0.tokenAnswer = ["access_token": "x", "token_type": "bearer"]
        }
        let plain = try await passage.pass()
        #expect(plain.subject == "2244994945" && plain.issuer == "https://x.com" && plain.email == nil)
        #expect(passage.provider.redemption?.values("code_verifier").count == 1)
        passage.provider.change {
            $0.documents[user] = ["data": ["id": "2244994945", "confirmed_email": "jane@example.com"]]
        }
        #expect(try await passage.pass().emailTrust == .verified)
        passage.provider.change { $0.documents[user] = ["id": "2244994945"] }
        #expect(try await passage.refusal { _ in } == "no_subject")
        let state = try await passage.leave().1
        let problem = await #expect(throws: ConnectionProblem.self) {
            try await passage.comeBack(state, [(name: "denied", value: "token")])
        }
        #expect(problem?.kind == .cancelled)
    }

    @Test func `Entra External ID is one tenant, and the operator alone vouches for addresses`() async throws {
        let tenant = "11111111-2222-4333-8444-555555555555"
        func entra(_ claims: [String: JSONValue], trusts: Bool = false, tenantID: String = tenant) -> ProviderPassage {
            Self.passage(
                "entra-external-id", parameters: ["subdomain": "acme", "tenant_id": tenantID], trustsEmail: trusts
            ) {
                $0.issuer = "https://acme.ciamlogin.com/\(tenant)/v2.0"
                $0.claims = ["tid": .string(tenant), "email": "jane@example.com", "email_verified": true]
                    .merging(claims) { _, new in new }
            }
        }
        #expect(try await entra([:]).pass().emailTrust == .unverified)
        #expect(try await entra([:], trusts: true).pass().emailTrust == .trusted)
        let other = "https://\(tenant).ciamlogin.com/\(tenant)/v2.0"
        #expect(try await entra(["iss": .string(other)]).pass().issuer == other)
        for claims: [String: JSONValue] in [
            ["tid": "99999999-2222-4333-8444-555555555555"], ["tid": .null],
            ["iss": .string("https://evil.ciamlogin.com/\(tenant)/v2.0")],
        ] {
            #expect(try await entra(claims).refusal { _ in } == "iss", "\(claims)")
        }
        let wrong = Self.passage(
            "entra-external-id", parameters: ["subdomain": "a.evil.example/", "tenant_id": tenant]
        ) {
            _ in
        }
        let problem = await #expect(throws: ConnectionProblem.self) { _ = try await wrong.leave() }
        #expect(problem?.kind == .misconfigured)
    }
}
