import KeyturnBase
import KeyturnJose
import KeyturnVerify
import KeyturnWire

@testable import Keyturn

/// Proofs, challenges and what keys sign.
extension FakeAuthgear {
    /// The thumbprint of the key that a proof shows; `nil`: there is no proof.
    func proof(_ request: HTTPRequest) throws -> String? {
        let proofs = request.headers.filter { $0.name == "DPoP" }
        guard let compact = proofs.first?.value else { return nil }
        let jws = try UnverifiedJWS(compact)
        let payload = try JSONValue(parsing: jws.unverifiedPayload)
        guard proofs.count == 1, jws.header.type == "dpop+jwt", payload["htm"]?.stringValue == request.method,
            payload["htu"]?.stringValue == request.url,
            payload["jti"]?.stringValue.map({ $0.utf8.count <= 43 }) == true,
            payload["ath"] == nil, payload["nonce"] == nil,
            abs((payload["iat"]?.integerValue ?? 0) - clock.now.rawValue) <= 300,
            let jwk = jws.header.members["jwk"]
        else { throw Refusal("invalid_dpop_proof", "\(payload)") }
        let key = try JSONWebKey(jwk)
        _ = try jws.verify(with: VerificationKey(key, algorithm: jws.header.algorithm))
        return key.thumbprint()
    }

    /// A device without a model is none.
    func checkDevice(_ text: String) throws {
        guard !text.contains("="), let bytes = Base64URL.decode(text) else {
            throw Refusal("invalid_request", "x_device_info is no unpadded base64url")
        }
        try checkDevice(try JSONValue(parsing: bytes))
    }

    private func checkDevice(_ info: JSONValue) throws {
        guard info["ios"]?["uname"]?["machine"]?.stringValue?.isEmpty == false else {
            throw Refusal("invalid_request", "the device has no model: \(info)")
        }
    }

    func challenge(_ request: HTTPRequest) throws -> HTTPResponse {
        let purpose = try JSONValue(parsing: request.body ?? []).objectValue ?? [:]
        guard purpose.count == 1, ["biometric_request", "anonymous_request"].contains(purpose["purpose"]?.stringValue)
        else { throw Refusal.call("Invalid", reason: "ValidationFailed", status: 400) }
        let token = next("CHALLENGE")
        challenges[token] = clock.now + 300
        return Self.json(["result": ["token": .string(token), "expire_at": "2027-01-15T08:05:00.123456Z"]])
    }

    func appSession(_ request: HTTPRequest) throws -> HTTPResponse {
        let body = try JSONValue(parsing: request.body ?? []).objectValue ?? [:]
        guard body.keys.sorted() == ["refresh_token"] else {
            throw Refusal.call("Invalid", reason: "ValidationFailed", status: 400)
        }
        guard let id = refreshTokens[body["refresh_token"]?.stringValue ?? ""], let session = sessions[id],
            session.thumbprint == (try proof(request))
        else { throw Refusal.call("Forbidden", reason: "InvalidGrant", status: 403) }
        let token = next("app+session&=")
        appSessions[token] = id
        return Self.json(["result": ["app_session_token": .string(token), "expire_at": "2027-01-15T08:05:00Z"]])
    }

    private static let invalidCredentials = Refusal("invalid_grant", "InvalidCredentials")

    /// What a key signed, and the key's name.
    private func read(_ jwt: String?, _ type: String) throws -> (UnverifiedJWS, JSONValue, String) {
        let jws = try UnverifiedJWS(jwt ?? "")
        let payload = try JSONValue(parsing: jws.unverifiedPayload)
        signed.append((jws.header.members, payload))
        guard let challenge = payload["challenge"]?.stringValue,
            let until = challenges.removeValue(forKey: challenge), clock.now < until,
            let from = payload["iat"]?.integerValue, let end = payload["exp"]?.integerValue,
            from <= clock.now.rawValue + 300, clock.now.rawValue < end + 300, jws.header.type == type,
            let kid = jws.header.keyID, (8...64).contains(kid.utf8.count)
        else { throw Self.invalidCredentials }
        return (jws, payload, kid)
    }

    func biometric(
        _ request: HTTPRequest, _ form: [String: String], _ thumbprint: String?
    ) throws -> HTTPResponse {
        let (jws, payload, kid) = try read(form["jwt"], "vnd.authgear.biometric-request")
        try checkDevice(payload["device_info"] ?? .null)
        guard payload["action"] == "setup" else {
            guard let scope = form["scope"], scope.contains("offline_access"), scope.contains(AuthgearNames.fullAccess)
            else { throw Refusal("invalid_scope", form["scope"] ?? "") }
            guard let known = keys[kid], form["x_device_info"] != nil else { throw Self.invalidCredentials }
            _ = try jws.verify(with: VerificationKey(known.key, algorithm: jws.header.algorithm))
            return try issue(known.subject, scope, thumbprint, nonce: nil, amr: ["x_biometric"])
        }
        // Neither a proof nor a description of the device beside the signed one.
        guard thumbprint == nil, form.keys.sorted() == ["client_id", "grant_type", "jwt"] else {
            throw Refusal("invalid_request", "\(form.keys.sorted())")
        }
        guard let session = session(presentedWith: request) else {
            throw Refusal("invalid_grant", "biometric setup requires authenticated user", status: 401)
        }
        try keep(jws, kid, session.subject)
        return HTTPResponse(status: 200)
    }

    private func keep(_ jws: UnverifiedJWS, _ kid: String, _ subject: String) throws {
        guard let jwk = jws.header.members["jwk"], jwk["kid"]?.stringValue == kid, jwk["alg"] != nil else {
            throw Self.invalidCredentials
        }
        let key = try JSONWebKey(jwk)
        _ = try jws.verify(with: VerificationKey(key, algorithm: jws.header.algorithm))
        keys[kid] = (key, subject)
    }

    func anonymous(_ form: [String: String], _ thumbprint: String?) throws -> HTTPResponse {
        let subject = try anonymousUser(form["jwt"], action: "auth")
        return try issue(subject, "openid offline_access \(AuthgearNames.fullAccess)", thumbprint, nonce: nil, amr: [])
    }

    /// The user of a key; made if the key is new.
    func anonymousUser(_ jwt: String?, action: String) throws -> String {
        let (jws, payload, kid) = try read(jwt, "vnd.authgear.anonymous-request")
        guard payload["action"]?.stringValue == action, payload["device_info"] == nil else {
            throw Self.invalidCredentials
        }
        if let known = keys[kid] {
            _ = try jws.verify(with: VerificationKey(known.key, algorithm: jws.header.algorithm))
            return known.subject
        }
        let user = next("nobody")
        try keep(jws, kid, user)
        return user
    }
}
