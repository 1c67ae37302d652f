internal import HTTPTypes
internal import KeyturnBase
internal import KeyturnWire

/// What developers are told beside a result: the request was answered, and should be changed.
enum SiteWarnings {
    /// The releases whose wire this server speaks; older ones lack what it expects.
    private static let releases: [String: [Int]] = ["js": [0, 3, 0], "node": [0, 3, 0], "php": [0, 3, 0]]

    /// What is said of a request.
    static func warnings(
        _ request: Request, at path: String, of route: PasskeyRoute, _ body: JSONValue
    ) -> [PasskeyServiceError] {
        [client(request.headers[.xSDK])].compactMap(\.self) + address(path, of: route) + fields(body, of: route)
    }

    /// What is said of a page's origin, as its browser sends it.
    static func warnings(origin: String?) -> [PasskeyServiceError] {
        guard let origin, origin.hasPrefix("http://") else { return [] }
        return [
            PasskeyServiceError(
                code: .originInsecure,
                message: "Browsers offer passkeys over http on localhost alone: serve the page over https to others")
        ]
    }

    /// What is said to a backend with the older one of two keys.
    static let secretKeyOutdated = PasskeyServiceError(
        code: .secretKeyOutdated, message: "Another secret key replaces this one: change to the newer one")

    /// - Parameter text: a name and a version, such as `js/0.3.0`. Others are not judged.
    private static func client(_ text: String?) -> PasskeyServiceError? {
        let parts = (text ?? "").split(separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2, let oldest = releases[parts[0].lowercased()] else { return nil }
        // What follows a hyphen marks a release before the release of that number.
        let numbers = parts[1].prefix { $0 != "-" && $0 != "+" }
            .split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard (1...4).contains(numbers.count), !numbers.contains(nil),
            numbers.compactMap(\.self).lexicographicallyPrecedes(oldest)
        else { return nil }
        let version = oldest.map(String.init).joined(separator: ".")
        return PasskeyServiceError(
            code: .clientOutdated, message: "The client library is older than \(version): update it")
    }

    private static func address(_ path: String, of route: PasskeyRoute) -> [PasskeyServiceError] {
        guard path != route.path else { return [] }
        return [
            PasskeyServiceError(
                code: .routeDeprecated, message: "The path \(path) is deprecated: call \(route.path)")
        ]
    }

    private static func fields(_ body: JSONValue, of route: PasskeyRoute) -> [PasskeyServiceError] {
        func has(_ name: String) -> Bool { body["user"]?[name].map { $0 != .null } ?? false }
        var warnings: [PasskeyServiceError] = []
        if has("handle") {
            warnings.append(
                PasskeyServiceError(
                    code: .fieldDeprecated, message: "The user.handle field is deprecated: send user.username"))
        }
        // A registration gives a user both names; everywhere else one of them selects the user.
        if route != .credentialCreate, has("id"), has("username") || has("handle") {
            warnings.append(
                PasskeyServiceError(
                    code: .fieldIgnored, message: "The user.id field selects the user: the username is not read"))
        }
        return warnings
    }
}
