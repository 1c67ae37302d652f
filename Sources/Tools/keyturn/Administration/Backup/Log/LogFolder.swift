#if canImport(Darwin)
    internal import Darwin
#else
    internal import Glibc
#endif
internal import Foundation
internal import KeyturnBase
internal import Model

/// A folder with the log of a database:
///
///     20261127T130000Z-k3v9/         a line: changes without a gap
///         snapshot-00000001.backup   the whole database, at a time after part 1 was begun
///         log-00000001               the changes since
///         log-00000002
struct LogFolder {
    let path: String

    static func isFolder(_ path: String) -> Bool {
        var isFolder: ObjCBool = false
        return unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) && isFolder.boolValue
    }

    /// The oldest one first.
    ///
    /// - Throws: ``CommandFailure``.
    func lines() throws -> [LogLine] {
        do {
            return try FileManager.default.contentsOfDirectory(atPath: path).sorted()
                .map { LogLine(path: "\(path)/\($0)") }
                .filter { try LogFolder.isFolder($0.path) && !$0.parts().isEmpty }
        } catch let failure as CommandFailure {
            throw failure
        } catch {
            throw CommandFailure.refused("\(path) cannot be read: is it a folder, and may you read it?")
        }
    }

    /// Makes the folder of a new line.
    func newLine(_ ambient: Ambient) throws -> LogLine {
        let time = Report.text(ambient.now()).filter { $0 != "-" && $0 != ":" }
        let line = LogLine(path: "\(path)/\(time)-\(ambient.randomToken(byteCount: 3))")
        guard unsafe mkdir(line.path, 0o700) == 0 else { throw FileFailure.failed(line.path, "cannot be made") }
        try FilePlacing.syncFolder(of: line.path)
        return line
    }

    /// Makes the folder if it is not there, and holds it for this process.
    ///
    /// - Throws: ``CommandFailure`` if another one has it.
    func hold() throws -> LogFolderHold {
        if unsafe mkdir(path, 0o700) != 0, errno != EEXIST { throw FileFailure.failed(path, "cannot be made") }
        return try LogFolderHold(path)
    }
}

/// Keeps a folder for one process.
final class LogFolderHold {
    private let descriptor: Int32

    fileprivate init(_ folder: String) throws {
        descriptor = unsafe open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else { throw FileFailure.failed(folder, "cannot be opened") }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw CommandFailure.refused("another `keyturn backup follow` writes to \(folder): stop it first.")
        }
    }

    deinit { close(descriptor) }
}

/// Changes without a gap, and snapshots to begin with.
struct LogLine {
    let path: String

    private static let partPrefix = "log-"
    private static let snapshotPrefix = "snapshot-"
    private static let snapshotSuffix = ".backup"

    var name: String { (path as NSString).lastPathComponent }

    func part(_ number: Int) -> String { "\(path)/\(Self.partPrefix)\(Self.text(number))" }
    func snapshot(_ number: Int) -> String {
        "\(path)/\(Self.snapshotPrefix)\(Self.text(number))\(Self.snapshotSuffix)"
    }

    /// Numbers of its parts, in their order.
    func parts() throws -> [Int] { try numbers(Self.partPrefix, "") }

    /// Numbers of the parts with which its snapshots begin, in their order.
    func snapshots() throws -> [Int] { try numbers(Self.snapshotPrefix, Self.snapshotSuffix) }

    /// Removes what a snapshot that was killed left behind.
    func removeUnfinished() {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: path)) ?? []
        for name in names where name.hasPrefix(Self.snapshotPrefix) && name.hasSuffix(".partial") {
            try? FileManager.default.removeItem(atPath: "\(path)/\(name)")
        }
    }

    /// Bytes of all its files.
    func byteCount() throws -> Int {
        let paths = try parts().map(part) + snapshots().map(snapshot)
        return try paths.reduce(0) { try $0 + ReadFile($1).byteCount }
    }

    private static func text(_ number: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, 8 - digits.count)) + digits
    }

    private func numbers(_ prefix: String, _ suffix: String) throws -> [Int] {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else {
            throw CommandFailure.refused("\(path) cannot be read: may you read it?")
        }
        return names.compactMap { name in
            guard name.hasPrefix(prefix), name.hasSuffix(suffix) else { return nil }
            let digits = name.dropFirst(prefix.count).dropLast(suffix.count)
            guard let number = Int(digits), number > 0, Self.text(number) == digits else { return nil }
            return number
        }.sorted()
    }
}
