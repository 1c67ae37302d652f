// swift-tools-version: 6.2
import PackageDescription

// The Apple adapters, compiled and executed where Apple's frameworks are not: against stand-ins of the few symbols they
// use. A package of its own without dependencies, because code that asks `canImport(Security)` would believe these.

let settings: [SwiftSetting] = [
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
]

// Stand-ins have the mutable globals of the real thing.
let standIn: [SwiftSetting] = [.swiftLanguageMode(.v5)]

let package = Package(
    name: "KeyturnApple",
    targets: [
        .target(name: "Security", swiftSettings: standIn),
        .target(name: "AuthenticationServices", swiftSettings: standIn),
        .target(name: "LocalAuthentication", dependencies: ["Security"], swiftSettings: standIn),
        .target(name: "UIKit", dependencies: ["AuthenticationServices"], swiftSettings: standIn),
        .target(name: "AppKit", dependencies: ["AuthenticationServices"], swiftSettings: standIn),
        // Links to the sources of the package above, as many as the adapters need.
        .target(name: "KeyturnBase", swiftSettings: settings),
        .target(name: "KeyturnWire", dependencies: ["KeyturnBase"], swiftSettings: settings),
        .target(name: "KeyturnJose", dependencies: ["KeyturnBase"], swiftSettings: settings),
        .target(name: "KeyturnWebAuthn", dependencies: ["KeyturnBase", "KeyturnJose"], swiftSettings: settings),
        .target(
            name: "Keyturn",
            dependencies: [
                "KeyturnBase", "KeyturnWire", "KeyturnJose", "KeyturnWebAuthn", "Security", "AuthenticationServices",
                "LocalAuthentication", "UIKit", "AppKit",
            ],
            swiftSettings: settings),
        .testTarget(
            name: "AppleTests",
            dependencies: [
                "Keyturn", "KeyturnBase", "KeyturnWire", "KeyturnJose", "KeyturnWebAuthn", "Security",
                "AuthenticationServices", "LocalAuthentication", "UIKit", "AppKit",
            ],
            path: "Tests", swiftSettings: settings),
    ]
)
