internal import HTTPTypes
internal import KeyturnBase
internal import KeyturnWire
internal import NIOCore

extension Response {
    /// A JSON body that must not be cached (RFC 6749 §5.1).
    static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok, headers: HTTPFields = [:]) -> Response {
        var fields = headers
        fields[.contentType] = "application/json"
        if fields[.cacheControl] == nil {
            fields[.cacheControl] = "no-store"
            fields[.pragma] = "no-cache"
        }
        return Response(status: status, headers: fields, body: ByteBuffer(bytes: bytes))
    }

    /// A refusal in OAuth's form (RFC 6749 §5.2).
    static func problem(_ problem: OAuthProblem, headers: HTTPFields = [:]) -> Response {
        let body = JSONWriter.object { json in
            json.member("error", problem.code.rawValue)
            json.member("error_description", problem.description)
        }
        var fields = headers
        if problem.code == .temporarilyUnavailable { fields[.retryAfter] = "1" }
        return json(body, status: status(of: problem.code), headers: fields)
    }

    /// A refusal in the form of Authgear's interface.
    static func refused(_ problem: APIProblem) -> Response {
        json(problem.json.serialized, status: HTTPResponse.Status(code: problem.name.status))
    }

    /// Redirects the browser with GET, never with the form that it just posted (RFC 9700 §4.12).
    static func seeOther(_ location: String, cookies: [String] = []) -> Response {
        var headers: HTTPFields = [.cacheControl: "no-store"]
        headers[.location] = location
        for cookie in cookies { headers.append(HTTPField(name: .setCookie, value: cookie)) }
        return Response(status: .seeOther, headers: headers)
    }

    static func text(_ status: HTTPResponse.Status, _ text: String) -> Response {
        Response(
            status: status, headers: [.contentType: "text/plain; charset=utf-8", .cacheControl: "no-store"],
            body: ByteBuffer(string: text))
    }

    private static func status(of code: OAuthProblem.Code) -> HTTPResponse.Status {
        switch code {
        case .invalidToken: .unauthorized
        case .insufficientScope: .forbidden
        case .temporarilyUnavailable: .serviceUnavailable
        case .serverError: .internalServerError
        default: .badRequest
        }
    }
}

extension TokenResponse {
    /// The answer's JSON, written directly for speed.
    var json: [UInt8] {
        JSONWriter.object(capacity: 2_048) { json in
            json.member("access_token", accessToken)
            json.member("token_type", tokenType)
            json.member("expires_in", expiresInSeconds)
            json.member("refresh_token", refreshToken)
            json.member("id_token", idToken)
            json.member("scope", scope)
            if let thumbprint = refreshTokenConfirmation?.keyThumbprint {
                json.member("cnf", .object(["jkt": .string(thumbprint)]))
            }
            json.member("issued_token_type", issuedTokenType)
            if let restrictedTo { json.member("restricted_to", .array(restrictedTo)) }
            if let authorizationDetails { json.member("authorization_details", .array(authorizationDetails)) }
            json.member("device_secret", deviceSecret)
        }
    }
}
