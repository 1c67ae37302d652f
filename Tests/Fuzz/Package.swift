// swift-tools-version: 6.2
import PackageDescription

// Fuzzing of the WebAuthn decoders with libFuzzer, which needs flags that no package may have that others depend on.
// Run with `make fuzz`. The sources are links to the real ones.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .strictMemorySafety(),
]
let traced: [SwiftSetting] = settings + [.unsafeFlags(["-sanitize=fuzzer,address"])]

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")

let package = Package(
    name: "KeyturnFuzz",
    platforms: [.macOS(.v15)],
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.0"),
    ],
    targets: [
        .target(name: "KeyturnBase", dependencies: [crypto], path: "Sources/Base", swiftSettings: settings),
        .target(
            name: "KeyturnJose", dependencies: ["KeyturnBase", crypto, cryptoExtras, asn1], path: "Sources/Jose",
            swiftSettings: settings),
        .target(
            name: "KeyturnWebAuthn", dependencies: ["KeyturnBase", "KeyturnJose", crypto, asn1],
            path: "Sources/WebAuthn",
            exclude: ["README.md"], swiftSettings: traced),
        .executableTarget(
            name: "Fuzz", dependencies: ["KeyturnBase", "KeyturnWebAuthn"], path: "Sources/Fuzz",
            swiftSettings: traced, linkerSettings: [.unsafeFlags(["-sanitize=fuzzer,address"])]),
    ]
)
