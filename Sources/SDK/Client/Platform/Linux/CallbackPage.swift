internal import Crypto
internal import Foundation

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

    /// The colours of the hosted pages.
    private static let style = """
        :root{color-scheme:light dark;--paper:#f5f4ef;--card:#fff;--ink:#17211e;--soft:#56635e;--line:#d9d8d0}\
        @media (prefers-color-scheme:dark){:root{--paper:#101514;--card:#182120;--ink:#eef3f0;--soft:#a5b3ad;\
        --line:#33403c}}body{margin:0;padding:20vh 1rem 0;font:1rem/1.5 system-ui,sans-serif;background:var(--paper);\
        color:var(--ink)}main{max-width:26rem;margin:auto;padding:2rem;text-align:center;background:var(--card);\
        border:1px solid var(--line);border-radius:1rem}h1{margin:0 0 .5rem;font-size:1.5rem;line-height:1.2}\
        p{margin:0;color:var(--soft)}
        """

    /// Nothing is loaded, and no style counts but this very one.
    private static let policy: String = {
        let digest = Data(SHA256.hash(data: Array(style.utf8))).base64EncodedString()
        return "default-src 'none'; style-src 'sha256-\(digest)'; base-uri 'none'; form-action 'none'; "
            + "frame-ancestors 'none'"
    }()

    /// The whole answer. Nothing of the request is in it, and it loads nothing from anywhere.
    var response: [UInt8] {
        let body = """
            <!doctype html><html lang="en"><head><meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" \
            content="light dark"><title>\(title)</title><style>\(Self.style)</style></head>
            <body><main><h1>\(title)</h1><p>\(text)</p></main></body></html>

            """
        let head = [
            "HTTP/1.1 \(status)", "Content-Type: text/html; charset=utf-8", "Content-Length: \(body.utf8.count)",
            "Cache-Control: no-store", "Referrer-Policy: no-referrer", "X-Content-Type-Options: nosniff",
            "Content-Security-Policy: \(Self.policy)", "Connection: close",
        ]
        return Array((head.joined(separator: "\r\n") + "\r\n\r\n" + body).utf8)
    }
}
