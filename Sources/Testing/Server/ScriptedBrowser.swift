public import AsyncHTTPClient
internal import Foundation
public import KeyturnWire
internal import NIOCore
internal import NIOHTTP1
internal import Synchronization

/// A browser without a window: keeps cookies, follows redirects within the server, and fills in forms.
///
/// It stops at the first redirect that leaves the server and returns its address, as a loopback listener would
/// receive it.
public final class ScriptedBrowser: Sendable {
    /// What the browser shows.
    public struct Screen: Sendable {
        public let status: Int
        public let url: String
        public let headers: [(name: String, value: String)]
        public let body: String

        /// The `data-page` of the page.
        public var page: String? { Self.attribute("data-page", in: body[...]) }

        /// Values of the form's hidden fields.
        public var hiddenFields: [(name: String, value: String)] {
            body.components(of: "<input", until: ">").compactMap { tag in
                guard Self.attribute("type", in: tag) == "hidden", let name = Self.attribute("name", in: tag) else {
                    return nil
                }
                return (name: name, value: Self.attribute("value", in: tag) ?? "")
            }
        }

        /// The address of the form, as the page has it.
        public var formAction: String? {
            body.components(of: "<form", until: ">").first.flatMap { Self.attribute("action", in: $0) }
        }

        /// The first header of that name.
        public func header(_ name: String) -> String? {
            headers.first { $0.name.lowercased() == name.lowercased() }?.value
        }

        static func attribute(_ name: String, in tag: Substring) -> String? {
            guard let range = tag.range(of: "\(name)=\"") else { return nil }
            return String(tag[range.upperBound...].prefix { $0 != "\"" }).unescapedHTML
        }
    }

    private let origin: String
    private let cookies = Mutex<[String: String]>([:])
    private static let hopsMax = 10
    private static let bodyBytesMax = 1_048_576

    /// - Parameter origin: the server's, such as `http://127.0.0.1:8080`.
    public init(origin: String) {
        self.origin = origin
    }

    /// Its cookies, by name.
    public var cookieJar: [String: String] {
        get { cookies.withLock { $0 } }
        set { cookies.withLock { $0 = newValue } }
    }

    /// Opens an address and follows redirects.
    public func open(_ url: String, headers: [(String, String)] = []) async throws -> Screen {
        try await follow(try await send(.GET, url, form: nil, headers: headers))
    }

    /// Sends the form of a page, its hidden fields filled in.
    public func submit(_ screen: Screen, _ fields: KeyValuePairs<String, String?>) async throws -> Screen {
        var form = FormParameters()
        for field in screen.hiddenFields { form.append(field.name, field.value) }
        for (name, value) in fields { form.append(name, value) }
        return try await post(screen.formAction ?? screen.url, form)
    }

    /// Posts any form, as another site could make a browser do.
    public func post(_ url: String, _ form: FormParameters, headers: [(String, String)] = []) async throws -> Screen {
        try await follow(try await send(.POST, url, form: form, headers: headers))
    }

    private func follow(_ first: Screen) async throws -> Screen {
        var screen = first
        for _ in 0..<Self.hopsMax {
            guard (300...399).contains(screen.status), let location = screen.header("location") else { return screen }
            guard location.hasPrefix("/") || location.hasPrefix(origin + "/") else { return screen }
            screen = try await send(.GET, location, form: nil, headers: [])
        }
        return screen
    }

    private func send(_ method: HTTPMethod, _ url: String, form: FormParameters?, headers: [(String, String)])
        async throws -> Screen
    {
        let address = url.hasPrefix("/") ? origin + url : url
        var request = HTTPClientRequest(url: address)
        request.method = method
        for (name, value) in headers { request.headers.add(name: name, value: value) }
        let jar = cookieJar
        if !jar.isEmpty {
            request.headers.add(
                name: "Cookie", value: jar.map { "\($0.key)=\($0.value)" }.sorted().joined(separator: "; "))
        }
        if let form {
            request.headers.add(name: "Content-Type", value: "application/x-www-form-urlencoded")
            request.body = .bytes(ByteBuffer(string: form.encoded))
        }
        let response = try await TestNetwork.client.execute(request, timeout: .seconds(30))
        for cookie in response.headers["Set-Cookie"] { keep(cookie) }
        let body = try await response.body.collect(upTo: Self.bodyBytesMax)
        return Screen(
            status: Int(response.status.code), url: address,
            headers: response.headers.map { (name: $0.name, value: $0.value) },
            body: String(buffer: body))
    }

    private func keep(_ cookie: String) {
        let parts = cookie.split(separator: ";")
        guard let pair = parts.first?.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false),
            pair.count == 2
        else { return }
        let isOver = parts.contains { $0.trimmingPrefix(" ").lowercased() == "max-age=0" }
        cookies.withLock { $0[String(pair[0])] = isOver ? nil : String(pair[1]) }
    }
}

/// One HTTP client for all tests of a process; ``ScriptedBrowser`` follows redirects itself.
public enum TestNetwork {
    public static let client: HTTPClient = {
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        configuration.connectionPool.concurrentHTTP1ConnectionsPerHostSoftLimit = 64
        return HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }()
}

extension String {
    /// The text between each `start` and the next `end`.
    fileprivate func components(of start: String, until end: Character) -> [Substring] {
        var found: [Substring] = []
        var rest = self[...]
        while let range = rest.range(of: start) {
            let tail = rest[range.upperBound...]
            found.append(tail.prefix { $0 != end })
            rest = tail
        }
        return found
    }

    var unescapedHTML: String {
        replacing("&quot;", with: "\"").replacing("&#39;", with: "'").replacing("&lt;", with: "<")
            .replacing("&gt;", with: ">").replacing("&amp;", with: "&")
    }
}
