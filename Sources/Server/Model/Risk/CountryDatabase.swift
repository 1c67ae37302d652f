internal import Foundation
internal import KeyturnBase
internal import Synchronization

/// The operator's file of countries by network address, in the MaxMind DB format, version 2.
///
/// It is searched in place. A file that was replaced is opened at the next search; one that cannot be used is not, and
/// the former goes on.
public final class CountryDatabase: Sendable {
    /// Why a file cannot be used; for the operator.
    public struct Unusable: Error, Hashable, Sendable, CustomStringConvertible {
        public let description: String
    }

    private struct Opened: Sendable {
        /// What the file system says of the file: another text after a change.
        let state: String
        let reader: MMDBReader
    }

    private let path: String
    private let opened: Mutex<Opened>

    /// - Throws: ``Unusable`` if the file is missing, no such database, or one without countries.
    public init(path: String) throws(Unusable) {
        self.path = path
        guard let state = Self.state(of: path) else {
            throw Unusable(description: "there is no such file, or it is a folder")
        }
        opened = Mutex(Opened(state: state, reader: try Self.reader(path)))
    }

    /// Where an address is; unknown if the file does not say, or is damaged there.
    public func place(of address: NetworkAddress) -> NetworkLocation {
        guard let bytes = address.address?.bytes else { return .unknown }
        return current().place(of: bytes) ?? .unknown
    }

    private func current() -> MMDBReader {
        opened.withLock { opened in
            guard let state = Self.state(of: path), state != opened.state else { return opened.reader }
            // Noted for a file that cannot be used as well: it is not tried again until it changes.
            opened = Opened(state: state, reader: (try? Self.reader(path)) ?? opened.reader)
            return opened.reader
        }
    }

    private static func reader(_ path: String) throws(Unusable) -> MMDBReader {
        guard let file = MMDBFile(path: path) else { throw Unusable(description: "it cannot be read") }
        guard let reader = MMDBReader(file) else {
            throw Unusable(description: "it is not a file in the MaxMind DB format, version 2, or it is damaged")
        }
        let type = reader.databaseType.lowercased()
        guard ["country", "city", "enterprise", "location"].contains(where: type.contains) else {
            throw Unusable(
                description: "it holds no countries: its type is \(reader.databaseType.prefix(64).debugDescription)")
        }
        return reader
    }

    private static func state(of path: String) -> String? {
        guard let facts = try? FileManager.default.attributesOfItem(atPath: resolved(path)),
            facts[.type] as? FileAttributeType == .typeRegular
        else { return nil }
        let changed = (facts[.modificationDate] as? Date)?.timeIntervalSince1970 ?? 0
        let number = (facts[.systemFileNumber] as? NSNumber)?.uint64Value ?? 0
        let size = (facts[.size] as? NSNumber)?.uint64Value ?? 0
        return "\(number) \(size) \(changed)"
    }

    /// Attributes are those of a link itself otherwise.
    private static func resolved(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
}
