import Crypto
import Federation
import KeyturnBase
import KeyturnWire
import Model
import SignIn
import Testing

@Suite("ID tokens of other providers")
struct IDTokenTests {
    @Test func `a user comes back with a profile`() async throws {
        let passage = ProviderPassage(
            SigningProvider {
                $0.claims = [
                    "email": "jane@provider.example", "email_verified": true, "name": "Jane", "groups": ["staff"],
                    "sid": "s1", "acr": "urn:mfa", "amr": ["pwd"], "auth_time": .integer(SigningProvider.now.rawValue),
                ]
            })
        let (query, state) = try await passage.leave()
        #expect(query.values("redirect_uri") == ["https://id.example/federation/c1/callback"])
        #expect(query.values("code_challenge_method") == ["S256"] && query.values("state") == ["handle"])
        #expect(query.values("scope") == ["openid email profile"])
        let profile = try await passage.comeBack(state)
        #expect(profile.issuer == "https://provider.example" && profile.subject == "248289761001")
        #expect(profile.email == "jane@provider.example" && profile.emailTrust == .verified)
        #expect(profile.groups == ["staff"] && profile.session == "s1" && profile.context == "urn:mfa")
        #expect(profile.authenticatedAt == SigningProvider.now && profile.claims["name"] == "Jane")
        let form = try #require(passage.provider.redemption)
        #expect(form.values("code") == ["c0de"] && form.values("client_secret").isEmpty)
        #expect(form.values("redirect_uri") == ["https://id.example/federation/c1/callback"])
    }

    @Test func `users who come back at once wait for one reading of the keys`() async throws {
        let passage = ProviderPassage(SigningProvider { $0.redemptionsBeforeKeys = 16 })
        let state = try await passage.leave().1
        let profiles = try await withThrowingTaskGroup(of: FederatedProfile.self) { group in
            for _ in 0..<16 { group.addTask { try await passage.comeBack(state) } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(profiles.count == 16 && passage.provider.count("/keys") == 1)
    }

    @Test func `F-20: the code is redeemed with the verifier of the departure`() async throws {
        let passage = ProviderPassage()
        let (query, state) = try await passage.leave()
        _ = try await passage.comeBack(state)
        let verifier = try #require(passage.provider.redemption?.values("code_verifier").first)
        let challenge = Base64URL.encode(Array(SHA256.hash(data: Array(verifier.utf8))))
        #expect(query.values("code_challenge") == [challenge])
    }

    struct Flaw: Sendable, CustomStringConvertible {
        let description: String
        let code: String
        let claims: [String: JSONValue]

        init(_ description: String, _ code: String, _ claims: [String: JSONValue]) {
            self.description = description
            self.code = code
            self.claims = claims
        }
    }

    static let flaws: [Flaw] = [
        Flaw("F-21: another client's token", "aud", ["aud": "other"]),
        Flaw("F-21: another client beside ours", "aud", ["aud": ["client", "other"]]),
        Flaw("F-21: another party", "azp", ["azp": "other"]),
        Flaw("F-24: no nonce", "nonce", ["nonce": .null]),
        Flaw("F-24: another nonce", "nonce", ["nonce": "n"]),
        Flaw("another issuer", "iss", ["iss": "https://evil.example"]),
        Flaw("expired", "exp", ["exp": .integer(1_799_999_000)]),
        Flaw("without an end", "exp", ["exp": .null]),
        Flaw("of the future", "iat", ["iat": .integer(1_800_001_000)]),
        Flaw("not yet", "nbf", ["nbf": .integer(1_800_001_000)]),
        Flaw("no subject", "sub", ["sub": .null]),
        Flaw("an empty subject", "sub", ["sub": ""]),
        Flaw("a number as subject", "sub", ["sub": 1]),
        Flaw("a long subject", "sub", ["sub": .string(String(repeating: "a", count: 256))]),
        Flaw("F-23: another access token", "at_hash", ["at_hash": "AAAAAAAAAAAAAAAAAAAAAA"]),
    ]

    @Test(arguments: flaws)
    func `F-21, F-23, F-24: a token with a flaw is refused`(_ flaw: Flaw) async throws {
        #expect(try await ProviderPassage().refusal { $0.claims = flaw.claims } == flaw.code)
    }

    @Test func `F-25: a token without a signature, by a secret, or by an unknown key is refused`() async throws {
        for header in [["alg": "none"], ["alg": "HS256"]] as [[String: JSONValue]] {
            #expect(try await ProviderPassage().refusal { $0.header = header } == "id_token_form")
        }
        let passage = ProviderPassage()
        for index in 0..<10 {
            #expect(
                try await passage.refusal { $0.header = ["kid": .string("unknown-\(index)")] } == "id_token_signature")
        }
        #expect(passage.provider.count("/keys") == 1)
        let other = SigningProvider()
        let token = other.idToken()
        #expect(
            try await ProviderPassage().refusal { $0.tokenAnswer = ["access_token": "a", "id_token": .string(token)] }
                == "id_token_signature")
    }

    @Test func `F-26: a discovery document of another issuer is refused`() async throws {
        let passage = ProviderPassage(SigningProvider { $0.discovery = ["issuer": "https://evil.example"] })
        await #expect(throws: ConnectionProblem(.misconfigured, code: "issuer_differs")) {
            _ = try await passage.leave()
        }
    }

    @Test func `F-50: an answer without an ID token is refused`() async throws {
        #expect(
            try await ProviderPassage().refusal { $0.tokenAnswer = ["access_token": "a"] } == "no_id_token")
    }

    @Test func `F-51: UserInfo about another user is refused, and changes nothing that was signed`() async throws {
        let passage = ProviderPassage(
            SigningProvider {
                $0.discovery = ["userinfo_endpoint": "https://provider.example/userinfo"]
                $0.documents = [
                    "https://provider.example/userinfo": ["sub": "248289761001", "email": "a@b.example", "acr": "high"]
                ]
                $0.claims = ["acr": "low"]
            })
        let profile = try await passage.pass()
        #expect(profile.email == "a@b.example" && profile.emailTrust == .unverified && profile.context == "low")
        #expect(
            try await passage.refusal {
                $0.documents = ["https://provider.example/userinfo": ["sub": "other", "email": "a@b.example"]]
            } == "userinfo_sub")
    }

    @Test func `F-57: a new key of the provider is fetched once`() async throws {
        let passage = ProviderPassage()
        _ = try await passage.pass()
        #expect(passage.provider.count("/keys") == 1)
        _ = try await passage.pass()
        #expect(passage.provider.count("/keys") == 1 && passage.provider.count("openid-configuration") == 1)
    }

    @Test func `F-19: the issuer of the answer is checked`() async throws {
        let promised = ProviderPassage(
            SigningProvider { $0.discovery = ["authorization_response_iss_parameter_supported": true] })
        let state = try await promised.leave().1
        await #expect(throws: ConnectionProblem(.refused, code: "iss_parameter")) {
            _ = try await promised.comeBack(state)
        }
        let code = (name: "code", value: "c")
        let wrong = (name: "iss", value: "https://evil.example")
        await #expect(throws: ConnectionProblem(.refused, code: "iss_parameter")) {
            _ = try await promised.comeBack(state, [code, wrong])
        }
        _ = try await promised.comeBack(state, [code, (name: "iss", value: "https://provider.example")])
        let silent = ProviderPassage()
        let other = try await silent.leave().1
        await #expect(throws: ConnectionProblem(.refused, code: "iss_parameter")) {
            _ = try await silent.comeBack(other, [code, wrong])
        }
    }

    @Test func `F-53: what a provider can do wrong has a word`() async throws {
        #expect(try await ProviderPassage().refusal { $0.isDown = true } == "unreachable")
        #expect(
            try await ProviderPassage().refusal {
                $0.tokenStatus = 500
                $0.tokenAnswer = [:]
            } == "status_500")
        #expect(try await ProviderPassage().refusal { $0.tokenAnswer = ["error": "invalid_grant"] } == "invalid_grant")
        #expect(
            try await ProviderPassage().refusal { $0.tokenAnswer = ["error": "<script>\r\n"] } == "error")
    }

    @Test(arguments: [
        ("access_denied", ConnectionProblem.Kind.cancelled), ("user_cancelled_authorize", .cancelled),
        ("server_error", .unavailable), ("invalid_scope", .misconfigured), ("anything", .denied),
    ])
    func `an error of the provider is understood`(_ error: String, _ kind: ConnectionProblem.Kind) async throws {
        let passage = ProviderPassage()
        let state = try await passage.leave().1
        do {
            _ = try await passage.comeBack(state, [(name: "error", value: error), (name: "code", value: "c")])
            Issue.record("it was accepted")
        } catch let problem as ConnectionProblem {
            #expect(problem.kind == kind)
        }
    }

    @Test func `a field that comes twice is refused`() async throws {
        let passage = ProviderPassage()
        let state = try await passage.leave().1
        let code = (name: "code", value: "c")
        await #expect(throws: ConnectionProblem(.refused, code: "repeated")) {
            _ = try await passage.comeBack(state, [code, code])
        }
    }
}
