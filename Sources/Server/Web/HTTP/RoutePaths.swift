internal import HTTPTypes

/// The addresses of the route table: most are found with one dictionary lookup.
struct RoutePaths: Sendable {
    private typealias Methods = [HTTPRequest.Method: Route]

    private struct Pattern: Sendable {
        let steps: [Substring]
        var methods: Methods
    }

    private var fixed: [String: Methods] = [:]
    /// Paths with names in them, by the number of their steps.
    private var patterns: [Int: [Pattern]] = [:]
    private static let name = Route.anyName.dropFirst()

    init(_ table: [Route]) {
        for route in table {
            guard route.path.contains(Route.anyName) else {
                fixed[route.path, default: [:]][route.method] = route
                continue
            }
            let steps = Self.steps(of: route.path)
            var sameLength = patterns[steps.count, default: []]
            if let index = sameLength.firstIndex(where: { $0.steps == steps }) {
                sameLength[index].methods[route.method] = route
            } else {
                sameLength.append(Pattern(steps: steps, methods: [route.method: route]))
            }
            patterns[steps.count] = sameLength
        }
    }

    /// The routes of an address: its own, or those with names in their path. None of ``fixed`` is taken for a name.
    func methods(at path: String) -> [HTTPRequest.Method: Route] {
        if let own = fixed[path] { return own }
        let steps = Self.steps(of: path)
        return patterns[steps.count]?.first { Self.matches($0.steps, steps) }?.methods ?? [:]
    }

    private static func matches(_ pattern: [Substring], _ steps: [Substring]) -> Bool {
        zip(pattern, steps).allSatisfy { $0 == name ? !$1.isEmpty : $0 == $1 }
    }

    fileprivate static func steps(of path: String) -> [Substring] {
        path.split(separator: "/", omittingEmptySubsequences: false)
    }
}

extension Request {
    /// The names in the request's address, in the order of its route, as they were sent.
    ///
    /// - Parameter route: the path of the route, as the table has it.
    func names(in route: String) -> [String] {
        zip(RoutePaths.steps(of: route), RoutePaths.steps(of: target.path))
            .filter { $0.0 == Route.anyName.dropFirst() }.map { String($0.1) }
    }
}
