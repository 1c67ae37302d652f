import KeyturnBase
import KeyturnWire
import Testing

@Suite("The methods' wire: sessions and users")
struct SessionAnswerTests {
    static let user: UserAnswer = {
        var user = UserAnswer(
            userID: "U1", loginIDs: ["a@example.com"], status: .enabled,
            createdTime: UnixTime(rawValue: 1_700_000_000))
        user.email = "a@example.com"
        user.verifiedEmail = true
        return user
    }()
    static let session = SessionAnswer(
        sessionJWT: Secret("s.e.s"), refreshJWT: Secret("r.e.f"), firstSeen: false, user: user, cookieMaxAge: 2_591_999,
        cookieExpiration: UnixTime(rawValue: 1_702_591_999))

    /// What the vendor's client for Swift refuses to be without, measured by leaving out one after the other.
    @Test(arguments: [
        "userId", "loginIds", "status", "createdTime", "roleNames", "ssoAppIds", "webauthn", "password", "TOTP",
        "OAuth",
        "SAML", "SCIM",
    ])
    func `an empty user has every member that a strict client needs`(_ member: String) throws {
        let empty = UserAnswer(userID: "U1", loginIDs: [], status: .invited, createdTime: UnixTime(rawValue: 0))
        #expect(try #require(empty.json[member]) != .null)
    }

    @Test(arguments: [
        "sessionJwt", "refreshJwt", "firstSeen", "cookieDomain", "cookiePath", "cookieMaxAge", "cookieExpiration",
        "cookieName", "sessionCookieName",
    ])
    func `a renewal names every member, firstSeen too`(_ member: String) throws {
        let renewal = SessionAnswer(sessionJWT: Secret("s"), refreshJWT: nil, firstSeen: false, user: nil)
        #expect(try #require(renewal.json[member]) != .null)
        #expect(renewal.json["user"] == nil)
    }

    @Test func `the types are those that a strict client decodes`() {
        let user = Self.session.json["user"]
        #expect(user?["createdTime"] == 1_700_000_000)
        #expect(user?["OAuth"] == [:])
        #expect(user?["TOTP"] == false)
        #expect(user?["loginIds"] == ["a@example.com"])
        #expect(Self.session.json["cookieMaxAge"] == 2_591_999)
    }

    @Test func `the whole answer, byte for byte`() {
        let text = String(decoding: Self.session.json.serialized, as: UTF8.self)
        #expect(
            text == """
                {"cookieDomain":"","cookieExpiration":1702591999,"cookieMaxAge":2591999,"cookieName":"",\
                "cookiePath":"/","firstSeen":false,"refreshJwt":"r.e.f","sessionCookieName":"","sessionJwt":"s.e.s",\
                "user":{"OAuth":{},"SAML":false,"SCIM":false,"TOTP":false,"createdTime":1700000000,\
                "customAttributes":{},"email":"a@example.com","familyName":"","givenName":"",\
                "loginIds":["a@example.com"],"middleName":"","name":"","password":false,"phone":"","picture":"",\
                "roleNames":[],"ssoAppIds":[],"status":"enabled","test":false,"userId":"U1","userTenants":[],\
                "verifiedEmail":true,"verifiedPhone":false,"webauthn":false}}
                """)
    }

    @Test func `what was written is read as it was`() throws {
        #expect(try SessionAnswer(json: Self.session.json) == Self.session)
        #expect(try SessionAnswer(json: ["sessionJwt": "s"]).refreshJWT == nil)
        #expect(try SessionAnswer(json: ["sessionJwt": "", "refreshJwt": .null, "user": [:]]).sessionJWT == nil)
    }

    @Test func `a status that nobody knows is kept as it is`() throws {
        var json = try #require(Self.user.json.objectValue)
        json["status"] = "frozen"
        #expect(try UserAnswer(json: .object(json)).status.rawValue == "frozen")
        json["status"] = "expired"
        #expect(try UserAnswer(json: .object(json)).status == .expired)
    }

    @Test func `nothing secret and nobody's name is printed`() {
        let text = "\(Self.session) \(Self.user)" + String(reflecting: Self.session) + String(reflecting: Self.user)
        #expect(!text.contains("s.e.s") && !text.contains("r.e.f") && !text.contains("a@example.com"))
    }

    @Test func `answers to sending name one address`() throws {
        #expect(MaskedAnswer("a***@example.com", via: .email).json == ["maskedEmail": "a***@example.com"])
        #expect(MaskedAnswer("***12", via: .voice).json == ["maskedPhone": "***12"])
        let enchanted = EnchantedLinkAnswer(
            linkID: "42", pendingRef: Secret("ref"), masked: MaskedAnswer("a***", via: .email))
        #expect(enchanted.json == ["linkId": "42", "pendingRef": "ref", "maskedEmail": "a***"])
        #expect(try EnchantedLinkAnswer(json: enchanted.json) == enchanted)
    }

    @Test func `a policy names all five rules`() throws {
        let policy = PasswordPolicyAnswer(minLength: 8, number: true)
        #expect(
            policy.json == [
                "minLength": 8, "lowercase": false, "uppercase": false, "number": true, "nonAlphanumeric": false,
            ])
        #expect(try PasswordPolicyAnswer(json: policy.json) == policy)
    }
}
