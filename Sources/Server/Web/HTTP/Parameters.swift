internal import HTTPTypes
internal import Hummingbird
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import NIOCore

/// A request that cannot be parsed, with the status of the answer.
struct Unreadable: Error {
    let status: HTTPResponse.Status
    let detail: String
}

extension Request {
    /// The parameters of the query.
    func queryParameters() throws -> FormParameters {
        let query = uri.query ?? ""
        guard query.utf8.count <= Limits.queryBytesMax else {
            throw Unreadable(status: .uriTooLong, detail: "the address is too long")
        }
        return try Self.parse(query)
    }

    /// The parameters of a form body.
    func formParameters() async throws -> FormParameters {
        let type = headers[.contentType]?.prefix { $0 != ";" }.lowercased() ?? ""
        guard type.trimmingPrefix(" ").hasPrefix("application/x-www-form-urlencoded") else {
            throw Unreadable(
                status: .unsupportedMediaType, detail: "the body must be application/x-www-form-urlencoded")
        }
        if let length = headers[.contentLength].flatMap(Int.init), length > Limits.formBytesMax { throw Self.tooLarge }
        do {
            return try Self.parse(String(buffer: try await body.collect(upTo: Limits.formBytesMax)))
        } catch is NIOTooManyBytesError {
            throw Self.tooLarge
        }
    }

    /// A body that is not a form.
    ///
    /// - Parameter max: in bytes; a longer body is refused.
    func bytes(max: Int) async throws -> [UInt8] {
        if let length = headers[.contentLength].flatMap(Int.init), length > max { throw Self.tooLarge }
        do {
            return Array(buffer: try await body.collect(upTo: max))
        } catch is NIOTooManyBytesError {
            throw Self.tooLarge
        }
    }

    /// The parameters of the query or of the form, but never of both.
    func parameters() async throws -> FormParameters {
        let query = try queryParameters()
        guard method == .post else { return query }
        let form = try await formParameters()
        guard query.isEmpty else {
            throw Unreadable(status: .badRequest, detail: "parameters belong in the query or in the body, not in both")
        }
        return form
    }

    private static let tooLarge = Unreadable(status: .contentTooLarge, detail: "the body is too large")

    private static func parse(_ text: String) throws -> FormParameters {
        do {
            return try FormParameters(parsing: text)
        } catch {
            throw Unreadable(
                status: .badRequest,
                detail: error == .tooManyParameters ? "there are too many parameters" : "the parameters cannot be read")
        }
    }
}
