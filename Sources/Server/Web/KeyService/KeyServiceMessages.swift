internal import Account
internal import HTTPTypes
internal import KeyturnBase
internal import KeyturnWire
internal import Model

/// Reads requests of the key service and writes its refusals.
extension Request {
    /// The body of a request.
    ///
    /// - Throws: ``Unreadable``, ``KeyServiceProblem/invalid(_:)``.
    func keyServiceRequest() async throws -> KeyServiceRequest {
        // A page of another site cannot send this content type without a preflight request.
        let type = headers[.contentType]?.prefix { $0 != ";" }.lowercased().filter { $0 != " " }
        guard type == "application/json" else {
            throw Unreadable(status: .unsupportedMediaType, detail: "the body must be application/json")
        }
        let invalid = KeyServiceProblem.invalid("the body is no JSON object of texts")
        do {
            let json = try await json(max: Limits.keyRequestBytesMax)
            guard let request = json.flatMap({ KeyServiceRequest(parsing: $0.serialized) }) else { throw invalid }
            return request
        } catch is JSONProblem {
            throw invalid
        }
    }
}

extension Response {
    /// A refusal of the key service. Its clients read the status (Trifork Identity Manager's key service, version 1).
    static func refusal(_ problem: KeyServiceProblem, status: HTTPResponse.Status? = nil) -> Response {
        var headers: HTTPFields = [:]
        let seconds: Int64? =
            switch problem {
            case .tooMany(let seconds): seconds
            case .unavailable: 1
            case .unreadable: 60
            default: nil
            }
        if let seconds { headers[.retryAfter] = String(seconds) }
        let usual: HTTPResponse.Status =
            switch problem {
            case .wrongSecret: .unauthorized
            case .locked: .forbidden
            case .unknownKey: .notFound
            case .invalid: .badRequest
            case .tooMany: .tooManyRequests
            case .unavailable, .unreadable, .switchedOff: .serviceUnavailable
            }
        return .json(problem.refusal.body, status: status ?? usual, headers: headers)
    }

    /// An empty answer: done.
    static var nothingLeft: Response {
        Response(status: .noContent, headers: [.cacheControl: "no-store"])
    }
}
