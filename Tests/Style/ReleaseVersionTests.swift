import Foundation
import Testing

@Suite("The Swift packages of a release")
struct ReleaseVersionTests {
    private struct Run {
        let status: Int32
        let text: String
    }

    /// A folder with what a package manager may have resolved, and a list of versions.
    private struct Place: ~Copyable {
        let folder: URL

        init(_ pins: [(name: String, state: String)]) throws {
            folder = FileManager.default.temporaryDirectory.appendingPathComponent("versions-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            try resolve(pins)
        }

        deinit { try? FileManager.default.removeItem(at: folder) }

        /// In the form of SwiftPM's file.
        func resolve(_ pins: [(name: String, state: String)]) throws {
            let list = pins.map { name, state in
                """
                    {
                      "identity" : "\(name)",
                      "kind" : "remoteSourceControl",
                      "location" : "https://mirror.example/\(name).git",
                      "state" : {
                        \(state)
                      }
                    }
                """
            }
            let text =
                "{\n  \"originHash\" : \"0\",\n  \"pins\" : [\n\(list.joined(separator: ",\n"))\n  ],\n  \"version\" : 3\n}\n"
            try text.write(to: folder.appendingPathComponent("resolved"), atomically: true, encoding: .utf8)
        }

        var list: String? { try? String(contentsOf: folder.appendingPathComponent("versions"), encoding: .utf8) }

        func run(_ arguments: String...) throws -> Run {
            let process = Process()
            process.executableURL = SourceTree.root.appendingPathComponent("Scripts/versions")
            process.arguments = arguments
            process.environment = [
                "PATH": "/usr/bin:/bin", "KEYTURN_RESOLVED": folder.appendingPathComponent("resolved").path,
                "KEYTURN_VERSIONS": folder.appendingPathComponent("versions").path,
            ]
            let output = Pipe()
            process.standardError = output
            process.standardOutput = output
            try process.run()
            let bytes = output.fileHandleForReading.readDataToEndOfFile()
            process.waitUntilExit()
            return Run(status: process.terminationStatus, text: String(decoding: bytes, as: UTF8.self))
        }
    }

    private static func release(_ version: String, commit: String = "a1") -> String {
        "\"revision\" : \"\(commit)\",\n            \"version\" : \"\(version)\""
    }

    @Test func `a package with another version stops the release, and says what to do`() throws {
        let place = try Place([("b", Self.release("1.0.0")), ("a", Self.release("2.1.0"))])
        #expect(try place.run().status == 2, "there is no list")
        #expect(try place.run("update").status == 0)
        #expect(place.list?.hasSuffix("\na 2.1.0\nb 1.0.0\n") == true)
        #expect(try place.run().status == 0)
        // Another mirror, another commit.
        try place.resolve([("a", Self.release("2.1.0", commit: "f00")), ("b", Self.release("1.0.0"))])
        #expect(try place.run("check").status == 0)
        for pins in [
            [("a", Self.release("2.1.1")), ("b", Self.release("1.0.0"))], [("a", Self.release("2.1.0"))],
            [("a", Self.release("2.1.0")), ("b", Self.release("1.0.0")), ("c", Self.release("0.1.0"))],
            [("a", Self.release("2.1.0")), ("b", "\"branch\" : \"main\",\n            \"revision\" : \"1\"")],
        ] {
            try place.resolve(pins)
            let run = try place.run()
            #expect(run.status == 1 && run.text.contains("Scripts/versions update"), "\(pins)")
        }
        let refused = try place.run("update")
        #expect(refused.status == 1 && refused.text.contains("b -") && place.list?.contains("b 1.0.0") == true)
    }

    @Test func `every package that the manifest names is in the list, at a version that it allows`() throws {
        let root = SourceTree.root
        let manifest = try String(contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
        let list = try String(contentsOf: root.appendingPathComponent("Packaging/versions"), encoding: .utf8)
        let versions = Dictionary(
            uniqueKeysWithValues: list.matches(of: #/(?m)^([a-z][\w.-]*) (\d+)\.(\d+)\.(\d+)$/#).map {
                (String($0.1), [$0.2, $0.3, $0.4].map { Int($0) ?? 0 })
            })
        let packages = manifest.matches(of: #/url: "[^"]+/([\w.-]+?)(?:\.git)?", from: "(\d+)\.(\d+)\.(\d+)"/#)
        #expect(packages.count > 10 && versions.count > packages.count)
        for package in packages where package.1 != "swift-docc-plugin" {
            let least = [package.2, package.3, package.4].map { Int($0) ?? 0 }
            let found = versions[package.1.lowercased()]
            #expect(found.map { $0[0] == least[0] && !$0.lexicographicallyPrecedes(least) } == true, "\(package.1)")
        }
    }
}
