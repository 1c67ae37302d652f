internal import Account
internal import HTTPTypes
internal import Hummingbird
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import NIOCore

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
        let bytesMax = Limits.keyRequestBytesMax
        let tooLarge = Unreadable(status: .contentTooLarge, detail: "the body is too large")
        if let length = headers[.contentLength].flatMap(Int.init), length > bytesMax { throw tooLarge }
        do {
            let buffer = try await body.collect(upTo: bytesMax)
            // Unknown members may hold anything, within bounds.
            let limits = JSONValue.Limits(bytesMax: bytesMax, depthMax: Limits.bodyDepthMax)
            guard let request = KeyServiceRequest(parsing: Array(buffer.readableBytesView), limits: limits) else {
                throw KeyServiceProblem.invalid("the body is no JSON object of texts")
            }
            return request
        } catch is NIOTooManyBytesError {
            throw tooLarge
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
            case .unavailable, .unreadable: .serviceUnavailable
            }
        return .json(problem.refusal.body, status: status ?? usual, headers: headers)
    }

    /// An empty answer: done.
    static var nothingLeft: Response {
        Response(status: .noContent, headers: [.cacheControl: "no-store"])
    }
}
