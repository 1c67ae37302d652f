import Crypto
import KeyturnBase
import KeyturnJose
import KeyturnVerify
import KeyturnWire

@testable import Keyturn

extension FakeAuthgear {
    /// What Authgear's SDK sends with each grant, beside `grant_type` and `client_id`: all of these, and of those that may
    /// be left out.
    private static let fields: [String: (always: Set<String>, sometimes: Set<String>)] = [
        "authorization_code": (["code", "redirect_uri", "code_verifier", "x_device_info"], []),
        "refresh_token": (["refresh_token", "x_device_info"], ["device_secret"]),
        GrantType.anonymousRequest.rawValue: (["jwt", "x_device_info"], []),
        GrantType.biometricRequest.rawValue: (["jwt"], ["scope", "x_device_info"]),
        GrantType.idToken.rawValue: (["x_device_info"], ["device_secret"]),
        GrantType.settingsAction.rawValue: (["code", "redirect_uri", "code_verifier", "x_device_info"], []),
        GrantType.tokenExchange.rawValue: (
            [
                "requested_token_type", "subject_token_type", "subject_token", "actor_token_type", "actor_token",
                "audience",
            ], []
        ),
    ]

    func token(_ request: HTTPRequest) throws -> HTTPResponse {
        let form = Self.form(request)
        let grant = form["grant_type"] ?? ""
        guard let fields = Self.fields[grant] else { throw Refusal("unsupported_grant_type", grant) }
        let names = Set(form.keys).subtracting(["grant_type", "client_id"])
        guard names.isSuperset(of: fields.always), names.isSubset(of: fields.always.union(fields.sometimes)) else {
            throw Refusal("invalid_request", "not what is sent with \(grant): \(names.sorted())")
        }
        if let info = form["x_device_info"] { try checkDevice(info) }
        let thumbprint = try proof(request)
        guard form["client_id"] == (grant == GrantType.tokenExchange.rawValue ? Self.webClientID : Self.clientID)
        else { throw Refusal("invalid_client", "\(form["client_id"] ?? "")", status: 400) }
        switch grant {
        case "authorization_code": return try redeem(form, thumbprint)
        case "refresh_token": return try refresh(form, thumbprint)
        case GrantType.anonymousRequest.rawValue: return try anonymous(form, thumbprint)
        case GrantType.biometricRequest.rawValue: return try biometric(request, form, thumbprint)
        case GrantType.idToken.rawValue: return try renewIDToken(request, form, thumbprint)
        case GrantType.tokenExchange.rawValue: return try exchange(form, thumbprint)
        default:
            let code = codes.removeValue(forKey: form["code"] ?? "")
            guard let code, code.isAction, matches(code, form) else { throw Self.badCode }
            return Self.json([:])
        }
    }

    private func matches(_ code: Code, _ form: [String: String]) -> Bool {
        code.redirectURI == form["redirect_uri"] && PKCE.challenge(for: form["code_verifier"] ?? "") == code.challenge
    }

    private static let badCode = Refusal("invalid_grant", "invalid authorization code")

    private func redeem(_ form: [String: String], _ thumbprint: String?) throws -> HTTPResponse {
        guard let code = codes.removeValue(forKey: form["code"] ?? ""), !code.isAction, matches(code, form) else {
            throw Self.badCode
        }
        guard code.thumbprint == nil || code.thumbprint == thumbprint else {
            throw Refusal("invalid_dpop_proof", "the code is bound to another key")
        }
        guard let id = code.session else { return try issue(code.subject, code.scope, thumbprint, nonce: code.nonce) }
        // A reauthentication: the session that there is, with another time of authentication.
        sessions[id]?.authTime = clock.now.rawValue
        guard let session = sessions[id] else { throw Self.badCode }
        return Self.json([
            "access_token": .string(accessToken(of: id)), "token_type": "Bearer",
            "expires_in": .integer(lifetimeSeconds), "id_token": .string(try idToken(session, nonce: code.nonce)),
        ])
    }

    /// A new session.
    func issue(
        _ subject: String, _ scope: String, _ thumbprint: String?, nonce: String?, amr: [String] = ["pwd"]
    ) throws -> HTTPResponse {
        var session = Session(
            id: next("session"), subject: subject, thumbprint: thumbprint, scope: scope,
            authTime: clock.now.rawValue, amr: amr)
        if scope.contains("device_sso") { session.deviceSecret = next("secret") }
        sessions[session.id] = session
        return try tokens(of: session, nonce: nonce, withRefreshToken: true)
    }

    private func tokens(
        of session: Session, nonce: String?, withRefreshToken: Bool, withSecret: Bool = true
    ) throws -> HTTPResponse {
        var members: [String: JSONValue] = [
            "access_token": .string(accessToken(of: session.id)), "token_type": "Bearer",
            "expires_in": .integer(lifetimeSeconds), "id_token": .string(try idToken(session, nonce: nonce)),
        ]
        if withRefreshToken {
            let token = next("11111111-1111.refresh")
            refreshTokens[token] = session.id
            members["refresh_token"] = .string(token)
        }
        if withSecret, let secret = session.deviceSecret { members["device_secret"] = .string(secret) }
        return Self.json(.object(members))
    }

    private func accessToken(of session: String) -> String {
        let token = next("access")
        accessTokens[token] = session
        return token
    }

    private func refresh(_ form: [String: String], _ thumbprint: String?) throws -> HTTPResponse {
        guard let token = form["refresh_token"], let id = refreshTokens[token], let session = sessions[id] else {
            throw Refusal("invalid_grant", "invalid refresh token")
        }
        guard session.thumbprint == thumbprint else { throw Refusal("invalid_dpop_proof", "another key") }
        if rotates { refreshTokens[token] = nil }
        let rotated = rotateSecret(of: session, form["device_secret"])
        return try tokens(
            of: rotated, nonce: nil, withRefreshToken: rotates,
            withSecret: rotated.deviceSecret != session.deviceSecret)
    }

    /// Only who has the secret gets the next one.
    private func rotateSecret(of session: Session, _ secret: String?) -> Session {
        var session = session
        if session.deviceSecret != nil, secret == session.deviceSecret {
            session.deviceSecret = next("secret")
            sessions[session.id] = session
        }
        return session
    }

    private func renewIDToken(
        _ request: HTTPRequest, _ form: [String: String], _ thumbprint: String?
    ) throws -> HTTPResponse {
        guard let session = session(presentedWith: request) else {
            throw Refusal("invalid_grant", "invalid session", status: 401)
        }
        guard session.thumbprint == thumbprint else { throw Refusal("invalid_dpop_proof", "another key") }
        let rotated = rotateSecret(of: session, form["device_secret"])
        var members: [String: JSONValue] = ["id_token": .string(try idToken(rotated, nonce: nil))]
        if rotated.deviceSecret != session.deviceSecret {
            members["device_secret"] = rotated.deviceSecret.map { .string($0) }
        }
        return Self.json(.object(members))
    }

    private func exchange(_ form: [String: String], _ thumbprint: String?) throws -> HTTPResponse {
        let subject = try? UnverifiedJWS(form["subject_token"] ?? "")
        let claims = try subject.map { try JSONValue(parsing: $0.unverifiedPayload) }
        guard form["requested_token_type"] == "urn:authgear:params:oauth:token-type:pre-authenticated-url-token",
            form["subject_token_type"] == "urn:ietf:params:oauth:token-type:id_token",
            form["actor_token_type"] == "urn:x-oath:params:oauth:token-type:device-secret",
            form["audience"] == Self.origin
        else { throw Refusal("invalid_request", "\(form)") }
        guard var session = sessions[claims?["sid"]?.stringValue ?? ""] else { throw Refusal("invalid_grant", "sid") }
        guard session.scope.contains(AuthgearNames.preAuthenticatedURL) else {
            throw Refusal("insufficient_scope", "pre-authenticated url is not allowed for this session")
        }
        guard let secret = session.deviceSecret, form["actor_token"] == secret,
            claims?["ds_hash"]?.stringValue == Self.hash(secret), session.thumbprint == thumbprint
        else { throw Refusal("invalid_grant", "the device_secret does not bind to the session") }
        session.deviceSecret = next("secret")
        sessions[session.id] = session
        return Self.json([
            "access_token": .string(next("url-token")), "token_type": "Bearer", "expires_in": 300,
            "issued_token_type": .string(form["requested_token_type"] ?? ""),
            "device_secret": .string(session.deviceSecret ?? ""),
            "id_token": .string(try idToken(session, nonce: nil, audience: Self.webClientID)),
        ])
    }

    static func hash(_ secret: String) -> String {
        SHA256.hash(data: Array(secret.utf8)).map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }

    static func json(_ value: JSONValue) -> HTTPResponse {
        HTTPResponse(status: 200, headers: [("Content-Type", "application/json")], body: value.serialized)
    }

    static func path(_ url: String) -> String {
        "/" + url.prefix { $0 != "?" }.split(separator: "/").dropFirst(2).joined(separator: "/")
    }

    static func form(_ request: HTTPRequest) -> [String: String] {
        let text = String(decoding: request.body ?? [], as: UTF8.self)
        let parameters = (try? FormParameters(parsing: text))?.all ?? []
        return Dictionary(parameters.map { ($0.name, $0.value) }) { first, _ in first }
    }
}
