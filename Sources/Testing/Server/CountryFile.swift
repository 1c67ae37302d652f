internal import Foundation
internal import KeyturnBase

/// Writes a small file in the MaxMind DB format, version 2, byte by byte.
public struct CountryFile: Sendable {
    /// A value of the data section.
    public indirect enum Value: Sendable {
        case map([(String, Value)])
        case text(String)
        case double(Double)
        case unsigned(UInt64)
        case array([Value])
        /// To an offset in the data section.
        case pointer(Int)
        /// Bytes as they are, right or wrong.
        case raw([UInt8])
    }

    /// Bits of a record: 24, 28 or 32.
    public var recordBits = 24
    /// 4 or 6.
    public var version: UInt64 = 6
    public var type = "Test-City"
    public var formatVersion: UInt64 = 2
    /// Instead of the number of nodes.
    public var claimedNodes: UInt64?
    private var nodes: [[Record]] = [[.none, .none]]
    private var data: [UInt8] = []

    private enum Record {
        case none, node(Int), data(Int)
    }

    public init() {}

    /// The usual record of a place.
    public static func place(_ country: String, _ latitude: Double? = nil, _ longitude: Double? = nil) -> Value {
        var members: [(String, Value)] = [
            ("country", .map([("iso_code", .text(country)), ("names", .map([("en", .text("Name"))]))]))
        ]
        if let latitude, let longitude {
            members.append(("location", .map([("latitude", .double(latitude)), ("longitude", .double(longitude))])))
        }
        return .map(members)
    }

    /// Adds a network, such as `192.0.2.0` and 24. Networks do not overlap.
    public mutating func add(_ address: String, _ bits: Int, _ value: Value) {
        let offset = data.count
        data += Self.encoded(value)
        point(address, bits, at: offset)
    }

    /// Points a network to an offset of the data section.
    public mutating func point(_ address: String, _ bits: Int, at offset: Int) {
        guard let parsed = IPAddress(address) else { preconditionFailure("an address of the test") }
        let isMapped = version == 6 && parsed.bytes.count == 4
        let bytes = (isMapped ? [UInt8](repeating: 0, count: 12) : []) + parsed.bytes
        let depth = bits + (isMapped ? 96 : 0)
        var node = 0
        for bit in 0..<depth {
            let side = Int(bytes[bit / 8] >> UInt8(7 - bit % 8) & 1)
            if bit == depth - 1 {
                nodes[node][side] = .data(offset)
            } else if case .node(let next) = nodes[node][side] {
                node = next
            } else {
                nodes.append([.none, .none])
                nodes[node][side] = .node(nodes.count - 1)
                node = nodes.count - 1
            }
        }
    }

    /// The whole file.
    public var bytes: [UInt8] {
        var result: [UInt8] = []
        for node in nodes { result += encoded(node.map(number)) }
        result += [UInt8](repeating: 0, count: 16) + data
        result += [0xAB, 0xCD, 0xEF] + Array("MaxMind.com".utf8)
        return result
            + Self.encoded(
                .map([
                    ("node_count", .unsigned(claimedNodes ?? UInt64(nodes.count))),
                    ("record_size", .unsigned(UInt64(recordBits))), ("ip_version", .unsigned(version)),
                    ("database_type", .text(type)), ("binary_format_major_version", .unsigned(formatVersion)),
                    ("languages", .array([.text("en")])), ("build_epoch", .unsigned(1_790_000_000)),
                ]))
    }

    /// Writes the file to a new folder, and returns its path.
    public func write(to path: String? = nil) throws -> String {
        let path =
            path
            ?? FileManager.default.temporaryDirectory
            .appendingPathComponent("keyturn-\(ProcessInfo.processInfo.globallyUniqueString).mmdb").path
        try Data(bytes).write(to: URL(fileURLWithPath: path), options: .atomic)
        return path
    }

    private func number(_ record: Record) -> UInt64 {
        let count = claimedNodes ?? UInt64(nodes.count)
        switch record {
        case .none: return count
        case .node(let index): return UInt64(index)
        case .data(let offset): return count + 16 + UInt64(offset)
        }
    }

    private func encoded(_ node: [UInt64]) -> [UInt8] {
        switch recordBits {
        case 28:
            let middle = UInt8(node[0] >> 24 & 0x0F) << 4 | UInt8(node[1] >> 24 & 0x0F)
            return Self.big(node[0], 3) + [middle] + Self.big(node[1], 3)
        default: return Self.big(node[0], recordBits / 8) + Self.big(node[1], recordBits / 8)
        }
    }

    private static func big(_ number: UInt64, _ count: Int) -> [UInt8] {
        (0..<count).reversed().map { UInt8(truncatingIfNeeded: number >> UInt64(8 * $0)) }
    }

    private static func encoded(_ value: Value) -> [UInt8] {
        switch value {
        case .map(let members):
            return head(7, members.count) + members.flatMap { encoded(.text($0.0)) + encoded($0.1) }
        case .text(let text): return head(2, text.utf8.count) + Array(text.utf8)
        case .double(let number): return head(3, 8) + big(number.bitPattern, 8)
        case .unsigned(let number): return head(6, 4) + big(number, 4)
        case .array(let values): return head(11, values.count) + values.flatMap(encoded)
        case .pointer(let offset): return [1 << 5 | UInt8(offset >> 8 & 7), UInt8(offset & 0xFF)]
        case .raw(let bytes): return bytes
        }
    }

    private static func head(_ kind: Int, _ size: Int) -> [UInt8] {
        let short = size < 29 ? size : size < 285 ? 29 : 30
        let first = UInt8(kind > 7 ? 0 : kind) << 5 | UInt8(short)
        let more = size < 29 ? [] : size < 285 ? [UInt8(size - 29)] : big(UInt64(size - 285), 2)
        return [first] + (kind > 7 ? [UInt8(kind - 7)] : []) + more
    }
}
