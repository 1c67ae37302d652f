import Foundation

/// The repository as the style tests see it: files as lines of text.
struct SourceTree {
    struct File {
        /// From the root of the repository.
        let path: String
        let lines: [String]
    }

    static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent()

    /// Every Swift file below the folders, without build products.
    static func swiftFiles(below folders: [String]) -> [File] {
        folders.flatMap { folder -> [File] in
            let names = FileManager.default.enumerator(atPath: root.appendingPathComponent(folder).path)
            return (names?.compactMap { $0 as? String } ?? []).sorted()
                .filter { $0.hasSuffix(".swift") && !$0.contains(".build/") }
                .compactMap { name in
                    let path = "\(folder)/\(name)"
                    guard let text = try? String(contentsOf: root.appendingPathComponent(path), encoding: .utf8) else {
                        return nil
                    }
                    return File(
                        path: path,
                        lines: text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init))
                }
        }
    }
}

/// Something that breaks a rule, and where.
struct Finding: Equatable, CustomStringConvertible {
    let path: String
    /// Counted from 1.
    let line: Int
    let text: String

    var description: String { "\(path):\(line): \(text)" }
}
