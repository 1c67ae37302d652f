internal import Foundation
internal import Keyturn
internal import KeyturnBase
internal import KeyturnVerify
internal import KeyturnWire

/// The management interface of a running server, with a management key or in the name of an operator.
struct RemoteServer: Sendable {
    let issuer: String
    private let base: String
    private let transport: any HTTPTransport
    /// Sent with each request; an operator's token is added by the transport.
    private let headers: [(name: String, value: String)]
    /// The commands that sentences name.
    private var advice = Advice.plain

    /// Longest answer, in bytes: a page of users is far below it.
    private static let answerBytesMax = 33_554_432
    private static let timeoutSeconds = 30

    init(_ issuer: String, key: Secret, project: String) {
        let transport = NetworkTransport(responseBytesMax: Self.answerBytesMax)
        let bearer = ProjectBearer(projectID: project, key: key).header
        self.init(issuer, transport, [("Authorization", bearer)])
    }

    init(_ issuer: String, operator auth: Keyturn) {
        let known = KnownContainers.live?.read()[auth.name]
        // What is remembered to be trusted is for the issuer of that sign-in alone.
        let authorities = known?.issuer == issuer ? known?.caFile : nil
        let transport = NetworkTransport(responseBytesMax: Self.answerBytesMax, caFile: authorities)
        self.init(issuer, AuthorizedTransport(auth, over: transport), [])
        advice = .of(auth.name)
    }

    init(_ issuer: String, _ transport: any HTTPTransport, _ headers: [(name: String, value: String)]) {
        self.issuer = issuer
        self.transport = transport
        self.headers = headers
        base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
    }

    func get(_ path: String, _ query: KeyValuePairs<String, String> = [:]) async throws -> JSONValue {
        var fields = FormParameters()
        for (name, value) in query { fields.append(name, value) }
        return try await send("GET", fields.isEmpty ? path : "\(path)?\(fields.encoded)", nil)
    }

    @discardableResult
    func post(_ path: String, _ members: [String: JSONValue]) async throws -> JSONValue {
        try await send("POST", path, .object(members))
    }

    private func send(_ method: String, _ path: String, _ body: JSONValue?) async throws -> JSONValue {
        var headers = headers + [(name: "Accept", value: "application/json")]
        if body != nil { headers.append((name: "Content-Type", value: "application/json")) }
        let request = HTTPRequest(
            method: method, url: base + path, headers: headers, body: body.map { Array($0.serialized) },
            timeoutSeconds: Self.timeoutSeconds)
        let response = try await ClientFailure.explained(advice) { try await transport.send(request) }
        guard response.status == 200 else { throw failure(response) }
        guard let json = try? JSONValue(parsing: response.body) else {
            throw CommandFailure.failed("\(issuer) did not answer with JSON: is it a Keyturn server?")
        }
        return json
    }

    /// What a refusal means to the operator.
    private func failure(_ response: HTTPResponse) -> CommandFailure {
        let json = try? JSONValue(parsing: response.body)
        let code = json?["errorCode"]?.stringValue
        let words = (json?["errorMessage"] ?? json?["errorDescription"])?.stringValue.map(Printable.text)
        guard let words, !words.isEmpty else {
            return .failed("\(issuer) answered with status \(response.status): is it a Keyturn server?")
        }
        if code == OAuthProblem.Code.insufficientUserAuthentication.rawValue {
            let again = Advice(name: advice.name, options: ["--operator", "--issuer", issuer])
            return .refused("\(words). Run `\(again.login)`.")
        }
        switch response.status {
        case 400..<429: return .refused("\(words).")
        case 429: return .failed("\(words). Too many requests: try again later.")
        default: return .failed("\(words).")
        }
    }
}

extension JSONValue {
    /// A text of an answer; empty if it is missing.
    func text(_ name: String) -> String { self[name]?.stringValue ?? "" }

    /// A moment of an answer, in seconds; `nil`: it is missing, or 0.
    func time(_ name: String) -> UnixTime? {
        self[name]?.integerValue.flatMap { $0 == 0 ? nil : UnixTime(rawValue: $0) }
    }

    /// The elements of a list; none if it is missing.
    func list(_ name: String) -> [JSONValue] { self[name]?.arrayValue ?? [] }
}
