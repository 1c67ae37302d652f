/// One parser for URIs and addresses: what two parsers read in two ways is what attackers look for.
enum AddressRules {
    static let folder = "Sources/Protocol/Base/Network/"

    /// Files that hold such a text and read no address with it, and why they do.
    static let exceptions: [String: String] = [
        "Sources/Testing/Server/TestServer.swift": "says where the server of a test listens",
        "Sources/SDK/Client/Platform/Linux/LoopbackSession.swift":
            "says by which names browsers reach its own listener",
        "Sources/Tools/keyturn/Server/ServiceManager/PassedSocket.swift":
            "writes the address of a socket, and reads none",
        "Sources/Server/Delivery/Own/MessageTemplate.swift": "looks for whatever a reader could take for a link",
    ]

    static func ownParsers(_ file: SourceTree.File) -> [Finding] {
        guard !file.path.hasPrefix(folder), exceptions[file.path] == nil else { return [] }
        return parsers(file)
    }

    static func parsers(_ file: SourceTree.File) -> [Finding] {
        let forms = forms
        return file.lines.enumerated().compactMap { index, line in
            guard !line.trimmingPrefix(#/\s*/#).hasPrefix("//") else { return nil }
            return forms.first { line.contains($0.0) }.map { Finding(path: file.path, line: index + 1, text: $0.1) }
        }
    }

    private static var forms: [(Regex<Substring>, String)] {
        [
            (#/\binet_(?:pton|ntop|aton|addr)\b|\bSocketAddress\(ipAddress:/#, "read it with IPAddress"),
            (#/"127\.|"::1"|"\[::1\]|\.localhost"|\b[hH]ost == "localhost"/#, "ask URIHost, or IPAddress"),
            (#/\bURLComponents\(|"://"|\bURL\(string: [^)]*\)\??\.(?:host|scheme|port)/#, "read it with URIParts"),
        ]
    }
}
