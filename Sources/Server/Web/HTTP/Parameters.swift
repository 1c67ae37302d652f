internal import HTTPTypes
internal import KeyturnBase
internal import KeyturnWire
internal import Model
internal import NIOCore

/// A request that cannot be parsed, with the status of the answer.
struct Unreadable: Error {
    let status: HTTPResponse.Status
    let detail: String

    /// The detail as a sentence.
    var sentence: String { detail.prefix(1).uppercased() + detail.dropFirst() }
}

/// What requests hold. A text with U+0000 is refused here, wherever it stands: PostgreSQL cannot store it, and C takes it
/// for the end.
extension Request {
    /// The parameters of the query.
    ///
    /// - Throws: ``Unreadable``.
    func queryParameters() throws -> FormParameters {
        let query = target.query ?? ""
        guard query.utf8.count <= Limits.queryBytesMax else {
            throw Unreadable(status: .uriTooLong, detail: "the address is too long")
        }
        return try Self.parse(query)
    }

    /// The parameters of a form body.
    ///
    /// - Throws: ``Unreadable``.
    func formParameters() async throws -> FormParameters {
        guard Self.isForm(headers[.contentType] ?? "") else {
            throw Unreadable(
                status: .unsupportedMediaType, detail: "the body must be application/x-www-form-urlencoded")
        }
        return try Self.parse(String(buffer: try await buffer(max: Limits.formBytesMax)))
    }

    /// A form that a provider's page sends, whatever type it says it has.
    ///
    /// - Parameter max: in bytes; a longer body is refused.
    /// - Returns: the body, and the parameters in it.
    /// - Throws: ``Unreadable``.
    func postedForm(max: Int) async throws -> (text: String, fields: FormParameters) {
        let text = String(buffer: try await buffer(max: max))
        return (text, try Self.parse(text))
    }

    /// A body of JSON.
    ///
    /// - Parameters:
    ///   - max: in bytes; a longer body is refused.
    ///   - membersMax: most members or elements in one object or array.
    /// - Returns: `nil` for an empty body.
    /// - Throws: ``Unreadable``; `JSONProblem` if it is no JSON within the bounds.
    func json(max: Int, membersMax: Int = JSONValue.Limits.standard.membersMax) async throws -> JSONValue? {
        let bytes = Array(buffer: try await buffer(max: max))
        guard !bytes.isEmpty else { return nil }
        let limits = JSONValue.Limits(bytesMax: max, depthMax: Limits.bodyDepthMax, membersMax: membersMax)
        let json = try JSONValue(parsing: bytes, limits: limits)
        guard !json.hasZeroCharacter else { throw Self.zeroCharacter }
        return json
    }

    /// The same for an object, which needs no other answer: `nil` for anything else that can be read.
    ///
    /// - Throws: ``Unreadable``.
    func jsonObject(max: Int) async throws -> JSONValue? {
        do {
            let json = try await json(max: max)
            return json?.objectValue == nil ? nil : json
        } catch is JSONProblem {
            return nil
        }
    }

    private func buffer(max: Int) async throws -> ByteBuffer {
        if let length = headers[.contentLength].flatMap(Int.init), length > max { throw Self.tooLarge }
        do {
            return try await body.collect(upTo: max)
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

    /// Whether a media type is that of a form, whatever its parameters and the case of its letters.
    private static func isForm(_ type: String) -> Bool {
        let type = type.utf8.drop { $0 == UInt8(ascii: " ") }
        // 0x20 makes small letters of capital ones, and leaves the others of this name as they are.
        return type.count >= formType.count && zip(type, formType).allSatisfy { $0 | 0x20 == $1 | 0x20 }
    }

    private static let formType = Array("application/x-www-form-urlencoded".utf8)

    private static let tooLarge = Unreadable(status: .contentTooLarge, detail: "the body is too large")
    private static let zeroCharacter = Unreadable(
        status: .badRequest, detail: "a text has the character U+0000, which no text here may have")

    private static func parse(_ text: String) throws -> FormParameters {
        let form: FormParameters
        do {
            form = try FormParameters(parsing: text)
        } catch {
            throw Unreadable(
                status: .badRequest,
                detail: error == .tooManyParameters ? "there are too many parameters" : "the parameters cannot be read")
        }
        guard !form.holdsZeroByte else { throw zeroCharacter }
        return form
    }
}

extension JSONValue {
    /// Whether a text or the name of a member has U+0000.
    fileprivate var hasZeroCharacter: Bool {
        switch self {
        case .string(let text): text.utf8.contains(0)
        case .array(let elements): elements.contains(where: \.hasZeroCharacter)
        case .object(let members): members.contains { $0.key.utf8.contains(0) || $0.value.hasZeroCharacter }
        case .null, .bool, .integer, .number: false
        }
    }
}
