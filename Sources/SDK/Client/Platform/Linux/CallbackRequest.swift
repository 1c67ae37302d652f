/// What arrived on the loopback listener, read as little as possible: the request line and the host (RFC 9112 §3).
struct CallbackRequest: Hashable, Sendable {
    let method: String
    /// Path and query, as sent.
    let target: String
    let host: String?

    /// Longest head, in bytes; more is refused. A passkey's attestation may be in it.
    static let headMaxBytes = 49_152

    enum Reading: Hashable, Sendable {
        case incomplete
        case complete(CallbackRequest)
        case malformed
        case tooLarge
    }

    /// Reads what has arrived so far.
    static func read(_ bytes: [UInt8]) -> Reading {
        guard let end = endOfHead(bytes) else {
            return bytes.count > headMaxBytes ? .tooLarge : .incomplete
        }
        guard end <= headMaxBytes else { return .tooLarge }
        guard let head = String(validating: bytes[..<end], as: UTF8.self), !head.utf8.contains(0) else {
            return .malformed
        }
        let lines = head.split(separator: "\r\n", omittingEmptySubsequences: false)
        let words = lines[0].split(separator: " ", omittingEmptySubsequences: false)
        guard words.count == 3, words[2].hasPrefix("HTTP/1."), words[1].hasPrefix("/"),
            words[1].utf8.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return .malformed }
        let hosts = lines.dropFirst().filter { $0.lowercased().hasPrefix("host:") }
        guard hosts.count <= 1 else { return .malformed }
        let host = hosts.first.map { $0.dropFirst(5).filter { $0 != " " && $0 != "\t" }.lowercased() }
        return .complete(CallbackRequest(method: String(words[0]), target: String(words[1]), host: host))
    }

    private static func endOfHead(_ bytes: [UInt8]) -> Int? {
        guard bytes.count >= 4 else { return nil }
        return (0...(bytes.count - 4)).first {
            bytes[$0] == 13 && bytes[$0 + 1] == 10 && bytes[$0 + 2] == 13 && bytes[$0 + 3] == 10
        }
    }

    /// The path alone.
    var path: Substring { target.prefix { $0 != "?" } }
}

/// What the listener answers.
struct CallbackPage: Hashable, Sendable {
    let status: String
    let title: String
    let text: String

    static let received = CallbackPage(
        status: "200 OK", title: "Back to your app", text: "You can close this window and return to the app.")
    static let refused = CallbackPage(
        status: "200 OK", title: "Not signed in", text: "Nothing was changed. You can close this window.")
    static let notFound = CallbackPage(status: "404 Not Found", title: "Nothing here", text: "There is no such page.")
    static let foreign = CallbackPage(
        status: "400 Bad Request", title: "Not for this sign-in", text: "Please go back to the app and try again.")
    static let malformed = CallbackPage(
        status: "400 Bad Request", title: "Not understood", text: "This was not a request that a browser makes.")
    static let tooLarge = CallbackPage(
        status: "431 Request Header Fields Too Large", title: "Too much", text: "This request is too large.")
    static let wrongMethod = CallbackPage(
        status: "405 Method Not Allowed", title: "Not understood", text: "This page can only be visited.")

    /// The whole answer. Nothing of the request is in it, and it loads nothing from anywhere.
    var response: [UInt8] {
        let body = """
            <!doctype html><html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" \
            content="light dark"><title>\(title)</title><style>:root{color-scheme:light dark;--paper:#f5f4ef;\
            --card:#fff;--ink:#17211e;--soft:#56635e;--line:#d9d8d0}@media (prefers-color-scheme:dark){:root{\
            --paper:#101514;--card:#182120;--ink:#eef3f0;--soft:#a5b3ad;--line:#33403c}}body{margin:0;\
            padding:20vh 1rem 0;font:1rem/1.5 system-ui,sans-serif;background:var(--paper);color:var(--ink)}\
            main{max-width:26rem;margin:auto;padding:2rem;text-align:center;background:var(--card);\
            border:1px solid var(--line);border-radius:1rem}h1{margin:0 0 .5rem;font-size:1.5rem;line-height:1.2}\
            p{margin:0;color:var(--soft)}</style></head>
            <body><main><h1>\(title)</h1><p>\(text)</p></main></body></html>

            """
        let head = [
            "HTTP/1.1 \(status)", "Content-Type: text/html; charset=utf-8", "Content-Length: \(body.utf8.count)",
            "Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
            "Content-Security-Policy: default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'",
            "Connection: close",
        ]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }
}
