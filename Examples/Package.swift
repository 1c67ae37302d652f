// swift-tools-version: 6.2
import PackageDescription

let package = Package(
    name: "Examples",
    platforms: [.macOS(.v15)],
    dependencies: [
        // In a project of your own: .package(url: "https://github.com/…/keyturn.git", from: "0.1.0"),
        .package(name: "Keyturn", path: ".."),
        .package(url: "https://github.com/hummingbird-project/hummingbird.git", from: "2.28.0"),
        .package(url: "https://github.com/apple/swift-argument-parser.git", from: "1.8.0"),
        .package(url: "https://github.com/apple/swift-http-types.git", from: "1.8.0"),
    ],
    targets: [
        .executableTarget(
            name: "ProtectedAPI",
            dependencies: [
                .product(name: "KeyturnVerify", package: "Keyturn"),
                .product(name: "Hummingbird", package: "hummingbird"),
                .product(name: "HTTPTypes", package: "swift-http-types"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
        .executableTarget(
            name: "ToolClient",
            dependencies: [
                .product(name: "Keyturn", package: "Keyturn"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]),
    ]
)
