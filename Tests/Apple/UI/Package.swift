// swift-tools-version: 6.2
import PackageDescription

// The module for views and the sample app, compiled and executed where SwiftUI, UIKit and AppKit are not: against
// stand-ins of what they use. The SDK is the real one, linked; it is built here once more, because code that asks
// `canImport(SwiftUI)` would believe the stand-ins.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

let crypto: Target.Dependency = .product(name: "Crypto", package: "swift-crypto")
let cryptoExtras: Target.Dependency = .product(name: "CryptoExtras", package: "swift-crypto")
let asn1: Target.Dependency = .product(name: "SwiftASN1", package: "swift-asn1")

let package = Package(
    name: "KeyturnAppleUI",
    dependencies: [
        .package(url: "https://github.com/apple/swift-crypto.git", from: "4.5.0"),
        .package(url: "https://github.com/apple/swift-asn1.git", from: "1.7.0"),
    ],
    targets: [
        .target(name: "UIKit"),
        .target(name: "AppKit"),
        .target(name: "SwiftUI", dependencies: ["UIKit", "AppKit"]),
        .target(name: "WebKit", dependencies: ["UIKit"]),
        // Links to the sources of the package above.
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
            path: "Sources/WebAuthn", exclude: ["README.md"], swiftSettings: settings),
        .target(
            name: "Keyturn",
            dependencies: [
                "KeyturnBase", "KeyturnWire", "KeyturnJose", "KeyturnWebAuthn", "KeyturnVerify", crypto, cryptoExtras,
            ],
            path: "Sources/Client", exclude: ["README.md", "PrivacyInfo.xcprivacy"], swiftSettings: settings),
        .target(
            name: "KeyturnUI", dependencies: ["Keyturn", "SwiftUI", "UIKit", "AppKit", "WebKit"], path: "Sources/UI",
            exclude: ["README.md"], swiftSettings: settings),
        // As in a project of one's own.
        .executableTarget(
            name: "Sample", dependencies: ["KeyturnUI", "Keyturn", "SwiftUI"], path: "Sources/Sample"),
        .testTarget(
            name: "AppleUITests",
            dependencies: [
                "Sample", "KeyturnUI", "Keyturn", "KeyturnBase", "KeyturnWebAuthn", "SwiftUI", "UIKit", "AppKit",
                "WebKit",
            ],
            path: "Tests", swiftSettings: settings),
    ]
)
