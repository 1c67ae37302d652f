internal import Foundation
internal import KeyturnBase

/// An HTTP proxy that a variable of the environment names. It carries TLS without reading it (`CONNECT`, RFC 9110
/// §9.3.6).
struct Proxy: Equatable, Sendable {
    let host: String
    let port: Int
    /// `nil`: the proxy is told no user.
    let user: String?
    let password: Secret?
    /// Which variable names it.
    let variable: String

    /// Where a proxy listens whose address names no port.
    private static let usualPort = 80

    /// Reads `http://HOST:PORT`, `http://USER:PASSWORD@HOST:PORT` or `HOST:PORT`.
    ///
    /// - Throws: `configuration.invalid` for anything else. The value is not in the error: it may hold a password.
    init(_ text: String, variable: String) throws(AuthError) {
        guard let parts = Self.parts(text), let host = parts.host, parts.scheme == "http" else {
            throw AuthError(
                .misconfigured,
                "\(variable) names no proxy that can be used here: write http://HOST:PORT, or "
                    + "http://USER:PASSWORD@HOST:PORT")
        }
        self.host = host.text
        port = parts.port ?? Self.usualPort
        let names = parts.userinfo?.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false) ?? []
        user = names.first.map(Self.decoded)
        password = names.count == 2 ? Secret(Self.decoded(names[1])) : nil
        self.variable = variable
    }

    private static func parts(_ text: String) -> URIParts? {
        if let parts = URIParts(text), parts.host != nil { return parts }
        return URIParts("http://" + text)
    }

    /// As a sentence names it.
    var name: String { "\(host):\(port) (\(variable))" }

    private static func decoded(_ text: Substring) -> String {
        String(text).removingPercentEncoding ?? String(text)
    }
}

extension Proxy: Hashable {
    func hash(into hasher: inout Hasher) {
        hasher.combine(host)
        hasher.combine(port)
        hasher.combine(variable)
    }
}

/// Which proxy leads to a server: what `https_proxy` or `HTTPS_PROXY` names, except to this machine and to what `no_proxy` or `NO_PROXY` lists. Small letters count first.
struct ProxyRules: Sendable {
    private let environment: [String: String]

    init(_ environment: [String: String]) {
        self.environment = environment
    }

    /// - Returns: `nil`: the server is reached without one.
    /// - Throws: `configuration.invalid` if the variable names no HTTP proxy, or the server is an address in numbers.
    func proxy(to server: URIParts) throws(AuthError) -> Proxy? {
        guard let host = server.host, !host.isLoopback, let (variable, value) = setting("https_proxy") else {
            return nil
        }
        // Plain http goes to this machine alone.
        let port = server.port ?? 443
        guard !exceptions.contains(where: { $0.covers(host, port: port) }) else { return nil }
        guard host.address == nil else {
            // Its certificate would be compared with the address that the connection goes to: the proxy's.
            throw AuthError(
                .misconfigured,
                "a server that is named by the address \(host.text) cannot be verified through the proxy of "
                    + "\(variable): write its name, or list the address in NO_PROXY")
        }
        return try Proxy(value, variable: variable)
    }

    private var exceptions: [ProxyException] {
        let entries = setting("no_proxy")?.value.split { $0 == "," || $0.isWhitespace } ?? []
        return entries.compactMap(ProxyException.init)
    }

    private func setting(_ name: String) -> (variable: String, value: String)? {
        for variable in [name, name.uppercased()] {
            if let value = environment[variable], !value.isEmpty { return (variable, value) }
        }
        return nil
    }
}

/// An entry of `NO_PROXY`: `*`, a domain with all below it (`example.com`, `.example.com`, `*.example.com`), an
/// address, or a range of addresses (`10.0.0.0/8`); a domain and an address perhaps with a port.
struct ProxyException: Hashable, Sendable {
    private enum Hosts: Hashable, Sendable {
        case all
        case domain(String)
        case addresses(IPAddressRange)
    }

    private let hosts: Hosts
    /// `nil`: every port.
    private let port: Int?

    /// `nil` for what is none of these.
    init?(_ entry: Substring) {
        guard entry != "*" else {
            (hosts, port) = (.all, nil)
            return
        }
        if let range = try? IPAddressRange(String(entry)) {
            (hosts, port) = (.addresses(range), nil)
            return
        }
        let prefix = ["*.", "."].first { entry.hasPrefix($0) } ?? ""
        guard let parts = URIParts("http://" + String(entry.dropFirst(prefix.count))), let host = parts.host else {
            return nil
        }
        port = parts.port
        if host.address != nil, let range = try? IPAddressRange(host.text) {
            hosts = .addresses(range)
        } else {
            hosts = .domain(host.text)
        }
    }

    func covers(_ host: URIHost, port: Int) -> Bool {
        guard self.port == nil || self.port == port else { return false }
        switch hosts {
        case .all: return true
        case .domain(let name): return host.text == name || host.text.hasSuffix("." + name)
        case .addresses(let range): return host.address.map(range.contains) ?? false
        }
    }
}
