internal import NIOHTTP1

/// What HTTP itself demands of a request's head, for every target (RFC 9112 §3).
enum RequestHead {
    /// The status of the refusal; `nil` if there is none.
    static func refusal(of head: HTTPRequestHead) -> HTTPResponseStatus? {
        guard head.version.major == 1 else { return .httpVersionNotSupported }
        let hosts = head.headers["host"]
        guard hosts.count == 1 || (hosts.isEmpty && head.version == .http1_0), hosts.allSatisfy(isHost) else {
            return .badRequest
        }
        // Looked for before they are split: hardly any request has them.
        if head.headers.contains(name: "transfer-encoding"), let status = refusalOfCodings(head) { return status }
        guard
            !head.headers.contains(name: "expect")
                || head.headers[canonicalForm: "expect"].allSatisfy({ $0.lowercased() == "100-continue" })
        else { return .expectationFailed }
        return nil
    }

    /// How a body is framed must be beyond doubt (RFC 9112 §6.1, §6.3): else this server and a proxy before it could see
    /// different requests in the same bytes. `chunked` is the only coding here.
    private static func refusalOfCodings(_ head: HTTPRequestHead) -> HTTPResponseStatus? {
        // HTTP/1.0 has no codings: one who sends them may be passing on what it does not understand (§6.1).
        guard head.version.minor >= 1 else { return .badRequest }
        let codings = head.headers["transfer-encoding"].flatMap {
            $0.split(separator: ",", omittingEmptySubsequences: false).map { $0.trimmingBlanks.lowercased() }
        }
        // Not the last one: the end of the body is unknown. Twice, or an empty place in the list: another reader of the
        // list may see another end.
        guard codings.last == "chunked", !codings.contains(""), !codings.dropLast().contains("chunked") else {
            return .badRequest
        }
        return codings.count == 1 ? nil : .notImplemented
    }

    /// Whether `text` is `uri-host [ ":" port ]` (RFC 9110 §7.2, RFC 3986 §3.2.2). `http` allows no empty host
    /// (RFC 9110 §4.2.1).
    static func isHost(_ text: String) -> Bool {
        var rest = text.utf8[...]
        if rest.first == UInt8(ascii: "[") {
            guard let end = rest.firstIndex(of: UInt8(ascii: "]")) else { return false }
            let address = rest.dropFirst().prefix(upTo: end)
            guard !address.isEmpty, address.allSatisfy(isAddressByte) else { return false }
            rest = rest[end...].dropFirst()
        } else {
            let name = rest.prefix { $0 != UInt8(ascii: ":") }
            guard !name.isEmpty, name.allSatisfy(isNameByte) else { return false }
            rest = rest[name.endIndex...]
        }
        guard rest.first == UInt8(ascii: ":") else { return rest.isEmpty }
        let port = rest.dropFirst()
        return port.count <= 5 && port.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"):
            true
        default: false
        }
    }

    private static func isNameByte(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || "-._~%!$&'()*+,;=".utf8.contains(byte)
    }

    private static func isAddressByte(_ byte: UInt8) -> Bool {
        isLetterOrDigit(byte) || ":.%-_~".utf8.contains(byte)
    }
}

extension StringProtocol {
    /// Without the blanks around it that a list in a field may have (RFC 9110 §5.6.3).
    var trimmingBlanks: String {
        func isBlank(_ byte: UInt8) -> Bool { byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let bytes = Array(utf8.drop(while: isBlank))
        let end = bytes.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? 0
        return String(decoding: bytes[..<end], as: UTF8.self)
    }
}
