// swift-tools-version: 6.2
import PackageDescription

// The client library and its tests by themselves, for the thread sanitizer: with it the whole package would take long to
// build. Run with `make races`. The sources are links to the real ones.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .strictMemorySafety(),
    // Locks that the sanitizer understands.
    .define("KEYTURN_TSAN"),
]

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")

let package = Package(
    name: "KeyturnSanitizer",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.0"),
    ],
    targets: [
        .target(name: "KeyturnBase", dependencies: [crypto], path: "Sources/Base", swiftSettings: settings),
        .target(
            name: "KeyturnWire", dependencies: ["KeyturnBase", crypto], path: "Sources/Wire", swiftSettings: settings),
        .target(
            name: "KeyturnJose", dependencies: ["KeyturnBase", crypto, cryptoExtras, asn1], path: "Sources/Jose",
            swiftSettings: settings),
        .target(
            name: "KeyturnVerify", dependencies: ["KeyturnBase", "KeyturnWire", "KeyturnJose", crypto],
            path: "Sources/Verify", exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "KeyturnWebAuthn", dependencies: ["KeyturnBase", "KeyturnJose", crypto, asn1],
            path: "Sources/WebAuthn",
            exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "Keyturn",
            dependencies: [
                "KeyturnBase", "KeyturnWire", "KeyturnJose", "KeyturnWebAuthn", "KeyturnVerify", crypto, cryptoExtras,
            ],
            path: "Sources/Client", exclude: ["README.md", "PrivacyInfo.xcprivacy"], swiftSettings: settings),
        .target(
            name: "KeyturnAuthenticator",
            dependencies: ["KeyturnBase", "KeyturnJose", "KeyturnWebAuthn", crypto, cryptoExtras],
            path: "Sources/Authenticator", exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "KeyturnClientAuthenticator",
            dependencies: ["KeyturnAuthenticator", "KeyturnBase", "KeyturnJose", "KeyturnWebAuthn", "Keyturn"],
            path: "Sources/ClientAuthenticator", swiftSettings: settings),
        .testTarget(
            name: "KeyturnTests",
            dependencies: [
                "Keyturn", "KeyturnVerify", "KeyturnAuthenticator", "KeyturnClientAuthenticator", "KeyturnBase",
                "KeyturnWire", "KeyturnJose", "KeyturnWebAuthn", crypto,
            ],
            path: "Tests/Client", exclude: ["ServiceClient/Transcripts"], swiftSettings: settings),
    ]
)
