// swift-tools-version: 6.2
import PackageDescription

// Only what an app or a backend imports is a library product, so that a package that depends on Keyturn resolves
// swift-crypto and swift-asn1, which swift-crypto needs itself, and nothing else. The server, the program and the tools
// are plain targets: a declared executable would be resolved, with all it depends on, by everybody.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let hummingbird: Target.Dependency = .product(name: "Hummingbird", package: "hummingbird")
let asyncHTTPClient: Target.Dependency = .product(name: "AsyncHTTPClient", package: "async-http-client")
let certificates: Target.Dependency = .product(name: "X509", package: "swift-certificates")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")
let logging: Target.Dependency = .product(name: "Logging", package: "swift-log")
let coreMetrics: Target.Dependency = .product(name: "CoreMetrics", package: "swift-metrics")
let tracing: [Target.Dependency] = ["Instrumentation", "Tracing"].map {
    .product(name: $0, package: "swift-distributed-tracing")
}

// Apps for Apple's systems are built on a Mac. Elsewhere a resource would be a folder beside every program.
#if canImport(Darwin)
    let privacyManifest: [Resource] = [.copy("PrivacyInfo.xcprivacy")]
    let notForThisHost: [String] = []
#else
    let privacyManifest: [Resource] = []
    let notForThisHost = ["PrivacyInfo.xcprivacy"]
#endif

// `make docs` alone needs the plugin and sets the variable; nothing else fetches and builds it.
let documentation: [Package.Dependency] =
    Context.environment["KEYTURN_DOCS"] == nil
    ? [] : [.package(url: "https://github.com/swiftlang/swift-docc-plugin.git", from: "1.5.0")]

// SwiftPM resolves what any declared library needs, used or not (target conditions and traits do not change that), and
// this one needs the server. So packages of tests alone see it: they set the variable, as docs/testing.md shows.
let testing: [Product] =
    Context.environment["KEYTURN_TESTING"] == nil
    ? [] : [.library(name: "KeyturnTesting", targets: ["KeyturnTesting"])]

let package = Package(
    name: "Keyturn",
    platforms: [.macOS(.v15), .iOS(.v17), .tvOS(.v17), .watchOS(.v10), .visionOS(.v1)],
    products: [
        .library(name: "Keyturn", targets: ["Keyturn"]),
        .library(name: "KeyturnUI", targets: ["KeyturnUI"]),
        .library(name: "KeyturnVerify", targets: ["KeyturnVerify"]),
        .library(name: "KeyturnTerminal", targets: ["KeyturnTerminal"]),
    ] + testing,
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-certificates.git", from: "1.21.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-distributed-tracing.git", from: "1.7.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-log.git", from: "1.16.0"),
        .package(url: "https://github.com/apple/swift-metrics.git", from: "2.13.0"),
        .package(url: "https://github.com/apple/swift-nio.git", from: "2.101.0"),
        .package(url: "https://github.com/apple/swift-nio-extras.git", from: "1.35.0"),
        .package(url: "https://github.com/apple/swift-nio-ssl.git", from: "2.30.0"),
        .package(url: "https://github.com/groue/GRDB.swift.git", from: "7.10.0"),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0"),
        .package(url: "https://github.com/hummingbird-project/swift-mustache.git", from: "2.1.0"),
        .package(url: "https://github.com/jpsim/Yams.git", from: "6.2.0"),
        .package(url: "https://github.com/swift-server/async-http-client.git", from: "1.37.0"),
        .package(url: "https://github.com/swift-server/swift-service-lifecycle.git", from: "2.13.0"),
    ] + documentation,
    targets: [
        // Protocol: values and pure functions, no I/O.
        .target(
            name: "KeyturnBase", dependencies: [crypto], path: "Sources/Protocol/Base", swiftSettings: settings),
        .target(
            name: "KeyturnWire", dependencies: ["KeyturnBase", crypto], path: "Sources/Protocol/Wire",
            swiftSettings: settings),
        .target(
            name: "KeyturnJose", dependencies: ["KeyturnBase", crypto, cryptoExtras, asn1],
            path: "Sources/Protocol/Jose", swiftSettings: settings),
        .target(
            name: "KeyturnWebAuthn", dependencies: ["KeyturnBase", "KeyturnJose", crypto, asn1],
            path: "Sources/Protocol/WebAuthn", exclude: ["README.md"], swiftSettings: settings),

        .systemLibrary(
            name: "CQREncode", path: "Sources/Protocol/CQREncode", pkgConfig: "libqrencode",
            providers: [.apt(["libqrencode-dev"]), .brew(["qrencode"])]),
        .target(
            name: "KeyturnQRCode", dependencies: ["CQREncode"], path: "Sources/Protocol/QRCode",
            swiftSettings: settings),

        // SDK: what other people import.
        .target(
            name: "KeyturnVerify", dependencies: ["KeyturnBase", "KeyturnWire", "KeyturnJose", crypto],
            path: "Sources/SDK/Verify", exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "Keyturn",
            dependencies: [
                "KeyturnBase", "KeyturnWire", "KeyturnJose", "KeyturnWebAuthn", "KeyturnVerify", crypto, cryptoExtras,
            ],
            path: "Sources/SDK/Client", exclude: ["README.md"] + notForThisHost, resources: privacyManifest,
            swiftSettings: settings),
        .target(
            name: "KeyturnUI", dependencies: ["Keyturn"], path: "Sources/SDK/UI", exclude: ["README.md"],
            swiftSettings: settings),
        .target(
            name: "KeyturnTerminal", dependencies: ["Keyturn", "KeyturnBase", "KeyturnQRCode"],
            path: "Sources/SDK/Terminal", exclude: ["README.md"], swiftSettings: settings),

        // Server: what we run.
        .systemLibrary(
            name: "CArgon2", path: "Sources/Server/CArgon2", pkgConfig: "libargon2",
            providers: [.apt(["libargon2-dev"])]),
        .systemLibrary(
            name: "CCrypt", path: "Sources/Server/CCrypt", pkgConfig: "libcrypt", providers: [.apt(["libcrypt-dev"])]),
        .systemLibrary(name: "CMalloc", path: "Sources/Server/CMalloc"),
        .systemLibrary(
            name: "CLDAP", path: "Sources/Server/CLDAP", pkgConfig: "ldap", providers: [.apt(["libldap-dev"])]),
        .systemLibrary(name: "CResolver", path: "Sources/Server/CResolver"),
        // Headers alone: the module is loaded when the configuration names one.
        .systemLibrary(
            name: "CPKCS11", path: "Sources/Server/CPKCS11",
            providers: [.apt(["libp11-kit-dev"]), .brew(["p11-kit"])]),
        .systemLibrary(
            name: "CPostgreSQL", path: "Sources/Server/CPostgreSQL", pkgConfig: "libpq",
            providers: [.apt(["libpq-dev"]), .brew(["libpq"])]),
        .target(
            name: "Telemetry", dependencies: ["KeyturnBase", coreMetrics] + tracing, path: "Sources/Server/Telemetry",
            exclude: ["README.md"], swiftSettings: settings),
        // Who may do what to whom: pure, below everything that is kept.
        .target(
            name: "Authority", dependencies: ["KeyturnWire"], path: "Sources/Server/Authority", exclude: ["README.md"],
            swiftSettings: settings),
        // The rules, in four rooms; each knows those above it in this list.
        .target(
            name: "Model",
            dependencies: ["KeyturnBase", "KeyturnWire", "KeyturnJose", "KeyturnWebAuthn", "Authority", crypto],
            path: "Sources/Server/Model", exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "OAuth",
            dependencies: ["KeyturnBase", "KeyturnWire", "KeyturnJose", "Telemetry", "Authority", "Model", crypto],
            path: "Sources/Server/OAuth", exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "SignIn",
            dependencies: [
                "KeyturnBase", "KeyturnWire", "KeyturnJose", "KeyturnWebAuthn", "Telemetry", "Authority", "Model",
                "OAuth",
                "CArgon2",
                "KeyturnQRCode", crypto, cryptoExtras,
                // Apple's systems have no crypt_r: there, the formats that need it are refused by name.
                .target(name: "CCrypt", condition: .when(platforms: [.linux])),
            ],
            path: "Sources/Server/SignIn", exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "Account",
            dependencies: [
                "KeyturnBase", "KeyturnWire", "KeyturnQRCode", "Authority", "Model", "OAuth", "SignIn", crypto,
            ],
            path: "Sources/Server/Account", exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "SCIM", dependencies: ["KeyturnBase", "Authority", "Model", "SignIn", crypto],
            path: "Sources/Server/SCIM",
            exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "Identity",
            dependencies: [
                "KeyturnBase", "KeyturnWire", "KeyturnJose", "Telemetry", "Authority", "Model", "OAuth", "SignIn",
                "Account", "SCIM",
            ],
            path: "Sources/Server/Identity", exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "Texts", dependencies: ["KeyturnBase"], path: "Sources/Server/Texts", exclude: ["README.md"],
            swiftSettings: settings, plugins: ["EmbedTemplates"]),
        .target(
            name: "Attestation",
            dependencies: [
                "KeyturnBase", "KeyturnJose", "KeyturnWebAuthn", crypto, cryptoExtras, certificates, asn1,
            ],
            path: "Sources/Server/Attestation", exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "StoreSQL",
            dependencies: [
                "KeyturnBase", "KeyturnWire", "KeyturnWebAuthn", "Telemetry", "Authority", "Model", "CPostgreSQL",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
            ],
            path: "Sources/Server/StoreSQL", exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "Delivery",
            dependencies: [
                "KeyturnBase", "KeyturnWire", "Model", "OAuth", "Telemetry", "Texts", asyncHTTPClient, crypto,
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
            ],
            path: "Sources/Server/Delivery", exclude: ["README.md"],
            resources: ["mailPage", "mailText", "short"].map { .embedInCode("Templates/\($0).mustache") },
            swiftSettings: settings),
        .systemLibrary(
            name: "CXMLSec", path: "Sources/Server/CXMLSec", pkgConfig: "xmlsec1-openssl",
            providers: [.apt(["libxmlsec1-dev", "libxml2-dev", "zlib1g-dev"]), .brew(["libxmlsec1"])]),
        // The definitions are those that Debian's library was built with: without them its structures look different.
        .target(
            name: "XMLSecurity", dependencies: ["CXMLSec"], path: "Sources/Server/XMLSecurity",
            cSettings: [
                .define("_GNU_SOURCE"), .define("XMLSEC_CRYPTO_OPENSSL", to: "1"),
                .define("XMLSEC_NO_CRYPTO_DYNAMIC_LOADING", to: "1"), .define("XMLSEC_OPENSSL3_ENGINES", to: "1"),
                .define("XMLSEC_NO_GOST", to: "1"), .define("XMLSEC_NO_GOST2012", to: "1"),
                .define("XMLSEC_NO_SIZE_T"),
            ],
            linkerSettings: [.linkedLibrary("z")]),
        .target(
            name: "SAML",
            dependencies: [
                "KeyturnBase", "Model", "SignIn", "XMLSecurity", crypto, cryptoExtras, certificates, asn1,
            ],
            path: "Sources/Server/SAML", exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "Federation",
            dependencies: ["KeyturnBase", "KeyturnWire", "KeyturnJose", "Model", "OAuth", "SignIn", crypto],
            path: "Sources/Server/Federation", exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "LDAP", dependencies: ["KeyturnBase", "Model", "SignIn", "CLDAP"], path: "Sources/Server/LDAP",
            exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "PKCS11", dependencies: ["KeyturnBase", "KeyturnJose", "Model", "CPKCS11", crypto],
            path: "Sources/Server/PKCS11", exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "Web",
            dependencies: [
                "KeyturnBase", "KeyturnWire", "KeyturnJose", "KeyturnWebAuthn", "Authority", "Model", "OAuth", "SignIn",
                "Account",
                "SCIM", "Identity", "Texts", "Telemetry", asyncHTTPClient, coreMetrics, logging, crypto,
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "Instrumentation", package: "swift-distributed-tracing"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "Mustache", package: "swift-mustache"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOExtras", package: "swift-nio-extras"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Server/Web", exclude: ["README.md"],
            resources: [
                "Console/console.css", "Console/console.js",
                "Pages/keyturn.css", "Pages/keyturn.js", "Pages/passkey.js", "Pages/flow.js",
                "Passkeys/Browser/passkeys.mjs", "Passkeys/Browser/passkeys.d.mts",
            ].map { .embedInCode($0) },
            swiftSettings: settings, plugins: ["EmbedTemplates"]),

        // Tools. The first two compile the templates and texts of pages into the program.
        .executableTarget(name: "TemplateTable", path: "Sources/Tools/TemplateTable", swiftSettings: settings),
        .plugin(
            name: "EmbedTemplates", capability: .buildTool(), dependencies: ["TemplateTable"],
            path: "Sources/Tools/EmbedTemplates"),
        .executableTarget(
            name: "keyturn",
            dependencies: [
                "KeyturnBase", "KeyturnWire", "KeyturnJose", "KeyturnVerify", "KeyturnWebAuthn", "Keyturn",
                "KeyturnTerminal", "Authority", "Model", "OAuth", "SignIn", "Identity", "Attestation", "StoreSQL",
                "Delivery",
                "Federation", "LDAP", "PKCS11", "SAML", "SCIM", "Texts", "Telemetry", "Web", "CResolver",
                asn1, crypto, coreMetrics, logging, asyncHTTPClient,
                .target(name: "CMalloc", condition: .when(platforms: [.linux])),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "NIOSSL", package: "swift-nio-ssl"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "Tracing", package: "swift-distributed-tracing"),
                .product(name: "Yams", package: "Yams"),
            ],
            path: "Sources/Tools/keyturn", exclude: ["README.md"], swiftSettings: settings),
        // The tool of Examples, once more: a second program of one user, for the tests.
        .executableTarget(
            name: "ToolClient",
            dependencies: ["Keyturn", .product(name: "ArgumentParser", package: "swift-argument-parser")],
            path: "Examples/Sources/ToolClient"),

        // Testing: a server inside the test's process, a clock that the test holds, a browser without a window, an
        // authenticator without a device. The last is a target of its own: tests of clients need no server for it, and
        // those in other languages get it as a program.
        .target(
            name: "KeyturnAuthenticator",
            dependencies: ["KeyturnBase", "KeyturnJose", "KeyturnWebAuthn", crypto, cryptoExtras],
            path: "Sources/Testing/Authenticator", exclude: ["README.md"], swiftSettings: settings),
        .executableTarget(
            name: "keyturn-authenticator", dependencies: ["KeyturnAuthenticator", "KeyturnBase", "KeyturnWebAuthn"],
            path: "Sources/Testing/AuthenticatorTool", exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "KeyturnClientAuthenticator",
            dependencies: ["KeyturnAuthenticator", "KeyturnBase", "KeyturnJose", "KeyturnWebAuthn", "Keyturn"],
            path: "Sources/Testing/ClientAuthenticator", swiftSettings: settings),
        .target(
            name: "ServerTesting",
            dependencies: [
                "Keyturn", "KeyturnVerify", "KeyturnBase", "KeyturnWire", "KeyturnWebAuthn", "KeyturnAuthenticator",
                "Authority", "Model",
                "OAuth", "SignIn", "Identity", "StoreSQL", "Telemetry", "Web", asyncHTTPClient, logging,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Sources/Testing/Server", swiftSettings: settings),
        // What other people's tests import. Its public API has the SDK's types and its own.
        .target(
            name: "KeyturnTesting",
            dependencies: [
                "Keyturn", "KeyturnBase", "KeyturnWire", "KeyturnWebAuthn", "KeyturnAuthenticator",
                "KeyturnClientAuthenticator", "ServerTesting", "Model", "OAuth", "SignIn", "Identity", "Delivery",
            ],
            path: "Sources/Testing/Library", exclude: ["README.md"], swiftSettings: settings),

        // Tests mirror Sources.
        .testTarget(
            name: "KeyturnBaseTests", dependencies: ["KeyturnBase"], path: "Tests/Protocol/Base",
            swiftSettings: settings),
        .testTarget(
            name: "KeyturnWireTests", dependencies: ["KeyturnBase", "KeyturnWire"], path: "Tests/Protocol/Wire",
            swiftSettings: settings),
        .testTarget(
            name: "KeyturnJoseTests", dependencies: ["KeyturnBase", "KeyturnJose", crypto], path: "Tests/Protocol/Jose",
            swiftSettings: settings),
        .testTarget(
            name: "KeyturnWebAuthnTests",
            dependencies: ["KeyturnWebAuthn", "KeyturnAuthenticator", "KeyturnBase", "KeyturnJose", crypto],
            path: "Tests/Protocol/WebAuthn", swiftSettings: settings),
        .testTarget(
            name: "KeyturnVerifyTests",
            dependencies: [
                "KeyturnVerify", "KeyturnBase", "KeyturnWire", "KeyturnJose", crypto,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/SDK/Verify", swiftSettings: settings),
        .testTarget(
            name: "KeyturnTests",
            dependencies: [
                "Keyturn", "KeyturnVerify", "KeyturnAuthenticator", "KeyturnClientAuthenticator", "KeyturnBase",
                "KeyturnWire", "KeyturnJose", "KeyturnWebAuthn", crypto,
            ],
            path: "Tests/SDK/Client", exclude: ["ServiceClient/Transcripts"], swiftSettings: settings),
        .testTarget(
            name: "KeyturnTerminalTests", dependencies: ["KeyturnTerminal", "Keyturn", "KeyturnBase"],
            path: "Tests/SDK/Terminal", swiftSettings: settings),
        .testTarget(
            name: "KeyturnUITests",
            dependencies: [
                "KeyturnUI", "Keyturn", "ServerTesting", "KeyturnAuthenticator", "KeyturnClientAuthenticator", "Model",
                "SignIn", "KeyturnVerify", "KeyturnWebAuthn", "KeyturnBase",
            ],
            path: "Tests/SDK/UI", swiftSettings: settings),
        .testTarget(
            name: "AuthorityTests", dependencies: ["Authority", "KeyturnWire"], path: "Tests/Server/Authority",
            swiftSettings: settings),
        .testTarget(
            name: "ModelTests",
            dependencies: ["Authority", "Model", "ServerTesting", "KeyturnBase", "KeyturnJose", "KeyturnWire"],
            path: "Tests/Server/Model",
            swiftSettings: settings),
        .testTarget(
            name: "OAuthTests", dependencies: ["OAuth", "Authority", "Model", "KeyturnBase"],
            path: "Tests/Server/OAuth", swiftSettings: settings),
        .testTarget(
            name: "TelemetryTests", dependencies: ["Telemetry", "KeyturnBase", coreMetrics] + tracing,
            path: "Tests/Server/Telemetry", swiftSettings: settings),
        .testTarget(
            name: "SignInTests", dependencies: ["SignIn", "Authority", "Model", "KeyturnBase", "KeyturnQRCode"],
            path: "Tests/Server/SignIn", swiftSettings: settings),
        .testTarget(
            name: "AttestationTests",
            dependencies: [
                "Attestation", "KeyturnWebAuthn", "KeyturnAuthenticator", "KeyturnBase", crypto, certificates, asn1,
            ],
            path: "Tests/Server/Attestation", swiftSettings: settings),
        .testTarget(
            name: "DeliveryTests",
            dependencies: [
                "Delivery", "Authority", "Model", "OAuth", "Identity", "StoreSQL", "ServerTesting", "KeyturnBase",
                "KeyturnJose",
                "KeyturnWire", "Texts",
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Tests/Server/Delivery", swiftSettings: settings),
        .testTarget(
            name: "TextsTests", dependencies: ["Texts", "KeyturnBase"], path: "Tests/Server/Texts",
            exclude: ["README.md"],
            swiftSettings: settings),
        .testTarget(
            name: "SAMLTests",
            dependencies: ["SAML", "XMLSecurity", "Authority", "Model", "SignIn", "KeyturnBase", crypto, cryptoExtras],
            path: "Tests/Server/SAML", swiftSettings: settings),
        .testTarget(
            name: "FederationTests",
            dependencies: [
                "Federation", "Authority", "Model", "SignIn", "KeyturnBase", "KeyturnWire", "KeyturnJose", crypto,
            ],
            path: "Tests/Server/Federation", swiftSettings: settings),
        .testTarget(
            name: "LDAPTests", dependencies: ["LDAP", "Model", "SignIn", "KeyturnBase"], path: "Tests/Server/LDAP",
            swiftSettings: settings),
        .testTarget(
            name: "PKCS11Tests",
            dependencies: ["PKCS11", "CPKCS11", "Model", "StoreSQL", "KeyturnBase", "KeyturnJose"],
            path: "Tests/Server/PKCS11", swiftSettings: settings),
        .testTarget(
            name: "SCIMTests", dependencies: ["SCIM", "Authority", "Model", "SignIn", "KeyturnBase"],
            path: "Tests/Server/SCIM",
            swiftSettings: settings),
        .testTarget(
            name: "WebTests",
            dependencies: [
                "Web", "Authority", "Model", "OAuth", "SignIn", "Account", "Identity", "ServerTesting",
                "KeyturnAuthenticator",
                "SAML", "SCIM", "Telemetry", "Texts", "KeyturnWebAuthn", "KeyturnBase",
                "KeyturnWire", "KeyturnJose", crypto,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"), logging,
            ],
            path: "Tests/Server/Web", swiftSettings: settings),
        .testTarget(
            name: "StoreSQLTests",
            dependencies: [
                "StoreSQL", "Authority", "Model", "SignIn", "Account", "Identity", "KeyturnBase", "KeyturnJose",
                "KeyturnWire",
                "KeyturnWebAuthn", "ServerTesting", crypto,
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Server/StoreSQL", swiftSettings: settings),
        // The stores as values in memory, which the exploration of authority copies by the million.
        .target(
            name: "StoreValues", dependencies: ["Authority", "Model", "KeyturnBase", "KeyturnWire", "KeyturnWebAuthn"],
            path: "Tests/Server/StoreValues", swiftSettings: settings),
        // One suite for every database engine: an engine is a file in its folder Engines.
        .testTarget(
            name: "StoreConformanceTests",
            dependencies: [
                "StoreSQL", "StoreValues", "Authority", "Model", "SignIn", "Account", "OAuth", "Identity",
                "KeyturnBase", "KeyturnWire", "KeyturnJose", "KeyturnWebAuthn", "ServerTesting",
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/StoreConformance", exclude: ["README.md"], swiftSettings: settings),
        .testTarget(
            name: "EndToEndTests",
            dependencies: [
                "Keyturn", "KeyturnVerify", "ServerTesting", "KeyturnAuthenticator", "KeyturnClientAuthenticator",
                "Account", "Authority", "Model", "OAuth", "SignIn", "Identity", "KeyturnBase", "KeyturnWire",
                "KeyturnJose",
                "KeyturnWebAuthn",
            ],
            path: "Tests/EndToEnd", swiftSettings: settings),
        .testTarget(
            name: "SimulationTests",
            dependencies: [
                "Keyturn", "KeyturnVerify", "KeyturnBase", "KeyturnWire", "KeyturnJose", "Authority", "Model", "SignIn",
                "Account", "OAuth", "Federation", "SCIM", "Identity", "StoreSQL", "StoreValues", "ServerTesting",
            ],
            path: "Tests/Simulation", exclude: ["README.md"],
            // It goes through millions of states.
            swiftSettings: settings + [.unsafeFlags(["-O"])]),
        // Imports the products alone, and is compiled as in a project of one's own.
        .testTarget(
            name: "TestingTests", dependencies: ["Keyturn", "KeyturnVerify", "KeyturnTesting"], path: "Tests/Testing"),
        .testTarget(name: "StyleTests", path: "Tests/Style", swiftSettings: settings),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "KeyturnVerify", "KeyturnTesting", hummingbird,
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "HummingbirdTesting", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
            ],
            // Compiled as in a project of one's own, which has no such settings.
            path: "Tests/Examples"),
        .testTarget(
            name: "ClientCommandTests",
            dependencies: [
                "keyturn", "KeyturnBase", "KeyturnWire", "KeyturnWebAuthn", "KeyturnVerify", "Keyturn",
                "KeyturnAuthenticator", "KeyturnClientAuthenticator",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Tools/Client", swiftSettings: settings),
        .testTarget(
            name: "AdministrationTests",
            dependencies: [
                "keyturn", "Authority", "Model", "SignIn", "StoreSQL", "ServerTesting", "KeyturnBase", "KeyturnJose",
                "KeyturnWire",
                crypto,
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
                .product(name: "GRDB", package: "GRDB.swift"),
            ],
            path: "Tests/Tools/Administration", swiftSettings: settings),
        .testTarget(
            name: "ConfigurationTests",
            dependencies: [
                "keyturn", "Delivery", "Authority", "Model", "ServerTesting", "KeyturnBase", "KeyturnVerify",
                "KeyturnWire", "Texts",
                "Web",
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ],
            path: "Tests/Tools/Configuration", swiftSettings: settings),
        .testTarget(
            name: "ServiceManagerTests",
            dependencies: [
                "keyturn", "KeyturnBase", logging,
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
                .product(name: "ServiceLifecycle", package: "swift-service-lifecycle"),
            ],
            path: "Tests/Tools/ServiceManager", swiftSettings: settings),

        // Benchmarks: what we claim about speed, and the limits beside it.
        .executableTarget(
            name: "JoseBenchmark", dependencies: ["KeyturnBase", "KeyturnJose", crypto, cryptoExtras],
            path: "Benchmarks/Jose"),
        .executableTarget(
            name: "SessionBenchmark", dependencies: ["Keyturn", "KeyturnVerify", "KeyturnBase", "KeyturnJose", crypto],
            path: "Benchmarks/Session", exclude: ["count_allocations.c"]),
        .executableTarget(
            name: "HashBenchmark", dependencies: ["SignIn", "KeyturnBase"], path: "Benchmarks/Hash"),
        .executableTarget(
            name: "PasskeyBenchmark",
            dependencies: [
                "KeyturnAuthenticator", "KeyturnWebAuthn", "KeyturnBase", "KeyturnJose", asyncHTTPClient, crypto,
                .product(name: "NIOCore", package: "swift-nio"),
            ],
            path: "Benchmarks/Passkey"),
        .executableTarget(
            name: "FederationBenchmark",
            dependencies: [
                "SAML", "Model", "KeyturnBase", asyncHTTPClient, cryptoExtras,
                .product(name: "NIOCore", package: "swift-nio"), .product(name: "NIOHTTP1", package: "swift-nio"),
            ],
            path: "Benchmarks/Federation"),
        .executableTarget(
            name: "LimitServer",
            dependencies: [
                "KeyturnBase", hummingbird, crypto, asyncHTTPClient,
                .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "NIOCore", package: "swift-nio"),
                .product(name: "NIOHTTP1", package: "swift-nio"),
                .product(name: "NIOPosix", package: "swift-nio"),
            ],
            path: "Benchmarks/Limit"),
    ]
)
