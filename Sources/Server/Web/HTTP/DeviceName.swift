internal import HTTPTypes
internal import Model

/// The browser's name as users say it: "Firefox on Linux".
///
/// Many browsers also name others in their header: those that the fewest others name come first.
enum DeviceName {
    private static let browsers = [
        ("Edg", "Edge"), ("OPR/", "Opera"), ("SamsungBrowser/", "Samsung Internet"), ("Firefox/", "Firefox"),
        ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chromium/", "Chromium"), ("Chrome/", "Chrome"),
        ("Safari/", "Safari"),
    ]
    private static let systems = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS", "ChromeOS"), ("Windows", "Windows"),
        ("Mac OS X", "macOS"), ("Linux", "Linux"),
    ]
    /// Longest `User-Agent` that is looked at, in bytes.
    private static let bytesMax = 512

    /// The name, from a `User-Agent` (RFC 9110 §10.1.5); `nil` for unknown browsers. It never repeats the header's own
    /// words, because clients may write anything there.
    static func of(_ userAgent: String?) -> String? {
        guard let userAgent, userAgent.utf8.count <= bytesMax else { return nil }
        let browser = browsers.first { userAgent.contains($0.0) }?.1
        let system = systems.first { userAgent.contains($0.0) }?.1
        guard let browser else { return system }
        return system.map { "\(browser) on \($0)" } ?? browser
    }
}

extension SessionOrigin {
    /// Where a request comes from.
    init(_ request: Request, _ address: NetworkAddress?) {
        self.init(address: address?.text, device: DeviceName.of(request.headers[.userAgent]))
    }
}
