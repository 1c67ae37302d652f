/// The rules of STYLE.md that a machine can check. Each takes a file and says what breaks it.
enum Rules {
    /// Calls that belong in one place only, with what to do instead.
    static func bannedCalls(_ file: SourceTree.File) -> [Finding] {
        guard !file.path.hasSuffix("/Live.swift") else { return [] }
        let banned = [
            (#/\bDate\(\)/#, "take the time from Ambient"), (#/\bUUID\(\)/#, "take randomness from Ambient"),
            (#/\.random\(in:/#, "take randomness from Ambient"), (#/\btry!/#, "throw, or handle it"),
            (#/\bas! /#, "use as? and handle nil"), (#/\bfatalError\(/#, "use precondition with a reason, or throw"),
            (#/@unchecked Sendable/#, "make it Sendable"), (#/nonisolated\(unsafe\)/#, "make it Sendable"),
        ]
        return findings(file) { line in
            banned.first { line.contains($0.0) }?.1
        }.filter { finding in
            // A reason right above the line is what makes an exception.
            let above = finding.line >= 2 ? file.lines[finding.line - 2] : ""
            return !(above.contains("// ") && finding.text == "make it Sendable")
        }
    }

    /// What the thread sanitizer watches. It does not see what `Mutex` does.
    static func unseenLocks(_ file: SourceTree.File) -> [Finding] {
        let watched = ["Sources/Protocol/", "Sources/SDK/", "Tests/SDK/Client/"]
        guard watched.contains(where: file.path.hasPrefix), !file.path.hasSuffix("/Locked.swift") else { return [] }
        return findings(file) { $0.contains(#/\bMutex[<(]/#) ? "use Locked" : nil }
    }

    /// `print` belongs to programs.
    static func prints(_ file: SourceTree.File) -> [Finding] {
        findings(file) { $0.contains(#/\bprint\(/#) ? "a library does not print" : nil }
    }

    /// Which folder may import what; whatever is not listed is refused.
    static let arrows: [(folder: String, allowed: Set<String>)] = [
        ("Sources/Protocol/Base", []),
        ("Sources/Protocol/Wire", ["KeyturnBase", "Crypto"]),
        ("Sources/Protocol/Jose", ["KeyturnBase", "Crypto", "CryptoExtras", "SwiftASN1"]),
        ("Sources/Protocol/WebAuthn", ["KeyturnBase", "KeyturnJose", "Crypto", "SwiftASN1"]),
        ("Sources/Protocol/QRCode", ["CQREncode"]),
        ("Sources/SDK/Terminal", ["Keyturn", "KeyturnBase", "KeyturnQRCode"]),
        ("Sources/SDK/Verify", ["KeyturnBase", "KeyturnWire", "KeyturnJose", "Crypto"]),
        (
            "Sources/SDK/Client",
            [
                "KeyturnBase", "KeyturnWire", "KeyturnJose", "KeyturnWebAuthn", "KeyturnVerify", "Crypto",
                "CryptoExtras",
            ]
        ),
        ("Sources/SDK/UI", ["Keyturn", "KeyturnBase", "Observation", "SwiftUI", "UIKit", "AppKit", "WebKit"]),
        ("Sources/Server/Authority", ["KeyturnWire"]),
        (
            "Sources/Server/Model",
            ["KeyturnBase", "KeyturnWire", "KeyturnJose", "KeyturnWebAuthn", "Crypto", "Authority"]
        ),
        ("Sources/Server/Telemetry", ["KeyturnBase", "CoreMetrics", "Instrumentation", "Tracing"]),
        (
            "Sources/Server/OAuth",
            ["KeyturnBase", "KeyturnWire", "KeyturnJose", "Crypto", "Telemetry", "Authority", "Model"]
        ),
        (
            "Sources/Server/SignIn",
            [
                "KeyturnBase", "KeyturnWire", "KeyturnJose", "KeyturnWebAuthn", "Crypto", "CryptoExtras", "CArgon2",
                "KeyturnQRCode", "CCrypt", "Telemetry", "Authority", "Model", "OAuth",
            ]
        ),
        (
            "Sources/Server/SAML",
            ["KeyturnBase", "Crypto", "CryptoExtras", "SwiftASN1", "X509", "Model", "SignIn", "XMLSecurity"]
        ),
        (
            "Sources/Server/Federation",
            ["KeyturnBase", "KeyturnWire", "KeyturnJose", "Crypto", "Model", "OAuth", "SignIn"]
        ),
        ("Sources/Server/LDAP", ["KeyturnBase", "CLDAP", "Model", "SignIn"]),
        (
            "Sources/Server/Account",
            ["KeyturnBase", "KeyturnWire", "KeyturnQRCode", "Crypto", "Authority", "Model", "OAuth", "SignIn"]
        ),
        (
            "Sources/Server/Identity",
            [
                "KeyturnBase", "KeyturnWire", "KeyturnJose", "Telemetry", "Authority", "Model", "OAuth", "SignIn",
                "Account", "SCIM",
            ]
        ),
        ("Sources/Server/SCIM", ["KeyturnBase", "Crypto", "Authority", "Model", "SignIn"]),
        (
            "Sources/Server/Attestation",
            ["KeyturnBase", "KeyturnJose", "KeyturnWebAuthn", "Crypto", "CryptoExtras", "X509", "SwiftASN1"]
        ),
        ("Sources/Server/StoreSQL/Engine/SQLite", ["KeyturnBase", "Model", "GRDB", "GRDBSQLite"]),
        ("Sources/Server/StoreSQL/Engine/PostgreSQL", ["KeyturnBase", "Model", "CPostgreSQL"]),
        (
            "Sources/Server/StoreSQL",
            ["KeyturnBase", "KeyturnWire", "KeyturnWebAuthn", "Telemetry", "Authority", "Model"]
        ),
        ("Sources/Server/Texts", ["KeyturnBase"]),
        (
            "Sources/Server/Delivery",
            [
                "KeyturnBase", "KeyturnWire", "Model", "OAuth", "Telemetry", "Texts", "AsyncHTTPClient", "Crypto",
                "Mustache",
                "NIOCore",
                "NIOHTTP1", "NIOPosix", "NIOSSL",
            ]
        ),
        (
            "Sources/Server/Web",
            [
                "KeyturnBase", "KeyturnWire", "KeyturnJose", "KeyturnWebAuthn", "Authority", "Model", "OAuth", "SignIn",
                "Account", "SCIM", "Identity", "Texts", "Telemetry", "CoreMetrics", "Instrumentation", "Tracing",
                "HTTPTypes",
                "Mustache", "AsyncHTTPClient", "NIOCore", "NIOExtras",
                "NIOHTTP1", "NIOPosix", "ServiceLifecycle", "Logging", "Crypto",
            ]
        ),
    ]

    /// Modules whose types the public API of `KeyturnTesting` may show: those of other people's tests.
    static let testingAPI: Set<String> = ["Keyturn", "KeyturnBase", "KeyturnWebAuthn"]

    /// A server's module that `KeyturnTesting` shows to those who import it.
    static func shownServerModules(_ file: SourceTree.File) -> [Finding] {
        guard file.path.hasPrefix("Sources/Testing/Library/") else { return [] }
        return findings(file) { line in
            guard let match = line.firstMatch(of: #/^(?:@\w+ )?(\w+ )?import (\w+)/#) else { return nil }
            let isInternal = match.1 == "internal " || match.1 == "private "
            return isInternal || testingAPI.contains(String(match.2)) ? nil : "\(match.2) is no module for other people"
        }
    }

    /// What the toolchain brings.
    static let system: Set<String> = [
        "Foundation", "FoundationEssentials", "FoundationNetworking", "Dispatch", "Synchronization", "Glibc", "Musl",
        "Darwin", "Combine", "Security", "AuthenticationServices", "LocalAuthentication", "UIKit", "AppKit",
    ]

    static func forbiddenImports(_ file: SourceTree.File) -> [Finding] {
        guard let rule = arrows.first(where: { file.path.hasPrefix($0.folder + "/") }) else { return [] }
        return findings(file) { line in
            let words = line.split(separator: " ").map(String.init)
            let kinds: Set<String> = ["struct", "class", "enum", "func", "protocol", "var", "typealias"]
            guard let position = words.firstIndex(of: "import"), position <= 2,
                let name = words.dropFirst(position + 1).first(where: { !kinds.contains($0) })
            else { return nil }
            let module = String(name.prefix { $0 != "." })
            return rule.allowed.contains(module) || system.contains(module)
                ? nil : "\(rule.folder) may not import \(module)"
        }
    }

    /// Credentials of a request that are read elsewhere than in the checks of the route table.
    static func strayCredentials(_ file: SourceTree.File) -> [Finding] {
        guard file.path.hasPrefix("Sources/Server/Web/"), !file.path.hasPrefix("Sources/Server/Web/Checks/") else {
            return []
        }
        let reads = [
            "[.authorization]", ": .authorization]", "[.cookie]", ": .cookie]", "cookies.session(", "signIn.session(",
            "guardian.admits(", "clientAuthenticator", "ProjectBearer(", "PasskeyKey(", "BasicCredentials(",
        ]
        return findings(file) { line in
            reads.contains(where: line.contains) ? "a check of the route table reads this, in Web/Checks" : nil
        }
    }

    /// A public declaration without a line of documentation above it. Cases, and members that a protocol demands, speak
    /// for themselves.
    static func undocumented(_ file: SourceTree.File) -> [Finding] {
        var result: [Finding] = []
        for (index, line) in file.lines.enumerated() {
            guard line.contains(#/^\s*public (?:final )?(?:struct|class|enum|actor|protocol)\b/#),
                !line.contains("enum CodingKeys")
            else { continue }
            let above = file.lines[..<index].last { !$0.trimmingPrefix(" ").trimmingPrefix(#/\s*/#).hasPrefix("@") }
            if above?.trimmingPrefix(#/\s*/#).hasPrefix("///") != true {
                result.append(Finding(path: file.path, line: index + 1, text: "say what this is, in a /// comment"))
            }
        }
        return result
    }

    static func unfinished(_ file: SourceTree.File) -> [Finding] {
        let words = ["TO" + "DO", "FIX" + "ME", "X" + "XX"]
        return findings(file, includingComments: true) { line in
            words.contains(where: line.contains) ? "finish it, or write an issue" : nil
        }
    }

    static func long(_ file: SourceTree.File, linesMax: Int) -> [Finding] {
        guard file.lines.count > linesMax else { return [] }
        return [Finding(path: file.path, line: linesMax, text: "\(file.lines.count) lines: one subject a file")]
    }

    /// Functions over the limit, found by the indentation that the formatter guarantees.
    static func longFunctions(_ file: SourceTree.File, linesMax: Int) -> [Finding] {
        var result: [Finding] = []
        var open: (indentation: Int, line: Int)?
        for (index, line) in file.lines.enumerated() {
            let indentation = line.prefix { $0 == " " }.count
            if let start = open {
                guard indentation == start.indentation, line.trimmingPrefix(#/\s*/#).hasPrefix("}") else { continue }
                if index - start.line > linesMax {
                    result.append(
                        Finding(
                            path: file.path, line: start.line + 1, text: "\(index - start.line) lines in one function"))
                }
                open = nil
            } else if line.contains(#/^\s*(?:@?\w+(?:\(\w+\))?\s+)*(?:func|init)\b.*\{$/#) {
                open = (indentation, index)
            }
        }
        return result
    }

    private static func findings(
        _ file: SourceTree.File, includingComments: Bool = false, _ check: (String) -> String?
    ) -> [Finding] {
        file.lines.enumerated().compactMap { index, line in
            if !includingComments, line.trimmingPrefix(#/\s*/#).hasPrefix("//") { return nil }
            return check(line).map { Finding(path: file.path, line: index + 1, text: $0) }
        }
    }
}
