public import KeyturnBase
internal import KeyturnVerify

extension ServiceClient {
    /// Sends a file to an upload endpoint: a path below ``ServiceConfiguration/uploadURL``, as `multipart/form-data`
    /// (RFC 7578) with the parts `attributes` and `file`, in this order, as Box wants them.
    ///
    /// ```swift
    /// try await client.upload(
    ///     "/2.0/files/content", attributes: ["name": "a.txt", "parent": ["id": "0"]], file: bytes, named: "a.txt")
    /// ```
    ///
    /// - Parameters:
    ///   - path: Begins with a slash; a query may follow.
    ///   - attributes: What the service is to know of the file.
    ///   - file: At most 50 MiB.
    ///   - name: The file's name, 1…1 024 bytes.
    /// - Returns: The answer; `null` if it is empty.
    /// - Throws: `configuration.invalid` for a path, a name or a file out of bounds; otherwise as ``call(_:_:body:)``. An
    ///   upload that may have been acted on is not repeated, see ``RetryPolicy``.
    public func upload(
        _ path: String, attributes: JSONValue, file: [UInt8], named name: String
    ) async throws(AuthError) -> JSONValue {
        guard path.hasPrefix("/") else { throw AuthError(.misconfigured, "a path begins with a slash") }
        guard file.count <= Limits.uploadMaxBytes else {
            throw AuthError(.misconfigured, "an upload has at most \(Limits.uploadMaxBytes) bytes: send it in parts")
        }
        guard (1...Limits.uploadNameMaxBytes).contains(name.utf8.count) else {
            throw AuthError(.misconfigured, "a file's name has 1 to \(Limits.uploadNameMaxBytes) bytes")
        }
        let form = MultipartForm(boundary: session.endpoint.ambient.randomToken(byteCount: 24))
        let request = HTTPRequest(
            method: "POST", url: configuration.uploadURL + path,
            headers: [("Accept", "application/json"), ("Content-Type", form.contentType)],
            body: form.body(attributes: attributes, file: file, name: name),
            timeoutSeconds: configuration.timeoutSeconds)
        return try APIAnswer.read(try await send(request))
    }
}

/// A form with a file in it (RFC 7578).
struct MultipartForm {
    /// Random, so that no file contains it.
    let boundary: String

    var contentType: String { "multipart/form-data; boundary=\(boundary)" }

    func body(attributes: JSONValue, file: [UInt8], name: String) -> [UInt8] {
        var bytes = Array(
            "--\(boundary)\r\nContent-Disposition: form-data; name=\"attributes\"\r\n".utf8)
        bytes += Array("Content-Type: application/json\r\n\r\n".utf8) + attributes.serialized
        bytes += Array(
            "\r\n--\(boundary)\r\nContent-Disposition: form-data; name=\"file\"; filename=\"\(Self.quoted(name))\"".utf8
        )
        bytes += Array("\r\nContent-Type: application/octet-stream\r\n\r\n".utf8) + file
        return bytes + Array("\r\n--\(boundary)--\r\n".utf8)
    }

    /// What would end the name, or the line, is escaped as browsers do (RFC 7578 §4.2).
    private static func quoted(_ name: String) -> String {
        var quoted = ""
        for scalar in name.unicodeScalars {
            switch scalar {
            case "\"": quoted += "%22"
            case "\r": quoted += "%0D"
            case "\n": quoted += "%0A"
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted
    }
}
