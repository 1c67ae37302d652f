internal import HTTPTypes
internal import Model

/// The kind of client that a request comes from, for ``ShadowRules``: it stays the same in all processes of an app, over
/// its updates, and in every network.
enum ClientKind {
    /// What apps of one system share, whatever each calls itself: its own HTTP library.
    private static let libraries = ["CFNetwork", "okhttp", "Dalvik", "Cronet", "Dart", "ktor", "undici", "WinHTTP"]
    /// Longest `User-Agent` that is looked at, in bytes.
    private static let bytesMax = 512

    /// The browser and system of a `User-Agent` (RFC 9110 §10.1.5), or the name of its first product, without versions.
    static func of(_ userAgent: String?) -> String {
        guard let userAgent, !userAgent.isEmpty else { return "none" }
        guard userAgent.utf8.count <= bytesMax else { return "other" }
        if let library = libraries.first(where: userAgent.contains) { return library }
        if let device = DeviceName.of(userAgent) { return device }
        let product = userAgent.prefix { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") }
        return product.isEmpty ? "other" : String(product.prefix(RefreshParty.clientBytesMax))
    }
}
