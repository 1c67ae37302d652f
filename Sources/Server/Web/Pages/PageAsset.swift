internal import KeyturnBase
internal import Crypto

/// A file that pages load from this server, at an address that changes with its content.
struct PageAsset: Sendable {
    let path: String
    let content: [UInt8]
    let contentType: String
    /// `Content-Security-Policy`, for what a browser would show as a document of its own; `nil`: none.
    let policy: String?

    init(name: String, ending: String, contentType: String, content: [UInt8], policy: String? = nil) {
        path = "/assets/\(name)-\(Base16.encode(SHA256.hash(data: content).prefix(8))).\(ending)"
        self.content = content
        self.contentType = contentType
        self.policy = policy
    }

    init(name: String, ending: String, contentType: String, content: String) {
        self.init(name: name, ending: ending, contentType: contentType, content: Array(content.utf8))
    }

    /// A style sheet.
    init(stylesheet name: String, _ text: String) {
        self.init(name: name, ending: "css", contentType: "text/css; charset=utf-8", content: text)
    }
}
