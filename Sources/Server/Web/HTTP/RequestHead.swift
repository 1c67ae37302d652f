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
        // Looked for before it is split: hardly any request has it.
        guard
            !head.headers.contains(name: "expect")
                || head.headers[canonicalForm: "expect"].allSatisfy({ $0.lowercased() == "100-continue" })
        else { return .expectationFailed }
        return nil
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
