import Foundation
import KeyturnBase

@testable import Keyturn

/// A directory that is removed when the test is done with it.
final class TemporaryDirectory: Sendable {
    let path: String

    init() throws {
        path = NSTemporaryDirectory() + "keyturn-test-" + Ambient.live.randomToken(byteCount: 9)
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    var locations: SealedFileStore.Locations {
        .init(stateRoot: path + "/state", configurationRoot: path + "/config")
    }

    /// Every file and directory below, by its path from here.
    var contents: [String] {
        (FileManager.default.subpaths(atPath: path) ?? []).sorted()
    }

    func permissions(_ name: String) throws -> Int? {
        try FileManager.default.attributesOfItem(atPath: path + "/" + name)[.posixPermissions] as? Int
    }

    func setPermissions(_ mode: Int, _ name: String) throws {
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: path + "/" + name)
    }

    func read(_ name: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(fileURLWithPath: path + "/" + name)))
    }

    /// Writes in place, so that permissions stay.
    func write(_ name: String, _ bytes: [UInt8]) throws {
        let handle = try FileHandle(forWritingTo: URL(fileURLWithPath: path + "/" + name))
        try handle.truncate(atOffset: 0)
        try handle.write(contentsOf: Data(bytes))
        try handle.close()
    }

    func remove(_ name: String) throws {
        try FileManager.default.removeItem(atPath: path + "/" + name)
    }
}

extension StoreReading {
    var record: StoredRecord? {
        if case .found(let record) = self { record } else { nil }
    }

    var isAbsent: Bool {
        if case .absent = self { true } else { false }
    }

    var isUnavailable: Bool {
        if case .unavailable = self { true } else { false }
    }
}
