internal import KeyturnBase
internal import KeyturnVerify

/// What a server says of a refusal, in the forms that services have for it.
struct ServerProblem: Hashable, Sendable {
    /// The server's own code, fit for a log.
    let code: String
    /// Its words, fit for a log; `nil`: it has none.
    let description: String?
}

extension ServerProblem {
    /// In the body of an answer, or in `WWW-Authenticate` (RFC 6750 §3); `nil` if it names no code.
    init?(answer: HTTPResponse) {
        let limits = JSONValue.Limits(bytesMax: 65_536, depthMax: 8, membersMax: 64)
        if let json = try? JSONValue(parsing: answer.body, limits: limits), let problem = ServerProblem(json: json) {
            self = problem
            return
        }
        guard let code = AuthenticateHeader.error(in: answer.header("WWW-Authenticate")) else { return nil }
        self.init(code: code, description: nil)
    }

    /// In a JSON object; `nil` if it names no code.
    init?(json: JSONValue) {
        let error = json["error"]
        let forms: [(code: String?, words: String?)] = [
            // RFC 6749 §5.2.
            (error?.stringValue, json["error_description"]?.stringValue),
            // Authgear, Microsoft Graph, Firebase and Facebook.
            (Self.code(of: error), error?["message"]?.stringValue),
            // Cognito.
            (Self.lastName(json["__type"]?.stringValue), json["message"]?.stringValue),
            // Okta.
            (json["errorCode"]?.stringValue, json["errorSummary"]?.stringValue),
        ]
        for form in forms {
            guard let code = Exchange.clean(form.code, max: 128) else { continue }
            self.init(code: code, description: Exchange.clean(form.words, max: 512))
            return
        }
        return nil
    }

    /// Whether an answer with a successful status is a refusal all the same, as at GitHub and Slack: it names an error,
    /// and holds neither tokens nor a user.
    static func isRefusal(_ json: JSONValue) -> Bool {
        guard json["error"] != nil else { return false }
        return json["ok"]?.boolValue == false
            || json["access_token"]?.stringValue == nil && json["sub"]?.stringValue == nil
    }

    /// The code in an `error` that is an object.
    private static func code(of error: JSONValue?) -> String? {
        let named = error?["reason"]?.stringValue ?? error?["code"]?.stringValue
        return named ?? capitals(error?["message"]?.stringValue) ?? error?["status"]?.stringValue
            ?? error?["type"]?.stringValue
    }

    /// Firebase's code is the first word of its message: `TOKEN_EXPIRED`.
    private static func capitals(_ message: String?) -> String? {
        guard let word = message?.split(separator: " ").first, word.utf8.contains(UInt8(ascii: "_")),
            word.utf8.allSatisfy({ $0 == UInt8(ascii: "_") || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains($0) })
        else { return nil }
        return String(word)
    }

    /// The name of an exception without its module: `com.example#Refused`.
    private static func lastName(_ type: String?) -> String? {
        type?.split(separator: "#").last.map { String($0) }
    }
}
