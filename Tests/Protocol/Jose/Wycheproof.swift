import Foundation
import KeyturnBase

/// Project Wycheproof's public test vectors, read where they are: in the folder that `KEYTURN_VECTORS` names, or beside
/// the repository.
struct Wycheproof {
    struct Group {
        let members: [String: JSONValue]
        let tests: [JSONValue]
    }

    let groups: [Group]

    static let folder: URL? = {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let named = ProcessInfo.processInfo.environment["KEYTURN_VECTORS"].map { URL(fileURLWithPath: $0) }
        let folder = (named ?? root.appendingPathComponent("../shared/vectors")).appendingPathComponent("wycheproof")
        return FileManager.default.fileExists(atPath: folder.path) ? folder : nil
    }()

    static var isThere: Bool {
        if folder == nil { print("Skipped: no test vectors. Set KEYTURN_VECTORS to their folder.") }
        return folder != nil
    }

    init(_ name: String) throws {
        guard let folder = Self.folder else { throw CocoaError(.fileNoSuchFile) }
        let bytes = try Data(contentsOf: folder.appendingPathComponent("\(name)_test.json"))
        let limits = JSONValue.Limits(bytesMax: 16_777_216, depthMax: 16, membersMax: 100_000)
        let json = try JSONValue(parsing: bytes, limits: limits)
        groups = (json["testGroups"]?.arrayValue ?? []).map { group in
            Group(members: group.objectValue ?? [:], tests: group["tests"]?.arrayValue ?? [])
        }
    }
}

/// Hexadecimal, as the vectors write bytes.
func bytes(hex: String) -> [UInt8] {
    var result: [UInt8] = []
    var rest = hex[...]
    while rest.count >= 2 {
        result.append(UInt8(rest.prefix(2), radix: 16) ?? 0)
        rest = rest.dropFirst(2)
    }
    return result
}
